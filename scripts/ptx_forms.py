#!/usr/bin/env python3
"""Writes docs/spec/ptx-forms.md: the PTX forms the virtual GPU knows, and how often each is met per corpus.

The corpora: the CUDA samples of tests/sim through nvcc, the cases of tests/sim/llvm_forms.py through llc, and folders
of PTX files given as NAME=FOLDER (Triton's kernels, say). What is absent keeps the column it has on the page.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "sim"))
PAGE = ROOT / "docs" / "spec" / "ptx-forms.md"
SIM = os.environ.get("PAVAGE_SIM", str(ROOT / "build" / "bin" / "pavage-sim"))
HEAD = """# PTX forms

What `pavage sim --list-forms` prints, with the number of times that each form is met in each corpus. Written by
`scripts/ptx_forms.py`; the table itself is `runtime/Sim/Schema.def`. `{.a¦b}` is optional; the letters behind a form
are its operands (`runtime/Sim/Schema.h`).

"""


def list_forms(*files):
    run = subprocess.run([SIM, "--list-forms", *map(str, files)], capture_output=True, text=True)
    if run.returncode:
        sys.exit(run.stderr)
    return run.stdout.splitlines()


def counts(files):
    """Form -> times met."""
    met = {}
    for line in list_forms(*files):
        number, _, form = line.strip().partition(" ")
        met[form] = int(number)
    return met


def old_columns():
    """Corpus -> form -> count, as the page has it."""
    if not PAGE.exists():
        return {}
    rows = [line.strip("| ").split(" | ") for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    columns = {}
    for row in rows[1:]:
        form = f"{row[1]} {row[2]} {row[0].strip('`')}".replace("¦", "|")
        for name, number in zip(rows[0][3:], row[3:]):
            if number.strip():
                columns.setdefault(name, {})[form] = int(number)
    return columns


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="*", help="NAME=FOLDER of PTX files")
    arguments = parser.parse_args()
    columns = old_columns()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        import llvm_forms
        import samples

        if samples.NVCC:
            sources = sorted(source.stem for source in samples.FOLDER.glob("*.cu"))
            columns["nvcc"] = counts([samples.compile_ptx(source, arch, level, folder) for source in sources
                                      for arch in (75, 80, 90) if arch >= samples.OLDEST.get(source, 75)
                                      for level in (0, 3)])
        if llvm_forms.LLC:
            files = []
            for arch in (75, 80, 89, 90):
                files.append(folder / f"llc{arch}.ptx")
                chosen = [case for case in llvm_forms.cases() if case[2] <= arch]
                files[-1].write_text(llvm_forms.compile_cases(chosen, arch))
            columns["llc"] = counts(files)
        for item in arguments.folders:
            name, _, where = item.partition("=")
            columns[name] = counts(sorted(Path(where).glob("**/*.ptx")))
    names = list(columns)
    lines = [f"| form | arch | PTX | {' | '.join(names)} |", "|---|---|---|" + "---|" * len(names)]
    for line in list_forms():
        arch, version, form = line.split(" ", 2)
        numbers = [str(columns[name].get(line, "")) for name in names]
        lines.append(f"| `{form.replace('|', '¦')}` | {arch} | {version} | {' | '.join(numbers)} |")
    met = ", ".join(f"{len(columns[name])} by {name}" for name in names)
    summary = [f"{len(list_forms())} forms are known; met: {met}.", ""]
    PAGE.write_text(HEAD + "\n".join(summary + lines) + "\n")
    print(summary[0])


if __name__ == "__main__":
    main()
