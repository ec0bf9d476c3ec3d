// Values that a random program may use next, and the dice. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_TESTS_FUZZ_POOL_H
#define PAVAGE_TESTS_FUZZ_POOL_H

#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tests/fuzz/Generate.h"
#include <random>

namespace pavage::fuzz {

class Dice {
public:
  explicit Dice(uint64_t seed) : engine(seed) {}
  /// A number in 0 .. count - 1.
  int64_t below(int64_t count) { return static_cast<int64_t>(engine() % static_cast<uint64_t>(count)); }
  bool chance(int64_t percent) { return below(100) < percent; }
  template <typename T> const T &pick(const std::vector<T> &items) { return items[below(items.size())]; }

private:
  std::mt19937_64 engine;
};

using Shape = std::vector<int64_t>;

/// Values in scope, newest last. Regions push a mark and drop what they defined.
class Pool {
public:
  void add(mlir::Value value) { values.push_back(value); }
  size_t mark() const { return values.size(); }
  void release(size_t to) { values.resize(to); }
  /// A value that `accept` takes, or null.
  template <typename Predicate> mlir::Value find(Dice &dice, Predicate accept) const {
    if (values.empty()) {
      return nullptr;
    }
    // Newer values are likelier, so that programs are chains rather than bushes.
    for (int attempt = 0; attempt < 12; ++attempt) {
      size_t back = dice.chance(60) ? dice.below(std::min<size_t>(8, values.size())) : dice.below(values.size());
      mlir::Value value = values[values.size() - 1 - back];
      if (accept(value)) {
        return value;
      }
    }
    return nullptr;
  }

private:
  std::vector<mlir::Value> values;
};

} // namespace pavage::fuzz

#endif // PAVAGE_TESTS_FUZZ_POOL_H
