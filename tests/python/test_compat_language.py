# What the layer adds to Triton's words: refusals, places, types, extensions. SPDX-License-Identifier: Apache-2.0 WITH
# LLVM-exception
import importlib

import numpy as np
import pytest

import pavage
import pavage.language as tl

X = np.zeros(4, np.float32)


def refused(triton, kernel, *args, **kwargs):
    with pytest.raises(triton.CompilationError) as caught:
        kernel[(1,)](*args, **kwargs)
    return caught.value


@pavage.jit
def inner(x):
    return x & 1.5


@pavage.jit
def outer(out):
    # one line more than in `inner`
    tl.store(out, inner(tl.load(out)))


def test_places_count_from_the_def_as_in_triton(triton):
    error = refused(triton, outer, X)
    assert "at 3:18:" in str(error), str(error)  # the call
    assert "at 2:11:" in str(error.__cause__) and "invalid operands" in str(error.__cause__.__cause__)
    assert error.file == __file__


def test_the_words_of_static_assert_stand_alone(triton):
    @triton.jit
    def kernel():
        tl.static_assert(False, "no")

    error = refused(triton, kernel)
    assert "at 2:4:" in str(error) and error.__cause__ is None


def test_results_that_must_be_used(triton):
    @triton.must_use_result("It changes nothing.")
    @triton.jit
    def square(x):
        return x * x

    @triton.jit
    def drops(x):
        square(tl.load(x))

    @triton.jit
    def keeps(x):
        tl.store(x, square(tl.load(x)))

    error = refused(triton, drops, X)
    assert error.number == 14
    assert str(error).splitlines()[-1] == "The result of square is not being used. It changes nothing."
    x = np.full(1, 3, np.float32)
    keeps[(1,)](x)
    assert x[0] == 9


def test_a_constexpr_is_specialised_anyway(triton):
    @triton.jit(do_not_specialize=["N"])
    def kernel(N: tl.constexpr):
        pass

    assert "N marked as constexpr and listed in do_not_specialize" in str(refused(triton, kernel, 5))


def test_where_warns_of_numbers_as_condition(triton):
    language = importlib.import_module("triton.language")

    @triton.jit
    def kernel(x, where: tl.constexpr):
        tl.store(x, where(tl.load(x).to(tl.int32), 1.0, 2.0))

    x = np.array([3], np.float32)
    with pytest.warns(UserWarning, match="boolean condition"):
        kernel[(1,)](x, language.where)
    assert x[0] == 1


def test_extensions_may_hand_on_the_semantic(triton):
    core = importlib.import_module("triton.language.core")

    @core.builtin
    def twice(x, _semantic=None):
        return core.add(x, x, _semantic=_semantic)

    @triton.jit
    def kernel(x, twice: tl.constexpr):
        tl.store(x, twice(tl.load(x)))

    x = np.array([3], np.float32)
    kernel[(1,)](x, twice)
    assert x[0] == 6
    assert core.is_builtin(twice) and not core.is_builtin(print)


def test_functions_of_libdevice_by_symbol(triton):
    core = importlib.import_module("triton.language.core")

    @core.extern
    def root(x, _semantic=None):
        table = {(core.float32,): ("__nv_sqrtf", core.float32), (core.float64,): ("__nv_sqrt", core.float64)}
        return core.extern_elementwise("", "", [x], table, is_pure=True, _semantic=_semantic)

    @triton.jit
    def kernel(x, root: tl.constexpr):
        tl.store(x, root(tl.load(x)))

    x = np.array([9], np.float32)
    kernel[(1,)](x, root)
    assert x[0] == 3


def test_types_of_constants():
    @pavage.jit
    def kernel(given: tl.constexpr):
        declared: tl.constexpr = 10
        assigned = given
        tl.static_assert(declared.type == tl.constexpr_type(10))
        tl.static_assert(given.type == tl.constexpr_type(10))
        tl.static_assert(assigned.type == tl.int32)
        pair = (assigned, 2.5)
        tl.static_assert(pair.type == tl.tuple_type([tl.int32, tl.float32]))
        tl.static_assert(isinstance(tl.arange(0, 4).type, tl.block_type))

    kernel[(1,)](10)


