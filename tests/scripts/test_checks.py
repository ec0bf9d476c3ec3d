"""The check scripts find what they should on small bad trees, and nothing on the same trees mended."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TITLE = "// A thing. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"


def check(name, root, files):
    """Writes files below root; exit code and output of one check script."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    command = [sys.executable, str(ROOT / "scripts" / f"check_{name}.py"), "--root", str(root)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert not result.stderr, result.stderr
    return result.returncode, result.stdout


def expect(name, root, good, bad, message):
    """`good` passes; with `bad` laid over it the check fails and says `message`."""
    code, output = check(name, root, good)
    assert code == 0, output
    code, output = check(name, root, bad)
    assert code == 1
    assert message in output, output


# --- names ---------------------------------------------------------------------------------------------------------

PASS = {
    "compiler/Cpu/Lower/Passes.td": TITLE + 'def TileToVectorPass : Pass<"pavage-cpu-tile-to-vector"> {\n'
                                            '  let summary = "lower";\n  let description = [{ What. }];\n}\n',
    "compiler/Cpu/Lower/TileToVector.cpp": TITLE + '#define DEBUG_TYPE "pavage-cpu-tile-to-vector"\n'
                                                   "#define GEN_PASS_DEF_TILETOVECTORPASS\n",
    "tests/lit/compiler/Cpu/Lower/tile-to-vector.mlir": "// RUN: pavage-opt --pavage-cpu-tile-to-vector %s\n",
}


@pytest.mark.parametrize("path, old, new, message", [
    ("compiler/Cpu/Lower/Passes.td", '"pavage-cpu-tile-to-vector"', '"pavage-tile-to-vector"',
     "expected flag 'pavage-cpu-tile-to-vector', got 'pavage-tile-to-vector'"),
    ("compiler/Cpu/Lower/Passes.td", "What.", "", "expected a description"),
    ("compiler/Cpu/Lower/Passes.td", "TileToVectorPass", "TileToScalarPass", "TileToScalar.cpp"),
    ("compiler/Cpu/Lower/TileToVector.cpp", "DEBUG_TYPE", "OTHER", "expected #define DEBUG_TYPE"),
    ("compiler/Cpu/Lower/TileToVector.cpp", "TILETOVECTORPASS", "OTHERPASS", "GEN_PASS_DEF_OTHER"),
    ("tests/lit/compiler/Cpu/Lower/tile-to-vector.mlir", "--pavage-cpu-tile-to-vector", "-cse", "RUN line"),
])
def test_pass_has_one_name(tmp_path, path, old, new, message):
    assert old in PASS[path]
    expect("names", tmp_path, PASS, {path: PASS[path].replace(old, new)}, message)


def test_pass_needs_a_test(tmp_path):
    files = {path: text for path, text in PASS.items() if not path.startswith("tests/")}
    code, output = check("names", tmp_path, files)
    assert code == 1 and "expected a test tests/lit/compiler/Cpu/Lower/tile-to-vector.mlir" in output


OP = {
    "dialect/Tile/TileShapeOps.td": TITLE + """
def Tile_SplatOp : Tile_Op<"splat", [Pure]> {
  let summary = "one value";
  let description = [{
    (C1) Same element type.
    ```mlir
    ```
  }];
}
""",
    "tests/lit/dialect/Tile/shape-ops.mlir": "tile.splat\n",
    "tests/lit/dialect/Tile/shape-interp.mlir": "tile.splat\n",
    "tests/lit/dialect/Tile/shape-invalid.mlir": "// splat_c1: another element type\n",
}


