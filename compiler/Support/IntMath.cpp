// Integer arithmetic of the analyses. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Support/IntMath.h"

#include <algorithm>

namespace pavage::support {

int64_t multiplyDivisors(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? anyDivisor : std::min(product, anyDivisor);
}

int64_t divisorOf(int64_t value) { return value == 0 || value == INT64_MIN ? anyDivisor : value & -value; }

int64_t powerOfTwoPart(int64_t n) { return n & -n; }

std::optional<int64_t> checkedAdd(int64_t a, int64_t b) {
  int64_t r = 0;
  return __builtin_add_overflow(a, b, &r) ? std::nullopt : std::optional<int64_t>(r);
}

std::optional<int64_t> checkedSub(int64_t a, int64_t b) {
  int64_t r = 0;
  return __builtin_sub_overflow(a, b, &r) ? std::nullopt : std::optional<int64_t>(r);
}

std::optional<int64_t> checkedMul(int64_t a, int64_t b) {
  int64_t r = 0;
  return __builtin_mul_overflow(a, b, &r) ? std::nullopt : std::optional<int64_t>(r);
}

} // namespace pavage::support
