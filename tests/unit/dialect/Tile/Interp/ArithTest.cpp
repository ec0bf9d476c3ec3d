// Arithmetic of the interpreter against APFloat and APInt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/dialect/Tile/Interp/Program.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include <cfenv>
#include <random>

using llvm::APFloat;
using llvm::APInt;
using llvm::APSInt;
using namespace pavage::tile;

namespace {
constexpr int64_t lanes = 60000;

struct FloatCase {
  const char *type;
  const llvm::fltSemantics &(*semantics)();
};

class FloatArith : public testing::TestWithParam<FloatCase> {
public:
  const llvm::fltSemantics &semantics() { return GetParam().semantics(); }
  unsigned width() { return APFloat::semanticsSizeInBits(semantics()); }

  /// Any bits, numbers of one size (sums that cancel), and numbers about the ends of the range.
  Datum numbers(Datum datum) {
    unsigned fraction = APFloat::semanticsPrecision(semantics()) - 1;
    uint64_t exponents = (uint64_t(1) << (width() - 1 - fraction)) - 1, mask = UINT64_MAX >> (64 - width());
    for (int64_t i = 0; i < datum.numElements(); ++i) {
      uint64_t bits = random() & mask;
      uint64_t low = bits & ((uint64_t(1) << fraction) - 1), sign = bits & (uint64_t(1) << (width() - 1));
      switch (random() % 6) {
      case 0:
        bits = sign | low | ((exponents / 2 + random() % 3) << fraction);
        break;
      case 1:
        bits = sign | low | ((random() % 3) << fraction);
        break;
      case 2:
        bits = sign | low | ((exponents - 1 - random() % 3) << fraction);
        break;
      case 3:
        bits = sign | (low & (random() & random() & random())) | ((exponents / 2 + random() % 20) << fraction);
        break;
      default:
        break;
      }
      datum.setBits(i, bits);
    }
    return datum;
  }

  APFloat value(const Datum &datum, int64_t i) { return APFloat(semantics(), APInt(width(), datum.bits(i))); }

  template <class Fn> void check(llvm::StringRef op, unsigned count, Fn reference) {
    std::string type = "tensor<" + std::to_string(lanes) + "x" + GetParam().type + ">", names, arguments;
    for (unsigned i = 0; i < count; ++i) {
      names += (i ? ", %x" : "%x") + std::to_string(i);
      arguments += (i ? ", %x" : "%x") + std::to_string(i) + ": " + type;
    }
    Program program("func.func @f(" + arguments + ") -> " + type + " { %y = " + op.str() + " " + names + " : " + type +
                    " return %y : " + type + " }");
    std::vector<Datum> data;
    for (unsigned i = 0; i < count; ++i) {
      data.push_back(numbers(program.argument(i)));
    }
    Interp interp({});
    ASSERT_TRUE(interp.runProgram(program.function(), data, {0, 0, 0}));
    const Datum &got = interp.returned()[0];
    for (int64_t i = 0; i < lanes; ++i) {
      SmallVector<APFloat> in;
      for (const Datum &datum : data) {
        in.push_back(value(datum, i));
      }
      APFloat expected = reference(in);
      if (expected.isNaN()) {
        ASSERT_TRUE(value(got, i).isNaN()) << op.str() << " lane " << i;
      } else {
        ASSERT_EQ(got.bits(i), expected.bitcastToAPInt().getZExtValue())
            << op.str() << " of " << in[0].convertToDouble() << " and " << in.back().convertToDouble();
      }
    }
  }

  template <class T> using SmallVector = llvm::SmallVector<T>;
  std::mt19937_64 random{42};
  static constexpr auto nearest = APFloat::rmNearestTiesToEven;
};

INSTANTIATE_TEST_SUITE_P(Types, FloatArith,
                         testing::Values(FloatCase{"f16", APFloat::IEEEhalf}, FloatCase{"bf16", APFloat::BFloat},
                                         FloatCase{"f32", APFloat::IEEEsingle}, FloatCase{"f64", APFloat::IEEEdouble}),
                         [](const auto &info) { return std::string(info.param.type); });
} // namespace

TEST_P(FloatArith, RoundsOnce) {
  auto binary = [](auto method) {
    return [method](llvm::ArrayRef<APFloat> in) {
      APFloat result = in[0];
      (result.*method)(in[1], nearest);
      return result;
    };
  };
  check("arith.addf", 2, binary(&APFloat::add));
  check("arith.subf", 2, binary(&APFloat::subtract));
  check("arith.mulf", 2, binary(&APFloat::multiply));
  check("arith.divf", 2, binary(&APFloat::divide));
  check("math.fma", 3, [](llvm::ArrayRef<APFloat> in) {
    APFloat result = in[0];
    result.fusedMultiplyAdd(in[1], in[2], nearest);
    return result;
  });
}

