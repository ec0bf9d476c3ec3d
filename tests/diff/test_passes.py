"""Interp gives the same before and after each pass of Normalize, and after all of it. SPDX-License-Identifier:
Apache-2.0 WITH LLVM-exception

Data are whole numbers where rounding could differ. The corpus is the .mlir files beside this one; passes are read from
Passes.td, so that none is forgotten.
"""

import pathlib
import re
import subprocess

import pytest

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
CORPUS = sorted((HERE / "corpus").glob("*.mlir"))
PASSES = re.findall(r'Pass<"(pavage-[a-z-]+)"', (ROOT / "compiler/Normalize/Passes.td").read_text())


def interpret(opt, path, *passes):
    command = [str(opt), str(path), *passes, "--pavage-interp"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "@" in done.stdout, "no function of the file ran"
    return done.stdout


@pytest.fixture(scope="module")
def pavage_opt(build_dir):
    return build_dir / "bin" / "pavage-opt"


@pytest.fixture(scope="module")
def before(pavage_opt):
    return {path: interpret(pavage_opt, path) for path in CORPUS}


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
@pytest.mark.parametrize("name", PASSES)
def test_pass_keeps_results(pavage_opt, before, name, path):
    assert interpret(pavage_opt, path, f"--{name}") == before[path]


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
@pytest.mark.parametrize("fusion", ["true", "false"])
def test_normalize_keeps_results(pavage_opt, before, fusion, path):
    assert interpret(pavage_opt, path, f"--pavage-normalize=fp-fusion={fusion}") == before[path]


def test_corpus_is_good_input(before):
    """No case of the corpus is reported by Interp, so that a wrong access after a pass shows as a difference."""
    for path, output in before.items():
        assert "error" not in output, f"{path.name}:\n{output}"
