"""What the scaffolds write passes the checks, lies where it should, and never overwrites."""

import re
import shutil
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


@pytest.fixture
def dialect(tmp_path):
    """The real dialect and its tests, so that the scaffold cannot fall behind them."""
    for folder in ("dialect/Tile", "tests/lit/dialect/Tile"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    return tmp_path


@pytest.mark.parametrize("group", ["Arith", "Contract", "Memory", "Program", "Reduce", "Shape"])
def test_new_op(dialect, group):
    made = script("new_op.py", "Tile", group, "TurnRound", "elements turned round", "--root", dialect)
    assert made.returncode == 0, made.stderr
    names = script("check_names.py", "--root", dialect).stdout
    assert not [line for line in names.splitlines() if re.search("turn_?round", line, re.I)], names
    command = ["mlir-tblgen-22", "-gen-op-decls", "-I", str(dialect), "-I", "/usr/lib/llvm-22/include",
               str(dialect / "dialect/Tile/TileOps.td")]
    declarations = subprocess.run(command, capture_output=True, text=True, cwd=dialect)
    assert "class TurnRoundOp" in declarations.stdout, declarations.stderr
    meanings = "".join(path.read_text() for path in (dialect / "dialect/Tile/Interp").glob("Eval*.cpp"))
    assert meanings.count("evalTurnRound") == 2

    again = script("new_op.py", "Tile", group, "TurnRound", "again", "--root", dialect)
    assert again.returncode == 1 and "exists already" in again.stderr


def test_new_op_refuses(dialect):
    result = script("new_op.py", "Tile", "Nowhere", "Turn", "x", "--root", dialect)
    assert result.returncode == 1 and "Arith, Contract, Memory" in result.stderr


@pytest.mark.parametrize("room", ["compiler/Normalize", "compiler/Cpu/Schedule", "compiler/Cpu/Lower"])
def test_new_pass_in_a_real_room(tmp_path, room):
    shutil.copytree(ROOT / room, tmp_path / room)
    made = script("new_pass.py", room, "TurnRound", "turn round", "--root", tmp_path)
    assert made.returncode == 0, made.stderr
    names = script("check_names.py", "--root", tmp_path).stdout
    assert not [line for line in names.splitlines() if re.search("turn-?round", line, re.I)], names
    command = ["mlir-tblgen-22", "-gen-pass-decls", "-name", "X", "-I", "/usr/lib/llvm-22/include",
               str(tmp_path / room / "Passes.td")]
    assert "TurnRoundPass" in subprocess.run(command, capture_output=True, text=True).stdout
