// Float arithmetic and comparison of arith. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f16 and bf16 compute in f32 and round: f32 has more than twice their digits plus two, so + - * / come out as if
// rounded once (tests/unit/dialect/Tile/Interp/FloatBitsTest.cpp compares with APFloat).
#include "dialect/Tile/Interp/FloatOps.h"
#include "dialect/Tile/Interp/Lanes.h"
#include "dialect/Tile/Interp/State.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace pavage::tile;

using State = Interp::State;

namespace {
struct AddF {
  template <class T> static T apply(T a, T b) { return a + b; }
};
struct SubF {
  template <class T> static T apply(T a, T b) { return a - b; }
};
struct MulF {
  template <class T> static T apply(T a, T b) { return a * b; }
};
struct DivF {
  template <class T> static T apply(T a, T b) { return a / b; }
};
struct RemF {
  template <class T> static T apply(T a, T b) { return std::fmod(a, b); }
};
struct MaximumF {
  template <class T> static T apply(T a, T b) { return maximumOf(a, b); }
};
struct MinimumF {
  template <class T> static T apply(T a, T b) { return minimumOf(a, b); }
};
struct MaxNumF {
  template <class T> static T apply(T a, T b) { return maxnumOf(a, b); }
};
struct MinNumF {
  template <class T> static T apply(T a, T b) { return minnumOf(a, b); }
};

// Predicates, and whether unordered operands satisfy them.
struct Equal {
  template <class T> static bool apply(T a, T b) { return a == b; }
};
struct Differ {
  template <class T> static bool apply(T a, T b) { return a < b || a > b; }
};
struct Less {
  template <class T> static bool apply(T a, T b) { return a < b; }
};
struct LessEqual {
  template <class T> static bool apply(T a, T b) { return a <= b; }
};
struct Ordered {
  template <class T> static bool apply(T a, T b) { return true; }
};
struct Never {
  template <class T> static bool apply(T a, T b) { return false; }
};
} // namespace

template <class Op> static bool evalBinary(State &state, Operation *op, Data in) {
  Datum &result = defineElementwise(state, op, in);
  bool known = withFloatKind(result.type, [&]<class K>(K) {
    using Storage = typename K::Storage;
    mapLanes(result.numElements(), elements<Storage>(result), elements<Storage>(*in[0]), in[0]->numElements() == 1,
             elements<Storage>(*in[1]), in[1]->numElements() == 1,
             [](Storage a, Storage b) { return K::store(Op::apply(K::load(a), K::load(b))); });
  });
  return known || state.unsupported(op, "on this type is not supported");
}

static bool evalNeg(State &state, Operation *op, Data in) {
  Datum &result = defineElementwise(state, op, in);
  withStorage(elementBytes(result.type), [&]<class T>(T) {
    constexpr T sign = T(T(1) << (8 * sizeof(T) - 1));
    mapLanes(result.numElements(), elements<T>(result), elements<T>(*in[0]), false,
             [](T bits) { return static_cast<T>(bits ^ sign); });
  });
  return true;
}

template <class Op, bool whenUnordered> static bool compare(Datum &result, const Datum &a, const Datum &b) {
  return withFloatKind(a.type, [&]<class K>(K) {
    using Storage = typename K::Storage;
    mapLanes(result.numElements(), result.bytes.data(), elements<Storage>(a), a.numElements() == 1,
             elements<Storage>(b), b.numElements() == 1, [](Storage x, Storage y) -> uint8_t {
               auto p = K::load(x), q = K::load(y);
               return p != p || q != q ? whenUnordered : Op::apply(p, q);
             });
  });
}

static bool evalCmpF(State &state, Operation *op, Data in) {
  Datum &result = defineElementwise(state, op, in);
  const Datum &a = *in[0], &b = *in[1];
  switch (cast<arith::CmpFOp>(op).getPredicate()) {
  case arith::CmpFPredicate::AlwaysFalse:
    return compare<Never, false>(result, a, b);
  case arith::CmpFPredicate::OEQ:
    return compare<Equal, false>(result, a, b);
  case arith::CmpFPredicate::OGT:
    return compare<Less, false>(result, b, a);
  case arith::CmpFPredicate::OGE:
    return compare<LessEqual, false>(result, b, a);
  case arith::CmpFPredicate::OLT:
    return compare<Less, false>(result, a, b);
  case arith::CmpFPredicate::OLE:
    return compare<LessEqual, false>(result, a, b);
  case arith::CmpFPredicate::ONE:
    return compare<Differ, false>(result, a, b);
  case arith::CmpFPredicate::ORD:
    return compare<Ordered, false>(result, a, b);
  case arith::CmpFPredicate::UEQ:
    return compare<Equal, true>(result, a, b);
  case arith::CmpFPredicate::UGT:
    return compare<Less, true>(result, b, a);
  case arith::CmpFPredicate::UGE:
    return compare<LessEqual, true>(result, b, a);
  case arith::CmpFPredicate::ULT:
    return compare<Less, true>(result, a, b);
  case arith::CmpFPredicate::ULE:
    return compare<LessEqual, true>(result, a, b);
  case arith::CmpFPredicate::UNE:
    return compare<Differ, true>(result, a, b);
  case arith::CmpFPredicate::UNO:
    return compare<Never, true>(result, a, b);
  case arith::CmpFPredicate::AlwaysTrue:
    return compare<Ordered, true>(result, a, b);
  }
  return state.unsupported(op);
}

void pavage::tile::addArithFloatHandlers(HandlerTable &table) {
  table.addElementwise<arith::AddFOp>(evalBinary<AddF>);
  table.addElementwise<arith::SubFOp>(evalBinary<SubF>);
  table.addElementwise<arith::MulFOp>(evalBinary<MulF>);
  table.addElementwise<arith::DivFOp>(evalBinary<DivF>);
  table.addElementwise<arith::RemFOp>(evalBinary<RemF>);
  table.addElementwise<arith::MaximumFOp>(evalBinary<MaximumF>);
  table.addElementwise<arith::MinimumFOp>(evalBinary<MinimumF>);
  table.addElementwise<arith::MaxNumFOp>(evalBinary<MaxNumF>);
  table.addElementwise<arith::MinNumFOp>(evalBinary<MinNumF>);
  table.addElementwise<arith::NegFOp>(evalNeg);
  table.addElementwise<arith::CmpFOp>(evalCmpF);
}