TEST_P(FloatArith, KeepsRoundingWhateverTheHostHasSet) {
  std::fesetround(FE_UPWARD);
  check("arith.addf", 2, [](llvm::ArrayRef<APFloat> in) {
    APFloat result = in[0];
    result.add(in[1], nearest);
    return result;
  });
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_TONEAREST);
}

TEST_P(FloatArith, OrdersZeros) {
  check("arith.maximumf", 2, [](llvm::ArrayRef<APFloat> in) { return llvm::maximum(in[0], in[1]); });
  check("arith.minimumf", 2, [](llvm::ArrayRef<APFloat> in) { return llvm::minimum(in[0], in[1]); });
  check("arith.maxnumf", 2, [](llvm::ArrayRef<APFloat> in) { return llvm::maximumnum(in[0], in[1]); });
  check("arith.minnumf", 2, [](llvm::ArrayRef<APFloat> in) { return llvm::minimumnum(in[0], in[1]); });
}

TEST_P(FloatArith, RemainsExactlyAsC) {
  check("arith.remf", 2, [](llvm::ArrayRef<APFloat> in) {
    APFloat result = in[0];
    result.mod(in[1]);
    return result;
  });
}

TEST_P(FloatArith, RoundsToIntegers) {
  auto rounded = [](llvm::RoundingMode mode) {
    return [mode](llvm::ArrayRef<APFloat> in) {
      APFloat result = in[0];
      result.roundToIntegral(mode);
      return result;
    };
  };
  check("math.floor", 1, rounded(APFloat::rmTowardNegative));
  check("math.ceil", 1, rounded(APFloat::rmTowardPositive));
  check("math.trunc", 1, rounded(APFloat::rmTowardZero));
  check("math.round", 1, rounded(APFloat::rmNearestTiesToAway));
  check("math.roundeven", 1, rounded(APFloat::rmNearestTiesToEven));
}

namespace {
class IntArith : public testing::TestWithParam<unsigned> {
public:
  unsigned width() { return GetParam(); }

  template <class Fn> void check(const std::string &op, Fn reference) {
    std::string type = "tensor<" + std::to_string(lanes) + "xi" + std::to_string(width()) + ">";
    std::string flag = op.find(" signed") != std::string::npos ? " signed" : "", name = op.substr(0, op.find(' '));
    Program program("func.func @f(%a: " + type + ", %b: " + type + ") -> " + type + " { %y = " + name + " %a, %b" +
                    flag + " : " + type + " return %y : " + type + " }");
    Datum a = program.argument(0), b = program.argument(1);
    uint64_t mask = UINT64_MAX >> (64 - width()), least = uint64_t(1) << (width() - 1);
    uint64_t special[] = {0, 1, 2, mask, least, least - 1, least + 1, mask - 1, width(), width() - 1};
    for (int64_t i = 0; i < lanes; ++i) {
      a.setBits(i, (i % 3 == 0 ? special[random() % 10] : random()) & mask);
      b.setBits(i, (i % 2 == 0 ? special[random() % 10] : random() >> (random() % 64)) & mask);
    }
    Interp interp({});
    ASSERT_TRUE(interp.runProgram(program.function(), {a, b}, {0, 0, 0}));
    const Datum &got = interp.returned()[0];
    for (int64_t i = 0; i < lanes; ++i) {
      APInt x(width(), a.bits(i)), y(width(), b.bits(i));
      ASSERT_EQ(got.bits(i), reference(x, y).getZExtValue()) << op << " of " << a.bits(i) << " and " << b.bits(i);
      ASSERT_FALSE(got.isPoison(i));
    }
  }

  std::mt19937_64 random{43};
};

INSTANTIATE_TEST_SUITE_P(Widths, IntArith, testing::Values(1u, 8u, 16u, 32u, 64u));
} // namespace

TEST_P(IntArith, Wraps) {
  check("arith.addi", [](APInt a, APInt b) { return a + b; });
  check("arith.subi", [](APInt a, APInt b) { return a - b; });
  check("arith.muli", [](APInt a, APInt b) { return a * b; });
  check("arith.andi", [](APInt a, APInt b) { return a & b; });
  check("arith.ori", [](APInt a, APInt b) { return a | b; });
  check("arith.xori", [](APInt a, APInt b) { return a ^ b; });
}

