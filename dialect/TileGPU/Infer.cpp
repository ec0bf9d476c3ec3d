// Which layouts of operands and results belong together. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/TileGPU/Infer.h"

#include "dialect/TileGPU/TileGPU.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using pavage::layout::Layout;

namespace pavage::tilegpu {

bool isElementwise(Operation *op) {
  bool isTile = llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
  return isTile && (op->hasTrait<OpTrait::Elementwise>() || isa<arith::SelectOp>(op));
}

static bool hasPowerExtents(ArrayRef<int64_t> extents) {
  return llvm::all_of(extents, [](int64_t extent) { return llvm::isPowerOf2_64(extent); });
}

std::optional<Layout> operandLayout(Operation *op, unsigned operand, const Layout &result) {
  auto type = dyn_cast<RankedTensorType>(op->getOperand(operand).getType());
  if (!type) {
    return std::nullopt;
  }
  if (isElementwise(op) || isa<tile::ScanOp, tile::SortOp>(op)) {
    return result;
  }
  if (auto mma = dyn_cast<MmaOp>(op)) {
    return operand == 2 ? std::optional(result) : std::nullopt;
  }
  return llvm::TypeSwitch<Operation *, std::optional<Layout>>(op)
      .Case([&](tile::ExpandDimsOp expand) { return result.slice(expand.getAxis()); })
      .Case([&](tile::BroadcastOp) {
        Layout source = result;
        for (auto [axis, extent] : llvm::enumerate(type.getShape())) {
          if (extent != result.extents()[axis]) {
            source = source.slice(axis).expand(axis);
          }
        }
        return source;
      })
      .Case([&](tile::TransOp trans) {
        std::vector<int> inverse(type.getRank());
        for (auto [axis, from] : llvm::enumerate(trans.getOrder())) {
          inverse[from] = axis;
        }
        return result.transpose(inverse);
      })
      .Case([&](tile::ReshapeOp) -> std::optional<Layout> {
        if (!hasPowerExtents(type.getShape()) || !hasPowerExtents(result.extents())) {
          return std::nullopt;
        }
        return result.reshape(type.getShape().vec());
      })
      .Case([&](tile::JoinOp) { return result.slice(result.rank() - 1); })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<Layout> reducedLayout(Operation *op, const Layout &source) {
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    return source.slice(reduce.getAxis());
  }
  if (isa<tile::SplitOp>(op)) {
    // The last axis is bit 0 of packed coordinates.
    for (int place = 0; place < layout::kNumPlaces; ++place) {
      for (layout::Vector image : source.basis(static_cast<layout::Place>(place))) {
        bool isOwnRegister = static_cast<layout::Place>(place) == layout::Place::Register && image == 1;
        if ((image & 1) != 0 && !isOwnRegister) {
          return std::nullopt;
        }
      }
    }
    return source.slice(source.rank() - 1);
  }
  return std::nullopt;
}

} // namespace pavage::tilegpu
