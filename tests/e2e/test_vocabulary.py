# The rest of the vocabulary: hints, options, aliases, descriptors' other methods, libdevice. SPDX-License-Identifier:
# Apache-2.0 WITH LLVM-exception
import math

import numpy as np
import pytest

import pavage
import pavage.language as tl
from pavage.language.extra import libdevice

RNG = np.random.default_rng(13)


@pavage.jit
def hinted(out, x, n):
    i = tl.multiple_of(tl.max_contiguous(tl.arange(0, 16), 16), 16)
    tl.assume(n > 0)
    tl.assume(n % 2 == 0)
    j = tl.max_constancy(i // 4, 4)
    v = tl.load(x + i, mask=i < n, other=0, cache_modifier=".cg", eviction_policy="evict_last", volatile=True)
    w = tl.load(x + j, cache_modifier=".ca", eviction_policy="evict_first")
    tl.store(out + i, tl.expect_zero(v, i < n) + w, mask=i < n, cache_modifier=".wb", eviction_policy="evict_first")


def test_hints_and_cache_options_change_no_value(way):
    x, out = RNG.integers(0, 9, 16).astype(np.int32), np.zeros(16, np.int32)
    hinted[(1,)](out, x, 16)
    np.testing.assert_array_equal(out, x + x[np.arange(16) // 4])


@pavage.jit
def aliases(out, x):
    t = tl.load(x + tl.arange(0, 6))
    tl.store(out + tl.arange(0, 6), tl.view(t, 2, 3).view((6,)))
    u = tl.unsqueeze(t, 0)
    tl.static_assert(u.shape == (1, 6) and u.squeeze(0).shape == (6,) and u.ndim == 2 and u.numel == 6)
    tl.static_assert(t.type == tl.block_type(tl.int32, [6]) and t.type.scalar == tl.int32)
    tl.static_assert(x.type == tl.pointer_type(tl.int32) and x.dtype.element_ty == tl.int32 and x.dtype.is_ptr())
    tl.store(out + 6, tl.add(t, tl.mul(t, 2)).sum().max() if False else tl.sum(tl.sub(tl.add(t, t), t)))
    tl.store(out + 7, tl.to_tensor(3) + tl.cast(2.9, tl.int32) + t.cast(tl.int64).min(0))
    tl.static_assert(tl.float16(t).dtype == tl.float16 and tl.float32(2).dtype == tl.float32)
    tl.debug_barrier()
    tl.static_print("compiling", t.shape)


def test_aliases_and_properties(way, capsys):
    x, out = np.arange(6, dtype=np.int32), np.zeros(8, np.int32)
    aliases[(1,)](out, x)
    np.testing.assert_array_equal(out, [*x, 15, 5])


@pavage.jit
def descriptor_methods(out, x, rows, M, N, B: tl.constexpr):
    d = tl.make_tensor_descriptor(x, [M, N], [N, 1], [1, B])
    o = tl.make_tensor_descriptor(out, [M, N], [N, 1], [1, B])
    r = tl.load(rows + tl.arange(0, 8))
    tl.static_assert(d.block_shape[1] == B and d.dtype == tl.float32)
    g = d.gather(r, 0)
    o.scatter(g * 2, r, 0)
    tl.debug_barrier()  # on a GPU other threads add to what was scattered, and load what was added
    whole = tl.make_tensor_descriptor(out, [M, N], [N, 1], [2, B])
    whole.atomic_add([0, 0], tl.full((2, B), 1.0, tl.float32))
    tl.debug_barrier()
    tl.store_tensor_descriptor(o, [1, 0], tl.load_tensor_descriptor(o, [1, 0]) + d.shape[0].to(tl.float32))


def test_descriptors_gather_scatter_and_add(way):
    x, out = RNG.integers(0, 9, (8, 8)).astype(np.float32), np.zeros((8, 8), np.float32)
    rows = RNG.permutation(8).astype(np.int32)
    descriptor_methods[(1,)](out, x, rows, 8, 8, B=8)
    want = x * 2
    want[:2] += 1
    want[1] += 8
    np.testing.assert_array_equal(out, want)


@pavage.jit
def device_functions(out, x):
    i = tl.arange(0, 8)
    v = tl.load(x + i)
    tl.store(out + i, libdevice.tanh(v))
    tl.store(out + 8 + i, libdevice.pow(tl.abs(v), 1.5))
    tl.store(out + 16 + i, libdevice.rint(v * 3))
    tl.store(out + 24 + i, libdevice.fast_dividef(v, 3.0) + libdevice.exp10(v))
    tl.store(out + 32 + i, tl.math.tanh(v) + tl.math.rsqrt(v * v + 1))
    tl.store(out + 40 + i, tl.where(libdevice.isnan(v) | tl.math.isinf(v), 1.0, 0.0))


def test_libdevice(way):
    x, out = RNG.uniform(-2, 2, 8).astype(np.float32), np.zeros((6, 8), np.float32)
    x[0], x[1] = 0.5, -0.25
    device_functions[(1,)](out, x)
    f = x.astype(np.float64)
    want = [np.tanh(f), np.abs(f) ** 1.5, np.rint(f * 3), f / 3 + 10**f, np.tanh(f) + 1 / np.sqrt(f * f + 1), f * 0]
    np.testing.assert_allclose(out, np.array(want), rtol=3e-6, atol=1e-6)


@pavage.jit
def targets(out):
    if tl.target_info.is_cuda():
        tl.store(out, 1)
    elif tl.target_info.cuda_capability_geq(8, 0) or tl.target_info.is_hip():
        tl.store(out, 2)
    else:
        tl.store(out, 3)


def test_a_kernel_may_ask_for_its_target(way):
    out = np.zeros(1, np.int32)
    targets[(1,)](out)
    assert out[0] == (1 if way.startswith("sim:") else 3)


@pavage.jit
def inline_ptx(out):
    tl.store(out, tl.inline_asm_elementwise("mov.b32 $0, 5;", "=r", [], tl.int32, is_pure=True, pack=1))


def test_inline_ptx_is_a_numbered_error_on_the_cpu(way):
    if way.startswith("sim:"):
        out = np.zeros(1, np.int32)
        inline_ptx[(1,)](out)
        assert out[0] == 5
        return
    with pytest.raises(pavage.Error) as caught:
        inline_ptx[(1,)](np.zeros(1, np.int32))
    assert "inline_ptx" in str(caught.value) and caught.value.line


@pavage.jit
def hexadecimal(x, n):
    tl.device_print("value", tl.load(x + tl.arange(0, 2)), hex=True)
    print("n =", n, "done")


def test_prints(way, capsys):
    hexadecimal[(1,)](np.array([255, 16], np.int32), 7)
    text = capsys.readouterr().out
    assert "ff" in text.lower() and "10" in text and "n =" in text and "7" in text


def test_constants_of_the_host():
    assert pavage.cdiv(7, 2) == 4 and pavage.next_power_of_2(5) == 8 and pavage.next_power_of_2(1) == 1
    a = tl.constexpr(6)
    assert (a + 1).value == 7 and (2**a).value == 64 and (a == 6) and -a == -6 and a / 4 == 1.5 and bool(a)
    assert tl.constexpr(a).value == 6 and f"{a:03d}" == "006" and [1, 2, 3, 4, 5, 6, 7][a] == 7 and math.sqrt(a) > 2
    assert tl.float32.primitive_bitwidth == 32 and str(tl.pointer_type(tl.float16)) == "pointer<fp16>"
    assert tl.dtype("fp32") is tl.float32 and tl.int8.is_int8() and not tl.uint8.is_int_signed()

    @pavage.constexpr_function
    def tripled(x):
        return x * 3

    assert tripled(2) == 6 and tripled(a).value == 18


def test_memory_on_the_device():
    x = pavage.zeros((2, 3), tl.float16)
    assert x.shape == (2, 3) and x.dtype == np.float16 and not x.any()
    assert pavage.empty(4, tl.bfloat16).dtype.name == "bfloat16"
    assert pavage.asarray([1, 2], tl.int64).dtype == np.int64
    np.testing.assert_array_equal(pavage.to_numpy(x), x)
    assert pavage.device().name == "cpu" and "interp" in pavage.devices() and pavage.num_threads() >= 1
    pavage.synchronize()


def test_measuring_and_comparing():
    ms = pavage.testing.do_bench(lambda: sum(range(1000)), warmup=1, rep=5)
    assert 0 < ms < 100
    assert len(pavage.testing.do_bench(lambda: None, warmup=1, rep=2, quantiles=[0.2, 0.5, 0.8])) == 3
    assert pavage.testing.do_bench(lambda: None, warmup=0, rep=1, return_mode="min") >= 0
    pavage.testing.assert_close(np.ones(3), np.ones(3) + 1e-3)
    with pytest.raises(AssertionError):
        pavage.testing.assert_close(np.ones(3), np.ones(3) + 1e-3, atol=1e-5)
    pavage.testing.assert_close(np.array([np.nan, 1]), np.array([np.nan, 1]), rtol=1e-6)


def test_performance_reports(tmp_path):
    @pavage.testing.perf_report(
        pavage.testing.Benchmark(
            x_names=["n"],
            x_vals=[1, 2, 4],
            line_arg="how",
            line_vals=["a", "b"],
            line_names=["A", "B"],
            plot_name="speed",
            args={"k": 2},
            ylabel="ms",
        )
    )
    def measured(n, how, k):
        return n * k + (how == "b")

    rows = measured.run(save_path=str(tmp_path), return_df=True)
    assert rows[2] == {"n": 4, "A": 8, "B": 9} and (tmp_path / "speed.png").exists()
