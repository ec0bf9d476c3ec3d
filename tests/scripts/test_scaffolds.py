"""What the scaffolds write passes the checks, lies where it should, and never overwrites."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PASSES = """\
// Passes. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include "mlir/Pass/PassBase.td"

def HoistLoadsPass : Pass<"pavage-cpu-hoist-loads", "::mlir::func::FuncOp"> {
  let summary = "hoist";
  let description = [{ Hoists. }];
}

#endif // X
"""


def script(name, *arguments):
    command = [sys.executable, str(ROOT / "scripts" / name), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture
def room(tmp_path):
    folder = tmp_path / "compiler/Cpu/Schedule"
    folder.mkdir(parents=True)
    title = "// X. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
    (folder / "README.md").write_text("x\n")
    (folder / "Passes.td").write_text(PASSES)
    (folder / "Passes.h").write_text(title + "namespace pavage::cpu {\n}\n")
    (folder / "HoistLoads.cpp").write_text(
        title + '#define DEBUG_TYPE "pavage-cpu-hoist-loads"\n#define GEN_PASS_DEF_HOISTLOADSPASS\n')
    (folder / "CMakeLists.txt").write_text("pavage_add_library(X SOURCES\n  HoistLoads.cpp)\n")
    test = tmp_path / "tests/lit/compiler/Cpu/Schedule/hoist-loads.mlir"
    test.parent.mkdir(parents=True)
    test.write_text("// RUN: --pavage-cpu-hoist-loads\n")
    return tmp_path


@pytest.mark.parametrize("name, sources", [
    ("FoldMasks", ["FoldMasks.cpp", "HoistLoads.cpp)"]), ("PeelLoops", ["HoistLoads.cpp", "PeelLoops.cpp)"]),
])
def test_new_pass(room, name, sources):
    made = script("new_pass.py", "compiler/Cpu/Schedule", name, "do a thing.", "--root", room)
    assert made.returncode == 0, made.stderr
    for check in ("names", "layers", "sizes"):
        result = script(f"check_{check}.py", "--root", room)
        assert result.returncode == 0, result.stdout
    folder = room / "compiler/Cpu/Schedule"
    assert (folder / "CMakeLists.txt").read_text().split()[-2:] == sources
    source = (folder / f"{name}.cpp").read_text()
    assert source.startswith("// Do a thing. SPDX") and "namespace pavage::cpu {" in source
    order = [line.split()[1] for line in (folder / "Passes.td").read_text().splitlines() if line.startswith("def ")]
    assert order == sorted(order) and f"{name}Pass" in order

    again = script("new_pass.py", "compiler/Cpu/Schedule", name, "again", "--root", room)
    assert again.returncode == 1 and "exists already" in again.stderr


@pytest.mark.parametrize("where, name, message", [
    ("compiler/Nowhere", "FoldMasks", "there are: compiler/Cpu/Schedule"),
    ("compiler/Cpu/Schedule", "fold_masks", "expected a CamelCase name"),
])
def test_new_pass_refuses(room, where, name, message):
    result = script("new_pass.py", where, name, "x", "--root", room)
    assert result.returncode == 1 and message in result.stderr
