// Runs of consecutive and of equal elements: shapes, memory, arguments. SPDX-License-Identifier: Apache-2.0 WITH
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

// --- The lattice -----------------------------------------------------------------------------------------------------

int64_t AxisInfo::divisibilityAt(unsigned axis, int64_t step) const {
  int64_t run = contiguity[axis];
  if (step % run == 0) {
    return divisibility[axis];
  }
  return std::min(divisibility[axis], support::powerOfTwoPart(std::gcd(step, run)));
}

int64_t AxisInfo::divisibilityOfAll() const {
  int64_t best = 1;
  for (unsigned axis = 0; axis < rank(); ++axis) {
    best = std::max(best, divisibilityAt(axis, 1));
  }
  return best;
}

AxisInfo AxisInfo::join(const AxisInfo &a, const AxisInfo &b) {
  AxisInfo result;
  for (unsigned axis = 0; axis < a.rank(); ++axis) {
    int64_t run = std::gcd(a.contiguity[axis], b.contiguity[axis]);
    result.contiguity.push_back(run);
    result.divisibility.push_back(std::min(a.divisibilityAt(axis, run), b.divisibilityAt(axis, run)));
    result.constancy.push_back(std::gcd(a.constancy[axis], b.constancy[axis]));
  }
  result.isNonNegative = a.isNonNegative && b.isNonNegative;
  if (a.constant && b.constant && *a.constant == *b.constant) {
    result.constant = a.constant;
  }
  return result;
}

bool AxisInfo::operator==(const AxisInfo &other) const {
  return contiguity == other.contiguity && divisibility == other.divisibility && constancy == other.constancy &&
         isNonNegative == other.isNonNegative && constant == other.constant;
}

SmallVector<int64_t> extentsOf(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    return SmallVector<int64_t>(tensor.getShape());
  }
  return {1};
}

static AxisInfo unknownOf(Type type) {
  AxisInfo info;
  size_t rank = extentsOf(type).size();
  info.contiguity.assign(rank, 1);
  info.divisibility.assign(rank, 1);
  info.constancy.assign(rank, 1);
  return info;
}

/// Equal everywhere.
static AxisInfo uniform(Type type, int64_t divisibility, bool isNonNegative, std::optional<int64_t> constant) {
  AxisInfo info = unknownOf(type);
  SmallVector<int64_t> extents = extentsOf(type);
  info.constancy.assign(extents.begin(), extents.end());
  info.divisibility.assign(extents.size(), divisibility);
  info.isNonNegative = isNonNegative;
  info.constant = constant;
  return info;
}

AxisInfo axisInfoOfElementwise(Type type, ArrayRef<AxisInfo> operands) {
  AxisInfo info = unknownOf(type);
  SmallVector<int64_t> extents = extentsOf(type);
  for (unsigned axis = 0; axis < info.rank(); ++axis) {
    int64_t run = extents[axis];
    for (const AxisInfo &operand : operands) {
      if (operand.rank() == info.rank()) {
        run = std::gcd(run, operand.constancy[axis]);
      } // else a scalar beside tiles, which is equal everywhere
    }
    info.constancy[axis] = run;
  }
  return info;
}

// --- Shapes, memory, sources -----------------------------------------------------------------------------------------

static AxisInfo constantInfo(arith::ConstantOp op) {
  Type type = op.getType();
  if (auto integer = dyn_cast<IntegerAttr>(op.getValue())) {
    int64_t value = integer.getValue().getSExtValue();
    return uniform(type, support::divisorOf(value), value >= 0, value);
  }
  auto elements = dyn_cast<DenseIntElementsAttr>(op.getValue());
  if (!elements) {
    bool isSplat = isa<FloatAttr, SplatElementsAttr>(op.getValue());
    return isSplat ? uniform(type, 1, false, std::nullopt) : unknownOf(type);
  }
  if (elements.isSplat()) {
    int64_t value = elements.getSplatValue<APInt>().getSExtValue();
    return uniform(type, support::divisorOf(value), value >= 0, value);
  }
  AxisInfo info = unknownOf(type);
  int64_t divisor = anyDivisor;
  info.isNonNegative = true;
  for (const APInt &value : elements.getValues<APInt>()) {
    divisor = std::min(divisor, support::divisorOf(value.getSExtValue()));
    info.isNonNegative &= !value.isNegative();
  }
  info.divisibility.assign(info.rank(), divisor);
  return info;
}

