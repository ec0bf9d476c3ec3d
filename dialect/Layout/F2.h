// Linear algebra over F2, on vectors of up to 64 bits. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vector is a machine word, a sum is an exclusive or, a list of vectors stands for the space that it spans.
#ifndef PAVAGE_DIALECT_LAYOUT_F2_H
#define PAVAGE_DIALECT_LAYOUT_F2_H

#include <cstdint>
#include <optional>
#include <vector>

namespace pavage::layout {

using Vector = uint64_t;
using Vectors = std::vector<Vector>;

/// Image of x under the map that sends unit vector i to columns[i].
Vector multiply(const Vectors &columns, Vector x);

/// Dimension of the span.
int rank(const Vectors &vectors);

/// The reduced basis of the span: distinct leading bits, each in one vector only, ascending. Equal spans give equal
/// bases.
Vectors basisOf(const Vectors &vectors);

/// Whether x lies in the span.
bool contains(const Vectors &vectors, Vector x);

/// A basis of the intersection of two spans.
Vectors intersect(const Vectors &a, const Vectors &b);

/// Vectors of `from`, in its order, that together with the span of `vectors` span both: what is missing.
Vectors extend(const Vectors &vectors, const Vectors &from);

/// Unit vectors that complete the span to all of `bits` dimensions.
Vectors complement(const Vectors &vectors, int bits);

/// A space that meets the span of `a` and that of `b` only in 0 and completes each to `bits` dimensions. Needs spans of
/// one dimension.
Vectors commonComplement(const Vectors &a, const Vectors &b, int bits);

/// The x of smallest index bits with multiply(columns, x) == y, free variables 0; nothing if there is none.
std::optional<Vector> solve(const Vectors &columns, Vector y);

/// A basis of all x with multiply(columns, x) == 0.
Vectors kernelOf(const Vectors &columns);

} // namespace pavage::layout

#endif // PAVAGE_DIALECT_LAYOUT_F2_H
