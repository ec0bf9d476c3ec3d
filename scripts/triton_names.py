#!/usr/bin/env python3
# Lists the public names of Triton's language. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names that `triton.language` and its modules offer, one line per module.

    python scripts/triton_names.py CHECKOUT > tests/python/triton_names.txt

CHECKOUT is a checkout of triton-lang/triton-cpu (or triton-lang/triton) outside of this project. The names are read off
the source: what `__init__` imports, and what a module defines at its top level without a leading underscore. Nothing is
imported.
"""
import ast
import os
import sys

MODULES = {
    "triton": "python/triton/__init__.py",
    "triton.language": "python/triton/language/__init__.py",
    "triton.language.core": "python/triton/language/core.py",
    "triton.language.math": "python/triton/language/math.py",
    "triton.language.random": "python/triton/language/random.py",
    "triton.language.standard": "python/triton/language/standard.py",
    "triton.language.target_info": "python/triton/language/target_info.py",
    "triton.language.extra.libdevice": "python/triton/language/extra/libdevice.py",
    "triton.language.extra.cuda": "third_party/nvidia/language/cuda/__init__.py",
    "triton.language.extra.cuda.libdevice": "third_party/nvidia/language/cuda/libdevice.py",
    "triton.runtime": "python/triton/runtime/__init__.py",
    "triton.testing": "python/triton/testing.py",
}


def names_of(text, is_package):
    """Names bound at the top level of a module; imported ones count in packages only."""
    found = set()
    for node in ast.parse(text).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {t.id for t in targets if isinstance(t, ast.Name)}
        elif isinstance(node, ast.ImportFrom) and is_package and node.level:
            found |= {a.asname or a.name for a in node.names}
    return sorted(n for n in found if not n.startswith("_") and n != "T")


def main():
    if len(sys.argv) != 2 or not os.path.isdir(os.path.join(sys.argv[1], "python", "triton")):
        sys.exit(__doc__)
    for module, path in MODULES.items():
        path = os.path.join(sys.argv[1], path)
        if not os.path.exists(path):
            sys.exit(f"expected {path} in the checkout, got none")
        with open(path, encoding="utf-8") as f:
            print(f"{module}: {' '.join(names_of(f.read(), path.endswith('__init__.py')))}")


if __name__ == "__main__":
    main()
