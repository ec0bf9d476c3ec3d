// Ops of math. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transcendental functions of f32, f16 and bf16 are computed in double and those of f64 in long double, then rounded
// once: the result is the correctly rounded one but in rare cases next to a midpoint. fma and sqrt are always right.
#include "dialect/Tile/Interp/FloatOps.h"
#include "dialect/Tile/Interp/Lanes.h"
#include "dialect/Tile/Interp/State.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <bit>

using namespace mlir;
using namespace pavage::tile;

using State = Interp::State;

/// The type in which a kind's functions are computed.
template <class K> using Precise = std::conditional_t<K::width == 64, long double, double>;

template <class K> static Precise<K> load(typename K::Storage bits) { return K::load(bits); }
template <class K> static typename K::Storage store(Precise<K> value) {
  return K::storeDouble(static_cast<double>(value));
}

namespace {
#define PAVAGE_FUNCTION(Name, expression)                                                                              \
  struct Name {                                                                                                        \
    template <class T> static T apply(T x) { return expression; }                                                      \
  };
PAVAGE_FUNCTION(Acos, std::acos(x))
PAVAGE_FUNCTION(Acosh, std::acosh(x))
PAVAGE_FUNCTION(Asin, std::asin(x))
PAVAGE_FUNCTION(Asinh, std::asinh(x))
PAVAGE_FUNCTION(Atan, std::atan(x))
PAVAGE_FUNCTION(Atanh, std::atanh(x))
PAVAGE_FUNCTION(Cbrt, std::cbrt(x))
PAVAGE_FUNCTION(Ceil, std::ceil(x))
PAVAGE_FUNCTION(Cos, std::cos(x))
PAVAGE_FUNCTION(Cosh, std::cosh(x))
PAVAGE_FUNCTION(Erf, std::erf(x))
PAVAGE_FUNCTION(Erfc, std::erfc(x))
PAVAGE_FUNCTION(Exp, std::exp(x))
PAVAGE_FUNCTION(Exp2, std::exp2(x))
PAVAGE_FUNCTION(ExpM1, std::expm1(x))
PAVAGE_FUNCTION(Floor, std::floor(x))
PAVAGE_FUNCTION(Log, std::log(x))
PAVAGE_FUNCTION(Log10, std::log10(x))
PAVAGE_FUNCTION(Log1p, std::log1p(x))
PAVAGE_FUNCTION(Log2, std::log2(x))
PAVAGE_FUNCTION(Round, std::round(x))
PAVAGE_FUNCTION(RoundEven, std::nearbyint(x))
PAVAGE_FUNCTION(Rsqrt, 1 / std::sqrt(x))
PAVAGE_FUNCTION(Sin, std::sin(x))
PAVAGE_FUNCTION(Sinh, std::sinh(x))
PAVAGE_FUNCTION(Tan, std::tan(x))
PAVAGE_FUNCTION(Tanh, std::tanh(x))
PAVAGE_FUNCTION(Trunc, std::trunc(x))
#undef PAVAGE_FUNCTION

struct Atan2 {
  template <class T> static T apply(T a, T b) { return std::atan2(a, b); }
};
struct Pow {
  template <class T> static T apply(T a, T b) { return std::pow(a, b); }
};

struct IsNan {
  template <class T> static bool apply(T x) { return std::isnan(x); }
};
struct IsInf {
  template <class T> static bool apply(T x) { return std::isinf(x); }
};
struct IsFinite {
  template <class T> static bool apply(T x) { return std::isfinite(x); }
};
} // namespace

// ---- Floats

/// Runs fn with the kind of a float type that math ops are given, f8 not being one.
template <class Fn> static bool withMathKind(State &state, Operation *op, Type type, Fn fn) {
  if (elementTypeOf(type).getIntOrFloatBitWidth() < 16 || !withFloatKind(type, fn)) {
    return state.unsupported(op, "on this type is not supported");
  }
  return true;
}

