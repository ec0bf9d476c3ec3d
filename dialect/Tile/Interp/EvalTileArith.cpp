// Total integer arithmetic: div, rem, shl, shr. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Tile/Interp/Lanes.h"
#include "dialect/Tile/Interp/State.h"
#include "dialect/Tile/TileOps.h"

using namespace mlir;
using namespace pavage::tile;

using State = Interp::State;

namespace {
struct Div {
  template <class K, class V> static V apply(V a, V b) {
    if (b == 0) {
      return static_cast<V>(-1); // all bits set
    }
    if constexpr (std::is_signed_v<V>) {
      // The negation of the least number wraps to itself when it is stored.
      return b == -1 ? static_cast<V>(0 - static_cast<std::make_unsigned_t<V>>(a)) : a / b;
    } else {
      return a / b;
    }
  }
};
struct Rem {
  template <class K, class V> static V apply(V a, V b) {
    if constexpr (std::is_signed_v<V>) {
      return b == 0 ? a : b == -1 ? V(0) : a % b;
    } else {
      return b == 0 ? a : a % b;
    }
  }
};
struct Shl {
  template <class K, class V> static V apply(V a, V b) { return b < K::width ? a << b : V(0); }
};
} // namespace

template <class Op, bool isSigned> static bool evalBinary(State &state, Operation *op, Data in) {
  Datum &result = defineElementwise(state, op, in);
  return withIntKind(result.type, [&]<class K>(K) {
    using Storage = typename K::Storage;
    mapLanes(result.numElements(), elements<Storage>(result), elements<Storage>(*in[0]), in[0]->numElements() == 1,
             elements<Storage>(*in[1]), in[1]->numElements() == 1, [](Storage a, Storage b) {
               return K::store(Op::template apply<K>(K::template load<isSigned>(a), K::template load<isSigned>(b)));
             });
  });
}

static bool evalDiv(State &state, Operation *op, Data in) {
  return cast<DivOp>(op).getIsSigned() ? evalBinary<Div, true>(state, op, in) : evalBinary<Div, false>(state, op, in);
}

static bool evalRem(State &state, Operation *op, Data in) {
  return cast<RemOp>(op).getIsSigned() ? evalBinary<Rem, true>(state, op, in) : evalBinary<Rem, false>(state, op, in);
}

/// The value by its sign, the amount always unsigned.
static bool evalShr(State &state, Operation *op, Data in) {
  bool isSigned = cast<ShrOp>(op).getIsSigned();
  Datum &result = defineElementwise(state, op, in);
  return withIntKind(result.type, [&]<class K>(K) {
    using Storage = typename K::Storage;
    auto shift = [&](auto fn) {
      mapLanes(result.numElements(), elements<Storage>(result), elements<Storage>(*in[0]), in[0]->numElements() == 1,
               elements<Storage>(*in[1]), in[1]->numElements() == 1, fn);
    };
    if (isSigned) {
      shift([](Storage a, Storage b) {
        auto amount = K::template load<false>(b);
        return K::store(K::template load<true>(a) >> (amount < K::width ? amount : K::width - 1));
      });
    } else {
      shift([](Storage a, Storage b) {
        auto amount = K::template load<false>(b);
        return K::store(amount < K::width ? K::template load<false>(a) >> amount : 0);
      });
    }
  });
}

void pavage::tile::addTileArithHandlers(HandlerTable &table) {
  table.addElementwise<DivOp>(evalDiv);
  table.addElementwise<RemOp>(evalRem);
  table.addElementwise<ShlOp>(evalBinary<Shl, false>);
  table.addElementwise<ShrOp>(evalShr);
}
