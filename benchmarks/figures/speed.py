"""Kernels of the examples against NumPy. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

The value is NumPy's time divided by ours, on the same arrays. Products and attention have no bar here: they are
OpenBLAS's home ground.
"""

import attention
import dropout
import layernorm
import matmul
import numpy as np
import pavage
import softmax
import vector_add
from harness import Figure, figure, numpy_configuration, race

HALF_OF_NUMPY = 0.5
ADD_BLOCK = 8192


def against_numpy(name, ours, theirs, what, bar=HALF_OF_NUMPY):
    mine, numpys, ratio = race(ours, theirs)
    rival = f"{what}: {numpys * 1e3:.3f} ms, ours {mine * 1e3:.3f} ms"
    return Figure(name, ratio, "x NumPy", rival, bar)


def normal(*shape):
    return np.random.default_rng(1).standard_normal(shape, dtype=np.float32)


@figure
def elementwise_add():
    for size in (1 << 16, 1 << 24):
        a, b, out = normal(size), normal(size), normal(size)
        grid = (pavage.cdiv(size, ADD_BLOCK),)
        yield against_numpy(f"add f32[{size}]", lambda: vector_add.add[grid](out, a, b, size, BLOCK=ADD_BLOCK),
                            lambda: np.add(a, b, out=out), "np.add(a, b, out)")


@figure
def fused_softmax():
    for shape in ((1823, 781), (4096, 4096)):
        x = normal(*shape)
        yield against_numpy(f"softmax f32{list(shape)}", lambda: softmax.run(x), lambda: softmax.reference(x),
                            "exp(x - max) / sum, 5 passes")


def numpy_layernorm(x, weight, bias):
    mean = x.mean(axis=1, keepdims=True)
    centred = x - mean
    scale = 1 / np.sqrt((centred * centred).mean(axis=1, keepdims=True) + np.float32(1e-5))
    return centred * scale * weight + bias, centred, scale


def numpy_layernorm_backward(dy, centred, scale, weight):
    normal_x, weighted = centred * scale, dy * weight
    mean = weighted.mean(axis=1, keepdims=True)
    product = (normal_x * weighted).mean(axis=1, keepdims=True)
    return (weighted - mean - normal_x * product) * scale, (dy * normal_x).sum(axis=0), dy.sum(axis=0)


@figure
def layer_norm():
    x, dy, weight, bias = normal(1151, 1024), normal(1151, 1024), normal(1024), normal(1024)
    yield against_numpy("layernorm f32[1151, 1024]", lambda: layernorm.run_forward(x, weight, bias),
                        lambda: numpy_layernorm(x, weight, bias), "mean, variance, scale, shift")
    _, mean, rstd = layernorm.run_forward(x, weight, bias)
    _, centred, scale = numpy_layernorm(x, weight, bias)
    yield against_numpy("layernorm backward f32[1151, 1024]", lambda: layernorm.run_backward(dy, x, weight, mean, rstd),
                        lambda: numpy_layernorm_backward(dy, centred, scale, weight), "three gradients")


@figure
def dropout_mask():
    x = normal(1 << 22)
    generator = np.random.default_rng(0)
    yield against_numpy("dropout f32[4194304]", lambda: dropout.run(x, 0.5, 7),
                        lambda: np.where(generator.random(x.size, dtype=np.float32) > 0.5, x * 2, 0),
                        "where(random > p, x / (1 - p), 0)")


@figure
def matrix_product():
    for size in (256, 512, 1024):
        a, b = normal(size, size), normal(size, size)
        yield against_numpy(f"matmul f32[{size}, {size}]", lambda: matmul.run(a, b), lambda: a @ b,
                            f"a @ b, {numpy_configuration()}", None)


@figure
def flash_attention():
    q, k, v = (normal(8, 512, 64) for _ in range(3))
    yield against_numpy("attention f32[8, 512, 64]", lambda: attention.run(q, k, v),
                        lambda: attention.reference(q, k, v, False), "softmax(q kT) v by einsum", None)
