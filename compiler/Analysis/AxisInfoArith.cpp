// Runs of consecutive and of equal elements: integer and pointer arithmetic. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "compiler/Analysis/AxisInfo.h"

#include "compiler/Support/IntMath.h"
#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>
#include <numeric>

using namespace mlir;
using pavage::support::anyDivisor;

namespace pavage::analysis {

namespace {

/// Bits at which sums of this type wrap; pointers and index wrap where addresses do.
unsigned widthOf(Type type) {
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  return integer ? integer.getWidth() : 64;
}

/// Shortens runs that may cross the signed wrap of a narrow type: a run of length c that starts at a multiple of d >=
/// c, a power of two, does not.
void makeExact(AxisInfo &info, unsigned width) {
  if (width >= 64) {
    return;
  }
  for (unsigned axis = 0; axis < info.rank(); ++axis) {
    int64_t run = info.contiguity[axis];
    int64_t divisor = info.divisibility[axis];
    if (run > divisor) {
      int64_t shorter = std::min(support::powerOfTwoPart(run), divisor);
      info.divisibility[axis] = info.divisibilityAt(axis, shorter);
      info.contiguity[axis] = shorter;
    }
  }
}

/// x + y, x - y, or pointer + offset, where y counts `scale` each.
AxisInfo sum(Type type, const AxisInfo &x, const AxisInfo &y, bool subtracts, int64_t scale, unsigned width) {
  AxisInfo info = axisInfoOfElementwise(type, {x, y});
  for (unsigned axis = 0; axis < info.rank(); ++axis) {
    int64_t run = std::gcd(x.contiguity[axis], y.constancy[axis]);
    if (!subtracts) {
      run = std::max(run, std::gcd(x.constancy[axis], y.contiguity[axis]));
    }
    info.contiguity[axis] = run;
    int64_t divisorOfY = support::multiplyDivisors(y.divisibilityAt(axis, run), support::powerOfTwoPart(scale));
    info.divisibility[axis] = std::min(x.divisibilityAt(axis, run), divisorOfY);
  }
  if (x.constant && y.constant && scale == 1) {
    APInt value = subtracts ? APInt(64, *x.constant) - APInt(64, *y.constant) : APInt(64, *x.constant) + *y.constant;
    info.constant = value.trunc(std::min(width, 64u)).sext(64).getSExtValue();
    info.isNonNegative = *info.constant >= 0;
  }
  makeExact(info, width);
  return info;
}

AxisInfo product(Type type, const AxisInfo &x, const AxisInfo &y) {
  AxisInfo info = axisInfoOfElementwise(type, {x, y});
  int64_t divisor = support::multiplyDivisors(x.divisibilityOfAll(), y.divisibilityOfAll());
  for (unsigned axis = 0; axis < info.rank(); ++axis) {
    info.divisibility[axis] =
        std::max(divisor, support::multiplyDivisors(x.divisibilityAt(axis, 1), y.divisibilityAt(axis, 1)));
  }
  return info;
}

/// x / c for a positive constant c: runs of length g that start at multiples of g, where g divides c, have one
/// quotient; so it is from zero up only, as quotients of negative numbers go toward zero.
AxisInfo quotient(Type type, const AxisInfo &x, const AxisInfo &y) {
  AxisInfo info = axisInfoOfElementwise(type, {x, y});
  if (!x.isNonNegative || !y.constant || *y.constant <= 0) {
    return info;
  }
  int64_t power = support::powerOfTwoPart(*y.constant);
  for (unsigned axis = 0; axis < info.rank(); ++axis) {
    int64_t run = std::min({support::powerOfTwoPart(x.contiguity[axis]), x.divisibility[axis], power});
    if (x.contiguity[axis] > 1) {
      info.constancy[axis] = std::max(info.constancy[axis], run);
    }
    if (power == *y.constant) {
      info.divisibility[axis] = std::max<int64_t>(1, x.divisibilityAt(axis, 1) / power);
    }
  }
  info.isNonNegative = true;
  return info;
}

/// The low bits of x below a power of two: x % power for x >= 0, x & (power - 1) for any x.
AxisInfo lowBits(Type type, const AxisInfo &x, const AxisInfo &y, int64_t power) {
  AxisInfo info = axisInfoOfElementwise(type, {x, y});
  for (unsigned axis = 0; axis < info.rank(); ++axis) {
    int64_t run = std::min({support::powerOfTwoPart(x.contiguity[axis]), x.divisibility[axis], power});
    info.contiguity[axis] = run;
    info.divisibility[axis] = x.divisibilityAt(axis, run);
    if (info.divisibility[axis] >= power) {
      info.divisibility[axis] = anyDivisor; // the low bits of a multiple of the power are zero
    }
  }
  info.isNonNegative = true;
  return info;
}

/// x < y and its kin. Along a run of x that starts at a multiple of d and ends before the next one, a y that is a
/// multiple of d is either above all elements or above none.
AxisInfo comparison(arith::CmpIOp op, const AxisInfo &lhs, const AxisInfo &rhs) {
  AxisInfo info = axisInfoOfElementwise(op.getType(), {lhs, rhs});
  const AxisInfo *runs = nullptr;
  const AxisInfo *bound = nullptr;
  switch (op.getPredicate()) {
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::sge:
    runs = &lhs;
    bound = &rhs;
    break;
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::sle:
    runs = &rhs;
    bound = &lhs;
    break;
  default:
    return info;
  }
  if (widthOf(op.getLhs().getType()) >= 64) {
    return info; // their runs may cross the wrap
  }
  for (unsigned axis = 0; axis < info.rank(); ++axis) {
    int64_t run = std::gcd(support::powerOfTwoPart(runs->contiguity[axis]), bound->constancy[axis]);
    run = std::min({run, runs->divisibility[axis], bound->divisibilityAt(axis, 1)});
    info.constancy[axis] = std::max(info.constancy[axis], run);
  }
  return info;
}

AxisInfo selection(arith::SelectOp op, ArrayRef<AxisInfo> operands) {
  const AxisInfo &condition = operands[0];
  const AxisInfo &x = operands[1];
  const AxisInfo &y = operands[2];
  bool isUniform = !isa<RankedTensorType>(op.getCondition().getType());
  SmallVector<int64_t> extents = extentsOf(op.getType());
  AxisInfo info = x;
  for (unsigned axis = 0; axis < info.rank(); ++axis) {
    int64_t same = isUniform ? extents[axis] : condition.constancy[axis];
    int64_t run = std::gcd(std::gcd(x.contiguity[axis], y.contiguity[axis]), same);
    info.contiguity[axis] = run;
    info.divisibility[axis] = std::min(x.divisibilityAt(axis, run), y.divisibilityAt(axis, run));
    info.constancy[axis] = std::gcd(std::gcd(x.constancy[axis], y.constancy[axis]), same);
  }
  info.isNonNegative = x.isNonNegative && y.isNonNegative;
  info.constant = x.constant && x.constant == y.constant ? x.constant : std::nullopt;
  return info;
}

/// min and max choose one of their operands, lane by lane.
AxisInfo choice(Type type, const AxisInfo &x, const AxisInfo &y, bool isNonNegative) {
  AxisInfo info = axisInfoOfElementwise(type, {x, y});
  for (unsigned axis = 0; axis < info.rank(); ++axis) {
    info.divisibility[axis] = std::min(x.divisibilityAt(axis, 1), y.divisibilityAt(axis, 1));
  }
  info.isNonNegative = isNonNegative;
  return info;
}

/// Conversions between integers. Narrowing wraps, and reading the sign bit as a value breaks runs through zero.
AxisInfo conversion(Type from, Type to, const AxisInfo &x, bool isSigned) {
  AxisInfo info = x;
  unsigned before = widthOf(from);
  unsigned after = widthOf(to);
  if (after < before) {
    info.isNonNegative = false;
    if (info.constant) {
      info.constant = APInt(64, *info.constant).trunc(after).sext(64).getSExtValue();
      info.isNonNegative = *info.constant >= 0;
    }
    makeExact(info, after);
  } else if (after > before && !isSigned && !x.isNonNegative) {
    makeExact(info, before);
    info.isNonNegative = true;
    if (info.constant) {
      info.constant = APInt(64, *info.constant).trunc(before).zext(64).getSExtValue();
    }
  }
  return info;
}

bool isPlainInteger(Type type) { return isa<IntegerType, IndexType>(getElementTypeOrSelf(type)); }

/// The power of two 2^k when the value is 2^k - 1 or, for `exact`, 2^k itself; else 0.
int64_t powerOf(const AxisInfo &y, bool isMask) {
  if (!y.constant || *y.constant <= 0 || *y.constant == INT64_MAX) {
    return 0;
  }
  int64_t value = *y.constant + (isMask ? 1 : 0);
  return support::powerOfTwoPart(value) == value ? value : 0;
}

} // namespace

std::optional<AxisInfo> axisInfoOfArith(Operation *op, ArrayRef<AxisInfo> operands) {
  Type type = op->getResult(0).getType();
  unsigned width = widthOf(type);
  // i1 is true or false, and its sums are exclusive ors.
  if (width == 1 && !isa<arith::CmpIOp>(op)) {
    return std::nullopt;
  }
  return TypeSwitch<Operation *, std::optional<AxisInfo>>(op)
      .Case<arith::AddIOp>([&](auto) { return sum(type, operands[0], operands[1], false, 1, width); })
      .Case<arith::SubIOp>([&](auto) { return sum(type, operands[0], operands[1], true, 1, width); })
      .Case([&](tile::AddPtrOp add) {
        int64_t stride = cast<tile::PtrType>(getElementTypeOrSelf(type)).getStride();
        return sum(type, operands[0], operands[1], false, stride, 64);
      })
      .Case<arith::MulIOp>([&](auto) { return product(type, operands[0], operands[1]); })
      .Case<arith::ShLIOp, tile::ShlOp>([&](auto) -> std::optional<AxisInfo> {
        std::optional<int64_t> amount = operands[1].constant;
        if (!amount || *amount < 0 || *amount >= width || *amount > 61) {
          return std::nullopt;
        }
        AxisInfo factor = operands[1];
        factor.divisibility.assign(factor.rank(), int64_t{1} << *amount);
        return product(type, operands[0], factor);
      })
      .Case<tile::ShrOp, arith::ShRUIOp, arith::ShRSIOp>([&](auto) -> std::optional<AxisInfo> {
        std::optional<int64_t> amount = operands[1].constant;
        if (!amount || *amount < 0 || *amount >= width || *amount > 61) {
          return std::nullopt;
        }
        AxisInfo divisor = operands[1];
        divisor.constant = int64_t{1} << *amount;
        return quotient(type, operands[0], divisor);
      })
      .Case<tile::DivOp>([&](auto) { return quotient(type, operands[0], operands[1]); })
      .Case<tile::RemOp>([&](auto) -> std::optional<AxisInfo> {
        int64_t power = powerOf(operands[1], /*isMask=*/false);
        if (!operands[0].isNonNegative) {
          return std::nullopt;
        }
        if (power > 0) {
          return lowBits(type, operands[0], operands[1], power);
        }
        AxisInfo info = axisInfoOfElementwise(type, operands);
        info.isNonNegative = true;
        return info;
      })
      .Case<arith::AndIOp>([&](auto) -> std::optional<AxisInfo> {
        if (int64_t power = powerOf(operands[1], /*isMask=*/true)) {
          return lowBits(type, operands[0], operands[1], power);
        }
        return choice(type, operands[0], operands[1], operands[0].isNonNegative || operands[1].isNonNegative);
      })
      .Case<arith::MinSIOp>([&](auto) {
        return choice(type, operands[0], operands[1], operands[0].isNonNegative && operands[1].isNonNegative);
      })
      .Case<arith::MaxSIOp>([&](auto) {
        return choice(type, operands[0], operands[1], operands[0].isNonNegative || operands[1].isNonNegative);
      })
      .Case([&](arith::CmpIOp compare) { return comparison(compare, operands[0], operands[1]); })
      .Case([&](arith::SelectOp select) { return selection(select, operands); })
      .Case<arith::ExtSIOp>([&](auto extend) { return conversion(extend.getIn().getType(), type, operands[0], true); })
      .Case<arith::ExtUIOp, arith::TruncIOp, arith::IndexCastUIOp>(
          [&](auto convert) { return conversion(convert.getIn().getType(), type, operands[0], false); })
      .Case<arith::IndexCastOp>(
          [&](auto convert) { return conversion(convert.getIn().getType(), type, operands[0], true); })
      .Case([&](tile::CastOp cast) -> std::optional<AxisInfo> {
        if (!isPlainInteger(cast.getSrc().getType()) || !isPlainInteger(type) ||
            widthOf(cast.getSrc().getType()) == 1) {
          return std::nullopt;
        }
        return conversion(cast.getSrc().getType(), type, operands[0], cast.getIsSigned());
      })
      .Default(std::nullopt);
}

} // namespace pavage::analysis
