// Registration of the Tile dialect. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Tile/TileDialect.h"

#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace pavage::tile;

#include "dialect/Tile/TileDialect.cpp.inc"

namespace {
/// Tile programs may be inlined into each other: no op depends on the function that it stands in.
struct TileInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
};
} // namespace

void TileDialect::initialize() {
  registerTypes();
  addInterfaces<TileInlinerInterface>();
  addOperations<
#define GET_OP_LIST
#include "dialect/Tile/TileOps.cpp.inc"
      >();
}

// --- attributes of kernels and their arguments
// ------------------------------------------------------------------------

/// A positive integer.
static LogicalResult verifyCount(Operation *op, NamedAttribute attribute) {
  auto number = dyn_cast<IntegerAttr>(attribute.getValue());
  if (!number || !number.getValue().isStrictlyPositive()) {
    return op->emitOpError() << "expected a positive integer as '" << attribute.getName().getValue() << "', got "
                             << attribute.getValue();
  }
  return success();
}

static LogicalResult verifyKernel(Operation *op, Attribute value) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function) {
    return op->emitOpError() << "expected '" << kKernelAttr << "' on a function";
  }
  if (!isa<UnitAttr>(value)) {
    return op->emitOpError() << "expected '" << kKernelAttr << "' without a value, got " << value;
  }
  if (!function.getResultTypes().empty()) {
    return op->emitOpError() << "expected a kernel without results, got " << function.getResultTypes().size();
  }
  return success();
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  if (name == kKernelAttr) {
    return verifyKernel(op, attribute.getValue());
  }
  if (isa<FunctionOpInterface>(op) &&
      llvm::is_contained({"tile.num_warps", "tile.num_stages", "tile.num_ctas", "tile.maxnreg"}, name)) {
    return verifyCount(op, attribute);
  }
  for (StringRef ofArgument : {kNameAttr, kDivisibilityAttr, kSignedAttr, kMemoryAttr}) {
    if (name == ofArgument) {
      return op->emitOpError() << "expected '" << name << "' on an argument of a kernel";
    }
  }
  return success(); // hints and what tests and later rooms add say themselves what they hold
}

LogicalResult TileDialect::verifyRegionArgAttribute(Operation *op, unsigned region, unsigned index,
                                                    NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  Attribute value = attribute.getValue();
  Type type = op->getRegion(region).getArgument(index).getType();
  auto refuse = [&](const Twine &expected) {
    return op->emitOpError() << "argument " << index << ": expected " << expected << " as '" << name << "', got "
                             << value << " on " << type;
  };
  auto isPositive = [&] {
    auto number = dyn_cast<IntegerAttr>(value);
    return number && number.getValue().isStrictlyPositive();
  };
  auto pointer = dyn_cast<PtrType>(type);
  if (name == kNameAttr) {
    auto text = dyn_cast<StringAttr>(value);
    return text && !text.empty() ? success() : refuse("a string that is not empty");
  }
  if (name == kDivisibilityAttr) {
    return isPositive() && (pointer || isa<IntegerType>(type))
               ? success()
               : refuse("a positive integer, on an integer or pointer,");
  }
  if (name == kSignedAttr) {
    return isa<BoolAttr>(value) && isa<IntegerType>(pointer ? pointer.getPointee() : type)
               ? success()
               : refuse("a bool, on an integer or a pointer to integers,");
  }
  if (name == kMemoryAttr) {
    return isPositive() && pointer ? success() : refuse("a positive integer, on a pointer,");
  }
  return success();
}

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  if (auto poison = dyn_cast<ub::PoisonAttrInterface>(value)) {
    return ub::PoisonOp::create(builder, loc, type, poison);
  }
  return arith::ConstantOp::materialize(builder, value, type, loc);
}
