// Integer arithmetic, comparison, selection and constants of arith. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// Where upstream leaves a result undefined (a flag that does not hold, a shift by the width, a division by zero) the
// lane becomes poison, so that only its use is reported.
#include "dialect/Tile/Interp/Lanes.h"
#include "dialect/Tile/Interp/State.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace pavage::tile;

using State = Interp::State;

// ---- Constants

static bool evalConstant(State &state, Operation *op, Data) {
  Datum datum(op->getResult(0).getType());
  if (!datum.read(cast<arith::ConstantOp>(op).getValue())) {
    return state.unsupported(op, "of this kind is not supported");
  }
  state.set(op->getResult(0), std::move(datum));
  return true;
}

// ---- Binary operations; `isSigned` says how the operands are read

namespace {
struct Unsigned {
  static constexpr bool isSigned = false;
};
struct Signed {
  static constexpr bool isSigned = true;
};
template <class V> using Bits = std::make_unsigned_t<V>;

struct AddI : Unsigned {
  template <class K, class V> static V apply(V a, V b) { return a + b; }
};
struct SubI : Unsigned {
  template <class K, class V> static V apply(V a, V b) { return a - b; }
};
struct MulI : Unsigned {
  template <class K, class V> static V apply(V a, V b) { return a * b; }
};
struct AndI : Unsigned {
  template <class K, class V> static V apply(V a, V b) { return a & b; }
};
struct OrI : Unsigned {
  template <class K, class V> static V apply(V a, V b) { return a | b; }
};
struct XorI : Unsigned {
  template <class K, class V> static V apply(V a, V b) { return a ^ b; }
};
struct MaxS : Signed {
  template <class K, class V> static V apply(V a, V b) { return a > b ? a : b; }
};
struct MaxU : Unsigned {
  template <class K, class V> static V apply(V a, V b) { return a > b ? a : b; }
};
struct MinS : Signed {
  template <class K, class V> static V apply(V a, V b) { return a < b ? a : b; }
};
struct MinU : Unsigned {
  template <class K, class V> static V apply(V a, V b) { return a < b ? a : b; }
};
// Divisions see no zero divisor and no MIN / -1: those lanes are poison and get a harmless divisor.
struct DivS : Signed {
  template <class K, class V> static V apply(V a, V b) { return a / b; }
};
struct DivU : Unsigned {
  template <class K, class V> static V apply(V a, V b) { return a / b; }
};
struct RemS : Signed {
  template <class K, class V> static V apply(V a, V b) { return a % b; }
};
struct RemU : Unsigned {
  template <class K, class V> static V apply(V a, V b) { return a % b; }
};
struct FloorDivS : Signed {
  template <class K, class V> static V apply(V a, V b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
};
struct CeilDivS : Signed {
  template <class K, class V> static V apply(V a, V b) { return a / b + (a % b != 0 && (a < 0) == (b < 0)); }
};
struct CeilDivU : Unsigned {
  template <class K, class V> static V apply(V a, V b) { return a / b + (a % b != 0); }
};
struct ShlI : Unsigned {
  template <class K, class V> static V apply(V a, V b) { return b < K::width ? a << b : V(0); }
};
struct ShrU : Unsigned {
  template <class K, class V> static V apply(V a, V b) { return b < K::width ? a >> b : V(0); }
};
struct ShrS : Signed {
  template <class K, class V> static V apply(V a, V b) { return a >> (Bits<V>(b) < K::width ? b : V(K::width - 1)); }
};
} // namespace

template <class Op, class K> static void applyLanes(Datum &result, Data in) {
  using Storage = typename K::Storage;
  auto fn = [](Storage a, Storage b) {
    return K::store(Op::template apply<K>(K::template load<Op::isSigned>(a), K::template load<Op::isSigned>(b)));
  };
  int64_t lanes = result.numElements();
  mapLanes(lanes, elements<Storage>(result), elements<Storage>(*in[0]), in[0]->numElements() == 1,
           elements<Storage>(*in[1]), in[1]->numElements() == 1, fn);
}

/// Marks the lanes poison for which `isBad(a, b)` holds for the operands, sign- or zero-extended to 64 bits.
template <class Fn> static void poisonWhere(Datum &result, Data in, bool isSigned, Fn isBad) {
  int64_t lanes = result.numElements();
  unsigned width = isa<IndexType>(elementTypeOf(result.type)) ? 64 : elementTypeOf(result.type).getIntOrFloatBitWidth();
  auto extend = [&](uint64_t bits) {
    return isSigned ? static_cast<int64_t>(bits << (64 - width)) >> (64 - width) : static_cast<int64_t>(bits);
  };
  bool aOne = in[0]->numElements() == 1, bOne = in[1]->numElements() == 1;
  for (int64_t i = 0; i < lanes; ++i) {
    if (isBad(extend(in[0]->bits(aOne ? 0 : i)), extend(in[1]->bits(bOne ? 0 : i)), width)) {
      result.poison.resize(lanes);
      result.poison[i] = 1;
    }
  }
}

static bool overflowsSigned(__int128 exact, unsigned width) {
  __int128 limit = __int128(1) << (width - 1);
  return exact < -limit || exact >= limit;
}
static bool overflowsUnsigned(__int128 exact, unsigned width) { return exact < 0 || exact >> width != 0; }

/// Lanes for which a promised absence of overflow does not hold.
static void poisonOverflow(Operation *op, Datum &result, Data in) {
  auto flagged = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
  if (!flagged) {
    return;
  }
  auto exact = [op](int64_t a, int64_t b, bool isSigned, unsigned width) -> __int128 {
    __int128 x = isSigned ? __int128(a) : __int128(uint64_t(a)), y = isSigned ? __int128(b) : __int128(uint64_t(b));
    if (isa<arith::AddIOp>(op)) {
      return x + y;
    }
    if (isa<arith::SubIOp>(op)) {
      return x - y;
    }
    if (isa<arith::MulIOp>(op)) {
      // Unsigned 64-bit factors may fill all 128 bits, which then reads as negative: overflow as well.
      return static_cast<__int128>(static_cast<unsigned __int128>(x) * static_cast<unsigned __int128>(y));
    }
    return uint64_t(b) < width ? x * (__int128(1) << b) : 0;
  };
  if (flagged.hasNoSignedWrap()) {
    poisonWhere(result, in, true,
                [&](int64_t a, int64_t b, unsigned width) { return overflowsSigned(exact(a, b, true, width), width); });
  }
  if (flagged.hasNoUnsignedWrap()) {
    poisonWhere(result, in, false, [&](int64_t a, int64_t b, unsigned width) {
      return overflowsUnsigned(exact(a, b, false, width), width);
    });
  }
}

template <class Op> static bool evalBinary(State &state, Operation *op, Data in) {
  Datum &result = defineElementwise(state, op, in);
  if (!withIntKind(result.type, [&]<class K>(K) { applyLanes<Op, K>(result, in); })) {
    return state.unsupported(op, "on this type is not supported");
  }
  poisonOverflow(op, result, in);
  return true;
}

template <class Op> static bool evalDivision(State &state, Operation *op, Data in) {
  Datum &result = defineElementwise(state, op, in);
  auto isBad = [](int64_t a, int64_t b, unsigned width) {
    return b == 0 || (Op::isSigned && b == -1 && a == static_cast<int64_t>(UINT64_MAX << (width - 1)));
  };
  poisonWhere(result, in, Op::isSigned, isBad);
  bool known = withIntKind(result.type, [&]<class K>(K) {
    using Storage = typename K::Storage;
    Datum divisor = *in[1];
    if (!result.poison.empty()) {
      int64_t lanes = result.numElements();
      std::vector<uint8_t> bytes(lanes * sizeof(Storage));
      for (int64_t i = 0; i < lanes; ++i) {
        Storage value = result.poison[i] ? Storage(1) : elements<Storage>(*in[1])[in[1]->numElements() == 1 ? 0 : i];
        std::memcpy(bytes.data() + i * sizeof(Storage), &value, sizeof(Storage));
      }
      divisor.bytes = std::move(bytes);
    }
    applyLanes<Op, K>(result, {in[0], &divisor});
  });
  return known || state.unsupported(op, "on this type is not supported");
}

template <class Op> static bool evalShift(State &state, Operation *op, Data in) {
  if (!evalBinary<Op>(state, op, in)) {
    return false;
  }
  Datum &result = *state.find(op->getResult(0));
  poisonWhere(result, in, false, [](int64_t, int64_t b, unsigned width) { return uint64_t(b) >= width; });
  return true;
}

// ---- Several results

template <bool isSigned> static bool evalMulExtended(State &state, Operation *op, Data in) {
  int64_t lanes = commonLanes(in);
  Datum &low = defineElementwise(state, op, in, 0);
  Datum &high = defineElementwise(state, op, in, 1);
  return withIntKind(low.type, [&]<class K>(K) {
    using Storage = typename K::Storage;
    using Wide = std::conditional_t<isSigned, __int128, unsigned __int128>;
    bool aOne = in[0]->numElements() == 1, bOne = in[1]->numElements() == 1;
    for (int64_t i = 0; i < lanes; ++i) {
      Wide a = K::template load<isSigned>(elements<Storage>(*in[0])[aOne ? 0 : i]);
      Wide b = K::template load<isSigned>(elements<Storage>(*in[1])[bOne ? 0 : i]);
      Wide product = a * b;
      elements<Storage>(low)[i] = K::store(static_cast<typename K::U>(product));
      elements<Storage>(high)[i] = K::store(static_cast<typename K::U>(product >> K::width));
    }
  });
}

static bool evalAddExtended(State &state, Operation *op, Data in) {
  int64_t lanes = commonLanes(in);
  Datum &sum = defineElementwise(state, op, in, 0);
  Datum &carry = defineElementwise(state, op, in, 1);
  return withIntKind(sum.type, [&]<class K>(K) {
    using Storage = typename K::Storage;
    bool aOne = in[0]->numElements() == 1, bOne = in[1]->numElements() == 1;
    for (int64_t i = 0; i < lanes; ++i) {
      Storage a = elements<Storage>(*in[0])[aOne ? 0 : i], b = elements<Storage>(*in[1])[bOne ? 0 : i];
      Storage total = K::store(K::template load<false>(a) + K::template load<false>(b));
      elements<Storage>(sum)[i] = total;
      carry.bytes[i] = total < a;
    }
  });
}

// ---- Comparison, selection

namespace {
struct Eq : Unsigned {
  template <class V> static bool apply(V a, V b) { return a == b; }
};
struct Ne : Unsigned {
  template <class V> static bool apply(V a, V b) { return a != b; }
};
template <class Sign> struct Lt : Sign {
  template <class V> static bool apply(V a, V b) { return a < b; }
};
template <class Sign> struct Le : Sign {
  template <class V> static bool apply(V a, V b) { return a <= b; }
};
} // namespace

template <class Op> static void compareLanes(Datum &result, const Datum &a, const Datum &b) {
  withIntKind(a.type, [&]<class K>(K) {
    using Storage = typename K::Storage;
    mapLanes(result.numElements(), result.bytes.data(), elements<Storage>(a), a.numElements() == 1,
             elements<Storage>(b), b.numElements() == 1, [](Storage x, Storage y) -> uint8_t {
               return Op::apply(K::template load<Op::isSigned>(x), K::template load<Op::isSigned>(y));
             });
  });
}

static bool evalCmpI(State &state, Operation *op, Data in) {
  Datum &result = defineElementwise(state, op, in);
  const Datum &a = *in[0], &b = *in[1];
  switch (cast<arith::CmpIOp>(op).getPredicate()) {
  case arith::CmpIPredicate::eq:
    compareLanes<Eq>(result, a, b);
    break;
  case arith::CmpIPredicate::ne:
    compareLanes<Ne>(result, a, b);
    break;
  case arith::CmpIPredicate::slt:
    compareLanes<Lt<Signed>>(result, a, b);
    break;
  case arith::CmpIPredicate::sle:
    compareLanes<Le<Signed>>(result, a, b);
    break;
  case arith::CmpIPredicate::sgt:
    compareLanes<Lt<Signed>>(result, b, a);
    break;
  case arith::CmpIPredicate::sge:
    compareLanes<Le<Signed>>(result, b, a);
    break;
  case arith::CmpIPredicate::ult:
    compareLanes<Lt<Unsigned>>(result, a, b);
    break;
  case arith::CmpIPredicate::ule:
    compareLanes<Le<Unsigned>>(result, a, b);
    break;
  case arith::CmpIPredicate::ugt:
    compareLanes<Lt<Unsigned>>(result, b, a);
    break;
  case arith::CmpIPredicate::uge:
    compareLanes<Le<Unsigned>>(result, b, a);
    break;
  }
  return true;
}

static bool evalSelect(State &state, Operation *op, Data in) {
  int64_t lanes = commonLanes(in);
  Datum &result = state.define(op->getResult(0), lanes);
  bool cOne = in[0]->numElements() == 1, aOne = in[1]->numElements() == 1, bOne = in[2]->numElements() == 1;
  withStorage(elementBytes(result.type), [&]<class T>(T) {
    mapLanes(lanes, elements<T>(result), in[0]->bytes.data(), cOne, elements<T>(*in[1]), aOne, elements<T>(*in[2]),
             bOne, [](uint8_t c, T a, T b) { return c ? a : b; });
  });
  // Poison of the side not chosen does not matter.
  if (in[0]->poison.empty() && in[1]->poison.empty() && in[2]->poison.empty()) {
    return true;
  }
  result.poison.resize(lanes);
  for (int64_t i = 0; i < lanes; ++i) {
    bool chosen = in[0]->bytes[cOne ? 0 : i] != 0;
    result.poison[i] =
        in[0]->isPoison(cOne ? 0 : i) || (chosen ? in[1]->isPoison(aOne ? 0 : i) : in[2]->isPoison(bOne ? 0 : i));
  }
  return true;
}

void pavage::tile::addArithHandlers(HandlerTable &table) {
  table.addElementwise<arith::ConstantOp>(evalConstant);
  table.addElementwise<arith::AddIOp>(evalBinary<AddI>);
  table.addElementwise<arith::SubIOp>(evalBinary<SubI>);
  table.addElementwise<arith::MulIOp>(evalBinary<MulI>);
  table.addElementwise<arith::AndIOp>(evalBinary<AndI>);
  table.addElementwise<arith::OrIOp>(evalBinary<OrI>);
  table.addElementwise<arith::XOrIOp>(evalBinary<XorI>);
  table.addElementwise<arith::MaxSIOp>(evalBinary<MaxS>);
  table.addElementwise<arith::MaxUIOp>(evalBinary<MaxU>);
  table.addElementwise<arith::MinSIOp>(evalBinary<MinS>);
  table.addElementwise<arith::MinUIOp>(evalBinary<MinU>);
  table.addElementwise<arith::DivSIOp>(evalDivision<DivS>);
  table.addElementwise<arith::DivUIOp>(evalDivision<DivU>);
  table.addElementwise<arith::RemSIOp>(evalDivision<RemS>);
  table.addElementwise<arith::RemUIOp>(evalDivision<RemU>);
  table.addElementwise<arith::FloorDivSIOp>(evalDivision<FloorDivS>);
  table.addElementwise<arith::CeilDivSIOp>(evalDivision<CeilDivS>);
  table.addElementwise<arith::CeilDivUIOp>(evalDivision<CeilDivU>);
  table.addElementwise<arith::ShLIOp>(evalShift<ShlI>);
  table.addElementwise<arith::ShRUIOp>(evalShift<ShrU>);
  table.addElementwise<arith::ShRSIOp>(evalShift<ShrS>);
  table.addElementwise<arith::MulSIExtendedOp>(evalMulExtended<true>);
  table.addElementwise<arith::MulUIExtendedOp>(evalMulExtended<false>);
  table.addElementwise<arith::AddUIExtendedOp>(evalAddExtended);
  table.addElementwise<arith::CmpIOp>(evalCmpI);
  table.addElementwise<arith::SelectOp>(evalSelect);
}
