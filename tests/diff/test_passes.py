"""Interp gives the same before and after each pass that leaves Tile. SPDX-License-Identifier: Apache-2.0 WITH
LLVM-exception

The corpus is all IR of the tree that Interp can run: the .mlir files beside this one, the example of every op page, the
litmus programs, the programs that gave ops their meaning, and what the fuzzer found. Passes are read from Passes.td, so
that none is forgotten. Data are whole numbers where rounding could differ; where a program divides and takes roots, the
pass that fuses multiply-add is let off.
"""

import pathlib
import re
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(ROOT / "scripts")]
import check_docs  # noqa: E402
from inputs import give_arguments  # noqa: E402
from tree import Tree  # noqa: E402


def passes_of(room):
    return re.findall(r'Pass<"(pavage-[a-z-]+)"', (ROOT / room / "Passes.td").read_text())


#: Passes that leave IR with a meaning, and the pipeline of the first.
PASSES = [
    *passes_of("compiler/Normalize"),
    *passes_of("compiler/Cpu/Schedule"),
    "pavage-normalize=fp-fusion=true",
    "pavage-normalize=fp-fusion=false",
]
FUSES = ("pavage-fuse-multiply-add", "pavage-normalize=fp-fusion=true")


def corpus():
    """{name: text} with functions that Interp can run, chunks apart."""
    found = {f"corpus/{path.stem}": path.read_text() for path in sorted((HERE / "corpus").glob("*.mlir"))}
    for folder in ("tests/litmus", "tests/lit/dialect/Tile", "tests/fuzz/corpus"):
        for path in sorted((ROOT / folder).glob("*.mlir")):
            if "invalid" not in path.stem:
                found[f"{path.parent.name}/{path.stem}"] = path.read_text()
    pages = {}
    for path, _, code in check_docs.mlir_examples(Tree(ROOT)):
        pages.setdefault(pathlib.Path(path).stem, []).append(code)
    found.update({f"page/{name}": "\n// -----\n".join(examples) for name, examples in pages.items()})
    return {name: give_arguments(text) for name, text in found.items()}


CORPUS = corpus()


def interpret(opt, text, *passes):
    """What each function of each chunk did."""
    command = [str(opt), "-", "--split-input-file", *passes, "--pavage-interp"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    # Places move with the IR.
    return re.sub(r" at \S+ in program", " in program", done.stdout)


@pytest.fixture(scope="module")
def pavage_opt(build_dir):
    return build_dir / "bin" / "pavage-opt"


@pytest.fixture(scope="module")
def before(pavage_opt):
    known = {}

    def answer(name):
        if name not in known:
            known[name] = interpret(pavage_opt, CORPUS[name])
        return known[name]

    return answer


@pytest.mark.parametrize("name", CORPUS)
@pytest.mark.parametrize("flag", PASSES)
def test_pass_keeps_results(pavage_opt, before, flag, name):
    assert interpret(pavage_opt, CORPUS[name], f"--{flag}") == before(name)


@pytest.mark.parametrize("name", [name for name in CORPUS if name.startswith("corpus/")])
def test_corpus_is_good_input(before, name):
    """No case of the corpus is reported by Interp, so that a wrong access after a pass shows as a difference."""
    assert "@" in before(name) and "error" not in before(name)


def test_every_op_page_has_an_example_that_runs(before):
    """An op whose example cannot run is compared by nothing."""
    ops = {m for p in (ROOT / "dialect/Tile").glob("*.td") for m in re.findall(r'Tile_Op<"(\w+)"', p.read_text())}
    run = set()
    for name in CORPUS:
        ran = set(re.findall(r"@(\w+)", before(name)))
        for function in re.split(r"(?=func\.func )", CORPUS[name]):
            head = re.match(r"func\.func @(\w+)", function)
            if head and head[1] in ran:
                run |= set(re.findall(r"tile\.(\w+)", function))
    assert len(ops) > 30 and ops - run == set()