static AxisInfo iotaInfo(tile::IotaOp op) {
  AxisInfo info = unknownOf(op.getType());
  auto type = cast<RankedTensorType>(op.getType());
  int64_t start = op.getStart();
  int64_t extent = type.getDimSize(0);
  std::optional<int64_t> last = support::checkedAdd(start, extent - 1);
  unsigned width = type.getElementTypeBitWidth();
  bool wraps = !last || (width < 64 && (*last >= (int64_t{1} << (width - 1)) || start < -(int64_t{1} << (width - 1))));
  info.contiguity[0] = wraps ? 1 : extent;
  info.divisibility[0] = wraps ? 1 : support::divisorOf(start);
  info.isNonNegative = !wraps && start >= 0;
  return info;
}

static AxisInfo expandInfo(tile::ExpandDimsOp op, AxisInfo info) {
  unsigned axis = op.getAxis();
  int64_t divisor = info.divisibilityOfAll();
  info.contiguity.insert(info.contiguity.begin() + axis, 1);
  info.constancy.insert(info.constancy.begin() + axis, 1);
  info.divisibility.insert(info.divisibility.begin() + axis, divisor);
  return info;
}

static AxisInfo broadcastInfo(tile::BroadcastOp op, AxisInfo info) {
  SmallVector<int64_t> from = extentsOf(op.getSrc().getType());
  SmallVector<int64_t> to = extentsOf(op.getType());
  for (unsigned axis = 0; axis < to.size(); ++axis) {
    if (from[axis] != to[axis]) {
      info.constancy[axis] = to[axis];
      info.contiguity[axis] = 1;
    }
  }
  return info;
}

static AxisInfo transInfo(tile::TransOp op, const AxisInfo &source) {
  AxisInfo info = source;
  for (auto [axis, from] : llvm::enumerate(op.getOrder())) {
    info.contiguity[axis] = source.contiguity[from];
    info.divisibility[axis] = source.divisibility[from];
    info.constancy[axis] = source.constancy[from];
  }
  return info;
}

/// Elements in other places: what holds of each of them, and runs only where all elements are equal.
static AxisInfo rearrangedInfo(Type type, ArrayRef<AxisInfo> operands, ValueRange sources) {
  AxisInfo info = unknownOf(type);
  int64_t divisor = anyDivisor;
  bool isNonNegative = true;
  bool isUniform = operands.size() == 1;
  for (auto [operand, source] : llvm::zip(operands, sources)) {
    divisor = std::min(divisor, operand.divisibilityOfAll());
    isNonNegative &= operand.isNonNegative;
    SmallVector<int64_t> extents = extentsOf(source.getType());
    isUniform &= llvm::equal(operand.constancy, extents);
  }
  if (isUniform) {
    return uniform(type, divisor, isNonNegative, operands.front().constant);
  }
  info.divisibility.assign(info.rank(), divisor);
  info.isNonNegative = isNonNegative;
  return info;
}

/// Axes of extent 1 that come and go change nothing on the others; neither does an axis cut into rows, along the rows.
static AxisInfo reshapeInfo(tile::ReshapeOp op, const AxisInfo &source) {
  SmallVector<int64_t> from = extentsOf(op.getSrc().getType()), to = extentsOf(op.getType());
  AxisInfo info = rearrangedInfo(op.getType(), source, op.getSrc());
  auto isLong = [](int64_t extent) { return extent != 1; };
  if (llvm::equal(llvm::make_filter_range(from, isLong), llvm::make_filter_range(to, isLong))) {
    unsigned axis = 0;
    for (unsigned own = 0; own < from.size(); ++own) {
      if (from[own] == 1) {
        continue;
      }
      while (to[axis] == 1) {
        ++axis;
      }
      info.contiguity[axis] = source.contiguity[own];
      info.divisibility[axis] = source.divisibility[own];
      info.constancy[axis] = source.constancy[own];
      ++axis;
    }
  } else if (!source.constant && from.back() % to.back() == 0) {
    int64_t run = std::gcd(source.contiguity.back(), to.back());
    info.contiguity.back() = std::max(info.contiguity.back(), run);
    info.divisibility.back() = std::max(info.divisibility.back(), source.divisibilityAt(source.rank() - 1, run));
    info.constancy.back() = std::max(info.constancy.back(), std::gcd(source.constancy.back(), to.back()));
  }
  return info;
}

