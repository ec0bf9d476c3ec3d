#!/usr/bin/env python3
"""One thing, one name: file = def = flag = debug type = test, for passes, ops, rooms, error numbers and test files.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

The rules are in docs/contributing/style.md. Every finding says what was expected.
"""

import re

from tree import Findings, kebab, line_of, run, snake

CODE = (".cpp", ".h", ".c", ".td", ".def")
EXAMPLE_NUMBER = 123  # what documentation uses as "a number"
SPDX = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
CAMEL_ROOMS = ("dialect", "compiler", "runtime")
# How tests name an error: PV0304, EXPECT_PV(304, `number(), 304`, `number == 304`, and in Python's tables (304, "
TESTED = re.compile(r'\bPV(\d{4})|_PV\((\d+)|\bnumber\(?\)?,? (?:== )?(\d{1,3})\b|^ +\((\d{1,3}), "', re.M)
# Numbers that no test can bring about, each with the reason.
UNPROVOKED = {
    319: "a caller's bug: every copy of ours is inside its buffer",
    320: "an artifact of another machine in a cache that has the machine in its key",
    321: "a machine without threads to give",
    347: "a machine without memory to give",
    402: "a full disk",
    902: "a bug in a pass",
}
# The virtual GPU's findings are tested by kind (tests/unit/runtime/Sim), of which each has one number.
BY_KIND = range(600, 800)
# Words that mean "unfinished"; in pieces, so that this file does not find itself.
UNFINISHED = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK")) + r")\b")


def defs(text, suffix):
    """(name, rest of the definition, offset) of each `def NAME<suffix> : ...` in a .td file."""
    starts = list(re.finditer(r"^(def|class|defm|multiclass)\s+(\w+)", text, re.M))
    for start, following in zip(starts, [*starts[1:], None]):
        if start.group(1) == "def" and start.group(2).endswith(suffix):
            body = text[start.end():following.start() if following else None]
            yield start.group(2)[: -len(suffix)], body, start.start()


def field(body, name):
    """The text of `let NAME = "..."` or `let NAME = [{...}]`."""
    match = re.search(r"\blet\s+" + name + r'\s*=\s*(?:\[\{(.*?)\}\]|((?:"[^"]*"\s*)+))', body, re.S)
    return (match.group(1) or match.group(2)).strip(' \n"') if match else ""


def check_passes(tree, findings):
    declared = {}
    for path in tree.select("/Passes.td"):
        room, text = path[: -len("/Passes.td")], tree.read(path)
        side = next((part.lower() + "-" for part in ("Gpu", "Cpu") if f"/{part}/" in f"/{room}/"), "")
        for name, body, offset in defs(text, "Pass"):
            line = line_of(text, offset)
            flag = re.search(r'"([^"]*)"', body)
            flag = flag.group(1) if flag else ""
            expected = f"pavage-{side}{kebab(name)}"
            declared[room, name] = flag
            if flag != expected:
                findings.add(path, f"{name}Pass: expected flag '{expected}', got '{flag}'", line)
            for part in ("summary", "description"):
                if not field(body, part):
                    findings.add(path, f"{name}Pass: expected a {part}", line)
            source = f"{room}/{name}.cpp"
            if not tree.exists(source):
                findings.add(path, f"{name}Pass: expected its code in {source}", line)
            else:
                code = tree.read(source)
                if f'#define DEBUG_TYPE "{expected}"' not in code:
                    findings.add(source, f'expected #define DEBUG_TYPE "{expected}"')
                if f"GEN_PASS_DEF_{name.upper()}PASS" not in code:
                    findings.add(source, f"expected #define GEN_PASS_DEF_{name.upper()}PASS")
            test = f"tests/lit/{room}/{kebab(name)}.mlir"
            if not tree.exists(test):
                findings.add(path, f"{name}Pass: expected a test {test}", line)
            elif f"--{expected}" not in tree.read(test):
                findings.add(test, f"expected a RUN line with --{expected}")
    for path in tree.select(".cpp", under="compiler/"):
        for match in re.finditer(r"GEN_PASS_DEF_(\w+)PASS", tree.read(path)):
            room, name = path.rsplit("/", 1)
            if match.group(1) != name[:-4].upper():
                findings.add(path, f"expected a file named after its pass, got GEN_PASS_DEF_{match.group(1)}PASS")
            elif (room, name[:-4]) not in declared:
                findings.add(path, f"expected {name[:-4]}Pass in {room}/Passes.td")


def check_ops(tree, findings):
    for path in tree.select("Ops.td", under="dialect/"):
        match = re.fullmatch(r"dialect/(\w+)/\1(\w+)Ops\.td", path)
        if not match:
            continue
        dialect, group = match.groups()
        namespace, text = dialect.lower(), tree.read(path)
        folder, stem = f"tests/lit/dialect/{dialect}", kebab(group)
        files = {kind: f"{folder}/{stem}-{kind}.mlir" for kind in ("ops", "invalid", "interp", "fold")}
        tests = {kind: tree.read(file) if tree.exists(file) else None for kind, file in files.items()}
        wanted = {"ops", "invalid", "interp"}
        for name, body, offset in defs(text, "Op"):
            line = line_of(text, offset)
            if not name.startswith(f"{dialect}_"):
                findings.add(path, f"expected def {dialect}_{name}Op", line)
                continue
            mnemonic = re.search(r'"([^"]*)"', body)
            mnemonic = mnemonic.group(1) if mnemonic else ""
            if mnemonic.replace("_", "") != name[len(dialect) + 1:].lower():
                findings.add(path, f"expected mnemonic '{snake(name[len(dialect) + 1:])}', got '{mnemonic}'", line)
            if "let hasFolder = 1" in body or "let hasCanonicalize" in body:
                wanted.add("fold")
            summary, description = field(body, "summary"), field(body, "description")
            if not summary or len(summary) > 80 or summary.endswith("."):
                findings.add(path, f"{mnemonic}: expected a summary of at most 80 characters without a full stop", line)
            if "Terminator" not in body and "```mlir" not in description:
                findings.add(path, f"{mnemonic}: expected a description with an ```mlir example", line)
            word = re.compile(rf"\b{namespace}\.{mnemonic}(?![\w.])")
            for kind in ("ops", "interp"):
                if tests[kind] is not None and not word.search(tests[kind]):
                    findings.add(files[kind], f"expected a case for {namespace}.{mnemonic}")
            for number in sorted({int(n) for n in re.findall(r"\(C(\d+)\)", description)}):
                label = f"{mnemonic}_c{number}"
                if tests["invalid"] is not None and not re.search(rf"\b{label}(?!\d)", tests["invalid"]):
                    findings.add(files["invalid"], f"expected a case labelled {label}")
        for kind in sorted(wanted):
            if tests[kind] is None:
                findings.add(path, f"expected a test {files[kind]}")


