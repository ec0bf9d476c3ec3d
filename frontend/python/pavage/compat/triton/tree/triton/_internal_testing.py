# Helpers by the names that Triton's own tests import. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import os

import numpy as np

import triton
import triton.language as tl
from triton.runtime.jit import TensorWrapper, reinterpret, type_canonicalisation_dict

int_dtypes = ["int8", "int16", "int32", "int64"]
uint_dtypes = ["uint8", "uint16", "uint32", "uint64"]
integral_dtypes = int_dtypes + uint_dtypes
float_dtypes = ["float16", "float32", "float64"]
float_dtypes_with_bfloat16 = [*float_dtypes, "bfloat16"]
dtypes = integral_dtypes + float_dtypes
dtypes_with_bfloat16 = [*dtypes, "bfloat16"]
torch_float8_dtypes = ["float8_e4m3fn", "float8_e5m2"]
torch_dtypes = ["bool", *int_dtypes, "uint8", *float_dtypes, "bfloat16"]
tma_dtypes = sorted(set(dtypes_with_bfloat16) - {"int64", "uint64", "float64"})


def get_current_target():
    return triton.runtime.driver.active.get_current_target()


def is_interpreter():
    return os.environ.get("TRITON_INTERPRET", "0") == "1"


def is_cpu():
    return not is_interpreter() and get_current_target().backend == "cpu"


def is_cuda():
    return not is_interpreter() and get_current_target().backend == "cuda"


def _no(*args):
    return False


is_ampere_or_newer = is_blackwell = is_blackwell_ultra = is_hopper_or_newer = is_hopper = is_sm12x = _no
is_hip = is_hip_cdna2 = is_hip_cdna3 = is_hip_cdna4 = is_hip_rdna3 = is_hip_rdna4 = is_hip_gfx1250 = _no
is_hip_cdna3_or_newer = is_hip_cdna = is_hip_rdna = is_xpu = _no


def get_hip_lds_size():
    return 65536


def numpy_random(shape, dtype_str, rs=None, low=None, high=None):
    """Random data of a type; integers are never 0, so that they can divide."""
    shape = (shape,) if isinstance(shape, int) else shape
    rs = np.random.RandomState(seed=17) if rs is None else rs
    if dtype_str in integral_dtypes:
        info = np.iinfo(dtype_str)
        low = info.min if low is None else max(low, info.min)
        high = info.max if high is None else min(high, info.max)
        data = rs.randint(low, high, shape, dtype=dtype_str)
        data[data == 0] = 1
        return data
    if dtype_str and "float8" in dtype_str:
        return rs.randint(20, 40, shape, dtype=np.int8)
    if dtype_str in float_dtypes:
        return rs.normal(0, 1, shape).astype(dtype_str)
    if dtype_str == "bfloat16":
        return (rs.normal(0, 1, shape).astype("float32").view("uint32") & np.uint32(0xFFFF0000)).view("float32")
    if dtype_str in ("bool", "int1", "bool_"):
        return rs.normal(0, 1, shape) > 0.0
    raise RuntimeError(f"expected the name of an element type, got {dtype_str}")


def to_triton(x, device, dst_type=None):
    """A torch tensor of the data, or one whose elements are read as a type that torch lacks."""
    import torch

    name = x.dtype.name
    if name in uint_dtypes:
        return reinterpret(torch.tensor(x.astype(name[1:]), device=device), getattr(tl, name))
    if dst_type and "float8" in dst_type:
        return reinterpret(torch.tensor(x, device=device), getattr(tl, dst_type))
    tensor = torch.tensor(x, device=device)
    return tensor.bfloat16() if name == "float32" and dst_type == "bfloat16" else tensor


def str_to_triton_dtype(x):
    return tl.str_to_ty(type_canonicalisation_dict[x], None)


def torch_dtype_name(dtype):
    return dtype.name if isinstance(dtype, tl.dtype) else str(dtype).removeprefix("torch.")


def to_numpy(x):
    import torch

    if isinstance(x, TensorWrapper):
        return x.base.cpu().numpy().astype(getattr(np, torch_dtype_name(x.dtype)))
    return (x.float() if x.dtype is torch.bfloat16 else x).cpu().numpy()


def unwrap_tensor(t):
    return t.base if isinstance(t, TensorWrapper) else t


def supports_tma(byval_only=False):
    return True


def supports_ws():
    return False


def tma_skip_msg(byval_only=False):
    return "needs tensor descriptors"


def requires_tma(test):
    return test


def default_alloc_fn(size, align, stream):
    import torch

    return torch.empty(size, dtype=torch.int8)


def _fresh_knobs_impl(skipped_attr=None):
    """(a function that resets all knobs, one that puts them back)."""
    from triton import knobs

    groups = {name: group for name, group in vars(knobs).items() if isinstance(group, knobs.base_knobs)}

    def fresh():
        for name, group in groups.items():
            setattr(knobs, name, group.copy().reset())
        return knobs

    def reset():
        for name, group in groups.items():
            setattr(knobs, name, group)

    return fresh, reset
