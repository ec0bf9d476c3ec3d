// Scalar float operations whose exact meaning several op groups share. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#ifndef PAVAGE_DIALECT_TILE_INTERP_FLOATOPS_H
#define PAVAGE_DIALECT_TILE_INTERP_FLOATOPS_H

#include <cmath>
#include <limits>

namespace pavage::tile {

/// The larger one, with -0 below +0; NaN when an operand is.
template <class T> T maximumOf(T a, T b) {
  if (a != a || b != b) {
    return std::numeric_limits<T>::quiet_NaN();
  }
  return a > b ? a : b > a ? b : std::signbit(a) ? b : a;
}

template <class T> T minimumOf(T a, T b) {
  if (a != a || b != b) {
    return std::numeric_limits<T>::quiet_NaN();
  }
  return a < b ? a : b < a ? b : std::signbit(a) ? a : b;
}

/// The same, but a NaN operand is ignored.
template <class T> T maxnumOf(T a, T b) { return a != a ? b : b != b ? a : maximumOf(a, b); }
template <class T> T minnumOf(T a, T b) { return a != a ? b : b != b ? a : minimumOf(a, b); }

} // namespace pavage::tile

#endif // PAVAGE_DIALECT_TILE_INTERP_FLOATOPS_H
