# Accesses outside of their argument, on every device that looks. SPDX-License-Identifier: Apache-2.0 WITH
# LLVM-exception
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import pavage
import pavage.language as tl

PROGRAM = """
import numpy as np
import pavage, pavage.language as tl

@pavage.jit
def shift(out, x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i + 1)
    tl.store(out + i, v, mask=i < n)

def run(out, x, n, grid=2):
    try:
        shift[(grid,)](out, x, n, B=4)
        print("fine")
    except pavage.Error as e:
        print(e.number, e.line, str(e).splitlines()[0])

base = np.zeros((4, 9), np.float32)
run(np.zeros(8, np.float32), np.zeros(9, np.float32), 8)
run(np.zeros(8, np.float32), np.zeros(8, np.float32), 8)
run(np.zeros(7, np.float32), np.zeros(9, np.float32), 8)
run(np.zeros(8, np.float32), base[1], 8)
run(np.zeros(8, np.float32), base[:, 0], 8)
"""


@pytest.mark.parametrize(
    "env",
    [{"PAVAGE_CHECK": "1"}, {"PAVAGE_DEVICE": "interp"}, {"PAVAGE_INTERPRET": "1"}],
    ids=["cpu with PAVAGE_CHECK", "interp", "eager"],
)
def test_accesses_outside_are_reported(env, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(PROGRAM))
    done = subprocess.run(
        [sys.executable, str(program)], env={**os.environ, **env}, capture_output=True, text=True, timeout=60
    )
    fine, load, store, row, column = done.stdout.splitlines()
    assert fine == row == "fine", done
    assert load.startswith("500 8 ") and "'x'" in load or "x" in load.split("PV0500")[1], load
    assert store.startswith("500 9 "), store
    assert column.startswith("500 8 "), column


@pavage.jit
def masked(out, x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.load(x + i * 1000, mask=i < n, other=3.0), mask=i < n)


def test_masked_lanes_are_not_looked_at(way):
    out = np.zeros(1, np.float32)
    masked[(1,)](out, np.full(1, 5, np.float32), 1, B=64)
    assert out[0] == 5


def test_extents_of_views_count():
    """What lies between the elements of a view does not belong to it."""
    base = np.zeros(20, np.float32)
    with pavage.device("interp"), pytest.raises(pavage.Error) as caught:
        masked[(1,)](base[:10:2], np.zeros(6000, np.float32), 6, B=8)
    assert caught.value.number == 500