def test_names_that_say_what_they_were_made_for():
    def name(specialised):
        return f"kernel_{specialised.signature['n']}_{specialised.signature['x']}_{specialised.constants['ONE']}"

    @pavage.jit(repr=name)
    def kernel(x, n, ONE):
        pass

    assert kernel.warmup(X, 2**40, 1, grid=(1,)).name == "kernel_i64_*fp32_1"


@pavage.jit
def total(first, *rest):
    for x in rest:
        first += x
    return first


@pavage.jit
def totals(out):
    x = tl.load(out)
    tl.store(out, total(x) + total(x, x, 5.0))


def test_functions_with_rest_parameters(way):
    x = np.array([2], np.float32)
    totals[(1,)](x)
    assert x[0] == 2 + 9


def test_a_tile_of_one_element_as_scalar(way):
    @pavage.jit
    def kernel(out):
        x = tl.load(out + tl.arange(0, 1)).item()
        tl.static_assert(x.type == tl.float32)
        tl.store(out, x + 1)

    x = np.array([2], np.float32)
    kernel[(1,)](x)
    assert x[0] == 3


def test_inline_ptx_is_for_gpus():
    @pavage.jit
    def kernel(out):
        tl.store(out, tl.inline_asm_elementwise("mov.u32 $0, 1;", "=r", [], tl.int32, True, 1))

    with pytest.raises(pavage.CompilationError) as caught:
        kernel[(1,)](np.zeros(1, np.int32))
    assert caught.value.number and "inline" in str(caught.value) and "kernel" not in caught.value.text[:1]


def test_extremes_of_constants_have_one_answer():
    for value in (float("nan"), -0.0):

        @pavage.jit
        def kernel(a: tl.constexpr):
            tl.static_assert(min(1.0, a) == a)

        with pytest.raises(pavage.CompilationError) as caught:
            kernel[(1,)](value)
        assert caught.value.number == 9


def test_warm_ups_in_an_executor(triton):
    from concurrent.futures import ThreadPoolExecutor

    language = importlib.import_module("triton.language")

    @triton.jit
    def kernel(x, N: language.constexpr, fail: language.constexpr):
        language.static_assert(not fail)
        language.store(x, N)

    with ThreadPoolExecutor(2) as pool, triton.AsyncCompileMode(pool):
        first, again, other = (kernel.warmup(language.float32, n, False, grid=(1,)) for n in (1, 1, 2))
        assert first is again and first is not other
        assert first.name == "kernel"
    with pytest.raises(triton.CompilationError):
        with ThreadPoolExecutor(1) as pool, triton.AsyncCompileMode(pool):
            kernel.warmup(language.float32, 3, True, grid=(1,))
    x = np.zeros(1, np.float32)
    kernel[(1,)](x, 5, False)
    assert x[0] == 5


