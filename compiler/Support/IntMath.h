// Integer arithmetic of the analyses. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A *divisor* is a power of two that divides a value whatever the width at which arithmetic wraps: other factors do not
// survive wrapping. The divisor of the value zero is `anyDivisor`.
#ifndef PAVAGE_COMPILER_SUPPORT_INTMATH_H
#define PAVAGE_COMPILER_SUPPORT_INTMATH_H

#include <cstdint>
#include <optional>

namespace pavage::support {

inline constexpr int64_t anyDivisor = int64_t{1} << 62;

/// The divisor of a product of two values with these divisors.
int64_t multiplyDivisors(int64_t a, int64_t b);

/// The divisor of a constant.
int64_t divisorOf(int64_t value);

/// The greatest power of two that divides n; n >= 1.
int64_t powerOfTwoPart(int64_t n);

/// The exact result, or nothing when it does not fit.
std::optional<int64_t> checkedAdd(int64_t a, int64_t b);
std::optional<int64_t> checkedSub(int64_t a, int64_t b);
std::optional<int64_t> checkedMul(int64_t a, int64_t b);

} // namespace pavage::support

#endif // PAVAGE_COMPILER_SUPPORT_INTMATH_H
