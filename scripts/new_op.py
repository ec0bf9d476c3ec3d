#!/usr/bin/env python3
"""Makes the parts of a new op of a dialect, with one name throughout; they build, and pass all checks.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    scripts/new_op.py Tile Shape Rotate "elements moved round along an axis"

Adds the op's page to dialect/Tile/TileShapeOps.td, its meaning to the group's file of dialect/Tile/Interp, and a case
to each of tests/lit/dialect/Tile/shape-{ops,invalid,interp}.mlir. The op takes a tile and gives it back; edit from
there as docs/contributing/add-an-op.md says.
"""

import argparse
import re
import sys
from pathlib import Path

from tree import ROOT, kebab, snake

PAGE = """\
def {dialect}_{name}Op : {dialect}_Op<"{op}", [Pure, SameOperandsAndResultType]> {{
  let summary = "{summary}";
  let description = [{{
    **Semantics** `result[i] = src[i]`.

    **Constraints** (C1) the source and the result have the same type.

    **Example**
    ```mlir
    func.func @{op}(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {{
      %y = {namespace}.{op} %x : tensor<3x5xf32>
      return %y : tensor<3x5xf32>
    }}
    ```
  }}];
  let arguments = (ins {dialect}_AnyTile:$src);
  let results = (outs {dialect}_AnyTile:$result);
  let assemblyFormat = "$src attr-dict `:` type($result)";
}}

"""

MEANING = """\
static bool eval{name}(State &state, Operation *op, Data in) {{
  Datum &result = state.define(op->getResult(0));
  result.bytes = in[0]->bytes;
  result.poison = in[0]->poison;
  return true;
}}

"""

OPS = """\
// CHECK-LABEL: @{op}
//  CHECK-SAME:   %[[X:[a-z0-9]+]]: tensor<3x5xf32>
func.func @{op}(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {{
  // CHECK: {namespace}.{op} %[[X]] : tensor<3x5xf32>
  %y = {namespace}.{op} %x : tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}}
"""

INVALID = """\
// {op}_c1: a result of another shape.
func.func @{op}_type(%x: tensor<3x5xf32>) {{
  // expected-error @+1 {{{{requires the same type for all operands and results}}}}
  %y = "{namespace}.{op}"(%x) : (tensor<3x5xf32>) -> tensor<5x3xf32>
  return
}}
"""

INTERP = """\
// CHECK-LABEL: @{op}
// CHECK-NEXT{{LITERAL}}:   result 0: [[1, 2, 3], [4, 5, 6]]
func.func @{op}() -> tensor<2x3xi32> {{
  %x = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %y = {namespace}.{op} %x : tensor<2x3xi32>
  return %y : tensor<2x3xi32>
}}
"""


def insert_before(path, pattern, text):
    """Puts text before the last match of a pattern at the start of a line."""
    content = path.read_text()
    matches = list(re.finditer(pattern, content, re.M))
    if not matches:
        raise SystemExit(f"{path}: cannot find where to insert (pattern {pattern})")
    at = matches[-1].start()
    path.write_text(content[:at] + text + content[at:])


def append_case(path, run, text):
    """Appends a chunk to a lit file, or makes the file."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"// RUN: {run}\n\n{text}")
        return
    content = path.read_text()
    separator = "// -----\n\n" if "--split-input-file" in content else ""
    path.write_text(content.rstrip("\n") + "\n\n" + separator + text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("dialect", help="e.g. Tile")
    parser.add_argument("group", help="an op group of it, e.g. Shape")
    parser.add_argument("name", help="CamelCase; a verb for an action, a noun for a value")
    parser.add_argument("summary", help="at most 80 characters, no full stop")
    parser.add_argument("--root", default=ROOT, type=Path)
    arguments = parser.parse_args()
    root, dialect, group, name = arguments.root.resolve(), arguments.dialect, arguments.group, arguments.name
    if not re.fullmatch(r"([A-Z][a-z0-9]*)+", name):
        raise SystemExit(f"expected a CamelCase name, got '{name}'")
    folder = root / "dialect" / dialect
    page = folder / f"{dialect}{group}Ops.td"
    if not page.is_file():
        groups = sorted(path.name[len(dialect):-len("Ops.td")] for path in folder.glob(f"{dialect}?*Ops.td"))
        raise SystemExit(f"expected one of the groups {', '.join(groups)}, got '{group}'")
    meaning = next((path for path in (folder / f"Interp/Eval{dialect}{group}.cpp", folder / f"Interp/Eval{group}.cpp")
                    if path.is_file()), None)
    if meaning is None:
        raise SystemExit(f"expected a file Eval{group}.cpp in {folder / 'Interp'}")
    words = {"dialect": dialect, "name": name, "op": snake(name), "namespace": dialect.lower(),
             "summary": arguments.summary.rstrip(".")}
    if re.search(rf"^def {dialect}_{name}Op\b", "".join(path.read_text() for path in folder.glob("*.td")), re.M):
        raise SystemExit(f"{dialect}_{name}Op exists already")

    insert_before(page, r"^#endif", PAGE.format(**words))
    handlers = r"^void \S*add\w+Handlers\(HandlerTable"
    insert_before(meaning, handlers, MEANING.format(**words))
    insert_before(meaning, r"^\}", f"  table.add<{name}Op>(eval{name});\n")
    tests = root / "tests/lit/dialect" / dialect
    stem = kebab(group)
    append_case(tests / f"{stem}-ops.mlir", "pavage-opt %s | pavage-opt | FileCheck %s", OPS.format(**words))
    append_case(tests / f"{stem}-invalid.mlir", "pavage-opt %s --split-input-file --verify-diagnostics",
                INVALID.format(**words))
    append_case(tests / f"{stem}-interp.mlir", "pavage-opt %s --pavage-interp | FileCheck %s", INTERP.format(**words))
    for path in (page, meaning, *(tests / f"{stem}-{kind}.mlir" for kind in ("ops", "invalid", "interp"))):
        print(path.relative_to(root))
    print("next: docs/contributing/add-an-op.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
