"""What the check scripts share: the files of the tree, names, and how findings are told.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class Tree:
    """The files under a root: what git tracks or would track, else (a folder outside git) all of them."""

    def __init__(self, root):
        self.root = Path(root).resolve()
        listing = subprocess.run(["git", "-C", str(self.root), "ls-files", "-co", "--exclude-standard", "-z", "."],
                                 capture_output=True, text=True)
        if listing.returncode == 0:
            names = listing.stdout.split("\0")
        else:
            names = (str(path.relative_to(self.root)) for path in self.root.rglob("*"))
        self.paths = sorted(name for name in names if name and (self.root / name).is_file())

    def select(self, *suffixes, under=""):
        return [path for path in self.paths if path.endswith(suffixes) and path.startswith(under)]

    def exists(self, path):
        return (self.root / path).exists()

    def read(self, path):
        return (self.root / path).read_text(encoding="utf-8", errors="replace")


class Findings:
    """Collects `file:line: text`, prints them with how to fix them, and gives the exit code."""

    def __init__(self, check, fix):
        self.check, self.fix, self.lines = check, fix, []

    def add(self, path, text, line=None):
        self.lines.append(f"{path}:{line}: {text}" if line else f"{path}: {text}")

    def finish(self):
        for line in sorted(set(self.lines)):
            print(line)
        if self.lines:
            print(f"{self.check}: {len(set(self.lines))} findings. {self.fix}")
        return 1 if self.lines else 0


def snake(camel):
    """AtomicCas -> atomic_cas, Load2D -> load2d."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", camel).lower()


def kebab(camel):
    return snake(camel).replace("_", "-")


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def run(check, documentation):
    """Runs a checker's check(tree) -> Findings on --root (default: this repository) and exits with its code."""
    parser = argparse.ArgumentParser(description=documentation.strip().split("\n")[0])
    parser.add_argument("--root", default=ROOT, help="the tree to check")
    sys.exit(check(Tree(parser.parse_args().root)).finish())
