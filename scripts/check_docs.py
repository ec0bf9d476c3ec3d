#!/usr/bin/env python3
"""Docs that stay true: generated pages are current, paths that they name exist, MLIR examples parse.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

The ```mlir blocks of op descriptions (dialect/*/*.td) and of docs/ are run through pavage-opt once
build/bin/pavage-opt exists (another: --opt PATH); a block that must not parse is marked ```mlir-invalid.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import textwrap

import gen_docs
from tree import ROOT, Findings, Tree, line_of

TOP_FOLDERS = ("dialect", "compiler", "runtime", "frontend", "lib", "examples", "benchmarks", "tests", "docs",
               "scripts", "cmake", ".ci")
PATH = re.compile(r"(?<![\w./$~-])((?:" + "|".join(re.escape(top) for top in TOP_FOLDERS)
                  + r")/[\w./+-]*[\w/])(?![\w*<{…]|/\*)")


def check_paths(tree, findings):
    for path in tree.select(".md"):
        if path.startswith(gen_docs.REFERENCE):
            continue
        text = re.sub(r"<!--.*?-->", "", tree.read(path), flags=re.S)
        folder = path.rpartition("/")[0]
        prose = re.sub(r"^([ \t]*```).*?^\1|`[^`\n]*`", lambda code: re.sub(r"[^\n]", " ", code.group()), text,
                       flags=re.M | re.S)
        for match in re.finditer(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", prose):
            target = match.group(1)
            if not re.match(r"^[a-z]+:", target) and not (tree.root / folder / target).exists():
                findings.add(path, f"links to {target}, which does not exist", line_of(text, match.start()))
        for span in re.finditer(r"`([^`\n]+)`", text):
            if re.search(r"[<>{}*…]|NNNN|NAME|FILE|YOUR", span.group(1)):
                continue
            for match in PATH.finditer(span.group(1)):
                if not tree.exists(match.group(1)):
                    findings.add(path, f"names {match.group(1)}, which does not exist", line_of(text, span.start()))


def check_generated(tree, findings):
    if not os.path.exists(gen_docs.TABLEGEN):
        findings.add("docs/reference", "cannot be checked without mlir-tblgen-22: run scripts/bootstrap.sh")
        return
    for path in [path for group in gen_docs.stale(tree) for path in group]:
        findings.add(path, "not current: run `make docs`")


def mlir_examples(tree):
    """(path, line, code) of each ```mlir block."""
    for path in [*tree.select(".td", under="dialect/"), *tree.select(".md", under="docs/")]:
        if path.startswith(gen_docs.REFERENCE):
            continue
        text = tree.read(path)
        for match in re.finditer(r"^[ \t]*```mlir\n(.*?)^[ \t]*```", text, re.M | re.S):
            yield path, line_of(text, match.start()) + 1, textwrap.dedent(match.group(1))


def check_examples(tree, findings, opt):
    examples = list(mlir_examples(tree))
    chunks, starts, line = [], [], 1
    for _, _, code in examples:
        starts.append(line)
        chunks.append(code.rstrip("\n") + "\n// -----\n")
        line += chunks[-1].count("\n")
    if not examples:
        return
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write("".join(chunks))
        file.flush()
        command = [opt, "--split-input-file", file.name, "-o", os.devnull]
        result = subprocess.run(command, capture_output=True, text=True)
    errors = re.findall(re.escape(file.name) + r":(\d+):\d+: error: (.*)", result.stderr)
    for number, message in errors:
        which = max(i for i, start in enumerate(starts) if start <= int(number))
        path, first, _ = examples[which]
        findings.add(path, f"example does not parse: {message}", first + int(number) - starts[which])
    if result.returncode and not errors:
        findings.add(opt, f"failed on the examples: {result.stderr.strip()[:300]}")


def check(tree, opt=None):
    findings = Findings("docs", "Text and tree must say the same; generated pages come from `make docs`.")
    check_paths(tree, findings)
    check_generated(tree, findings)
    if opt and os.access(opt, os.X_OK):
        check_examples(tree, findings, opt)
    return findings


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.strip().split("\n")[0])
    parser.add_argument("--root", default=ROOT)
    parser.add_argument("--opt", default=str(ROOT / "build/bin/pavage-opt"))
    arguments = parser.parse_args()
    sys.exit(check(Tree(arguments.root), arguments.opt).finish())