LIBDEVICE = [
    ("add_rn(x, y)", lambda x, y: x + y),
    ("sub_rn(x, y)", lambda x, y: x - y),
    ("mul_rn(x, y)", lambda x, y: x * y),
    ("rcp_rn(x)", lambda x, y: 1 / x),
    ("fdim(x, y)", lambda x, y: np.maximum(x - y, 0)),
    ("float2int_rd(x)", lambda x, y: np.floor(x)),
    ("float2int_ru(x)", lambda x, y: np.ceil(x)),
    ("float2int_rn(x)", lambda x, y: np.rint(x)),
    ("float2int_rz(x)", lambda x, y: np.trunc(x)),
    ("int_as_float(d.float_as_int(x) & 0x7FFFFFFF)", lambda x, y: np.abs(x)),
    ("hiloint2double(d.double2hiint(x.to(tl.float64)), d.double2loint(x.to(tl.float64)))", lambda x, y: x),
    ("rhadd(x.to(tl.int32), y.to(tl.int32))", lambda x, y: (np.trunc(x) + np.trunc(y) + 1) // 2),
]


@pytest.mark.parametrize("text, expected", LIBDEVICE, ids=[text.partition("(")[0] for text, _ in LIBDEVICE])
def test_roundings_conversions_and_bits_of_libdevice(text, expected):
    def kernel(out, a, b, d: tl.constexpr):
        i = tl.arange(0, 6)
        x, y = tl.load(a + i), tl.load(b + i)  # noqa: F841  what the replaced text uses
        tl.store(out + i, REPLACED)  # noqa: F821

    from pavage.language.extra import libdevice

    kernel = pavage.jit(kernel)
    kernel._unsafe_update_src(kernel.src.replace("REPLACED", f"d.{text}"))
    x = np.array([1.5, -2.5, 0.75, -3.25, 7, 0.1], np.float32)
    y = np.array([-0.5, 4.0, 1e-8, 2.5, 3, -9.0], np.float32)
    out = np.zeros(6, np.float32)
    kernel[(1,)](out, x, y, libdevice)
    np.testing.assert_array_equal(out, expected(x, y).astype(np.float32))


@pytest.mark.parametrize("value", [2**64, -(2**63) - 1])
def test_integers_that_overflow_raise_what_python_raises(value):
    @pavage.jit
    def kernel(n):
        pass

    with pytest.raises(OverflowError) as caught:
        kernel[(1,)](value)
    assert isinstance(caught.value, pavage.Error) and caught.value.number == 309


def test_hooks_around_new_variants(triton):
    told = []

    @triton.jit
    def kernel(x, n):
        pass

    runtime = triton.knobs.runtime
    with runtime.scope():
        runtime.jit_cache_hook = lambda **about: told.append(("cache", about["fn"].name, about["compile"]["num_warps"]))
        runtime.jit_post_compile_hook = lambda **about: told.append(about["compile"]["signature"])
        runtime.kernel_load_start_hook.add(lambda module, function, name, group, hash: told.append(("load", name)))
        for n in (3, 5, 16):
            kernel[(1,)](X, n, num_warps=8)
    name = "test_hooks_around_new_variants.<locals>.kernel"
    first = [("cache", name, 8), ("load", "kernel")]
    assert told[:2] == first and told[3:5] == first and len(told) == 6  # 3 and 5 are one variant, 16 another
    assert told[2]["n"] == "i32" and told[5]["n"] == "i32:16"
    kernel[(1,)](X, 2**40)
    assert len(told) == 6


def test_an_edited_function_is_compiled_again_in_what_calls_it(triton):
    @triton.jit
    def step(x):
        return x + 1

    @triton.jit
    def kernel(x):
        tl.store(x, step(tl.load(x)))

    x = np.zeros(1, np.float32)
    kernel[(1,)](x)
    before = kernel.cache_key
    own = step.src
    step._unsafe_update_src(own)
    assert kernel.cache_key == before
    step._unsafe_update_src(own.replace("x + 1", "x + 10"))
    assert kernel.cache_key != before
    step._unsafe_update_src(own)
    assert kernel.cache_key == before
    step._unsafe_update_src(own.replace("x + 1", "x + 10"))
    kernel[(1,)](x)
    assert x[0] == 11


def test_groups_of_cached_files(triton, tmp_path, monkeypatch):
    cache = importlib.import_module("triton.runtime.cache")
    monkeypatch.setenv("PAVAGE_CACHE_DIR", str(tmp_path))
    files = cache.FileCacheManager("key")
    group = {name: files.put("text", name) for name in ("a", "b")}
    files.put_group("all", group)
    assert files.get_group("all") == group and files.get_group("none") is None
    (tmp_path / "files/key/b").unlink()
    assert files.get_group("all") is None

    class Far:
        kept = {}

        def __init__(self, key):
            pass

        def get(self, names):
            return {name: self.kept[name] for name in names if name in self.kept}

        def put(self, name, data):
            self.kept[name] = data

    with triton.knobs.cache.scope():
        triton.knobs.cache.remote_manager_class = Far
        far = cache.RemoteCacheManager("other")
        far.put("text", "a")
        far.put_group("all", {"a": "anywhere"})
        with open(far.get_group("all")["a"]) as f:
            assert f.read() == "text"
        del Far.kept["a"]
        assert far.get_group("all") is None
