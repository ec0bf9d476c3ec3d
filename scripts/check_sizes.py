#!/usr/bin/env python3
"""Line budgets: small units, split by topic and not by luck.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re

from tree import Findings, run

# (paths, most lines, what to do). The first match counts.
BUDGETS = [
    (r"(^|/)docs/reference/", None, ""),
    (r"^CMakeLists\.txt$", 150, "move a function to cmake/"),
    (r"^tests/lit/.*\.(mlir|test)$", 300, "split by topic"),
    (r"\.td$", 600, "split by op group"),
    (r"\.(cpp|h|c|cmake|sh)$", 800, "split by topic"),
    (r"\.pyi?$", 800, "split by topic"),
]
LONGEST_LINE = 120  # of files without a formatter or linter that looks at it


def check(tree):
    findings = Findings("sizes", "Split the file; never raise the budget for one file.")
    for path in tree.paths:
        for pattern, most, advice in BUDGETS:
            if re.search(pattern, path):
                lines = tree.read(path).split("\n")
                if most and len(lines) - 1 > most:
                    findings.add(path, f"expected at most {most} lines, got {len(lines) - 1}: {advice}")
                break
        if path.endswith((".td", ".cmake", ".sh")):
            for number, line in enumerate(tree.read(path).split("\n"), 1):
                if len(line) > LONGEST_LINE:
                    findings.add(path, f"expected at most {LONGEST_LINE} characters in a line, got {len(line)}", number)
    return findings


if __name__ == "__main__":
    run(check, __doc__)