template <class Op> static bool evalUnary(State &state, Operation *op, Data in) {
  Datum &result = defineElementwise(state, op, in);
  return withMathKind(state, op, result.type, [&]<class K>(K) {
    using Storage = typename K::Storage;
    mapLanes(result.numElements(), elements<Storage>(result), elements<Storage>(*in[0]), false,
             [](Storage x) { return store<K>(Op::apply(load<K>(x))); });
  });
}

template <class Op> static bool evalBinary(State &state, Operation *op, Data in) {
  Datum &result = defineElementwise(state, op, in);
  return withMathKind(state, op, result.type, [&]<class K>(K) {
    using Storage = typename K::Storage;
    mapLanes(result.numElements(), elements<Storage>(result), elements<Storage>(*in[0]), in[0]->numElements() == 1,
             elements<Storage>(*in[1]), in[1]->numElements() == 1,
             [](Storage a, Storage b) { return store<K>(Op::apply(load<K>(a), load<K>(b))); });
  });
}

/// In double for every type: rounding again to 24 bits or fewer is harmless, to 53 it does nothing.
static bool evalSqrt(State &state, Operation *op, Data in) {
  Datum &result = defineElementwise(state, op, in);
  return withMathKind(state, op, result.type, [&]<class K>(K) {
    using Storage = typename K::Storage;
    mapLanes(result.numElements(), elements<Storage>(result), elements<Storage>(*in[0]), false,
             [](Storage x) { return K::storeDouble(std::sqrt(static_cast<double>(K::load(x)))); });
  });
}

static bool evalFma(State &state, Operation *op, Data in) {
  Datum &result = defineElementwise(state, op, in);
  return withMathKind(state, op, result.type, [&]<class K>(K) {
    using Storage = typename K::Storage;
    mapLanes(result.numElements(), elements<Storage>(result), elements<Storage>(*in[0]), in[0]->numElements() == 1,
             elements<Storage>(*in[1]), in[1]->numElements() == 1, elements<Storage>(*in[2]), in[2]->numElements() == 1,
             [](Storage a, Storage b, Storage c) -> Storage {
               if constexpr (K::width >= 32) {
                 return std::fma(a, b, c);
               } else {
                 return K::storeDouble(fmaToOdd(K::load(a), K::load(b), K::load(c)));
               }
             });
  });
}

static bool evalClamp(State &state, Operation *op, Data in) {
  Datum &result = defineElementwise(state, op, in);
  return withMathKind(state, op, result.type, [&]<class K>(K) {
    using Storage = typename K::Storage;
    mapLanes(result.numElements(), elements<Storage>(result), elements<Storage>(*in[0]), in[0]->numElements() == 1,
             elements<Storage>(*in[1]), in[1]->numElements() == 1, elements<Storage>(*in[2]), in[2]->numElements() == 1,
             [](Storage x, Storage least, Storage most) {
               return K::store(minimumOf(maximumOf(K::load(x), K::load(least)), K::load(most)));
             });
  });
}

static bool evalSincos(State &state, Operation *op, Data in) {
  Datum &sine = defineElementwise(state, op, in, 0);
  Datum &cosine = defineElementwise(state, op, in, 1);
  return withMathKind(state, op, sine.type, [&]<class K>(K) {
    using Storage = typename K::Storage;
    int64_t lanes = sine.numElements();
    mapLanes(lanes, elements<Storage>(sine), elements<Storage>(*in[0]), false,
             [](Storage x) { return store<K>(std::sin(load<K>(x))); });
    mapLanes(lanes, elements<Storage>(cosine), elements<Storage>(*in[0]), false,
             [](Storage x) { return store<K>(std::cos(load<K>(x))); });
  });
}

template <class Op> static bool evalClassify(State &state, Operation *op, Data in) {
  Datum &result = defineElementwise(state, op, in);
  return withMathKind(state, op, in[0]->type, [&]<class K>(K) {
    using Storage = typename K::Storage;
    mapLanes(result.numElements(), result.bytes.data(), elements<Storage>(*in[0]), false,
             [](Storage x) -> uint8_t { return Op::apply(K::load(x)); });
  });
}

