"""Interp gives the same before and after each pass that leaves Tile. SPDX-License-Identifier: Apache-2.0 WITH
LLVM-exception

The corpus is all IR of the tree that Interp can run: the .mlir files beside this one, the example of every op page, the
litmus programs, the programs that gave ops their meaning, and what the fuzzer found. Passes are read from Passes.td, so
that none is forgotten. Data are whole numbers, so that fusing multiply-add changes nothing, but where floats' own rules
are what a program shows. A pass may give a value to what had none, and what happens after a use of it is not compared.
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


#: An address as a number differs from run to run.
ADDRESS_SHOWS = re.compile(r"tile\.bitcast .*!tile\.ptr.* -> (tensor<[0-9x]*)?i64")


def corpus():
    """{name: text} with functions that Interp can run, chunks apart."""
    found = {f"corpus/{path.stem}": path.read_text() for path in sorted((HERE / "corpus").glob("*.mlir"))}
    for kind, folder in [("litmus", "litmus"), ("op", "lit/dialect/Tile"), ("fuzz", "fuzz/corpus")]:
        for path in sorted((ROOT / "tests" / folder).glob("*.mlir")):
            if "invalid" not in path.stem:
                found[f"{kind}/{path.stem}"] = path.read_text()
    pages = {}
    for path, _, code in check_docs.mlir_examples(Tree(ROOT)):
        if path.startswith(("dialect/Tile/", "docs/")) and "tilegpu." not in code and not ADDRESS_SHOWS.search(code):
            pages.setdefault(pathlib.Path(path).stem, []).append(code)
    found.update({f"page/{name}": "\n// -----\n".join(examples) for name, examples in pages.items()})
    return {name: give_arguments(text) for name, text in found.items()}


CORPUS = corpus()


def interpret(opt, text, *passes):
    """{function: what it printed and left}, chunk by chunk."""
    command = [str(opt), "-", "--split-input-file", *passes, "--pavage-interp"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found = re.findall(r"^(@\w+)\n((?:  .*\n)*)", done.stdout, re.M)
    # Addresses differ from run to run; places move with the IR; notes are of no consequence.
    return [
        (name, re.sub(r"0x[0-9a-f]{16}|^  note .*\n| at \S+ in program", "", text, flags=re.M)) for name, text in found
    ]


def differences(before, after):
    """Functions that did something else, with both texts."""
    assert [name for name, _ in before] == [name for name, _ in after]
    apart = []
    for (name, x), (_, y) in zip(before, after):
        words, others = x.split(), y.split()
        same = len(words) == len(others) and all("poison" in a or a == b for a, b in zip(words, others))
        if not same and "  error " not in x:
            apart.append((name, x, y))
    return apart


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
    if flag in FUSES and name.startswith("litmus/numerics"):
        pytest.skip("floats whose last bits show")
    assert differences(before(name), interpret(pavage_opt, CORPUS[name], f"--{flag}")) == []


def test_a_difference_is_seen():
    """Of the comparison itself."""
    one, other = [("@f", "  result 0: [1, 2]\n")], [("@f", "  result 0: [1, 3]\n")]
    assert differences(one, one) == [] and len(differences(one, other)) == 1
    assert differences([("@f", "  result 0: [1, poison]\n")], one) == [], "a pass may give it a value"
    assert len(differences(one, [("@f", "  result 0: [1, poison]\n")])) == 1, "but not take it away"


@pytest.mark.parametrize("name", [name for name in CORPUS if name.startswith("corpus/")])
def test_corpus_is_good_input(before, name):
    """No case of the corpus is reported by Interp, so that a wrong access after a pass shows as a difference."""
    assert before(name) and not [name for name, text in before(name) if "  error " in text]


def test_every_op_page_has_an_example_that_runs(before):
    """An op whose example cannot run is compared by nothing."""
    ops = {m for p in (ROOT / "dialect/Tile").glob("*.td") for m in re.findall(r'Tile_Op<"(\w+)"', p.read_text())}
    run = set()
    for name in CORPUS:
        ran = {function[1:] for function, _ in before(name)}
        for function in re.split(r"(?=func\.func )", CORPUS[name]):
            head = re.match(r"func\.func @(\w+)", function)
            if head and head[1] in ran:
                run |= set(re.findall(r"tile\.(\w+)", function))
    assert len(ops) > 30 and ops - run == set()