@pytest.mark.parametrize("path, old, new, message", [
    ("dialect/Tile/TileShapeOps.td", '"splat"', '"fill"', "expected mnemonic 'splat', got 'fill'"),
    ("dialect/Tile/TileShapeOps.td", "Tile_SplatOp", "SplatOp", "expected def Tile_SplatOp"),
    ("dialect/Tile/TileShapeOps.td", "one value", "one value.", "without a full stop"),
    ("dialect/Tile/TileShapeOps.td", "```mlir", "```", "```mlir example"),
    ("dialect/Tile/TileShapeOps.td", "}];\n}", "}];\n  let hasFolder = 1;\n}", "shape-fold.mlir"),
    ("tests/lit/dialect/Tile/shape-ops.mlir", "tile.splat", "tile.splatter", "expected a case for tile.splat"),
    ("tests/lit/dialect/Tile/shape-interp.mlir", "tile.splat", "", "expected a case for tile.splat"),
    ("tests/lit/dialect/Tile/shape-invalid.mlir", "_c1", "_c2", "expected a case labelled splat_c1"),
])
def test_op_has_one_name_and_its_tests(tmp_path, path, old, new, message):
    expect("names", tmp_path, OP, {path: OP[path].replace(old, new)}, message)


@pytest.mark.parametrize("path, text, message", [
    ("runtime/Core/Buffer.cpp", "int x;\n", "expected a title line"),
    ("runtime/Core/buffer.cpp", TITLE, "expected a CamelCase file name"),
    ("runtime/core/Buffer.cpp", TITLE, "expected CamelCase room names"),
    ("scripts/NewPass.py", "", "expected a snake_case file name"),
    ("docs/GettingStarted.md", "", "expected a kebab-case file name"),
    ("runtime/Core/Buffer.cpp", TITLE + "// TO" "DO: later\n", "unfinished work"),
    ("tests/unit/runtime/Nowhere/ATest.cpp", TITLE, "there is no runtime/Nowhere"),
    ("tests/lit/dialect/Nowhere/a.mlir", "", "there is no dialect/Nowhere"),
    ("runtime/Core/CMakeLists.txt", "pavage_add_library(X)\n", "expected runtime/Core/README.md"),
])
def test_files_and_rooms(tmp_path, path, text, message):
    expect("names", tmp_path, {"runtime/README.md": "x\n"}, {path: text}, message)


def test_error_numbers(tmp_path):
    good = {"runtime/Errors/Catalogue.def": TITLE + 'PAVAGE_ERROR(304, BadGrid, "x",\n"y")\n',
            "tests/e2e/test_grid.py": "# PV0304\n"}
    expect("names", tmp_path, good, {"tests/e2e/test_grid.py": ""}, "expected a test that names PV0304")
    expect("names", tmp_path, good, {"runtime/Core/Grid.cpp": TITLE + '// PV0305\n'}, "PV0305 is not in")


# --- layers --------------------------------------------------------------------------------------------------------

ROOMS = {
    "dialect/Tile/TileOps.h": TITLE + '#include "mlir/IR/Builders.h"\n',
    "compiler/Normalize/Passes.h": TITLE + '#include "dialect/Tile/TileOps.h"\n',
    "runtime/Core/Device.h": TITLE + '#include "runtime/Errors/Errors.h"\n',
    "runtime/Errors/Errors.h": TITLE,
    "runtime/Cpu/Pool.h": TITLE + '#include "runtime/Core/Device.h"\n',
    "frontend/builder/include/pavage/builder.h": TITLE + "#include <vector>\n",
    "frontend/builder/Module.cpp": TITLE + '#include "pavage/builder.h"\n',
    "frontend/python/bindings/Module.cpp": TITLE + "#include <pavage/builder.h>\n",
}