static bool evalIsNormal(State &state, Operation *op, Data in) {
  Datum &result = defineElementwise(state, op, in);
  const llvm::fltSemantics &semantics = cast<FloatType>(elementTypeOf(in[0]->type)).getFloatSemantics();
  double least = std::ldexp(1.0, llvm::APFloat::semanticsMinExponent(semantics));
  for (int64_t i = 0, lanes = result.numElements(); i < lanes; ++i) {
    double value = std::fabs(in[0]->number(i));
    result.bytes[i] = value >= least && value < std::numeric_limits<double>::infinity();
  }
  return true;
}

/// The magnitude of the first operand's bits with the sign of the second's, or none.
static bool evalSign(State &state, Operation *op, Data in) {
  Datum &result = defineElementwise(state, op, in);
  withStorage(elementBytes(result.type), [&]<class T>(T) {
    constexpr T sign = T(T(1) << (8 * sizeof(T) - 1));
    int64_t lanes = result.numElements();
    if (in.size() == 1) {
      mapLanes(lanes, elements<T>(result), elements<T>(*in[0]), false, [](T a) { return static_cast<T>(a & ~sign); });
    } else {
      mapLanes(lanes, elements<T>(result), elements<T>(*in[0]), in[0]->numElements() == 1, elements<T>(*in[1]),
               in[1]->numElements() == 1, [](T a, T b) { return static_cast<T>((a & ~sign) | (b & sign)); });
    }
  });
  return true;
}

static bool evalFPowI(State &state, Operation *op, Data in) {
  Datum &result = defineElementwise(state, op, in);
  return withMathKind(state, op, result.type, [&]<class K>(K) {
    withIntKind(in[1]->type, [&]<class I>(I) {
      mapLanes(result.numElements(), elements<typename K::Storage>(result), elements<typename K::Storage>(*in[0]),
               in[0]->numElements() == 1, elements<typename I::Storage>(*in[1]), in[1]->numElements() == 1,
               [](typename K::Storage a, typename I::Storage n) {
                 return store<K>(std::pow(load<K>(a), static_cast<Precise<K>>(I::template load<true>(n))));
               });
    });
  });
}

// ---- Integers

namespace {
struct AbsI {
  template <class K> static typename K::U apply(typename K::Storage x) {
    auto value = K::template load<true>(x);
    return value < 0 ? 0 - static_cast<typename K::U>(value) : static_cast<typename K::U>(value);
  }
};
struct CtPop {
  template <class K> static typename K::U apply(typename K::Storage x) {
    return std::popcount(K::template load<false>(x));
  }
};
struct CountLeading {
  template <class K> static typename K::U apply(typename K::Storage x) {
    auto value = K::template load<false>(x);
    return std::countl_zero(value) - (8 * sizeof(value) - K::width);
  }
};
struct CountTrailing {
  template <class K> static typename K::U apply(typename K::Storage x) {
    auto value = K::template load<false>(x);
    return value == 0 ? K::width : std::countr_zero(value);
  }
};
} // namespace

template <class Op> static bool evalIntUnary(State &state, Operation *op, Data in) {
  Datum &result = defineElementwise(state, op, in);
  return withIntKind(result.type, [&]<class K>(K) {
    using Storage = typename K::Storage;
    mapLanes(result.numElements(), elements<Storage>(result), elements<Storage>(*in[0]), false,
             [](Storage x) { return K::store(Op::template apply<K>(x)); });
  });
}

/// base ** exponent, wrapping; a negative exponent is 1 / base ** -exponent with tile.div's quotient.
static bool evalIPowI(State &state, Operation *op, Data in) {
  Datum &result = defineElementwise(state, op, in);
  return withIntKind(result.type, [&]<class K>(K) {
    using Storage = typename K::Storage;
    mapLanes(result.numElements(), elements<Storage>(result), elements<Storage>(*in[0]), in[0]->numElements() == 1,
             elements<Storage>(*in[1]), in[1]->numElements() == 1, [](Storage x, Storage n) {
               auto base = K::template load<true>(x);
               auto exponent = K::template load<true>(n);
               using U = typename K::U;
               if (exponent < 0) {
                 U odd = static_cast<U>(exponent) & 1;
                 U value = base == 0 ? U(0) - 1 : base == 1 ? 1 : base == -1 ? (odd ? U(0) - 1 : 1) : 0;
                 return K::store(value);
               }
               U value = 1, factor = static_cast<U>(base);
               for (auto left = static_cast<U>(exponent); left != 0; left >>= 1) {
                 value = (left & 1) != 0 ? value * factor : value;
                 factor *= factor;
               }
               return K::store(value);
             });
  });
}

