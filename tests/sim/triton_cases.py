"""What of Triton's PTX runs on the virtual GPU: kernel, specialisation, arguments, right values. NumPy only: read by
scripts/triton_ptx_corpus.py inside Triton's Python, and by the tests.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""

import dataclasses

import numpy as np

OWN = "tests/sim/triton_kernels.py"
POINTER_TYPES = {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16", "int32": "i32", "int8": "i8"}


@dataclasses.dataclass
class Buffer:
    """An array argument: its values before (None: not initialised) and after (None: not looked at)."""

    name: str
    values: np.ndarray | None
    expected: np.ndarray | None = None
    dtype: str = ""  # for elements that NumPy lacks: the values are float32 then

    @property
    def shape(self):
        return (self.values if self.values is not None else self.expected).shape

    @property
    def element(self):
        return self.dtype or (self.values if self.values is not None else self.expected).dtype.name


@dataclasses.dataclass
class Case:
    name: str
    source: str
    kernel: str
    buffers: list
    scalars: dict  # name -> value
    constants: dict
    grid: tuple
    num_warps: int = 4
    num_stages: int = 3
    arch: int = 80
    tolerance: float = 0.0

    def signature(self, parameters):
        """name -> type, in the order of the kernel's parameters."""
        types = {b.name: "*" + POINTER_TYPES[b.element] for b in self.buffers}
        types |= {name: "fp32" if isinstance(value, float) else "i32" for name, value in self.scalars.items()}
        types |= dict.fromkeys(self.constants, "constexpr")
        return {name: types[name] for name in parameters}

    def divisible(self):
        """Parameters that are multiples of 16, as Triton's launcher would find."""
        return [b.name for b in self.buffers] + [n for n, v in self.scalars.items() if isinstance(v, int) and v % 16 == 0]


