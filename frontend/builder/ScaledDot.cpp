// dot_scaled: products in microscaling formats. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By decomposition: each side is widened to one 16-bit float type, times its scales, and multiplied by dot. Widening is
// exact, and so is a power of two as scale, within the range of that type.
//
//   dot_scaled(a, sa, "e4m3", b, None, "bf16")  ->  dot((a.to(f32) * sa[:, group of k]).to(bf16), b, out_dtype=f32)
#include "frontend/builder/Session.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace pavage;
using namespace pavage::builder;

namespace {

/// One operand, checked. Axes are counted from the tile as it is multiplied: [.., M, K] or [.., K, N].
struct Side {
  const char *name;
  bool isLeft;
  DType format;            ///< none: e2m1, two to a byte
  bool packsOuter = false; ///< e2m1: along M or N instead of K
  Ref elements, scale;
  Shape shape;       ///< unpacked
  int64_t group = 0; ///< elements to a scale; 0 without scale

  size_t inner() const { return shape.size() - (isLeft ? 1 : 2); }
  size_t outer() const { return shape.size() - (isLeft ? 2 : 1); }
  std::string text(StringRef what) const { return (what + " of the " + name + " side of dot_scaled").str(); }
};

} // namespace

static bool checkElements(Session &s, Side &side, StringRef format) {
  auto known = llvm::StringSwitch<std::optional<DType>>(format)
                   .Case("e2m1", DType())
                   .Case("e4m3", f8e4nv)
                   .Case("e5m2", f8e5)
                   .Case("bf16", bf16)
                   .Case("fp16", f16)
                   .Default(std::nullopt);
  if (!known) {
    return s.fail(Code::BadDotOption, "expected 'e2m1', 'e4m3', 'e5m2', 'bf16' or 'fp16' for " +
                                          side.text("the format") + ", got '" + format + "'");
  }
  side.format = *known;
  if (side.packsOuter && side.format) {
    return s.fail(Code::BadDotOption, "expected elements packed along K for " +
                                          side.text("the format " + format.str()) + ", got k_pack False");
  }
  if (!s.checkTile(side.elements, side.text("the elements"))) {
    return false;
  }
  DType carrier = side.format && side.format.bits() == 16 ? u16 : u8, given = side.elements->dtype;
  if (given != carrier && !(side.format && given == side.format)) {
    std::string expected = (side.format ? side.format.name() + " or " : std::string()) + carrier.name();
    return s.fail(Code::DotType, "expected " + expected + " elements for " + side.text("the format " + format.str()) +
                                     ", got " + describe(*side.elements));
  }
  side.shape = side.elements->shape;
  if (side.shape.size() != 2 && side.shape.size() != 3) {
    return s.fail(Code::DotShape, "expected a tile of rank 2 or 3 as " + side.text("the elements") + ", got " +
                                      describe(*side.elements));
  }
  if (!side.format) {
    side.shape[side.packsOuter ? side.outer() : side.inner()] *= 2;
  }
  return s.checkShape(side.shape, "dot_scaled"); // what is built below cannot fail then
}

static bool checkScale(Session &s, Side &side) {
  if (!side.scale) {
    return true;
  }
  if (!s.checkTile(side.scale, side.text("the scales"))) {
    return false;
  }
  DType given = side.scale->dtype;
  if (given != u8 && given != f8e4nv) {
    return s.fail(Code::DotType, "expected uint8 (e8m0) or " + f8e4nv.name() + " for " + side.text("the scales") +
                                     ", got " + describe(*side.scale));
  }
  int64_t k = side.shape[side.inner()];
  Shape expected(side.shape.begin(), side.shape.end() - 2);
  expected.append({side.shape[side.outer()], k / 32});
  for (int64_t group : {32, 16}) {
    expected.back() = k / group;
    if (k % group == 0 && ArrayRef<int64_t>(side.scale->shape) == ArrayRef<int64_t>(expected)) {
      side.group = group;
      return true;
    }
  }
  expected.pop_back();
  return s.fail(Code::DotShape, "expected the extents " + toString(expected) + " and then " + Twine(k) +
                                    " / 32 or / 16 for " + side.text("the scales") + ", got " + describe(*side.scale));
}