TEST_P(IntArith, Orders) {
  check("arith.maxsi", [](APInt a, APInt b) { return a.sgt(b) ? a : b; });
  check("arith.minsi", [](APInt a, APInt b) { return a.slt(b) ? a : b; });
  check("arith.maxui", [](APInt a, APInt b) { return a.ugt(b) ? a : b; });
  check("arith.minui", [](APInt a, APInt b) { return a.ult(b) ? a : b; });
}

TEST_P(IntArith, DividesTotally) {
  APInt ones = APInt::getAllOnes(width()), zero = APInt::getZero(width());
  check("tile.div signed", [&](APInt a, APInt b) { return b.isZero() ? ones : a.sdiv(b); });
  check("tile.div", [&](APInt a, APInt b) { return b.isZero() ? ones : a.udiv(b); });
  check("tile.rem signed", [&](APInt a, APInt b) { return b.isZero() ? a : b.isAllOnes() ? zero : a.srem(b); });
  check("tile.rem", [&](APInt a, APInt b) { return b.isZero() ? a : a.urem(b); });
}

TEST_P(IntArith, ShiftsTotally) {
  auto amount = [this](APInt b) { return static_cast<unsigned>(b.getLimitedValue(width())); };
  check("tile.shl", [&](APInt a, APInt b) { return a.shl(amount(b)); });
  check("tile.shr", [&](APInt a, APInt b) { return a.lshr(amount(b)); });
  check("tile.shr signed", [&](APInt a, APInt b) { return a.ashr(amount(b)); });
}

namespace {
struct CastCase {
  const char *from;
  const char *to;
};
class Cast : public testing::TestWithParam<CastCase> {};

std::vector<CastCase> castCases() {
  std::vector<CastCase> cases;
  const char *types[] = {"i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2"};
  for (const char *from : types) {
    for (const char *to : types) {
      if (llvm::StringRef(from).starts_with("i") != llvm::StringRef(to).starts_with("i")) {
        cases.push_back({from, to});
      }
    }
  }
  return cases;
}
INSTANTIATE_TEST_SUITE_P(Types, Cast, testing::ValuesIn(castCases()),
                         [](const auto &info) { return std::string(info.param.from) + "_" + info.param.to; });
} // namespace

TEST_P(Cast, BetweenIntegersAndFloats) {
  std::mt19937_64 random(44);
  for (bool isSigned : {false, true}) {
    std::string from = "tensor<5000x" + std::string(GetParam().from) + ">",
                to = "tensor<5000x" + std::string(GetParam().to) + ">";
    Program program("func.func @f(%x: " + from + ") -> " + to + " { %y = tile.cast %x " + (isSigned ? "signed" : "") +
                    " : " + from + " -> " + to + " return %y : " + to + " }");
    Datum source = program.argument(0);
    mlir::Type a = elementTypeOf(source.type);
    bool fromInteger = a.isInteger();
    unsigned width = a.getIntOrFloatBitWidth();
    for (int64_t i = 0; i < source.numElements(); ++i) {
      uint64_t bits = random() >> (fromInteger ? random() % 64 : 0);
      source.setBits(i, (bits ^ (fromInteger && i % 2 ? UINT64_MAX : 0)) & (UINT64_MAX >> (64 - width)));
    }
    Interp interp({});
    ASSERT_TRUE(interp.runProgram(program.function(), {source}, {0, 0, 0}));
    const Datum &got = interp.returned()[0];
    mlir::Type b = elementTypeOf(got.type);
    unsigned toWidth = b.getIntOrFloatBitWidth();
    for (int64_t i = 0; i < source.numElements(); ++i) {
      uint64_t expected;
      if (fromInteger) {
        APFloat value(llvm::cast<mlir::FloatType>(b).getFloatSemantics());
        value.convertFromAPInt(APInt(width, source.bits(i)), isSigned, APFloat::rmNearestTiesToEven);
        if (toWidth == 8 && !value.isFinite()) {
          value = APFloat::getLargest(value.getSemantics(), isSigned && APInt(width, source.bits(i)).isNegative());
        }
        expected = value.bitcastToAPInt().getZExtValue();
      } else {
        APFloat value(llvm::cast<mlir::FloatType>(a).getFloatSemantics(), APInt(width, source.bits(i)));
        APSInt integer(toWidth, !isSigned);
        bool isExact;
        value.convertToInteger(integer, APFloat::rmTowardZero, &isExact); // saturates; NaN gives 0
        expected = value.isNaN() ? 0 : integer.getZExtValue();
      }
      ASSERT_EQ(got.bits(i), expected) << (isSigned ? "signed " : "unsigned ") << source.bits(i);
    }
  }
}