@pytest.mark.parametrize("path, include, message", [
    ("dialect/Tile/TileOps.h", '"compiler/Normalize/Passes.h"', "layer 1 may include lower layers only"),
    ("compiler/Cpu/Lower/A.cpp", '"compiler/Normalize/Passes.h"', "layer 4 may include lower layers only"),
    ("compiler/Normalize/A.cpp", '"runtime/Core/Device.h"', "only Artifact and Errors"),
    ("runtime/Core/Device.h", '"runtime/Cpu/Pool.h"', "runtime layer 1 may include lower layers only"),
    ("runtime/Core/A.cpp", '"dialect/Tile/TileOps.h"', "runtime/ knows neither"),
    ("runtime/Core/A.cpp", '"mlir/IR/Builders.h"', "no MLIR or LLVM here"),
    ("frontend/builder/include/pavage/builder.h", '"llvm/ADT/StringRef.h"', "no MLIR or LLVM here"),
    ("frontend/python/launch/A.cpp", '"dialect/Tile/TileOps.h"', "only public headers"),
    ("compiler/Analysis/A.cpp", "<pavage/builder.h>", "layer 3 may include lower layers only"),
    ("compiler/Normalize/A.cpp", '"Passes.h"', "from the repository root"),
    ("compiler/Normalize/A.cpp", '"compiler/Normalize/Gone.h"', "from the repository root"),
])
def test_wrong_include(tmp_path, path, include, message):
    expect("layers", tmp_path, ROOMS, {path: f"{TITLE}#include {include}\n"}, message)


# --- sizes ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("path, lines", [
    ("compiler/Normalize/A.cpp", 800), ("dialect/Tile/TileOps.td", 600), ("tests/lit/a.mlir", 300),
    ("CMakeLists.txt", 150), ("scripts/a.py", 800),
])
def test_line_budget(tmp_path, path, lines):
    expect("sizes", tmp_path, {path: "x\n" * lines}, {path: "x\n" * (lines + 1)}, f"expected at most {lines} lines")


def test_long_line(tmp_path):
    expect("sizes", tmp_path, {"a.td": "x" * 120 + "\n"}, {"a.td": "x" * 121 + "\n"}, "got 121")


# --- docs ----------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("text, message", [
    ("See `runtime/Gone/README.md`.\n", "names runtime/Gone/README.md"),
    ("See [this](gone.md).\n", "links to gone.md"),
])
def test_docs_name_what_exists(tmp_path, text, message):
    good = {"docs/here.md": "See `docs/here.md`, [me](here.md), `docs/rationale/NNNN-title.md`, `build/bin/pavage`.\n"}
    expect("docs", tmp_path, good, {"docs/there.md": text}, message)


def test_generated_pages_are_current(tmp_path):
    source = {"runtime/Errors/Catalogue.def": 'PAVAGE_ERROR(304, BadGrid, "bad \\"grid\\"",\n"More.\\n"\n"text")\n'}
    code, output = check("docs", tmp_path, source)
    assert code == 1 and "docs/reference/errors.md: not current" in output
    subprocess.run([sys.executable, str(ROOT / "scripts/gen_docs.py"), "--root", str(tmp_path)], check=True)
    page = (tmp_path / "docs/reference/errors.md").read_text()
    assert '## PV0304 BadGrid\n\n*bad "grid"*\n\nMore.\ntext' in page
    edited = {"docs/reference/errors.md": page + "by hand\n"}
    expect("docs", tmp_path, {}, edited, "docs/reference/errors.md: not current")


def test_tutorial_from_an_example(tmp_path):
    example = ("# Adding. SPDX-License-Identifier: X\nimport x\n\n# %% First\n# it `adds`.\ny = 1\n\n\n"
               "# %%\n# Then.\nz = 2  # %% no\n")
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples/vector_add.py").write_text(example)
    subprocess.run([sys.executable, str(ROOT / "scripts/gen_docs.py"), "--root", str(tmp_path)], check=True)
    page = (tmp_path / "docs/tutorials/vector-add.md").read_text()
    body = page.split("-->\n\n")[1]
    assert body == ("# Adding\n\nRun it: `.venv/bin/python examples/vector_add.py`\n\n"
                    "```python\nimport x\n```\n\nFirst\nit `adds`.\n\n```python\ny = 1\n```\n\n"
                    "Then.\n\n```python\nz = 2  # %% no\n```\n")
