// The dot op. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// c = acc; for k ascending: c = fma(lhs, rhs, c), in the computation type, rounded once to the result's. The loops run
// m, k, n: each element still sees its k ascending, and the innermost loop vectorizes.
#include "dialect/Tile/Interp/Lanes.h"
#include "dialect/Tile/Interp/State.h"
#include "dialect/Tile/TileOps.h"

using namespace mlir;
using namespace pavage::tile;

using State = Interp::State;

/// row[n] += a * b[n], fused.
template <class T> static inline void accumulate(T *row, T a, const T *b, int64_t n) {
  for (int64_t j = 0; j < n; ++j) {
    if constexpr (std::is_floating_point_v<T>) {
      row[j] = std::fma(a, b[j], row[j]);
    } else {
      row[j] += a * b[j];
    }
  }
}

template <class T> static void contract(T *acc, const T *lhs, const T *rhs, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t x = 0; x < k; ++x) {
      accumulate(acc + i * n, lhs[i * k + x], rhs + x * n, n);
    }
  }
}

#if defined(__x86_64__)
// The same with the machine's fma, where it has one; else libm's, which gives the same numbers.
template <class T>
__attribute__((target("avx2,fma"))) static void contractFast(T *acc, const T *lhs, const T *rhs, int64_t m, int64_t n,
                                                             int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t x = 0; x < k; ++x) {
      T a = lhs[i * k + x];
      for (int64_t j = 0; j < n; ++j) {
        if constexpr (sizeof(T) == 4) {
          acc[i * n + j] = __builtin_fmaf(a, rhs[x * n + j], acc[i * n + j]);
        } else {
          acc[i * n + j] = __builtin_fma(a, rhs[x * n + j], acc[i * n + j]);
        }
      }
    }
  }
}
#endif

template <class T> static void contractBest(T *acc, const T *lhs, const T *rhs, int64_t m, int64_t n, int64_t k) {
#if defined(__x86_64__)
  if constexpr (std::is_floating_point_v<T>) {
    static const bool hasFma = __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
    if (hasFma) {
      return contractFast(acc, lhs, rhs, m, n, k);
    }
  }
#endif
  contract(acc, lhs, rhs, m, n, k);
}

/// Elements in the computation type.
template <class T> static std::vector<T> widen(const Datum &datum, bool isUnsigned) {
  std::vector<T> out(datum.numElements());
  withKind(datum.type, [&]<class K>(K) {
    const auto *source = elements<typename K::Storage>(datum);
    for (size_t i = 0; i < out.size(); ++i) {
      if constexpr (K::isFloat) {
        out[i] = static_cast<T>(K::load(source[i]));
      } else {
        out[i] = isUnsigned ? static_cast<T>(K::template load<false>(source[i]))
                            : static_cast<T>(K::template load<true>(source[i]));
      }
    }
  });
  return out;
}

template <class T> static void evalProductIn(Datum &result, Data in, bool lhsUnsigned, bool rhsUnsigned) {
  ArrayRef<int64_t> lhsShape = shapeOf(in[0]->type), shape = shapeOf(result.type);
  size_t rank = shape.size();
  int64_t batch = rank == 3 ? shape[0] : 1, m = shape[rank - 2], n = shape[rank - 1], k = lhsShape[rank - 1];
  std::vector<T> lhs = widen<T>(*in[0], lhsUnsigned), rhs = widen<T>(*in[1], rhsUnsigned),
                 acc = widen<T>(*in[2], false);
  for (int64_t b = 0; b < batch; ++b) {
    contractBest<T>(acc.data() + b * m * n, lhs.data() + b * m * k, rhs.data() + b * k * n, m, n, k);
  }
  withKind(result.type, [&]<class K>(K) {
    auto *out = elements<typename K::Storage>(result);
    for (size_t i = 0; i < acc.size(); ++i) {
      if constexpr (K::isFloat) {
        out[i] = K::storeDouble(static_cast<double>(acc[i]));
      } else {
        out[i] = K::store(static_cast<typename K::U>(acc[i]));
      }
    }
  });
}

/// An element is poison when its row of lhs, its column of rhs or its accumulator has poison.
static void spreadDotPoison(Datum &result, Data in) {
  const Datum &lhs = *in[0], &rhs = *in[1], &acc = *in[2];
  if (lhs.poison.empty() && rhs.poison.empty() && acc.poison.empty()) {
    return;
  }
  ArrayRef<int64_t> shape = shapeOf(result.type);
  size_t rank = shape.size();
  int64_t m = shape[rank - 2], n = shape[rank - 1], k = shapeOf(lhs.type)[rank - 1], lanes = result.numElements();
  result.poison.resize(lanes);
  for (int64_t i = 0; i < lanes; ++i) {
    int64_t row = i / n, batch = row / m, column = i % n;
    bool isPoison = acc.isPoison(i);
    for (int64_t x = 0; x < k && !isPoison; ++x) {
      isPoison = lhs.isPoison(row * k + x) || rhs.isPoison((batch * k + x) * n + column);
    }
    result.poison[i] = isPoison;
  }
}

void pavage::tile::evalProduct(Datum &result, Data in, bool lhsUnsigned, bool rhsUnsigned) {
  Type element = elementTypeOf(in[0]->type);
  if (element.isInteger()) {
    evalProductIn<uint32_t>(result, in, lhsUnsigned, rhsUnsigned);
  } else if (element.isF64()) {
    evalProductIn<double>(result, in, lhsUnsigned, rhsUnsigned);
  } else {
    evalProductIn<float>(result, in, lhsUnsigned, rhsUnsigned);
  }
  spreadDotPoison(result, in);
}

static bool evalDot(State &state, Operation *op, Data in) {
  auto dot = cast<DotOp>(op);
  evalProduct(state.define(op->getResult(0)), in, dot.getLhsUnsigned(), dot.getRhsUnsigned());
  return true;
}

void pavage::tile::addContractHandlers(HandlerTable &table) { table.add<DotOp>(evalDot); }
