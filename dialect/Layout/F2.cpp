// Gaussian elimination on machine words. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Layout/F2.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>

namespace pavage::layout {

namespace {

/// Rows by their leading bits, each with the combination of inputs that made it.
class Echelon {
public:
  /// Adds input number `index`; true when it was independent of the earlier ones. Otherwise `relation()` is a relation
  /// among the inputs.
  bool add(Vector x, int index) {
    Vector combination = Vector(1) << index;
    reduce(x, combination);
    last = combination;
    if (x == 0) {
      return false;
    }
    int lead = std::bit_width(x) - 1;
    leads |= Vector(1) << lead;
    value[lead] = x;
    made[lead] = combination;
    return true;
  }

  /// Takes rows away from x where they lead, from the highest; collects which inputs were used.
  void reduce(Vector &x, Vector &combination) const {
    for (Vector left = leads; Vector hit = x & left;) {
      int lead = std::bit_width(hit) - 1;
      x ^= value[lead];
      combination ^= made[lead];
      left &= (Vector(1) << lead) - 1;
    }
  }

  Vector relation() const { return last; }

private:
  Vector leads = 0;
  std::array<Vector, 64> value, made; ///< meaningful where `leads` has the bit
  Vector last = 0;
};

Echelon echelonOf(const Vectors &vectors) {
  Echelon echelon;
  for (size_t i = 0; i < vectors.size(); ++i) {
    echelon.add(vectors[i], static_cast<int>(i));
  }
  return echelon;
}

} // namespace

Vector multiply(const Vectors &columns, Vector x) {
  Vector sum = 0;
  for (; x != 0; x &= x - 1) {
    sum ^= columns[std::countr_zero(x)];
  }
  return sum;
}

int rank(const Vectors &vectors) { return static_cast<int>(basisOf(vectors).size()); }

Vectors basisOf(const Vectors &vectors) {
  Vectors basis;
  for (Vector x : vectors) {
    for (Vector b : basis) {
      if (x & std::bit_floor(b)) {
        x ^= b;
      }
    }
    if (x == 0) {
      continue;
    }
    for (Vector &b : basis) {
      if (b & std::bit_floor(x)) {
        b ^= x;
      }
    }
    basis.push_back(x);
  }
  std::sort(basis.begin(), basis.end());
  return basis;
}

bool contains(const Vectors &vectors, Vector x) {
  Vector made = 0;
  echelonOf(vectors).reduce(x, made);
  return x == 0;
}

Vectors intersect(const Vectors &a, const Vectors &b) {
  // A relation among independent a's and b's says that a sum of a's equals a sum of b's.
  Vectors left = basisOf(a), both = left;
  Vectors right = basisOf(b);
  both.insert(both.end(), right.begin(), right.end());
  Vectors common;
  for (Vector relation : kernelOf(both)) {
    common.push_back(multiply(left, relation & ((Vector(1) << left.size()) - 1)));
  }
  return basisOf(common);
}

Vectors extend(const Vectors &vectors, const Vectors &from) {
  Echelon echelon = echelonOf(basisOf(vectors));
  Vectors added;
  for (Vector x : from) {
    if (echelon.add(x, 0)) {
      added.push_back(x);
    }
  }
  return added;
}

Vectors complement(const Vectors &vectors, int bits) {
  Vectors units;
  for (int i = 0; i < bits; ++i) {
    units.push_back(Vector(1) << i);
  }
  return extend(vectors, units);
}

Vectors commonComplement(const Vectors &a, const Vectors &b, int bits) {
  // With a = common + p and b = common + q, each p_i + q_i lies in neither; what lies outside of both is added.
  Vectors common = intersect(a, b);
  Vectors p = extend(common, a), q = extend(common, b);
  assert(p.size() == q.size() && "needs spans of one dimension");
  Vectors both = a;
  both.insert(both.end(), b.begin(), b.end());
  Vectors result;
  for (size_t i = 0; i < p.size(); ++i) {
    result.push_back(p[i] ^ q[i]);
  }
  Vectors outside = complement(both, bits);
  result.insert(result.end(), outside.begin(), outside.end());
  return result;
}

std::optional<Vector> solve(const Vectors &columns, Vector y) {
  Vector made = 0;
  echelonOf(columns).reduce(y, made);
  return y == 0 ? std::optional<Vector>(made) : std::nullopt;
}

Vectors kernelOf(const Vectors &columns) {
  Echelon echelon;
  Vectors relations;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (!echelon.add(columns[i], static_cast<int>(i))) {
      relations.push_back(echelon.relation());
    }
  }
  return basisOf(relations);
}

} // namespace pavage::layout