static AxisInfo hintInfo(tile::HintOp op, AxisInfo info) {
  auto raise = [](AxisInfo::Extents &known, ArrayRef<int64_t> promised, bool isDivisor) {
    for (auto [value, promise] : llvm::zip(known, promised)) {
      value = std::max(value, isDivisor ? support::powerOfTwoPart(promise) : promise);
    }
  };
  raise(info.contiguity, op.getContiguity(), false);
  raise(info.divisibility, op.getDivisibility(), true);
  raise(info.constancy, op.getConstancy(), false);
  return info;
}

std::optional<AxisInfo> AxisInfoAnalysis::transferShape(Operation *op, ArrayRef<AxisInfo> operands) const {
  return TypeSwitch<Operation *, std::optional<AxisInfo>>(op)
      .Case([&](arith::ConstantOp constant) { return constantInfo(constant); })
      .Case([&](tile::IotaOp iota) { return iotaInfo(iota); })
      .Case<tile::ProgramIdOp, tile::NumProgramsOp>(
          [&](auto id) { return uniform(id.getType(), 1, /*isNonNegative=*/true, std::nullopt); })
      .Case([&](tile::SplatOp splat) {
        const AxisInfo &source = operands[0];
        return uniform(splat.getType(), source.divisibility[0], source.isNonNegative, source.constant);
      })
      .Case([&](tile::ReshapeOp reshape) { return reshapeInfo(reshape, operands[0]); })
      .Case<tile::UnsplatOp, tile::JoinOp, tile::SplitOp, tile::CatOp, tile::SliceOp>(
          [&](auto) { return rearrangedInfo(op->getResult(0).getType(), operands, op->getOperands()); })
      .Case([&](tile::ExpandDimsOp expand) { return expandInfo(expand, operands[0]); })
      .Case([&](tile::BroadcastOp broadcast) { return broadcastInfo(broadcast, operands[0]); })
      .Case([&](tile::TransOp trans) { return transInfo(trans, operands[0]); })
      .Case([&](tile::HintOp hint) { return trustHints ? hintInfo(hint, operands[0]) : operands[0]; })
      // Equal addresses give equal elements: a load reads everything before anything is written.
      .Case([&](tile::LoadOp load) { return axisInfoOfElementwise(load.getType(), operands); })
      .Default(std::nullopt);
}

// --- The analysis ----------------------------------------------------------------------------------------------------

AxisInfoAnalysis::AxisInfoAnalysis(func::FuncOp function, bool trustHints)
    : function(function), trustHints(trustHints) {
  run(function);
}

AxisInfo AxisInfoAnalysis::unknown(Value value) const { return unknownOf(value.getType()); }

AxisInfo AxisInfoAnalysis::argument(BlockArgument argument) const {
  AxisInfo info = unknown(argument);
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    AxisInfo lower = get(loop.getLowerBound());
    info.divisibility[0] = std::min(lower.divisibility[0], get(loop.getStep()).divisibility[0]);
    info.isNonNegative = lower.isNonNegative; // the step is positive and the index stays below the upper bound
    return info;
  }
  if (func::FuncOp kernel = function; parent == kernel) {
    if (auto divisor = kernel.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), tile::kDivisibilityAttr);
        divisor && divisor.getInt() > 0) {
      info.divisibility[0] = support::powerOfTwoPart(divisor.getInt());
    }
  }
  return info;
}

SmallVector<AxisInfo> AxisInfoAnalysis::transfer(Operation *op, ArrayRef<AxisInfo> operands) const {
  SmallVector<AxisInfo> results;
  for (Value result : op->getResults()) {
    std::optional<AxisInfo> info = transferShape(op, operands);
    if (!info && op->getNumResults() == 1) {
      info = axisInfoOfArith(op, operands);
    }
    if (!info && op->hasTrait<OpTrait::Elementwise>() && isMemoryEffectFree(op)) {
      info = axisInfoOfElementwise(result.getType(), operands);
    }
    results.push_back(info ? std::move(*info) : unknown(result));
  }
  return results;
}

} // namespace pavage::analysis
