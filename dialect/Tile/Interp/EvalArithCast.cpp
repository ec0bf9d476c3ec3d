// Conversions of arith, and tile.cast. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Tile/Interp/Lanes.h"
#include "dialect/Tile/Interp/State.h"
#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace pavage::tile;

using State = Interp::State;

// ---- Lane by lane, source and result kinds known

template <bool isSigned> static void intToInt(Datum &result, const Datum &source) {
  withIntKind(source.type, [&]<class A>(A) {
    withIntKind(result.type, [&]<class R>(R) {
      mapLanes(result.numElements(), elements<typename R::Storage>(result), elements<typename A::Storage>(source),
               false, [](typename A::Storage value) {
                 return R::store(static_cast<typename R::U>(A::template load<isSigned>(value)));
               });
    });
  });
}

template <bool isSigned, class A, class R> static typename R::Storage intToFloatLane(typename A::Storage bits) {
  auto value = A::template load<isSigned>(bits);
  if constexpr (R::width >= 32) {
    return static_cast<typename R::Storage>(value); // rounds once
  } else {
    bool negative = isSigned && static_cast<int64_t>(value) < 0;
    uint64_t magnitude = negative ? -static_cast<uint64_t>(static_cast<int64_t>(value)) : static_cast<uint64_t>(value);
    double exact = integerToOdd(magnitude);
    constexpr OverflowMode overflow = R::width == 8 ? OverflowMode::Saturate : OverflowMode::Infinity;
    return R::storeDouble(negative ? -exact : exact, RoundMode::NearestEven, overflow);
  }
}

template <bool isSigned> static void intToFloat(Datum &result, const Datum &source) {
  withIntKind(source.type, [&]<class A>(A) {
    withFloatKind(result.type, [&]<class R>(R) {
      mapLanes(result.numElements(), elements<typename R::Storage>(result), elements<typename A::Storage>(source),
               false, intToFloatLane<isSigned, A, R>);
    });
  });
}

/// Toward zero; out of range: the nearest integer of the type; NaN: 0.
template <bool isSigned, class A, class R> static typename R::Storage floatToIntLane(typename A::Storage bits) {
  double value = A::load(bits);
  if (value != value) {
    return 0;
  }
  constexpr unsigned digits = R::width - (isSigned ? 1 : 0);
  const double limit = std::ldexp(1.0, digits); // one more than the largest
  if constexpr (isSigned) {
    constexpr uint64_t largest = (uint64_t(1) << digits) - 1;
    int64_t integer = value >= limit ? int64_t(largest) : value <= -limit ? -int64_t(largest) - 1 : int64_t(value);
    return R::store(static_cast<typename R::U>(integer));
  } else {
    constexpr uint64_t largest = R::width == 64 ? UINT64_MAX : (uint64_t(1) << (digits % 64)) - 1;
    uint64_t integer = value >= limit ? largest : value <= 0 ? 0 : uint64_t(value);
    return R::store(static_cast<typename R::U>(integer));
  }
}

template <bool isSigned> static void floatToInt(Datum &result, const Datum &source) {
  withFloatKind(source.type, [&]<class A>(A) {
    withIntKind(result.type, [&]<class R>(R) {
      mapLanes(result.numElements(), elements<typename R::Storage>(result), elements<typename A::Storage>(source),
               false, floatToIntLane<isSigned, A, R>);
    });
  });
}

static void floatToFloat(Datum &result, const Datum &source, RoundMode round, OverflowMode overflow) {
  withFloatKind(source.type, [&]<class A>(A) {
    withFloatKind(result.type, [&]<class R>(R) {
      mapLanes(result.numElements(), elements<typename R::Storage>(result), elements<typename A::Storage>(source),
               false, [=](typename A::Storage bits) { return R::storeDouble(A::load(bits), round, overflow); });
    });
  });
}

static void numberToBool(Datum &result, const Datum &source) {
  withKind(source.type, [&]<class A>(A) {
    mapLanes(result.numElements(), result.bytes.data(), elements<typename A::Storage>(source), false,
             [](typename A::Storage bits) -> uint8_t {
               if constexpr (A::isFloat) {
                 return A::load(bits) != 0;
               } else {
                 return A::template load<false>(bits) != 0;
               }
             });
  });
}

// ---- arith

template <bool isSigned> static bool evalIntToInt(State &state, Operation *op, Data in) {
  intToInt<isSigned>(defineElementwise(state, op, in), *in[0]);
  return true;
}

