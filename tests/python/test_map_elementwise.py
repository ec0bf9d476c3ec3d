# map_elementwise: a function of scalars per element. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest

import pavage
import pavage.language as tl


@pavage.jit
def sign(x, y):
    if x < y:
        return -1
    elif x == y:
        return 0
    else:
        return 1


@pavage.jit
def signs(out, x, y, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + at, tl.map_elementwise(sign, tl.load(x + at), tl.load(y + at)))


def test_control_flow_per_element(way):
    rng = np.random.default_rng(1)
    x, y = (rng.integers(-2, 3, (3, 5)).astype(np.int32) for _ in range(2))
    out = np.full((3, 5), 9, np.int32)
    signs[(1,)](out, x, y, 3, 5)
    np.testing.assert_array_equal(out, np.sign(x - y))


@pavage.jit
def collatz(n):
    """Steps down to 1: a loop whose length differs from element to element."""
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@pavage.jit
def lengths(out, N: tl.constexpr):
    tl.store(out + tl.arange(0, N), tl.map_elementwise(collatz, tl.arange(0, N)))


def test_loops_per_element(way):
    def steps(n):
        count = 0
        while n > 1:
            n, count = n // 2 if n % 2 == 0 else 3 * n + 1, count + 1
        return count

    out = np.zeros(20, np.int32)
    lengths[(1,)](out, 20)
    assert out.tolist() == [steps(n) for n in range(20)]


@pavage.jit
def division(a, b):
    return a // b, (a % b).to(tl.float32)


@pavage.jit
def pairs(a0, a1, b0, b1):
    return a0 + b1, a1 + b0


@pavage.jit
def several(quotient, rest, mixed, a, b, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(a + i), tl.load(b + i)
    q, r = tl.map_elementwise(division, x, y)
    tl.store(quotient + i, q)
    tl.store(rest + i, r)
    tl.store(mixed + i, tl.map_elementwise(pairs, x, 1, pack=2) + tl.map_elementwise(pairs, x, y, pack=2))


def test_several_results_and_elements_at_a_time(way):
    a, b = np.arange(10, 22, dtype=np.uint32), np.arange(1, 13, dtype=np.uint32)
    quotient, rest, mixed = np.zeros(12, np.uint32), np.zeros(12, np.float32), np.zeros(12, np.uint32)
    several[(1,)](quotient, rest, mixed, a, b, 12)
    np.testing.assert_array_equal(quotient, a // b)
    np.testing.assert_array_equal(rest, (a % b).astype(np.float32))
    np.testing.assert_array_equal(mixed, (a + 1) + (a + b.reshape(-1, 2)[:, ::-1].reshape(-1)))


@pavage.jit
def loads(p, x):
    return tl.load(p) + x


@pavage.jit
def bad(out, pack: tl.constexpr, N: tl.constexpr):
    tl.store(out + tl.arange(0, N), tl.map_elementwise(sign, tl.arange(0, N), 1, pack=pack))


@pytest.mark.parametrize(
    "pack, number, text",
    [
        (3, 112, "expected a pack that divides the 8 elements of int32[8], got 3"),
        (0, 112, "expected a pack that divides the 8 elements of int32[8], got 0"),
        (2, 7, "expected at most 2 arguments for sign, got 4"),
    ],
)
def test_errors(pack, number, text):
    with pytest.raises(pavage.CompilationError) as caught:
        bad[(1,)](np.zeros(8, np.int32), pack, 8)
    assert caught.value.number == number and text in caught.value.text, caught.value.text
