#!/usr/bin/env python3
"""Makes the files of a new pass, with one name throughout; they build, and pass all checks.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    scripts/new_pass.py compiler/Normalize FoldMasks "fold masks that are always true"

Writes ROOM/FoldMasks.cpp and tests/lit/ROOM/fold-masks.mlir, and adds the pass to ROOM/Passes.td and
ROOM/CMakeLists.txt, in alphabetical order. The pass does nothing yet; see docs/contributing/add-a-pass.md.
"""

import argparse
import re
import sys
from pathlib import Path

from tree import ROOT, kebab

SOURCE = """\
// {Title}. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: {summary}.
//
//   before   ->   after
//
// Needs: what earlier passes must have done. Leaves: what later ones may rely on.
// Why here: the two neighbours it stands between, and what breaks if it moves.
// Does not: the nearest thing that a reader would expect and will not find.
#include "{room}/Passes.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#define DEBUG_TYPE "{flag}"

namespace {namespace} {{
#define GEN_PASS_DEF_{upper}PASS
#include "{room}/Passes.h.inc"
}} // namespace {namespace}

using namespace mlir;

namespace {{

// --- Pass ------------------------------------------------------------------------------------------------------------

struct {name}Pass : {namespace}::impl::{name}PassBase<{name}Pass> {{
  void runOnOperation() override {{
    RewritePatternSet patterns(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns)))) {{
      signalPassFailure();
    }}
  }}
}};

}} // namespace
"""

ENTRY = """\
def {name}Pass : Pass<"{flag}", "::mlir::func::FuncOp"> {{
  let summary = "{summary}";
  let description = [{{
    *What.* {Title}.

    *Needs* nothing of earlier passes. *Leaves* what it found.
  }}];
}}

"""

TEST = """\
// RUN: pavage-opt %s --split-input-file --{flag} | FileCheck %s

// Not changed: there is nothing here for the pass.
// CHECK-LABEL: @nothing_to_do
//  CHECK-SAME:   %[[A:[a-z0-9]+]]: tensor<3x5xf32>
func.func @nothing_to_do(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {{
  // CHECK-NEXT: return %[[A]]
  return %a : tensor<3x5xf32>
}}
"""


def insert_sorted(text, pattern, entry, name, end):
    """`entry` before the first match of `pattern` whose first group sorts after `name`, else before `end`."""
    for match in re.finditer(pattern, text, re.M):
        if match.group(1) > name:
            return text[:match.start()] + entry + text[match.start():]
    position = re.search(end, text, re.M)
    if not position:
        raise SystemExit(f"cannot find where to insert {name}")
    return text[:position.start()] + entry + text[position.start():]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("room", help="a pass room, e.g. compiler/Normalize")
    parser.add_argument("name", help="verb and object in CamelCase, e.g. FoldMasks")
    parser.add_argument("summary", help="one clause without a full stop")
    parser.add_argument("--root", default=ROOT, type=Path)
    arguments = parser.parse_args()
    root, room, name = arguments.root.resolve(), arguments.room.strip("/"), arguments.name.removesuffix("Pass")
    if not re.fullmatch(r"([A-Z][a-z0-9]*)+", name):
        raise SystemExit(f"expected a CamelCase name, got '{arguments.name}'")
    passes, build = root / room / "Passes.td", root / room / "CMakeLists.txt"
    if not passes.is_file():
        rooms = ", ".join(str(path.parent.relative_to(root)) for path in sorted(root.glob("compiler/**/Passes.td")))
        raise SystemExit(f"expected a room with a Passes.td, got '{room}' (there are: {rooms})")
    source, test = root / room / f"{name}.cpp", root / "tests/lit" / room / f"{kebab(name)}.mlir"
    for path in (source, test):
        if path.exists():
            raise SystemExit(f"{path.relative_to(root)} exists already")
    namespace = re.search(r"^namespace ([\w:]+) \{", (root / room / "Passes.h").read_text(), re.M)
    side = next((part.lower() + "-" for part in ("Gpu", "Cpu") if part in room.split("/")), "")
    summary = arguments.summary.rstrip(".")
    words = {"name": name, "room": room, "summary": summary, "Title": summary[0].upper() + summary[1:],
             "flag": f"pavage-{side}{kebab(name)}", "upper": name.upper(),
             "namespace": namespace.group(1) if namespace else "pavage"}

    source.write_text(SOURCE.format(**words))
    test.parent.mkdir(parents=True, exist_ok=True)
    test.write_text(TEST.format(**words))
    passes.write_text(insert_sorted(passes.read_text(), r"^def (\w+?)Pass :", ENTRY.format(**words), name, r"^#endif"))
    build.write_text(insert_sorted(build.read_text(), r"^  (\w+)\.cpp\)?$", f"  {name}.cpp\n", name, r"\)\s*\Z"))
    text = build.read_text()
    build.write_text(re.sub(r"\.cpp  (\w+\.cpp)\n\)", r".cpp\n  \1)", text))
    for path in (source, test, passes, build):
        print(path.relative_to(root))
    print("next: docs/contributing/add-a-pass.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
