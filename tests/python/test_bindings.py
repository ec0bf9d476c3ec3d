# The Python side's tables against the headers and libraries that they mirror. SPDX-License-Identifier: Apache-2.0 WITH
# LLVM-exception
import re
from pathlib import Path

import pytest

import pavage
import pavage.language as tl
from pavage._context import native
from pavage.language import ops, types

HEADER = (Path(__file__).resolve().parents[2] / "frontend/builder/include/pavage/builder_c.h").read_text()


def enumerators(name):
    """{enumerator: value} of a C enumeration of the header."""
    body = re.search(r"typedef enum %s \{(.*?)\}" % name, HEADER, re.S).group(1)
    body = re.sub(r"//[^\n]*", "", body)
    values, found = 0, {}
    for item in filter(None, (i.strip() for i in body.split(","))):
        key, _, value = (p.strip() for p in item.partition("="))
        values = found.get(value, None) or (int(value, 0) if value else values + 1)
        found[key] = values
    return found


@pytest.mark.parametrize(
    "table, enum, prefix",
    [
        (ops.UNARY, "pv_unary_op", "PV_"),
        (ops.BINARY, "pv_binary_op", "PV_"),
        (ops.ATOMIC, "pv_atomic_op", "PV_ATOMIC_"),
        (ops.REDUCE, "pv_reduce_op", "PV_"),
        (ops.RANDOM, "pv_random_kind", "PV_"),
        (ops.HINT, "pv_hint", "PV_"),
    ],
)
def test_op_numbers(table, enum, prefix):
    c = {k: v for k, v in enumerators(enum).items() if not k.startswith("PV_LAST")}
    assert {prefix + k: v for k, v in table.items()} == c


def test_dtype_numbers_and_sizes():
    n = native()
    for code, scalar in types._SCALARS.items():
        if not code:
            continue
        assert n.dtype_bits(code) == scalar.primitive_bitwidth
        assert (
            n.dtype_parse(scalar.short_name) == code and n.dtype_parse("*" + scalar.short_name) == code | types.POINTER
        )
        pointer = types.pointer_type(scalar, const=True)
        assert n.dtype_parse(pointer.short_name) == pointer.code
        assert types.from_code(pointer.code) == pointer


def test_every_name_of_the_language_has_a_docstring():
    for name, value in vars(tl).items():
        if getattr(value, "__pavage_builtin__", False):
            assert value.__doc__ and value.__name__ in (name, *("view", "cast")), name


TIERS = """
constexpr program_id arange load store where sum zeros full float32 int64 int32 cdiv dot exp exp2 log sqrt rsqrt
sigmoid tanh abs max min maximum minimum trans range static_range cast atomic_add make_block_ptr num_programs int1
bfloat16 float16 float64 uint32 cumsum debug_barrier argmax argmin floor ceil broadcast_to zeros_like multiple_of
max_contiguous reduce reshape static_assert philox rand join split interleave cat permute gather histogram sort
associative_scan cumprod clamp fma atomic_cas atomic_xchg atomic_min atomic_max atomic_and atomic_or atomic_xor
inline_asm_elementwise make_tensor_descriptor float8e4nv float8e5 assume topk bitonic_merge flip ravel xor_sum
device_print static_print device_assert max_constancy sqrt_rn umulhi randn randint rand4x randn4x randint4x
condition advance load_tensor_descriptor store_tensor_descriptor tensor_descriptor expand_dims view squeeze
unsqueeze swizzle2d to_tensor broadcast log2 sin cos erf fdiv div_rn add sub mul softmax reduce_or philox_impl
uint_to_uniform_float pair_uniform_to_normal const tensor tuple dtype pointer_type block_type PropagateNan int8
int16 uint8 uint16 uint64 void pi32_t TRITON_MAX_TENSOR_NUMEL target_info math extra slice
"""


@pytest.mark.parametrize("name", TIERS.split())
def test_the_vocabulary(name):
    assert hasattr(tl, name)


def test_the_host_names():
    for name in (
        "jit heuristics autotune Config cdiv next_power_of_2 constexpr constexpr_function testing device empty zeros "
        "asarray to_numpy Error SimError aggregate tools language"
    ).split():
        assert getattr(pavage, name) is not None
    assert set(pavage.__all__) <= set(dir(pavage))
    with pytest.raises(AttributeError, match="nonsense"):
        _ = pavage.nonsense


def test_no_module_hides_a_name_of_the_package():
    """Importing pavage.x for its own sake sets the attribute x of the package."""
    import pkgutil

    modules = {m.name for m in pkgutil.iter_modules(pavage.__path__)}
    assert modules & {n for n, (_, attribute) in pavage._LAZY.items() if attribute is not None} == set()
