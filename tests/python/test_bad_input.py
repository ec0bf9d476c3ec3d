# Whatever an author types: a numbered error with a place, or code that runs. SPDX-License-Identifier: Apache-2.0 WITH
# LLVM-exception
import linecache

import numpy as np
import pytest

import pavage
import pavage.language as tl

BODIES = """
tl.arange(0,0)
tl.arange(5,2)
tl.arange(0,1<<40)
tl.zeros((1<<20,1<<20),tl.float32)
tl.arange(0,8).reshape(3,3)
tl.arange(0,8)[9]
tl.full((-1,),0,tl.int32)
tl.full((),1.0,tl.float32)
x[0]
n[0]
(lambda: 1)()
tl.store(x, 'a')
tl.load(None)
tl.load(x, mask=tl.arange(0,4)<2)
tl.sum(n, axis=0)
tl.sum(3)
tl.dot(n,n)
tl.dot(tl.zeros((4,4),tl.float32), tl.zeros((4,4),tl.float16))
1 << 100000000
2 ** 10**9
'a' * 10**10
[1]*10**9
n.foo
n.shape[3]
tl.foo
tl.reduce(tl.arange(0,4),0,lambda a,b:a)
tl.reduce(tl.arange(0,4),0,3)
x = y = z
for i in range(0): pass
for i in 5: pass
for i in n: pass
for i in range(1.5): pass
while 'a': break
while x: break
if x: pass
tl.store(x+0.5, 1.0)
x + x
x - x
tl.store(x, x)
-x
~1.5
not x
abs(x)
n @ n
n if x else 1
tl.program_id(3)
tl.program_id(-1)
tl.program_id(n)
tl.cat(n,n)
tl.join(n,n)
tl.split(n)
tl.trans(n)
tl.broadcast_to(n,(4,))
tl.expand_dims(n,5)
n.to(tl.void)
n.to(tl.pointer_type(tl.float32))
tl.cast(x, tl.float32)
tl.make_block_ptr(x,(4,),(1,),(0,),(4,4),(0,))
tl.histogram(tl.arange(0,4).to(tl.float32),4)
tl.sort(n)
tl.topk(tl.arange(0,8),9)
tl.rand(1.5, 3)
tl.assume(tl.arange(0,4)>2)
tl.device_assert('a')
tl.inline_asm_elementwise('foo','=r,r',[n],tl.int32,True,1)
a, b, *c = 1
del q
return 1, 2
global g
x.y = 3
n[0] = 1
n += 'a'
x: tl.constexpr = n
assert n, n
raise
tl.constexpr(n)
tl.static_range(n)
for i in tl.static_range(10**7): n + i
for i in tl.static_range(0,5,0): pass
getattr(n,'zz')
isinstance(n, 5)
int('abc')
float('x')
len(n)
min()
max(1)
sum(n)
range(n)
list(n)
zip(n,n)
pow(n)
type(n)(3)
eval('1')
exec('1')
__import__('os')
np.zeros(3)
np.float32(3) + n
np.sqrt(n)
tl.float32(3)
tl.tensor(3)
tl.load(x, 1, 2, 3, 4, 5, 6, 7, 8, 9)
tl.load(x, other=1.0)
tl.load(x, cache_modifier='zz')
tl.load(x, eviction_policy=3)
tl.atomic_add(n, 1)
tl.atomic_cas(x, 1.0)
tl.where(1,2)
tl.where(x,1,2)
tl.exp('a')
tl.exp(x)
tl.exp(n)
tl.maximum(x,x)
tl.multiple_of(n, 'a')
tl.max_contiguous(tl.arange(0,4),[3,3])
...
tl.arange(0,4)[...]
tl.arange(0,4)[..., ...]
tl.arange(0,4)[True]
tl.arange(0,4)[None:3]
tl.arange(0,4)[n:]
tl.arange(0,4)[::-1]
tl.arange(0,4)[::0]
tl.arange(0,4)[3:1]
{1,2}
{1:2}[3]
f'{n!r:>10}'
f'{1:zzz}'
(yield)
n is n
n in (1,2)
1 in n
n and x
x or 1
n if n else x
tl.store(x, 1.0) + 1
tl.debug_barrier() + 1
k(x, n)
tl.num_programs(0)(1)
tl.range(3)[1]
tl.zeros(4)
tl.zeros((4,), 5)
tl.gather(tl.arange(0,4), tl.arange(0,4), 1)
tl.softmax(n)
tl.cumsum(n)
tl.flip(n)
tl.swizzle2d(1,2,3,4,0)
tl.cdiv(n,0)
tl.cdiv(5,0)
pavage.cdiv(5,0)
pavage.next_power_of_2(n)
with tl.arange(0,4) as q: pass
n.value
n.dtype.itemsize
x.dtype.element_ty.name
tl.philox(1,2,3,4,5,n_rounds=1000000)
""".strip().splitlines()