/// Four bits each, sign, exponent, mantissa, as bfloat16: 0, 0.5, 1, 1.5, 2, 3, 4, 6.
static Ref fromE2M1(Session &s, const Ref &nibble) {
  auto number = [](int64_t n) { return literalInt(n); };
  Ref bits = s.cast(nibble, u16);
  Ref magnitude = s.binary(PV_AND, bits, number(7));
  Ref normal = s.add(s.binary(PV_SHL, magnitude, number(6)), number(0x3F00));
  Ref small = s.mul(magnitude, number(0x3F00)); // 0 or 0.5: no exponent to add to
  Ref sign = s.binary(PV_SHL, s.binary(PV_AND, bits, number(8)), number(12));
  Ref isSmall = s.binary(PV_LT, magnitude, number(2));
  return s.bitcast(s.binary(PV_OR, s.where(isSmall, small, normal), sign), bf16);
}

static Ref unpack(Session &s, const Side &side) {
  const Ref &x = side.elements;
  size_t axis = side.packsOuter ? side.outer() : side.inner(), rank = x->shape.size();
  Ref pair = s.join(fromE2M1(s, s.binary(PV_AND, x, literalInt(15))), fromE2M1(s, s.binary(PV_SHR, x, literalInt(4))));
  SmallVector<int64_t> order;
  for (size_t i = 0; i < rank; ++i) {
    order.push_back(i);
    if (i == axis) {
      order.push_back(rank);
    }
  }
  return s.reshape(s.trans(pair, ArrayRef<int64_t>(order)), side.shape);
}

/// The scales as float32 in the shape of the elements. e8m0 is an exponent alone; 255 stands for NaN.
static Ref spreadScale(Session &s, const Side &side, bool fastMath) {
  Ref scale;
  if (side.scale->dtype == u8) {
    Ref wide = s.cast(side.scale, u32);
    Ref bits = s.binary(PV_SHL, wide, literalInt(23));
    bits = s.where(s.binary(PV_EQ, wide, literalInt(0)), literalInt(0x00400000), bits); // 2^-127 is a denormal
    if (!fastMath) {
      bits = s.where(s.binary(PV_EQ, wide, literalInt(255)), literalInt(0x7FC00000), bits);
    }
    scale = s.bitcast(bits, f32);
  } else {
    scale = s.cast(side.scale, f32);
  }
  Shape shape = side.scale->shape;
  shape.push_back(side.group);
  int64_t last = -1;
  scale = s.broadcastTo(s.expandDims(scale, last), shape);
  shape.pop_back();
  shape.back() *= side.group;
  scale = s.reshape(scale, shape);
  return side.isLeft ? scale : s.trans(scale, std::nullopt);
}

static Ref widen(Session &s, const Side &side, DType compute, bool fastMath) {
  Ref x = side.format ? s.bitcast(side.elements, side.format) : unpack(s, side);
  if (!side.scale) {
    return s.cast(x, compute);
  }
  return s.cast(s.mul(s.cast(x, f32), spreadScale(s, side, fastMath)), compute);
}

Ref Session::dotScaled(const pv_scaled &lhs, const pv_scaled &rhs, const Ref &acc, bool fastMath, DType outDType) {
  auto text = [](const char *format) { return StringRef(format ? format : ""); };
  Side left{"left", true, {}, lhs.packs_outer != 0, lhs.elements, lhs.scale, {}};
  Side right{"right", false, {}, rhs.packs_outer != 0, rhs.elements, rhs.scale, {}};
  if (!checkElements(*this, left, text(lhs.format)) || !checkElements(*this, right, text(rhs.format))) {
    return {};
  }
  if (left.shape.size() != right.shape.size() || left.shape[left.inner()] != right.shape[right.inner()]) {
    return fail(Code::DotShape, "expected two tiles of rank 2 or 3 with equal inner extents for dot_scaled, got " +
                                    describe(*left.elements) + " and " + describe(*right.elements) + ", which are " +
                                    toString(left.shape) + " and " + toString(right.shape) + " unpacked");
  }
  if (!checkScale(*this, left) || !checkScale(*this, right)) {
    return {};
  }
  if (left.group && right.group && left.group != right.group) {
    return fail(Code::DotShape, "expected groups of one size on both sides of dot_scaled, got " + Twine(left.group) +
                                    " and " + Twine(right.group) + " elements to a scale");
  }
  if (outDType && outDType != f32) {
    return fail(Code::DotType, "expected float32 as result of dot_scaled, got " + outDType.name());
  }
  // float16 where a side is float16, else bfloat16; neither holds the other.
  auto has = [&](DType d) { return left.format == d || right.format == d; };
  DType compute = !has(f16) ? bf16 : has(bf16) ? f32 : f16;
  Ref x = widen(*this, left, compute, fastMath), y = x ? widen(*this, right, compute, fastMath) : Ref();
  pv_dot_options options{};
  options.acc = acc.get();
  options.out_dtype = PV_FLOAT32;
  return x && y ? dot(x, y, options) : Ref();
}
