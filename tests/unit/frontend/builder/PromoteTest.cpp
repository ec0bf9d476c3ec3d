// The promotion table, pair by pair. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/frontend/builder/HarnessSupport.h"

#include <cmath>

using namespace pavage;
using namespace pavage::testing;

namespace {
const std::vector<DType> all = {i1, i8, i16, i32, i64, u8, u16, u32, u64, f8e4nv, f8e5, f16, bf16, f32, f64};

int bitsOf(DType d) { return d.bits(); }

/// Two tiles, written down rule by rule, independently of the builder.
DType expectedForTiles(DType a, DType b, bool divides) {
  auto either = [&](DType d) { return a == d || b == d; };
  if (either(f64)) {
    return f64;
  }
  if (either(f32)) {
    return f32;
  }
  if (either(f16)) {
    return divides ? f32 : f16;
  }
  if (a == bf16 && b == bf16) {
    return divides ? f32 : bf16;
  }
  if (either(bf16)) {
    return f32;
  }
  if (a.isFp8() && b.isFp8()) {
    return a == b ? a : f16;
  }
  if (a.isFp8() || b.isFp8()) {
    return {};
  }
  bool signedA = a.isSigned(), signedB = b.isSigned(); // int1 is unsigned
  if (signedA == signedB) {
    return bitsOf(a) > bitsOf(b) ? a : b;
  }
  if (divides) {
    return {};
  }
  DType s = signedA ? a : b, u = signedA ? b : a;
  return bitsOf(u) >= bitsOf(s) ? u : s;
}

int kindOf(DType d) { return d.isBool() ? 0 : d.isInteger() ? 1 : 2; }

DType promoted(Builder &b, pv_binary_op op, const Operand &x, const Operand &y) {
  try {
    return b.promote(op, x, y);
  } catch (const Error &e) {
    EXPECT_TRUE(e.number() == 102 || e.number() == 105) << e.what();
    return {};
  }
}
} // namespace

TEST(Promote, TwoTiles) {
  record([](Builder &b, std::vector<Value> &) {
    for (DType x : all) {
      for (DType y : all) {
        Value tx = b.full({3, 5}, 0, x), ty = b.full({}, 0, y);
        for (pv_binary_op op : {PV_ADD, PV_MUL, PV_LT, PV_MAXIMUM, PV_POW}) {
          EXPECT_EQ(promoted(b, op, tx, ty).name(), expectedForTiles(x, y, false).name())
              << x.name() << " " << y.name();
        }
        for (pv_binary_op op : {PV_DIV, PV_FLOORDIV, PV_MOD}) {
          EXPECT_EQ(promoted(b, op, tx, ty).name(), expectedForTiles(x, y, true).name()) << x.name() << " " << y.name();
        }
      }
    }
  });
}

TEST(Promote, LiteralAndTile) {
  struct Literal {
    Operand value;
    DType own;
  };
  record([](Builder &b, std::vector<Value> &) {
    const std::vector<Literal> literals = {{true, i1},
                                           {1, i32},
                                           {int64_t(1) << 31, u32},
                                           {int64_t(1) << 40, i64},
                                           {uint64_t(1) << 63, u64},
                                           {0.5, f32},
                                           {1e300, f64},
                                           {1e-300, f64},
                                           {0.0, f32}};
    for (DType x : all) {
      Value tile = b.full({3, 5}, 0, x);
      for (const Literal &l : literals) {
        bool adapts = kindOf(l.own) <= kindOf(x);
        for (bool divides : {false, true}) {
          DType expected = adapts ? (divides && (x == f16 || x == bf16) ? f32 : x) : DType();
          if (!adapts) {
            // Signedness is asked of two tiles only.
            expected = expectedForTiles(l.own, x, divides);
            expected = expected ? expected : expectedForTiles(l.own, x, false);
          }
          pv_binary_op op = divides ? PV_MOD : PV_ADD;
          EXPECT_EQ(promoted(b, op, tile, l.value).name(), expected.name()) << x.name() << " " << l.own.name();
          EXPECT_EQ(promoted(b, op, l.value, tile).name(), expected.name()) << x.name() << " " << l.own.name();
        }
      }
    }
  });
}

TEST(Promote, LiteralDtypes) {
  EXPECT_EQ(Value::literal(true).dtype(), i1);
  EXPECT_EQ(Value::literal(INT32_MIN).dtype(), i32);
  EXPECT_EQ(Value::literal(int64_t(INT32_MIN) - 1).dtype(), i64);
  EXPECT_EQ(Value::literal(UINT32_MAX).dtype(), u32);
  EXPECT_EQ(Value::literal(int64_t(UINT32_MAX) + 1).dtype(), i64);
  EXPECT_EQ(Value::literal(uint64_t(INT64_MAX) + 1).dtype(), u64);
  EXPECT_EQ(Value::literal(0x1p-126).dtype(), f32);
  EXPECT_EQ(Value::literal(0x1p-127).dtype(), f64);
  EXPECT_EQ(Value::literal(0x1.fffffep127).dtype(), f32);
  EXPECT_EQ(Value::literal(0x1p128).dtype(), f64);
  EXPECT_EQ(Value::literal(double(INFINITY)).dtype(), f32);
  EXPECT_EQ(Value::literal(double(NAN)).dtype(), f32);
}

TEST(Promote, ResultsOfOperators) {
  record([](Builder &b, std::vector<Value> &) {
    auto v = [&](DType d) { return b.full({4}, 1, d); };
    EXPECT_EQ(b.binary(PV_DIV, v(i32), v(i32)).dtype(), f32);
    EXPECT_EQ(b.binary(PV_DIV, v(i64), v(i64)).dtype(), f32);
    EXPECT_EQ(b.binary(PV_DIV, v(f16), v(i32)).dtype(), f32);
    EXPECT_EQ(b.binary(PV_DIV, v(f16), 2).dtype(), f32);
    EXPECT_EQ(b.binary(PV_ADD, v(f16), 2).dtype(), f16);
    EXPECT_EQ(b.binary(PV_ADD, v(i8), 2.5).dtype(), f32);
    EXPECT_EQ(b.binary(PV_AND, v(u8), 15).dtype(), u8);
    EXPECT_EQ(b.binary(PV_MOD, v(u32), 2).dtype(), u32);
    EXPECT_EQ(b.binary(PV_ADD, v(i1), 1).dtype(), i32);
    EXPECT_EQ(b.binary(PV_LT, v(f16), v(f64)).dtype(), i1);
    EXPECT_EQ(b.binary(PV_MAXIMUM, v(bf16), v(bf16)).dtype(), f32);
    EXPECT_EQ(b.where(v(i1), v(f16), 0).dtype(), f16);
    EXPECT_EQ(b.unary(PV_EXP, v(bf16)).dtype(), bf16);
    EXPECT_EQ(b.binary(PV_ADD, b.full({3, 1}, 1, i32), b.full({5}, 1, i32)).shape(), (std::vector<int64_t>{3, 5}));
  });
}