def check_files(tree, findings):
    for path in tree.paths:
        parts = path.split("/")
        name = parts[-1]
        if name.endswith(CODE) and SPDX not in re.sub(r"[\s/*#]+", " ", tree.read(path)[:600]):
            findings.add(path, f"expected a title line that ends with '{SPDX}'")
        if name.endswith((".cpp", ".td")) and parts[0] in (*CAMEL_ROOMS, "frontend", "tests") and "python" not in parts:
            if not re.match(r"^([A-Z]\w*|main|pch|pavage-[a-z]+)\.", name):
                findings.add(path, "expected a CamelCase file name")
        if name.endswith(".py") and not re.fullmatch(r"[a-z0-9_.]+|__\w+__\.py|lit\.cfg\.py", name):
            findings.add(path, "expected a snake_case file name")
        if parts[0] == "docs" and name != "README.md" and not re.fullmatch(r"[a-z0-9-]+(\.[a-z]+)+", name):
            findings.add(path, "expected a kebab-case file name")
        if parts[0] in CAMEL_ROOMS:
            for part in parts[1:-1]:
                if not re.match(r"^([A-Z]\w*|include|pavage|pavage-opt)$", part):
                    findings.add(path, f"expected CamelCase room names, got '{part}'")
        if path.startswith("tests/unit/") and len(parts) > 3:
            room = "/".join(parts[2:-1])
            if not (tree.exists(room) or tree.exists(f"tests/{room}")):
                findings.add(path, f"expected tests/unit to mirror the source path, but there is no {room}")
            if name.endswith(".cpp") and not name.endswith("Test.cpp") and not tree.exists(path[:-4] + ".h"):
                findings.add(path, "expected a file named <Thing>Test.cpp, or a header for what tests share")
        if path.startswith("tests/lit/") and len(parts) > 3 and parts[2] != "tools" and "Inputs" not in parts:
            room = "/".join(parts[2:-1])
            if not tree.exists(room):
                findings.add(path, f"expected tests/lit to mirror the source path, but there is no {room}")
        if name.endswith((*CODE, ".py", ".pyi", ".sh", ".cmake", ".mlir", ".md")) and not name.startswith("LICENSE"):
            text = tree.read(path)
            for match in UNFINISHED.finditer(text):
                line = line_of(text, match.start())
                findings.add(path, f"unfinished work ({match.group(1)}): finish it or take it out", line)


def check_rooms(tree, findings):
    """A folder that builds something, or a folder at the top, has a README.md of 3 to 60 lines."""
    for path in tree.select("CMakeLists.txt"):
        folder = path.rpartition("/")[0]
        if folder and not folder.startswith(("tests/", "cmake")) and not tree.exists(f"{folder}/README.md"):
            if "pavage_add_" in tree.read(path) or "add_executable" in tree.read(path) or "/" not in folder:
                findings.add(path, f"expected {folder}/README.md: what the room does, its files, how to add to it")


def check_errors(tree, findings):
    catalogue = "runtime/Errors/Catalogue.def"
    if not tree.exists(catalogue):
        return
    text = tree.read(catalogue)
    known = {}
    for match in re.finditer(r"^PAVAGE_ERROR\((\d+), (\w+),", text, re.M):
        known[int(match.group(1))] = (match.group(2), line_of(text, match.start()))
    tested = set()
    for path in tree.select(*CODE, ".py", ".pyi", ".mlir", ".test"):
        if path == catalogue or path.startswith("scripts/"):
            continue
        source = tree.read(path)
        if path.startswith("tests/"):
            tested.update(int(match[match.lastindex]) for match in TESTED.finditer(source))
            tested.update(number for number, (name, _) in known.items() if f"Code::{name}" in source)
            continue
        for match in re.finditer(r"\bPV(\d{4})\b", source):
            if int(match.group(1)) not in {*known, EXAMPLE_NUMBER}:
                findings.add(path, f"PV{match.group(1)} is not in {catalogue}", line_of(source, match.start()))
    for number, (name, line) in known.items():
        if number not in tested and number not in UNPROVOKED and number not in BY_KIND:
            number = f"PV{number:04}"
            findings.add(catalogue, f"{number} {name}: expected a test that names {number} or Code::{name}", line)


def check(tree):
    findings = Findings("names", "The rules are in docs/contributing/style.md; scripts/new_pass.py and "
                                 "scripts/new_op.py make files that pass.")
    for part in (check_passes, check_ops, check_files, check_rooms, check_errors):
        part(tree, findings)
    return findings


if __name__ == "__main__":
    run(check, __doc__)
