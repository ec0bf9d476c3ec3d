# What of Python's syntax kernels have, each construct against what Python itself computes. SPDX-License-Identifier:
# Apache-2.0 WITH LLVM-exception
import collections

import numpy as np
import pytest

import pavage
import pavage.language as tl

FOUR = tl.constexpr(4)
NAME = tl.constexpr("relu")
PAIR = collections.namedtuple("PAIR", "first second")


def run(kernel, *args, size=8, dtype=np.int32, grid=(1,), **kwargs):
    out = np.full(size, -99, dtype)
    kernel[grid](out, *args, **kwargs)
    return out


# ---- Conditions known while compiling ----


@pavage.jit
def static_branch(out, x, FLAG: tl.constexpr, MODE: tl.constexpr):
    if FLAG:
        tl.store(out, 1)
    else:
        undefined_name(out)  # noqa: F821  never visited
    if x is None:
        tl.store(out + 1, 2)
    elif x is not None and MODE == "a":
        tl.store(out + 1, tl.load(x))
    else:
        raise ValueError("never")
    if MODE in ("a", "b") and not FLAG == 0:
        tl.store(out + 2, 3 if MODE != "a" else 4)


def test_branches_that_are_not_taken_are_not_looked_at(way):
    assert list(run(static_branch, None, True, "b")[:3]) == [1, 2, 3]
    assert list(run(static_branch, np.array([7], np.int32), True, "a")[:3]) == [1, 7, 4]


@pavage.jit
def optional_pointer(out, x, y, n):
    v = 5
    if y is not None:
        v += tl.load(y)
    tl.store(out, v + n)


def test_none_arguments_are_constants(way):
    assert run(optional_pointer, None, None, 3)[0] == 8
    assert run(optional_pointer, None, np.array([10], np.int32), 1)[0] == 16


# ---- Control flow at run time ----


@pavage.jit
def branches(out, n):
    if n > 10:
        v = 1
    elif n > 5:
        v = 2
    else:
        v = 3
    w = n
    if n % 2 == 0:
        w += 100
    tl.store(out, v)
    tl.store(out + 1, w)


@pytest.mark.parametrize("n", [0, 1, 5, 6, 10, 11, 32])
def test_if(way, n):
    out = run(branches, n)
    assert list(out[:2]) == [1 if n > 10 else 2 if n > 5 else 3, n + 100 * (n % 2 == 0)]


@pavage.jit
def loops(out, lo, hi, step):
    total = 0
    count = 0
    for i in range(lo, hi, step):
        total += i
        count += 1
    tl.store(out, total)
    tl.store(out + 1, count)


@pytest.mark.parametrize(
    "bounds",
    [
        (0, 0, 1),
        (0, 1, 1),
        (0, 7, 1),
        (3, 20, 4),
        (10, 0, -1),
        (10, 0, -3),
        (0, 10, -1),
        (5, 5, 5),
        (-3, 4, 2),
        (7, 2, 1),
    ],
)
def test_for_with_any_step(way, bounds):
    out = run(loops, *bounds)
    assert list(out[:2]) == [sum(range(*bounds)), len(range(*bounds))]


@pavage.jit
def nested(out, n, m):
    s = 0
    for i in range(n):
        for j in range(i, m):
            if (i + j) % 3 == 0:
                continue
            if j > 6:
                break
            s += i * 10 + j
        if s > 300:
            break
    tl.store(out, s)


@pytest.mark.parametrize("n,m", [(0, 5), (1, 1), (3, 9), (9, 12), (5, 0)])
def test_break_and_continue(way, n, m):
    s = 0
    for i in range(n):
        for j in range(i, m):
            if (i + j) % 3 == 0:
                continue
            if j > 6:
                break
            s += i * 10 + j
        if s > 300:
            break
    assert run(nested, n, m)[0] == s


@pavage.jit
def early(out, n):
    if n == 3:
        tl.store(out, 30)
        return
    for i in range(n):
        if i * i > 20:
            tl.store(out, i)
            return
    tl.store(out, -1)


@pytest.mark.parametrize("n", [0, 1, 3, 4, 5, 9])
def test_early_return(way, n):
    want = 30 if n == 3 else next((i for i in range(n) if i * i > 20), -1)
    assert run(early, n)[0] == want