def cases():
    random = np.random.default_rng(0)

    def normal(*shape):
        return random.standard_normal(shape, dtype=np.float32)

    def ints(shape, dtype=np.float32, low=-3, high=4):
        return random.integers(low, high, shape).astype(dtype)

    # Vector addition: a tail, and an extent that is none.
    for n, block, warps in ((1000, 256, 4), (1024, 1024, 8), (77, 128, 1)):
        x, y = ints(n), ints(n)
        yield Case(f"add-{n}-{warps}", "examples/vector_add.py", "add",
                   [Buffer("out", None, x + y), Buffer("x", x), Buffer("y", y)], {"n": n}, {"BLOCK": block},
                   (-(-n // block),), warps)

    # Softmax, a row a program and persistent.
    for rows, n, warps in ((5, 781, 4), (3, 128, 1), (2, 2048, 8)):
        x = normal(rows, n)
        e = np.exp(x - x.max(1, keepdims=True))
        expected = e / e.sum(1, keepdims=True)
        buffers = [Buffer("out", None, expected), Buffer("x", x)]
        block = 1 << (n - 1).bit_length()
        yield Case(f"softmax-{n}-{warps}", "examples/softmax.py", "softmax", buffers,
                   {"out_stride": n, "x_stride": n, "n": n}, {"BLOCK": block}, (rows,), warps, tolerance=1e-5)
        for stages in (1, 2, 4):
            yield Case(f"softmax-persistent-{n}-{warps}-{stages}", OWN, "softmax_persistent", buffers,
                       {"out_stride": n, "x_stride": n, "rows": rows, "n": n}, {"BLOCK": block, "STAGES": stages},
                       (2,), warps, stages, tolerance=1e-5)

    # Matrix product: element types, stages, ragged edges, an epilogue.
    def matmul(name, M, N, K, tiles, warps, stages, arch=80, dtype="", epilogue=False):
        a, b, bias = ints((M, K)), ints((K, N)), ints(N)
        expected = a @ b
        if epilogue:
            expected = np.maximum(expected + bias, 0)
        if dtype == "float16":
            a, b, expected, bias = (x.astype(np.float16) for x in (a, b, expected, bias))
        special = dtype if dtype == "bfloat16" else ""
        BM, BN, BK = tiles
        buffers = [Buffer("c", None, expected, special), Buffer("a", a, None, special), Buffer("b", b, None, special)]
        constants = {"ACTIVATION": "relu()" if epilogue else None, "BM": BM, "BN": BN, "BK": BK, "GROUP": 2}
        if epilogue:
            buffers.append(Buffer("bias", bias, None, special))
        else:
            constants["bias"] = None
        scalars = {"M": M, "N": N, "K": K, "stride_am": K, "stride_bk": N, "stride_cm": N}
        constants |= {"stride_ak": 1, "stride_bn": 1, "stride_cn": 1}
        return Case(f"matmul-{name}", "examples/matmul.py", "matmul", buffers, scalars, constants,
                    (-(-M // BM) * -(-N // BN),), warps, stages, arch)

    for stages in (1, 2, 3, 4):
        yield matmul(f"f16-{stages}", 70, 136, 100, (64, 64, 32), 4, stages, dtype="float16")
    yield matmul("f16-wide", 128, 256, 128, (128, 128, 64), 8, 3, dtype="float16", epilogue=True)
    yield matmul("f16-small", 33, 40, 16, (16, 16, 16), 1, 2, dtype="float16")
    yield matmul("bf16", 70, 136, 96, (64, 64, 32), 4, 3, dtype="bfloat16", epilogue=True)
    yield matmul("tf32", 70, 72, 100, (64, 64, 32), 4, 3)
    yield matmul("tf32-90", 70, 72, 100, (32, 64, 32), 2, 3, arch=90)
    yield matmul("f16-75", 70, 72, 64, (32, 32, 32), 4, 2, arch=75, dtype="float16")
    yield matmul("f16-90", 33, 72, 100, (32, 64, 32), 2, 3, arch=90, dtype="float16")  # too small for Hopper's engines
    a, b = ints((70, 96), np.int8, -128, 128), ints((96, 72), np.int8, -128, 128)
    for stages in (1, 3):
        yield Case(f"matmul-i8-{stages}", OWN, "matmul_integer",
                   [Buffer("c", None, a.astype(np.int32) @ b.astype(np.int32)), Buffer("a", a), Buffer("b", b)],
                   {"M": 70, "N": 72, "K": 96}, {"BM": 64, "BN": 32, "BK": 32}, (2, 3), num_stages=stages)

    # Dropout: of ones, so that a wrong keep shows; which are kept is the generator's affair (see the test).
    for warps in (1, 4):
        x = np.ones(3000, np.float32)
        yield Case(f"dropout-{warps}", "examples/dropout.py", "dropout", [Buffer("out", None, philox_dropout(x, 0.5, 7)),
                   Buffer("x", x)], {"n": 3000, "p": 0.5, "seed": 7}, {"BLOCK": 1024}, (3,), warps)

    # Layer normalisation, forward and backward in both forms.
    rows, n = 12, 300
    x, dy, weight, bias = normal(rows, n), normal(rows, n), random.random(n, np.float32), random.random(n, np.float32)
    mean = x.mean(1)
    rstd = (1 / np.sqrt(x.var(1) + 1e-5)).astype(np.float32)
    xhat = (x - mean[:, None]) * rstd[:, None]
    g = dy * weight
    dx = (g - xhat * (xhat * g).mean(1, keepdims=True) - g.mean(1, keepdims=True)) * rstd[:, None]
    for warps in (2, 8):
        yield Case(f"layernorm-forward-{warps}", "examples/layernorm.py", "forward",
                   [Buffer("y", None, xhat * weight + bias), Buffer("x", x), Buffer("weight", weight),
                    Buffer("bias", bias), Buffer("mean", None, mean), Buffer("rstd", None, rstd)],
                   {"stride": n, "n": n, "eps": 1e-5}, {"BLOCK": 512}, (rows,), warps, tolerance=1e-5)
        yield Case(f"layernorm-input-{warps}", "examples/layernorm.py", "backward_input",
                   [Buffer("dx", None, dx), Buffer("dy", dy), Buffer("x", x), Buffer("weight", weight),
                    Buffer("mean", mean), Buffer("rstd", rstd)],
                   {"stride": n, "n": n}, {"BLOCK": 512}, (rows,), warps, tolerance=1e-4)
        groups = 3
        partial_w, partial_b = (np.stack([v[i::groups].sum(0) for i in range(groups)]) for v in (dy * xhat, dy))
        yield Case(f"layernorm-locked-{warps}", OWN, "layernorm_backward_locked",
                   [Buffer("dx", None, dx), Buffer("dy", dy), Buffer("dw", None, partial_w),
                    Buffer("db", None, partial_b), Buffer("x", x), Buffer("weight", weight), Buffer("mean", mean),
                    Buffer("rstd", rstd), Buffer("locks", np.zeros(2 * groups, np.int32))],
                   {"stride": n, "n": n}, {"GROUPS": groups, "BLOCK": 512}, (rows,), warps, tolerance=1e-4)
        yield Case(f"layernorm-columns-{warps}", OWN, "layernorm_backward_columns",
                   [Buffer("total_w", None, partial_w.sum(0)), Buffer("total_b", None, partial_b.sum(0)),
                    Buffer("dw", partial_w), Buffer("db", partial_b)],
                   {"groups": groups, "n": n}, {"ROWS": 4, "COLS": 64}, (-(-n // 64),), warps, tolerance=1e-4)
    yield Case("layernorm-weight", "examples/layernorm.py", "backward_weight",
               [Buffer("dweight", None, (dy * xhat).sum(0)), Buffer("dbias", None, dy.sum(0)), Buffer("dy", dy),
                Buffer("x", x), Buffer("mean", mean), Buffer("rstd", rstd)],
               {"stride": n, "rows": rows, "n": n}, {"ROWS": 8, "COLS": 64}, (-(-n // 64),), tolerance=1e-4)

    # Attention.
    heads, n, d = 2, 90, 64
    q, k, v = normal(heads, n, d), normal(heads, n, d), normal(heads, n, d)
    scale = float(d) ** -0.5
    for causal in (False, True):
        expected, _ = attention(q, k, v, scale, causal)
        yield Case(f"attention-tf32-{causal}", "examples/attention.py", "attention",
                   [Buffer("out", None, expected), Buffer("q", q), Buffer("k", k), Buffer("v", v)],
                   {"n": n, "scale": scale}, {"CAUSAL": causal, "BQ": 32, "BK": 32, "D": d}, (3, heads),
                   num_stages=2, tolerance=4e-3)
    h = [x.astype(np.float16) for x in (q, k, v)]
    for causal in (False, True):
        for warps, stages in ((4, 1), (4, 3), (8, 2)):
            out, lse = attention(*(x.astype(np.float32) for x in h), scale, causal)
            yield Case(f"attention-f16-{causal}-{warps}-{stages}", OWN, "attention_forward",
                       [Buffer("out", None, out.astype(np.float16)), Buffer("lse", None, lse),
                        *(Buffer(name, x) for name, x in zip("qkv", h))],
                       {"n": n, "scale": scale * 1.4426950408889634},
                       {"CAUSAL": causal, "BQ": 64, "BK": 32, "D": d}, (2, heads), warps, stages, tolerance=4e-3)
    qf, kf, vf = (x.astype(np.float32) for x in h)
    do = normal(heads, n, d).astype(np.float16)
    out, lse = attention(qf, kf, vf, scale, False)
    delta = (out * do).sum(-1)
    p = np.exp2(qf @ kf.transpose(0, 2, 1) * scale * 1.4426950408889634 - lse[..., None])
    ds = p * (do.astype(np.float32) @ vf.transpose(0, 2, 1) - delta[..., None]) * scale
    for warps in (4, 8):
        yield Case(f"attention-backward-{warps}", OWN, "attention_backward",
                   [Buffer("dq", np.zeros((heads, n, d), np.float32), ds @ kf), Buffer("dk", None, ds.transpose(0, 2, 1) @ qf),
                    Buffer("dv", None, p.transpose(0, 2, 1) @ do.astype(np.float32)), Buffer("do", do),
                    *(Buffer(name, x) for name, x in zip("qkv", h)), Buffer("lse", lse),
                    Buffer("delta", delta.astype(np.float32))],
                   {"n": n, "scale": scale, "log2_scale": scale * 1.4426950408889634}, {"BQ": 32, "BK": 32, "D": d},
                   (3, heads), warps, 2, tolerance=1e-2)


def attention(q, k, v, scale, causal):
    """Result and log2 of the sums of exponentials."""
    score = q @ k.transpose(0, 2, 1) * np.float32(scale)
    if causal:
        score = np.where(np.tri(score.shape[-1], dtype=bool), score, -np.inf)
    largest = score.max(-1, keepdims=True)
    e = np.exp(score - largest)
    total = e.sum(-1, keepdims=True)
    return e / total @ v, ((largest + np.log(total)) / np.log(2))[..., 0].astype(np.float32)


def philox_dropout(x, p, seed):
    """Philox 4x32-10 with the element's index as counter, as Triton's rand draws; x / (1 - p) where it is above p."""
    counter = [np.arange(x.size, dtype=np.uint64)] + [np.zeros(x.size, np.uint64) for _ in range(3)]
    key = [np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32)]
    low = np.uint64(0xFFFFFFFF)
    for _ in range(10):
        a = counter[0] * np.uint64(0xD2511F53)
        b = counter[2] * np.uint64(0xCD9E8D57)
        counter = [(b >> np.uint64(32)) ^ counter[1] ^ key[0], b & low, (a >> np.uint64(32)) ^ counter[3] ^ key[1], a & low]
        key = [(key[0] + np.uint64(0x9E3779B9)) & low, (key[1] + np.uint64(0xBB67AE85)) & low]
    bits = counter[0].astype(np.uint32).view(np.int32).astype(np.int64)
    draw = np.where(bits < 0, -bits - 1, bits).astype(np.float32) * np.float32(4.6566127342e-10)
    return np.where(draw > p, x / np.float32(1 - p), np.float32(0))
