# The command-line tool away from what it needs says so by number. SPDX-License-Identifier: Apache-2.0 WITH
# LLVM-exception
import os
import shutil
import subprocess
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/vector_add.py"


@pytest.fixture
def tool(build_dir, tmp_path):
    """A copy of the program with the runtime, and nothing else beside it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    shutil.copy(build_dir / "bin/pavage", folder)
    return folder / "pavage"


def run(build_dir, tool, *arguments, **environment):
    environment = {**os.environ, "LD_LIBRARY_PATH": str(build_dir / "lib"), **environment}
    return subprocess.run([str(tool), *map(str, arguments)], env=environment, capture_output=True, text=True)


def test_without_the_compiler(build_dir, tool, tmp_path):
    """A file in the library's place that is none."""
    kernel = tmp_path / "empty.mlir"
    kernel.write_text("func.func @k() attributes {tile.kernel} { return }\n")
    libraries = tmp_path / "lib"
    libraries.mkdir()
    (libraries / "libpavage_core.so").write_text("no library\n")
    result = run(build_dir, tool, "compile", kernel)
    assert result.returncode == 1 and "error PV0815: " in result.stderr, result.stderr


def test_without_python(build_dir, tool):
    signature = "*fp32,*fp32,*fp32,i32,8"
    result = run(build_dir, tool, "compile", f"{EXAMPLE}:add", "--signature", signature, PATH="/nowhere")
    assert result.returncode == 1 and "error PV0816: " in result.stderr, result.stderr