void pavage::tile::addMathHandlers(HandlerTable &table) {
  table.addElementwise<math::AcosOp>(evalUnary<Acos>);
  table.addElementwise<math::AcoshOp>(evalUnary<Acosh>);
  table.addElementwise<math::AsinOp>(evalUnary<Asin>);
  table.addElementwise<math::AsinhOp>(evalUnary<Asinh>);
  table.addElementwise<math::AtanOp>(evalUnary<Atan>);
  table.addElementwise<math::AtanhOp>(evalUnary<Atanh>);
  table.addElementwise<math::CbrtOp>(evalUnary<Cbrt>);
  table.addElementwise<math::CeilOp>(evalUnary<Ceil>);
  table.addElementwise<math::CosOp>(evalUnary<Cos>);
  table.addElementwise<math::CoshOp>(evalUnary<Cosh>);
  table.addElementwise<math::ErfOp>(evalUnary<Erf>);
  table.addElementwise<math::ErfcOp>(evalUnary<Erfc>);
  table.addElementwise<math::ExpOp>(evalUnary<Exp>);
  table.addElementwise<math::Exp2Op>(evalUnary<Exp2>);
  table.addElementwise<math::ExpM1Op>(evalUnary<ExpM1>);
  table.addElementwise<math::FloorOp>(evalUnary<Floor>);
  table.addElementwise<math::LogOp>(evalUnary<Log>);
  table.addElementwise<math::Log10Op>(evalUnary<Log10>);
  table.addElementwise<math::Log1pOp>(evalUnary<Log1p>);
  table.addElementwise<math::Log2Op>(evalUnary<Log2>);
  table.addElementwise<math::RoundOp>(evalUnary<Round>);
  table.addElementwise<math::RoundEvenOp>(evalUnary<RoundEven>);
  table.addElementwise<math::RsqrtOp>(evalUnary<Rsqrt>);
  table.addElementwise<math::SinOp>(evalUnary<Sin>);
  table.addElementwise<math::SinhOp>(evalUnary<Sinh>);
  table.addElementwise<math::TanOp>(evalUnary<Tan>);
  table.addElementwise<math::TanhOp>(evalUnary<Tanh>);
  table.addElementwise<math::TruncOp>(evalUnary<Trunc>);
  table.addElementwise<math::Atan2Op>(evalBinary<Atan2>);
  table.addElementwise<math::PowFOp>(evalBinary<Pow>);
  table.addElementwise<math::SqrtOp>(evalSqrt);
  table.addElementwise<math::FmaOp>(evalFma);
  table.addElementwise<math::ClampFOp>(evalClamp);
  table.addElementwise<math::SincosOp>(evalSincos);
  table.addElementwise<math::IsNaNOp>(evalClassify<IsNan>);
  table.addElementwise<math::IsInfOp>(evalClassify<IsInf>);
  table.addElementwise<math::IsFiniteOp>(evalClassify<IsFinite>);
  table.addElementwise<math::IsNormalOp>(evalIsNormal);
  table.addElementwise<math::AbsFOp>(evalSign);
  table.addElementwise<math::CopySignOp>(evalSign);
  table.addElementwise<math::FPowIOp>(evalFPowI);
  table.addElementwise<math::AbsIOp>(evalIntUnary<AbsI>);
  table.addElementwise<math::CtPopOp>(evalIntUnary<CtPop>);
  table.addElementwise<math::CountLeadingZerosOp>(evalIntUnary<CountLeading>);
  table.addElementwise<math::CountTrailingZerosOp>(evalIntUnary<CountTrailing>);
  table.addElementwise<math::IPowIOp>(evalIPowI);
}
