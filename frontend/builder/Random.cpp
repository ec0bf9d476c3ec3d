// Counter-based random numbers: Philox 4x32 and 4x64. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bit for bit what Triton gives: a kernel's numbers follow from seed and offset alone, on every target.
// Reference: Salmon et al., Parallel random numbers: as easy as 1, 2, 3 (2011).
#include "dialect/Tile/TileOps.h"
#include "frontend/builder/Session.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace pavage;
using namespace pavage::builder;

namespace {
struct Constants {
  uint64_t keyA, keyB, roundA, roundB;
};
} // namespace

static constexpr Constants narrowConstants = {0x9E3779B9, 0xBB67AE85, 0xD2511F53, 0xCD9E8D57};
static constexpr Constants wideConstants = {0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B, 0xD2E7470EE14C6C93,
                                            0xCA5A826395121157};

bool Session::philoxImpl(ArrayRef<Ref> counters, ArrayRef<Ref> keys, int rounds, Refs &outs) {
  Refs all;
  for (const Ref &v : llvm::concat<const Ref>(counters, keys)) {
    if (!checkNumber(v, "philox")) {
      return false;
    }
    all.push_back(v->isLiteral() ? v : toTensor(v));
  }
  if (rounds < 1 || rounds > 1024) {
    return fail(Code::BadRandom, "expected 1 .. 1024 rounds of philox, got " + Twine(rounds));
  }
  DType d = all[0]->isLiteral() ? u32 : all[0]->dtype;
  if (d != u32 && d != u64) {
    return fail(Code::BadRandom, "expected counters of uint32 or uint64 for philox, got " + describe(*all[0]));
  }
  // All six in one dtype and shape.
  Ref shaped = cast(toTensor(all[0]), d);
  for (Ref &v : all) {
    v = cast(v, d);
    Operands o = v ? broadcastPair(v, shaped) : Operands();
    if (!o) {
      return false;
    }
    shaped = o.y;
  }
  for (Ref &v : all) {
    v = asTileOf(v, shaped->shape);
  }
  const Constants &c = d == u32 ? narrowConstants : wideConstants;
  auto number = [&](uint64_t n) { return constantInt(d, Wide(n)); };
  mlir::Value a = asTileOf(number(c.roundA), shaped->shape)->ir, b = asTileOf(number(c.roundB), shaped->shape)->ir;
  mlir::Value stepA = asTileOf(number(c.keyA), shaped->shape)->ir, stepB = asTileOf(number(c.keyB), shaped->shape)->ir;
  mlir::Value c0 = all[0]->ir, c1 = all[1]->ir, c2 = all[2]->ir, c3 = all[3]->ir, k0 = all[4]->ir, k1 = all[5]->ir;
  for (int round = 0; round < rounds; ++round) {
    auto fromB = create<arith::MulUIExtendedOp>(b, c2), fromA = create<arith::MulUIExtendedOp>(a, c0);
    c0 = create<arith::XOrIOp>(create<arith::XOrIOp>(fromB.getHigh(), c1), k0);
    c2 = create<arith::XOrIOp>(create<arith::XOrIOp>(fromA.getHigh(), c3), k1);
    c1 = fromB.getLow();
    c3 = fromA.getLow();
    if (round + 1 < rounds) {
      k0 = create<arith::AddIOp>(k0, stepA);
      k1 = create<arith::AddIOp>(k1, stepB);
    }
  }
  for (mlir::Value v : {c0, c1, c2, c3}) {
    outs.push_back(tile(v, d));
  }
  return true;
}

static bool checkIntegers(Session &s, ArrayRef<Ref> values, const Twine &what) {
  for (const Ref &v : values) {
    if (!s.checkNumber(v, what)) {
      return false;
    }
    if (!v->dtype.isInteger() || v->dtype.isBool()) {
      return s.fail(Code::BadRandom, "expected integers for " + what + ", got " + describe(*v));
    }
  }
  return true;
}