@pavage.jit
def while_loops(out, n):
    a = n
    steps = 0
    while a != 1 and steps < 100:
        if a % 2 == 0:
            a = a // 2
        else:
            a = 3 * a + 1
        steps += 1
    tl.store(out, steps)
    while True:
        steps -= 1
        if steps < 3:
            break
    tl.store(out + 1, steps)
    while False:
        nothing(out)  # noqa: F821


@pytest.mark.parametrize("n", [1, 2, 7, 27, 97])
def test_while(way, n):
    a, steps = n, 0
    while a != 1 and steps < 100:
        a = a // 2 if a % 2 == 0 else 3 * a + 1
        steps += 1
    out = run(while_loops, n)
    assert out[0] == steps and out[1] == min(steps - 1, 2)


@pavage.jit
def loop_with_tiles(out, x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    largest = -float("inf")
    for start in range(0, n, B):
        v = tl.load(x + start + i, mask=start + i < n, other=0.0)
        acc += v
        largest = tl.maximum(largest, tl.max(v, axis=0))
    tl.store(out + i, acc)
    tl.store(out + B, largest)


@pytest.mark.parametrize("n", [0, 1, 4, 5, 13])
def test_tiles_carried_by_loops(way, n):
    x = np.arange(1, 14, dtype=np.float32)
    out = np.zeros(5, np.float32)
    loop_with_tiles[(1,)](out, x, n, B=4)
    padded = np.concatenate([x[:n], np.zeros(-n % 4)]).reshape(-1, 4)
    np.testing.assert_array_equal(out[:4], padded.sum(axis=0))
    assert out[4] == (x[:n].max() if n else -np.inf)


@pavage.jit
def unrolled(out, N: tl.constexpr):
    s = 0
    for i in tl.static_range(N):
        if i == 2:
            continue
        if i == 5:
            break
        s += i
    tl.store(out, s)
    for k in tl.static_range(6, 0, -2):
        tl.store(out + k, k)
    for a, b in ((1, 2), (3, 4)):
        s += a * b
    for name in ("x", "y"):
        s += 100 if name == "y" else 0
    tl.store(out + 1, s)


def test_loops_unrolled_while_compiling(way):
    out = run(unrolled, 9)
    assert out[0] == 0 + 1 + 3 + 4 and out[1] == 8 + 14 + 100 and list(out[[2, 4, 6]]) == [2, 4, 6]


@pavage.jit
def unrolled_left_at_run_time(out, x, N: tl.constexpr):
    s = 0
    last = -1
    for i in tl.static_range(N):
        v = tl.load(x + i)
        if v < 0:
            continue
        last = i
        if v > 5:
            break
        s += v * (i + 1)
    tl.store(out, s)
    tl.store(out + 1, last)
    c = 0
    for a in (1, 2, 3):
        if tl.load(x) == a:
            break
        c += a
    tl.store(out + 2, c)


@pytest.mark.parametrize("x", [[1, 2, 3, 4], [-1, -1, 6, 4], [1, -2, 3, 9], [3, 3, 3, 3], [9, 0, 0, 0], [-1] * 4])
def test_unrolled_loops_left_at_run_time(way, x):
    s, last, c = 0, -1, 0
    for i, v in enumerate(x):
        if v < 0:
            continue
        last = i
        if v > 5:
            break
        s += v * (i + 1)
    for a in (1, 2, 3):
        if x[0] == a:
            break
        c += a
    assert list(run(unrolled_left_at_run_time, np.array(x, np.int32), N=4)[:3]) == [s, last, c]


@pavage.jit
def shadowed(out, n):
    i = 7
    for i in range(n):  # noqa: B007
        j = i * 2
        tl.store(out + 1, j)
    tl.store(out, i)


@pytest.mark.parametrize("n", [0, 1, 4])
def test_the_index_keeps_its_last_value(way, n):
    out = run(shadowed, n)
    assert out[0] == (n - 1 if n else 7)


# ---- Expressions ----


@pavage.jit
def chains(out, n, x):
    tl.store(out, (0 < n < 10).to(tl.int32))
    tl.store(out + 1, (1 <= n <= n < 5).to(tl.int32))
    i = tl.arange(0, 4)
    tl.store(out + 2 + i, (0 < i <= 2).to(tl.int32))
    a = b = n + 1
    a += b
    tl.store(out + 6, a)
    tl.store(out + 7, n**2)


@pytest.mark.parametrize("n", [0, 3, 7, 12])
def test_chained_comparison_and_multiple_targets(way, n):
    out = run(chains, n, n)
    assert list(out) == [0 < n < 10, 1 <= n < 5, 0, 1, 1, 0, 2 * n + 2, n * n]


@pavage.jit
def picks(out, n, x):
    small = n if n < 5 else 5
    tl.store(out, small)
    a, b = (n, 1) if n > 3 else (2, n)
    tl.store(out + 1, a * 10 + b)
    tl.store(out + 2, 1 if FOUR == 4 else undefined)  # noqa: F821
    tl.store(out + 3, (n > 2 and n < 6) or n == 9)
    tl.store(out + 4, not n > 2)
    # The load would be out of bounds: it must not happen.
    if n < 1 and tl.load(x + n) == 40:
        tl.store(out + 5, 1)
    if n >= 1 or tl.load(x + n) == 40:
        tl.store(out + 6, 1)


@pytest.mark.parametrize("n", [0, 1, 3, 5, 9])
def test_conditional_expressions_and_short_circuit(way, n):
    out = run(picks, n, np.array([40], np.int32))
    a, b = (n, 1) if n > 3 else (2, n)
    assert list(out[:5]) == [min(n, 5), a * 10 + b, 1, (2 < n < 6) or n == 9, n <= 2]
    assert out[5] == (1 if n < 1 else -99) and out[6] == 1


@pavage.jit
def builtins_of_python(out, n, f):
    tl.store(out, min(n, 3))
    tl.store(out + 1, max(n, 3, 5))
    tl.store(out + 2, abs(n - 10))
    tl.store(out + 3, len((1, 2, 3)) + int(2.7) + int("5"))
    tl.store(out + 4, float(n).to(tl.int32))
    tl.store(out + 5, 1 if isinstance(n, tl.tensor) else 0)
    tl.store(out + 6, sum((1, 2, n)))
    tl.store(out + 7, bool(3) + pow(2, 3))


def test_python_builtins(way):
    assert list(run(builtins_of_python, 7, 0.5)) == [3, 7, 3, 10, 7, 1, 10, 9]


@pavage.jit
def subscripts(out, x, R: tl.constexpr, C: tl.constexpr, ROW: tl.constexpr):
    r, c = tl.arange(0, R), tl.arange(0, C)
    t = tl.load(x + r[:, None] * C + c[None, :])
    tl.store(out + c, t[ROW, :])
    tl.store(out + C + r, t[:, -1])
    tl.store(out + C + R, t[1, 2])
    tl.store(out + C + R + 1 + tl.arange(0, 2), t[0, 1:3])
    flat = c[None, None, :]
    tl.store(out + C + R + 3, flat.shape[0] * 100 + flat.shape[2])


def test_indexing_and_slicing_of_tiles(way):
    x = np.arange(12, dtype=np.int32).reshape(3, 4)
    out = run(subscripts, x, size=11, R=3, C=4, ROW=2)
    assert list(out) == [*x[2], *x[:, -1], x[1, 2], *x[0, 1:3], 104]


# ---- Tuples, functions ----


@pavage.jit
def two(a, b=10, *, scale: tl.constexpr = 2):
    return a * scale, b


@pavage.jit
def either(n):
    if n > 3:
        return n * 2
    return -n


@pavage.jit
def deep(n, LEVEL: tl.constexpr):
    if LEVEL == 0:
        return n
    else:
        return deep(n, LEVEL - 1) + 1


@pavage.jit
def nothing_returned(out, n):
    if n > 100:
        return
    tl.store(out + 7, n)


@pavage.jit
def calls(out, n):
    a, b = two(n)
    c, d = two(b=n, a=3, scale=FOUR)
    tl.store(out, a)
    tl.store(out + 1, b)
    tl.store(out + 2, c)
    tl.store(out + 3, d)
    tl.store(out + 4, either(n))
    tl.store(out + 5, deep(n, 3))
    first, *rest = (1, 2, n)
    tl.store(out + 6, first + rest[1] + len(rest))
    nothing_returned(out, n)


@pytest.mark.parametrize("n", [1, 3, 4])
def test_calls_of_jit_functions(way, n):
    assert list(run(calls, n)) == [2 * n, 10, 12, n, 2 * n if n > 3 else -n, n + 3, 1 + n + 2, n]


@pavage.jit
def tuples(out, t, n):
    tl.store(out, t[0] + t[1][0])
    p = PAIR(n, t[1])
    tl.store(out + 1, p.first + p.second[1])
    q = (n, (n + 1, 2.5))
    if n > 2:
        q = (n * 2, (n, 4.5))
    tl.store(out + 2, q[0] + q[1][0])
    tl.store(out + 3, q[1][1].to(tl.int32))
    both = t[1] + (n,)
    tl.store(out + 4, len(both))
    squares = [v * v for v in both if True]
    tl.store(out + 5, squares[2])
    r = p
    for i in range(n):
        r = PAIR(r.first + i, r.second)
    tl.store(out + 6, r.first)
    if t[2] is not None:
        tl.store(out + 7, tl.load(t[2]))


@pytest.mark.parametrize("n", [1, 2, 5])
def test_tuples(way, n):
    arg = (5, (6, 7), np.array([8], np.int32))
    out = run(tuples, arg, n)
    q = (n * 2, (n, 4.5)) if n > 2 else (n, (n + 1, 2.5))
    assert list(out) == [11, n + 7, q[0] + q[1][0], int(q[1][1]), 3, n * n, n + sum(range(n)), 8]


@pavage.jit
def named(out, p):
    tl.store(out, p.first)
    tl.store(out + 1, tl.load(p.second))


def test_named_tuple_arguments(way):
    assert list(run(named, PAIR(3, np.array([4], np.int32)))[:2]) == [3, 4]


@pavage.constexpr_function
def double(x):
    return 2 * x


@tl.constexpr
def wider(dtype):
    return tl.int64 if dtype == tl.int32 else dtype


@pavage.jit
def constants(out, N: tl.constexpr, dtype: tl.constexpr):
    M: tl.constexpr = double(N) + FOUR
    tl.static_assert(M == 2 * N + 4, f"M is {M}")
    tl.store(out + tl.arange(0, M), tl.full((M,), N, dtype).to(tl.int32))
    if NAME == "relu":
        tl.store(out, pavage.cdiv(7, 2) + pavage.next_power_of_2(5))
    x = 2.0
    y = tl.full((1,), 1.0, tl.float16) * x
    tl.static_assert(y.dtype == tl.float16)
    assert N > 0
    wide: tl.constexpr = wider(out.dtype.element_ty)
    tl.static_assert(wide == tl.int64)
    k = tl.constexpr(3)
    tl.store(out + 1, k + pavage.cdiv(tl.load(out), 5))


def test_constants(way):
    out = run(constants, 2, tl.float32)
    assert list(out) == [12, 3 + 3, 2, 2, 2, 2, 2, 2]


def make_kernel(offset, helper):

    @pavage.jit
    def closure(out):
        tl.store(out, helper(offset))

    return closure


@pavage.jit
def plus_one(x):
    return x + 1


def test_closures_capture_constants_and_functions(way):
    first, second = make_kernel(tl.constexpr(5), plus_one), make_kernel(tl.constexpr(6), either)
    assert run(first)[0] == 6
    assert run(second)[0] == 12


@pavage.jit
def deleted(out, n):
    x = n
    del x
    x = n + 1
    tl.store(out, x)


def test_del(way):
    assert run(deleted, 4)[0] == 5


@pavage.aggregate
class Window:
    base: tl.tensor
    size: tl.constexpr

    @pavage.jit
    def offsets(self):
        return self.base + tl.arange(0, self.size)


@pavage.jit
def uses_aggregate(out, n):
    w = Window(n, 4)
    for _ in range(n):
        w = Window(w.base + 1, w.size)
    tl.store(out + tl.arange(0, 4), w.offsets())


def test_aggregates(way):
    assert list(run(uses_aggregate, 3)[:4]) == [6, 7, 8, 9]


@pavage.jit
def one_element_conditions(out, x):
    c = tl.load(x + tl.arange(0, 1))
    if c > 2:
        tl.store(out, 1)
    i = tl.arange(0, 1) * 0
    while i < 3:
        i += 1
    tl.store(out + 1 + tl.arange(0, 1), i)


@pytest.mark.parametrize("value", [1, 3])
def test_a_tile_of_one_element_is_a_condition(value):
    out = np.zeros(2, np.int32)
    one_element_conditions[(1,)](out, np.array([value], np.int32))
    np.testing.assert_array_equal(out, [value > 2, 3])
