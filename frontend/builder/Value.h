// What a pv_value is inside the builder. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One counted object for scalars, tiles, weak literals and aggregates. The IR below a tile is one SSA value; the dtype
// (signedness, const pointers) lives here, since IR integers are signless. Aggregates are trees whose leaves are tiles
// and opaque objects: variables and regions handle them leaf by leaf.
#ifndef PAVAGE_FRONTEND_BUILDER_VALUE_H
#define PAVAGE_FRONTEND_BUILDER_VALUE_H

#include "frontend/builder/include/pavage/dtype.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>
#include <utility>

namespace pavage::builder {

class Session;

/// A counted handle. Implicit from and to a plain pointer, since the C interface passes those.
class Ref {
public:
  Ref() = default;
  Ref(pv_value *value) : value(value) { retain(); }
  Ref(const Ref &other) : value(other.value) { retain(); }
  Ref(Ref &&other) noexcept : value(std::exchange(other.value, nullptr)) {}
  Ref &operator=(Ref other) noexcept {
    std::swap(value, other.value);
    return *this;
  }
  inline ~Ref();

  pv_value *get() const { return value; }
  pv_value *operator->() const { return value; }
  pv_value &operator*() const { return *value; }
  explicit operator bool() const { return value != nullptr; }

private:
  inline void retain() const;
  pv_value *value = nullptr;
};

/// Wide enough for every 64-bit integer, signed or not.
using Wide = __int128;
using Shape = llvm::SmallVector<int64_t, 4>;

/// A constant number, as far as one is known.
struct Number {
  bool isFloat = false;
  Wide integer = 0;
  double real = 0;

  double asDouble() const { return isFloat ? real : static_cast<double>(integer); }
};

} // namespace pavage::builder

struct pv_value {
  pv_value(pv_kind kind, pavage::DType dtype = {}) : kind(kind), dtype(dtype) {}
  pv_value(const pv_value &) = delete;
  pv_value &operator=(const pv_value &) = delete;
  ~pv_value();

  void retain() const { ++count; }
  void release() const {
    if (--count == 0) {
      delete this;
    }
  }

  bool isTile() const { return kind == PV_KIND_TILE; }
  bool isLiteral() const { return kind >= PV_KIND_LITERAL_BOOL && kind <= PV_KIND_LITERAL_FLOAT; }
  bool isNumberLike() const { return isTile() || isLiteral(); }
  bool isScalar() const { return isLiteral() || (isTile() && shape.empty()); }
  int64_t numElements() const;

  pv_kind kind;
  pavage::DType dtype;
  pavage::builder::Shape shape;
  /// Tiles: the SSA value, the region it was made in, and the number if it is one constant everywhere.
  mlir::Value ir;
  unsigned region = 0;
  std::optional<pavage::builder::Number> number;
  /// Eager tiles: who evaluates them.
  pavage::builder::Session *session = nullptr;
  bool isHarvested = false; // evaluated, with an op of its own
  /// Tuples: the items. Block pointers: base, shape, strides, offsets. Descriptors: base, shape, strides.
  llvm::SmallVector<pavage::builder::Ref, 2> items;
  bool padNan = false;
  /// Opaque objects.
  uint64_t id = 0;
  void (*drop)(void *, uint64_t) = nullptr;
  void *dropContext = nullptr;
  std::string name;
  /// Keeps what pv_value_type_text hands out.
  mutable std::string typeText;
  mutable unsigned count = 0;
};

namespace pavage::builder {

inline void Ref::retain() const {
  if (value) {
    value->retain();
  }
}
inline Ref::~Ref() {
  if (value) {
    value->release();
  }
}

using Refs = llvm::SmallVector<Ref, 4>;

Ref literalBool(bool value);
Ref literalInt(Wide value);
Ref literalFloat(double value);
Ref makeTuple(llvm::ArrayRef<Ref> items);

std::string toString(Wide value);
std::string toString(double value);
std::string toString(llvm::ArrayRef<int64_t> shape);

/// "float32[16, 64]", "a literal int", "block pointer to float16[16, 16]", "(float32, int32)", or an object's text.
std::string describe(const pv_value &value);
/// A literal as its author wrote it, "3" or "0.5"; else as `describe`.
std::string describeWithNumber(const pv_value &value);

/// Whether two values have one kind, dtype and shape, all the way down; opaque objects must be the same.
bool sameType(const pv_value &a, const pv_value &b);
/// Whether two values are the same SSA values, literals and objects.
bool sameValue(const pv_value &a, const pv_value &b);
/// Rebuilds a value with each tile in it replaced.
Ref mapTiles(const Ref &value, llvm::function_ref<Ref(const Ref &)> f);
/// Visits the tiles in a value in order.
void forEachTile(const Ref &value, llvm::function_ref<void(const Ref &)> f);

} // namespace pavage::builder

#endif // PAVAGE_FRONTEND_BUILDER_VALUE_H