bool Session::philox(const Ref &seed, ArrayRef<Ref> given, int rounds, Refs &outs) {
  if (!checkIntegers(*this, seed, "a seed") || !checkIntegers(*this, given, "the counters of philox")) {
    return false;
  }
  Ref wide = cast(seed, u64);
  bool isWide = given[0]->dtype.bits() == 64;
  DType d = isWide ? u64 : u32;
  Refs counters;
  for (const Ref &c : given) {
    counters.push_back(cast(c, d));
  }
  Ref lo = isWide ? wide : cast(wide, u32);
  Ref hi = isWide ? constantInt(u64, 0) : cast(binary(PV_SHR, wide, literalInt(32)), u32);
  return philoxImpl(counters, {lo, hi}, rounds, outs);
}

bool Session::random4(pv_random_kind kind, const Ref &seed, const Ref &offset, int rounds, Refs &outs) {
  if (!checkIntegers(*this, offset, "an offset")) {
    return false;
  }
  Ref at = toTensor(offset);
  Ref lo = cast(at, u32), zero = constantInt(u32, 0);
  Ref hi = at->dtype.bits() > 32 ? cast(binary(PV_SHR, at, literalInt(32)), u32) : zero;
  Refs numbers;
  if (!philox(seed, {lo, hi, zero, zero}, rounds, numbers)) {
    return false;
  }
  if (kind == PV_RANDINT) {
    outs = numbers;
    return true;
  }
  for (Ref &n : numbers) {
    n = uniform(n);
    if (!n) {
      return false;
    }
  }
  if (kind == PV_RANDN) {
    Operands first = normal(numbers[0], numbers[1]), second = first ? normal(numbers[2], numbers[3]) : Operands();
    numbers = {first.x, first.y, second.x, second.y};
    if (!second) {
      return false;
    }
  } else if (kind != PV_RAND) {
    return fail(Code::BuilderMisuse, "expected a kind of random numbers, got number " + Twine(int(kind)));
  }
  outs = numbers;
  return true;
}

Ref Session::random(pv_random_kind kind, const Ref &seed, const Ref &offset, int rounds) {
  Refs all;
  if (kind == PV_RANDN) {
    // Two of the four numbers make one normal deviate.
    Refs pair;
    if (!random4(PV_RAND, seed, offset, rounds, pair)) {
      return {};
    }
    return normal(pair[0], pair[1]).x;
  }
  return random4(kind, seed, offset, rounds, all) ? all[0] : Ref();
}

Ref Session::uniform(const Ref &given) {
  Ref x = toTensor(given);
  if (!x) {
    return {};
  }
  DType d = x->dtype;
  if (!d.isInteger() || d.bits() < 32) {
    return fail(Code::BadRandom, "expected integers of 32 or 64 bits for uint_to_uniform_float, got " + describe(*x));
  }
  bool isWide = d.bits() == 64;
  Ref s = bitcast(x, isWide ? i64 : i32);
  Ref isNegative = compare(PV_LT, s, literalInt(0));
  Ref magnitude = where(isNegative, unary(PV_INVERT, s), s); // -s - 1
  // The largest factor that keeps every product below 1 after rounding.
  return mul(magnitude, literalFloat(isWide ? 1.0842020432385337e-19 : 4.6566127342e-10));
}

Operands Session::normal(const Ref &u1, const Ref &u2) {
  Ref positive = u1 && u2 ? extremum(PV_MAXIMUM, literalFloat(1.0e-7), u1) : Ref();
  Ref angle = positive ? mul(literalFloat(6.283185307179586), u2) : Ref();
  Ref logarithm = angle ? unary(PV_LOG, positive) : Ref();
  Ref radius = logarithm ? unary(PV_SQRT, mul(literalFloat(-2.0), logarithm)) : Ref();
  if (!radius) {
    return {};
  }
  return {mul(radius, unary(PV_COS, angle)), mul(radius, unary(PV_SIN, angle))};
}
