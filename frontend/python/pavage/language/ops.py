# The builder's op numbers, by name. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# In the order of pv_unary_op, pv_binary_op and their like in builder_c.h; tests/python/test_bindings.py compares them.


def _number(names):
    return {name: i + 1 for i, name in enumerate(names.split())}


UNARY = _number(
    "NEG POS INVERT LOGICAL_NOT ABS EXP EXP2 EXPM1 LOG LOG2 LOG10 LOG1P SIN COS TAN ASIN ACOS ATAN SINH COSH TANH "
    "ASINH ACOSH ATANH SQRT SQRT_RN RSQRT CBRT ERF ERFC SIGMOID FLOOR CEIL TRUNC ROUND RINT ISNAN ISINF ISFINITE "
    "SIGNBIT POPC CLZ CTZ FFS"
)
BINARY = _number(
    "ADD SUB MUL DIV FLOORDIV MOD POW AND OR XOR SHL SHR EQ NE LT LE GT GE LOGICAL_AND LOGICAL_OR MAXIMUM MINIMUM "
    "MAXIMUM_NAN MINIMUM_NAN FDIV FDIV_IEEE DIV_RN UMULHI CDIV FMOD ATAN2 COPYSIGN"
)
ATOMIC = _number("ADD MAX MIN AND OR XOR XCHG")
REDUCE = _number("SUM MAX MIN XOR_SUM REDUCE_OR REDUCE_AND PROD")
RANDOM = _number("RANDINT RAND RANDN")
HINT = _number("MULTIPLE_OF MAX_CONTIGUOUS MAX_CONSTANCY")
