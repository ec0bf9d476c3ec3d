// Typed loops over the raw elements of data. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An element kind is a trait class: how it is stored, in which C++ type it computes, how the two convert. `withKind`
// picks the class for a type once per op; the loops below it know the type and vectorize. An operand with one lane
// serves all lanes of the result, which is how scalars meet tiles (select's condition, constants in combine regions).
#ifndef PAVAGE_DIALECT_TILE_INTERP_LANES_H
#define PAVAGE_DIALECT_TILE_INTERP_LANES_H

#include "dialect/Tile/Interp/FloatBits.h"
#include "dialect/Tile/Interp/Interp.h"
#include "dialect/Tile/TileTypes.h"

#include <cstring>
#include <type_traits>

namespace pavage::tile {

/// Integers compute in 32 or 64 bits; storing cuts to the width.
template <unsigned bits, class StorageT> struct IntKind {
  using Storage = StorageT;
  using U = std::conditional_t<bits == 64, uint64_t, uint32_t>;
  using S = std::conditional_t<bits == 64, int64_t, int32_t>;
  static constexpr unsigned width = bits;
  static constexpr bool isFloat = false;

  template <bool isSigned> static auto load(Storage value) {
    if constexpr (bits == 1) {
      return isSigned ? static_cast<S>(-(value & 1)) : static_cast<std::conditional_t<isSigned, S, U>>(value & 1);
    } else if constexpr (isSigned) {
      return static_cast<S>(static_cast<std::make_signed_t<Storage>>(value));
    } else {
      return static_cast<U>(value);
    }
  }
  static Storage store(U value) { return static_cast<Storage>(bits == 1 ? value & 1 : value); }
};
using I1Kind = IntKind<1, uint8_t>;
using I8Kind = IntKind<8, uint8_t>;
using I16Kind = IntKind<16, uint16_t>;
using I32Kind = IntKind<32, uint32_t>;
using I64Kind = IntKind<64, uint64_t>;

/// Floats below f32 compute in f32 (or double, through storeDouble) and round when stored.
template <class Bits, class StorageT> struct NarrowKind {
  using Storage = StorageT;
  using Compute = float;
  static constexpr unsigned width = Bits::width;
  static constexpr bool isFloat = true;
  static Compute load(Storage value) { return Bits::read(value); }
  static Storage store(Compute value) { return static_cast<Storage>(Bits::write(value)); }
  static Storage storeDouble(double value, RoundMode round = RoundMode::NearestEven,
                             OverflowMode overflow = OverflowMode::Infinity) {
    return static_cast<Storage>(Bits::write(value, round, overflow));
  }
};
using E4M3Kind = NarrowKind<E4M3Bits, uint8_t>;
using E5M2Kind = NarrowKind<E5M2Bits, uint8_t>;
using F16Kind = NarrowKind<HalfBits, uint16_t>;
using BF16Kind = NarrowKind<BrainBits, uint16_t>;

template <class T> struct WideKind {
  using Storage = T;
  using Compute = T;
  static constexpr unsigned width = 8 * sizeof(T);
  static constexpr bool isFloat = true;
  static Compute load(Storage value) { return value; }
  static Storage store(Compute value) { return value; }
  static Storage storeDouble(double value, RoundMode round = RoundMode::NearestEven,
                             OverflowMode = OverflowMode::Infinity) {
    if constexpr (sizeof(T) == 4) {
      return narrowToFloat(value, round);
    } else {
      return value;
    }
  }
};
using F32Kind = WideKind<float>;
using F64Kind = WideKind<double>;

/// Calls fn with the kind of an integer type (index and pointers count as 64 bits); false for another type.
template <class Fn> bool withIntKind(mlir::Type type, Fn fn) {
  type = elementTypeOf(type);
  if (llvm::isa<PtrType, mlir::IndexType>(type)) {
    fn(I64Kind());
    return true;
  }
  auto integer = llvm::dyn_cast<mlir::IntegerType>(type);
  switch (integer ? integer.getWidth() : 0) {
  case 1:
    fn(I1Kind());
    return true;
  case 8:
    fn(I8Kind());
    return true;
  case 16:
    fn(I16Kind());
    return true;
  case 32:
    fn(I32Kind());
    return true;
  case 64:
    fn(I64Kind());
    return true;
  default:
    return false;
  }
}

/// The same for float types.
template <class Fn> bool withFloatKind(mlir::Type type, Fn fn) {
  type = elementTypeOf(type);
  if (type.isF32()) {
    fn(F32Kind());
  } else if (type.isF64()) {
    fn(F64Kind());
  } else if (type.isF16()) {
    fn(F16Kind());
  } else if (type.isBF16()) {
    fn(BF16Kind());
  } else if (llvm::isa<mlir::Float8E4M3FNType>(type)) {
    fn(E4M3Kind());
  } else if (llvm::isa<mlir::Float8E5M2Type>(type)) {
    fn(E5M2Kind());
  } else {
    return false;
  }
  return true;
}

template <class Fn> bool withKind(mlir::Type type, Fn fn) { return withIntKind(type, fn) || withFloatKind(type, fn); }

/// Calls fn with an unsigned integer as wide as an element is stored: for ops that only move elements.
template <class Fn> void withStorage(int64_t bytes, Fn fn) {
  switch (bytes) {
  case 1:
    return fn(uint8_t());
  case 2:
    return fn(uint16_t());
  case 4:
    return fn(uint32_t());
  default:
    return fn(uint64_t());
  }
}

template <class T> const T *elements(const Datum &datum) { return reinterpret_cast<const T *>(datum.bytes.data()); }
template <class T> T *elements(Datum &datum) { return reinterpret_cast<T *>(datum.bytes.data()); }

/// out[i] = fn(a[i])
template <class Out, class A, class Fn> void mapLanes(int64_t lanes, Out *out, const A *a, bool aOne, Fn fn) {
  if (aOne) {
    Out value = fn(a[0]);
    for (int64_t i = 0; i < lanes; ++i) {
      out[i] = value;
    }
    return;
  }
  for (int64_t i = 0; i < lanes; ++i) {
    out[i] = fn(a[i]);
  }
}

/// out[i] = fn(a[i], b[i]); an operand marked One has a single lane.
template <class Out, class A, class B, class Fn>
void mapLanes(int64_t lanes, Out *out, const A *a, bool aOne, const B *b, bool bOne, Fn fn) {
  if (!aOne && !bOne) {
    for (int64_t i = 0; i < lanes; ++i) {
      out[i] = fn(a[i], b[i]);
    }
    return;
  }
  for (int64_t i = 0; i < lanes; ++i) {
    out[i] = fn(a[aOne ? 0 : i], b[bOne ? 0 : i]);
  }
}

template <class Out, class A, class B, class C, class Fn>
void mapLanes(int64_t lanes, Out *out, const A *a, bool aOne, const B *b, bool bOne, const C *c, bool cOne, Fn fn) {
  for (int64_t i = 0; i < lanes; ++i) {
    out[i] = fn(a[aOne ? 0 : i], b[bOne ? 0 : i], c[cOne ? 0 : i]);
  }
}

} // namespace pavage::tile

#endif // PAVAGE_DIALECT_TILE_INTERP_LANES_H
