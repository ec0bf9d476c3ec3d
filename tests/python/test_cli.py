# The part of the command line that is Python: FILE.py:KERNEL and signatures. SPDX-License-Identifier: Apache-2.0 WITH
# LLVM-exception
import subprocess
import sys
import textwrap

import pytest

import pavage
from pavage._cli import load_kernel, parse_signature, split_signature
from pavage.language import types

FILE = """
import numpy as np
import pavage, pavage.language as tl

@pavage.autotune([pavage.Config({"B": 32})], key=[])
@pavage.jit
def tuned(x, n, B: tl.constexpr):
    pass

@pavage.jit
def kernel(x, y, n, s, FLAG: tl.constexpr, NAME: tl.constexpr, T: tl.constexpr, LAST: tl.constexpr = (1, 2)):
    if FLAG and y is None and NAME == "relu":
        tl.store(x, (n + s).to(T))

@pavage.jit
def broken(x):
    tl.store(x, nothing)
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "kernels.py"
    path.write_text(textwrap.dedent(FILE))
    return str(path)


def cli(*args):
    return subprocess.run([sys.executable, "-m", "pavage._cli", *args], capture_output=True, text=True, timeout=60)


def test_record(file):
    done = cli(
        "record", f"{file}:kernel", "--signature", "*fp32:16,None,i32:16,fp32,True,relu,fp32", "--num-warps", "8"
    )
    assert done.returncode == 0, done.stderr
    assert "func.func @kernel" in done.stdout and "tile.num_warps = 8" in done.stdout and "tile.store" in done.stdout
    assert 'tile.divisibility = 16 : i64, tile.name = "n"' in done.stdout


def test_an_error_of_the_kernel(file):
    done = cli("record", f"{file}:broken", "--signature", "*fp32")
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith(f"{file}:17:17: error PV0002: ")


@pytest.mark.parametrize(
    "text, items", [("", []), ("i32", ["i32"]), ("*fp32:16, 4", ["*fp32:16", "4"]), ("(1,2),i32", ["(1,2)", "i32"])]
)
def test_items_of_a_signature(text, items):
    assert split_signature(text) == items


def test_what_items_mean(file):
    kernel = load_kernel(f"{file}:kernel")
    arguments, constants = parse_signature(kernel, "*kfp16:8,7,u64,1,False,'a',tl.int8,(3,None)")
    assert arguments == [("x", types.pointer_type(types.float16, const=True), 8, 0), ("n", types.uint64, 1, 0)]
    assert constants["y"] == 7 and constants["s"].dtype == types.int32
    assert (constants["FLAG"], constants["NAME"], constants["T"], constants["LAST"]) == (
        False,
        "a",
        types.int8,
        (3, None),
    )
    assert parse_signature(load_kernel(f"{file}:tuned"), "*fp32,i32,64")[1] == {"B": 64}


@pytest.mark.parametrize(
    "target, signature, number, word",
    [
        ("{}", "i32", 812, "FILE.py:KERNEL"),
        ("nowhere.py:kernel", "i32", 812, "nowhere.py"),
        ("{}:nothing", "i32", 812, "broken, kernel, tuned"),
        ("{}:kernel", "*fp32", 811, "'y'"),
        ("{}:kernel", "*fp32,*fp99,i32,i32,1,1,1", 811, "'*fp99'"),
        ("{}:kernel", "*fp32:x,i32,i32,i32,1,1,1", 811, "positive number"),
        ("{}:kernel", "*fp32:٣,i32,i32,i32,1,1,1", 811, "positive number"),
        ("{}:kernel", f"*fp32:{10**30},i32,i32,i32,1,1,1", 811, "below 10^18"),
        ("{}:kernel", f"*fp32,{'(' * 5000 + ')' * 5000},i32,i32,1,1,1", 811, "at most 100 deep"),
        ("{}:tuned", "i32,i32,i32,i32", 811, "at most 3"),
    ],
)
def test_wrong_signatures(file, target, signature, number, word):
    target = target.format(file) if ":" in target else target.format(file).replace(":", "")
    with pytest.raises(pavage.Error) as caught:
        parse_signature(load_kernel(target), signature)
    assert caught.value.number == number and word in str(caught.value)