template <bool isSigned> static bool evalIntToFloat(State &state, Operation *op, Data in) {
  intToFloat<isSigned>(defineElementwise(state, op, in), *in[0]);
  return true;
}

/// Upstream leaves a value outside the range undefined.
template <bool isSigned> static bool evalFloatToInt(State &state, Operation *op, Data in) {
  Datum &result = defineElementwise(state, op, in);
  floatToInt<isSigned>(result, *in[0]);
  unsigned width = elementTypeOf(result.type).getIntOrFloatBitWidth();
  double limit = std::ldexp(1.0, static_cast<int>(width) - (isSigned ? 1 : 0)), least = isSigned ? -limit : 0;
  int64_t lanes = result.numElements();
  for (int64_t i = 0; i < lanes; ++i) {
    double value = std::trunc(in[0]->number(i));
    if (!(value >= least && value < limit)) {
      result.poison.resize(lanes);
      result.poison[i] = 1;
    }
  }
  return true;
}

static bool evalExtF(State &state, Operation *op, Data in) {
  floatToFloat(defineElementwise(state, op, in), *in[0], RoundMode::NearestEven, OverflowMode::Infinity);
  return true;
}

static bool evalTruncF(State &state, Operation *op, Data in) {
  auto mode = cast<arith::TruncFOp>(op).getRoundingmode().value_or(arith::RoundingMode::to_nearest_even);
  if (mode != arith::RoundingMode::to_nearest_even && mode != arith::RoundingMode::toward_zero) {
    return state.unsupported(op, "in this rounding mode is not supported");
  }
  floatToFloat(defineElementwise(state, op, in), *in[0],
               mode == arith::RoundingMode::toward_zero ? RoundMode::TowardZero : RoundMode::NearestEven,
               OverflowMode::Infinity);
  return true;
}

static bool evalSameBits(State &state, Operation *op, Data in) {
  defineElementwise(state, op, in).bytes = in[0]->bytes;
  return true;
}

// ---- tile

static bool evalCast(State &state, Operation *op, Data in) {
  auto cast = llvm::cast<CastOp>(op);
  Datum &result = defineElementwise(state, op, in);
  const Datum &source = *in[0];
  Type from = elementTypeOf(source.type), to = elementTypeOf(result.type);
  if (from == to) {
    result.bytes = source.bytes;
    return true;
  }
  // A bool is 0 or 1 whatever the flag says.
  bool isSigned = cast.getIsSigned() && !from.isInteger(1);
  if (to.isInteger(1)) {
    numberToBool(result, source);
  } else if (isa<FloatType>(from) && isa<FloatType>(to)) {
    RoundMode round = cast.getRounding() == Rounding::TowardZero ? RoundMode::TowardZero : RoundMode::NearestEven;
    floatToFloat(result, source, round,
                 to.getIntOrFloatBitWidth() == 8 ? OverflowMode::Saturate : OverflowMode::Infinity);
  } else if (isa<FloatType>(from)) {
    isSigned ? floatToInt<true>(result, source) : floatToInt<false>(result, source);
  } else if (isa<FloatType>(to)) {
    isSigned ? intToFloat<true>(result, source) : intToFloat<false>(result, source);
  } else {
    isSigned ? intToInt<true>(result, source) : intToInt<false>(result, source);
  }
  return true;
}

void pavage::tile::addArithCastHandlers(HandlerTable &table) {
  table.addElementwise<arith::ExtSIOp>(evalIntToInt<true>);
  table.addElementwise<arith::ExtUIOp>(evalIntToInt<false>);
  table.addElementwise<arith::TruncIOp>(evalIntToInt<false>);
  table.addElementwise<arith::IndexCastOp>(evalIntToInt<true>);
  table.addElementwise<arith::IndexCastUIOp>(evalIntToInt<false>);
  table.addElementwise<arith::SIToFPOp>(evalIntToFloat<true>);
  table.addElementwise<arith::UIToFPOp>(evalIntToFloat<false>);
  table.addElementwise<arith::FPToSIOp>(evalFloatToInt<true>);
  table.addElementwise<arith::FPToUIOp>(evalFloatToInt<false>);
  table.addElementwise<arith::ExtFOp>(evalExtF);
  table.addElementwise<arith::TruncFOp>(evalTruncF);
  table.addElementwise<arith::BitcastOp>(evalSameBits);
  table.addElementwise<CastOp>(evalCast);
}