def kernel_of(body, params="x, n"):
    text = f"def k({params}):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    name = f"<bad input {len(linecache.cache)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope = {"tl": tl, "pavage": pavage, "np": np}
    exec(compile(text, name, "exec"), scope)
    return pavage.jit(scope["k"])


@pytest.mark.parametrize("body", BODIES)
def test_statements(body):
    try:
        with pavage.device("interp"):
            kernel_of(body)[(1,)](np.zeros(64, np.float32), 3)
    except pavage.Error as e:
        assert e.line > 0 and 0 < e.number < 900, e


@pytest.mark.parametrize(
    "body",
    [
        "(" * 150 + "n" + ")" * 150,
        "-" * 2000 + "n",
        "+".join(["n"] * 900),
        "\n".join(f"v{i} = n + {i}" for i in range(2000)),
        "\n".join(f"{' ' * i}if n > {i}:" for i in range(15)) + " pass",
    ],
    ids=["parentheses", "signs", "sum", "statements", "ifs"],
)
def test_long_and_deep_code(body):
    try:
        with pavage.device("interp"):
            kernel_of(body)[(1,)](np.zeros(64, np.float32), 3)
    except pavage.Error as e:
        assert e.number == 162


STRANGE = [
    object(),
    "text",
    b"",
    [1, 2],
    {1: 2},
    {1},
    1j,
    np.complex64(1),
    np.array(["a"]),
    np.array([None]),
    np.zeros(3, "M8[s]"),
    np.zeros(3, [("a", "f4")]),
    np.zeros(3, ">i4"),
    lambda: 1,
    type,
    int,
    ...,
    10**30,
    -(10**30),
    np,
    range(3),
    memoryview(b"abc").cast("c"),
    np.frombuffer(b"0123456789", np.int8)[1:9].view(np.int32),
    Exception("x"),
    slice(1),
]


@pytest.mark.parametrize("value", STRANGE, ids=lambda v: type(v).__name__)
def test_arguments(value):
    kernel = kernel_of("pass")
    for position in (0, 1):
        args = [np.zeros(4, np.float32), 3]
        args[position] = value
        try:
            kernel[(1,)](*args)
        except pavage.Error as e:
            assert e.number in (307, 309) and e.file == __file__, e


@pytest.mark.parametrize(
    "value", [*STRANGE, float("nan"), -0.0, "", (), (1, (2, None)), np.float32(2.5), np.int8(3), tl.float32]
)
def test_constants(value):
    kernel = kernel_of("tl.static_assert(N is not None)\nx = N", "x, n, N: tl.constexpr")
    for _ in range(2):
        kernel[(1,)](np.zeros(4, np.float32), 3, N=value)
    assert len(kernel.compiled()) == 1


@pytest.mark.parametrize(
    "grid",
    [
        None,
        "x",
        (1, "x"),
        1.5,
        (None,),
        {},
        object(),
        (1 << 80,),
        (-1, 0),
        ((1,),),
        lambda m: None,
        lambda m: (1, 2, 3, 4),
        (1 << 31, 1),
        [[1]],
    ],
    ids=lambda g: type(g).__name__,
)
def test_grids(grid):
    with pytest.raises(pavage.Error) as caught:
        kernel_of("pass")[grid](np.zeros(4, np.float32), 3)
    assert caught.value.number in (303, 304) and caught.value.file == __file__


def test_an_exception_of_a_grid_function_comes_through():
    with pytest.raises(ZeroDivisionError):
        kernel_of("pass")[lambda meta: 1 // 0](np.zeros(4, np.float32), 3)


def test_positional_only_and_keyword_only_parameters():
    kernel = kernel_of("tl.store(x, n + K)", "x, /, n, *, K: tl.constexpr = 4")
    x = np.zeros(1, np.int32)
    kernel[(1,)](x, n=3)
    assert x[0] == 7
    kernel[(1,)](x, 3, K=5)
    assert x[0] == 8


# ---- What a launch is given ----


@pavage.jit
def copy(out, x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n), i < n)


class Like:
    """An array in its own words."""

    dtype = np.dtype("float32")

    def __init__(self, pointer=64, **more):
        self.pointer, self.__dict__ = pointer, {**self.__dict__, "pointer": pointer, **more}

    def data_ptr(self):
        return self.pointer

    def stride(self):
        return (1,)


class Interface:
    def __init__(self, **interface):
        self.__array_interface__ = interface


class Capsule:
    def __dlpack__(self, **_):
        return 5


@pytest.mark.parametrize(
    "array, text",
    [
        (Like("no"), "expected data_ptr() of the parameter 'x' to give an address, got str"),
        (Like(shape=("a",)), "expected a shape and strides of as many integers for the parameter 'x'"),
        (Like(shape=(1 << 70,)), "expected a shape and strides of as many integers for the parameter 'x'"),
        (Like(shape=(3, 4)), "expected a shape and strides of as many integers for the parameter 'x'"),
        (Interface(shape="abc", typestr=7, data=None), "an array that says what it is, got Interface: TypeError"),
        (Interface(shape=(3,)), "an array that says what it is, got Interface: KeyError: 'typestr'"),
        (Capsule(), "an array that says what it is, got Capsule: ValueError"),
    ],
)
def test_arrays_that_say_nonsense(array, text):
    with pytest.raises(pavage.Error) as caught:
        copy[(1,)](np.zeros(4, np.float32), array, 4, BLOCK=4)
    assert caught.value.number == 307 and text in caught.value.text


@pytest.mark.parametrize("option", ["num_warps", "num_stages", "num_ctas", "maxnreg"])
@pytest.mark.parametrize("value", [-1, 1.5, float("nan"), "4", [4]])
def test_launch_options_are_positive_integers(option, value):
    with pytest.raises(pavage.Error) as caught:
        copy.warmup(np.zeros(4, np.float32), np.zeros(4, np.float32), 4, BLOCK=4, grid=(1,), **{option: value})
    assert caught.value.number == 309
    assert caught.value.text == f"expected a positive integer as the launch option {option}, got {value!r}"


def test_text_that_is_no_unicode():
    with pytest.raises(pavage.Error, match="lone surrogate") as caught:
        copy[(1,)](np.zeros(4, np.float32), np.zeros(4, np.float32), 4, BLOCK="\ud800")
    assert caught.value.number == 307


def test_candidates_that_are_none():
    with pytest.raises(pavage.Error, match="expected pavage.Config as candidates, got int") as caught:
        pavage.autotune([3], key=[])(copy)
    assert caught.value.number == 307


@pytest.mark.parametrize("name", ["PAVAGE_CHECK", "PAVAGE_INTERPRET"])
def test_a_flag_that_is_neither_on_nor_off(name, monkeypatch):
    monkeypatch.setenv(name, "perhaps")
    with pytest.raises(pavage.Error, match=f"expected {name} to be 0 or 1, got 'perhaps'") as caught:
        pavage.reload_environment()
        pavage.jit(copy.fn)
    assert caught.value.number == 315
