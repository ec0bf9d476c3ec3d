// Buffers and kinds of ops. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Cpu/Plan/Plan.h"

#include "dialect/Tile/TileDialect.h"
#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace pavage::cpu {

// --- shapes ----------------------------------------------------------------------------------------------------------

int vectorAxis(ArrayRef<int64_t> shape) {
  for (int axis = static_cast<int>(shape.size()) - 1; axis >= 0; --axis) {
    if (shape[axis] > 1) {
      return axis;
    }
  }
  return -1;
}

int64_t lanesFor(int64_t extent, int64_t targetLanes) {
  return std::min<int64_t>(targetLanes, llvm::PowerOf2Ceil(extent));
}

BufferShape bufferShape(ArrayRef<int64_t> shape) {
  BufferShape result;
  result.strides.assign(shape.size(), 1);
  int row = vectorAxis(shape);
  for (int axis = static_cast<int>(shape.size()) - 1; axis >= 0; --axis) {
    result.strides[axis] = result.elements;
    int64_t extent = shape[axis];
    if (axis == row) {
      extent = extent < rowAlignment ? static_cast<int64_t>(llvm::PowerOf2Ceil(extent))
                                     : llvm::divideCeil(extent, rowAlignment) * rowAlignment;
    }
    result.elements *= extent;
  }
  return result;
}

int64_t storageBytes(Type element) { return tile::bytesInMemory(element); }

static int64_t roundUp(int64_t bytes) { return llvm::divideCeil(bytes, 64) * 64; }

int64_t bufferBytes(Type type) {
  return roundUp(bufferShape(tile::shapeOf(type)).elements * storageBytes(tile::elementTypeOf(type)));
}

Type dotType(Type accumulator) {
  Type element = tile::elementTypeOf(accumulator);
  if (element.isInteger() || element.isF64()) {
    return element;
  }
  return Float32Type::get(element.getContext());
}

SmallVector<int64_t> tempBytes(Operation *op, llvm::function_ref<bool(Value)> isBuffered) {
  SmallVector<int64_t> result;
  if (auto dot = dyn_cast<tile::DotOp>(op)) {
    Type computed = dotType(dot.getAcc().getType());
    for (Value operand : {dot.getLhs(), dot.getRhs()}) {
      bool isReady = isBuffered(operand) && tile::elementTypeOf(operand.getType()) == computed;
      result.push_back(isReady ? 0 : bufferBytes(tile::withElementType(operand.getType(), computed)));
    }
    // The accumulator in the type of computation, when the result is narrower.
    Type wide = tile::withElementType(dot.getType(), computed);
    result.push_back(wide == dot.getType() ? 0 : bufferBytes(wide));
  } else if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    for (Value source : reduce.getSrcs()) {
      result.push_back(virtualLanes * rowAlignment *
                       std::max<int64_t>(1, storageBytes(tile::elementTypeOf(source.getType()))));
    }
  } else if (auto sort = dyn_cast<tile::SortOp>(op)) {
    result.push_back(
        bufferBytes(RankedTensorType::get({sort.getType().getShape().back()}, sort.getType().getElementType())));
  } else if (auto print = dyn_cast<tile::PrintOp>(op)) {
    for (Value value : print.getArgs()) {
      int64_t elements = ShapedType::getNumElements(tile::shapeOf(value.getType()));
      result.push_back(roundUp(elements * storageBytes(tile::elementTypeOf(value.getType()))));
    }
  }
  return result;
}

// --- ops -------------------------------------------------------------------------------------------------------------

bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

bool keepsCoordinates(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() || isa<arith::SelectOp, arith::BitcastOp, tile::HintOp, tile::LoadOp>(op);
}

bool isInlineable(Operation *op) {
  if (!op || op->getNumResults() == 0 || !llvm::all_of(op->getResults(), isTile)) {
    return false;
  }
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    return !load.getIsVolatile();
  }
  if (auto load = dyn_cast<tile::BlockLoadOp>(op)) {
    return !load.getIsVolatile();
  }
  return keepsCoordinates(op) ||
         isa<arith::ConstantOp, ub::PoisonOp, tile::IotaOp, tile::SplatOp, tile::ExpandDimsOp, tile::BroadcastOp,
             tile::ReshapeOp, tile::TransOp, tile::JoinOp, tile::SplitOp, tile::CatOp, tile::SliceOp, tile::GatherOp>(
             op);
}

bool needsBuffer(OpOperand &use) { return isa<tile::GatherOp>(use.getOwner()) && use.getOperandNumber() == 0; }

bool writesMemory(Operation *op) {
  if (isa<tile::StoreOp, tile::BlockStoreOp, tile::AtomicRMWOp, tile::AtomicCASOp>(op)) {
    return true;
  }
  if (isa<tile::ReduceOp, tile::ScanOp>(op)) {
    return false;
  }
  for (Region &region : op->getRegions()) {
    for (Block &block : region) {
      if (llvm::any_of(block, [](Operation &inner) { return writesMemory(&inner); })) {
        return true;
      }
    }
  }
  return false;
}

// --- memory ----------------------------------------------------------------------------------------------------------

/// The arguments of the kernel that a pointer may come from; false when that is not known.
static bool collectRoots(Value pointer, SmallVectorImpl<Value> &roots, llvm::SmallPtrSetImpl<void *> &visited) {
  if (!visited.insert(pointer.getAsOpaquePointer()).second) {
    return true;
  }
  if (auto argument = dyn_cast<BlockArgument>(pointer)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      unsigned index = argument.getArgNumber() - 1;
      return argument.getArgNumber() > 0 && collectRoots(loop.getInitArgs()[index], roots, visited) &&
             collectRoots(loop.getYieldedValues()[index], roots, visited);
    }
    if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
      unsigned index = argument.getArgNumber();
      if (argument.getOwner() == loop.getAfterBody()) {
        return collectRoots(loop.getConditionOp().getArgs()[index], roots, visited);
      }
      return collectRoots(loop.getInits()[index], roots, visited) &&
             collectRoots(loop.getYieldOp().getOperand(index), roots, visited);
    }
    if (!isa<FunctionOpInterface>(parent) || !isa<tile::PtrType>(pointer.getType())) {
      return false;
    }
    roots.push_back(pointer);
    return true;
  }
  Operation *op = pointer.getDefiningOp();
  unsigned index = cast<OpResult>(pointer).getResultNumber();
  if (isa<tile::AddPtrOp, tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::ReshapeOp, tile::TransOp,
          tile::SliceOp, tile::HintOp, tile::UnsplatOp, tile::SplitOp, tile::GatherOp>(op)) {
    return collectRoots(op->getOperand(0), roots, visited);
  }
  if (auto cast = dyn_cast<tile::BitcastOp>(op)) {
    return isa<tile::PtrType>(tile::elementTypeOf(cast.getSrc().getType())) &&
           collectRoots(cast.getSrc(), roots, visited);
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    return collectRoots(select.getTrueValue(), roots, visited) && collectRoots(select.getFalseValue(), roots, visited);
  }
  if (isa<tile::JoinOp, tile::CatOp>(op)) {
    return collectRoots(op->getOperand(0), roots, visited) && collectRoots(op->getOperand(1), roots, visited);
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    return collectRoots(loop.getInitArgs()[index], roots, visited) &&
           collectRoots(loop.getYieldedValues()[index], roots, visited);
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    return collectRoots(loop.getConditionOp().getArgs()[index], roots, visited);
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    return collectRoots(branch.thenYield().getOperand(index), roots, visited) &&
           collectRoots(branch.elseYield().getOperand(index), roots, visited);
  }
  return isa<ub::PoisonOp>(op);
}

Value pointerRoot(Value pointer) {
  SmallVector<Value> roots;
  llvm::SmallPtrSet<void *, 8> visited;
  if (!collectRoots(pointer, roots, visited) || roots.empty() || !llvm::all_equal(roots)) {
    return {};
  }
  return roots.front();
}

/// The pointer through which an op accesses memory.
static Value pointerOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<tile::LoadOp, tile::StoreOp, tile::AtomicRMWOp, tile::AtomicCASOp>(
          [](auto access) { return access.getPtr(); })
      .Case<tile::BlockLoadOp, tile::BlockStoreOp>([](auto access) { return access.getBase(); })
      .Default([](Operation *) { return Value(); });
}

/// The number of the memory that an op accesses, as the launch found out; 0 when that is not known.
static int64_t memoryOf(Operation *access) {
  auto argument = dyn_cast_or_null<BlockArgument>(pointerRoot(pointerOf(access)));
  auto kernel = argument ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp()) : FunctionOpInterface();
  auto number =
      kernel ? kernel.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), tile::kMemoryAttr) : IntegerAttr();
  return number ? number.getInt() : 0;
}

static bool areDisjoint(Operation *a, Operation *b) {
  int64_t left = memoryOf(a), right = memoryOf(b);
  return left && right && left != right;
}

bool mayConflict(Operation *load, Operation *write) {
  if (pointerOf(write)) {
    return writesMemory(write) && !areDisjoint(load, write);
  }
  if (isa<tile::ReduceOp, tile::ScanOp>(write)) {
    return false;
  }
  for (Region &region : write->getRegions()) {
    for (Block &block : region) {
      if (llvm::any_of(block, [&](Operation &inner) { return mayConflict(load, &inner); })) {
        return true;
      }
    }
  }
  return false;
}

void visitCone(Value value, llvm::function_ref<bool(Value, bool)> visit) {
  llvm::SmallDenseSet<std::pair<Value, unsigned>> visited;
  SmallVector<std::pair<Value, bool>> stack{{value, true}};
  while (!stack.empty()) {
    auto [current, identity] = stack.pop_back_val();
    if (!isTile(current) || !visited.insert({current, identity}).second || !visit(current, identity)) {
      continue;
    }
    Operation *op = current.getDefiningOp();
    if (!isInlineable(op)) {
      continue;
    }
    bool keeps = identity && keepsCoordinates(op);
    // Backwards, so that operands are visited in order.
    for (Value operand : llvm::reverse(op->getOperands())) {
      stack.push_back({operand, keeps});
    }
  }
}

/// Consecutive numbers: an iota, or one plus the same number everywhere.
static bool isUnitRamp(Value value) {
  if (value.getDefiningOp<tile::IotaOp>()) {
    return true;
  }
  if (auto hint = value.getDefiningOp<tile::HintOp>()) {
    return isUnitRamp(hint.getSrc());
  }
  auto isUniform = [](Value value) {
    auto constant = value.getDefiningOp<arith::ConstantOp>();
    return value.getDefiningOp<tile::SplatOp>() || (constant && isa<SplatElementsAttr>(constant.getValue()));
  };
  auto add = value.getDefiningOp<arith::AddIOp>();
  return add && ((isUnitRamp(add.getLhs()) && isUniform(add.getRhs())) ||
                 (isUnitRamp(add.getRhs()) && isUniform(add.getLhs())));
}

/// No two lanes have the same address.
static bool isInjective(Value pointer) {
  auto add = pointer.getDefiningOp<tile::AddPtrOp>();
  return add && add.getPtr().getDefiningOp<tile::SplatOp>() && isUnitRamp(add.getOffset());
}

static bool haveSameInjectiveAddresses(Operation *load, Operation *store) {
  if (auto read = dyn_cast<tile::LoadOp>(load)) {
    auto write = dyn_cast<tile::StoreOp>(store);
    return write && read.getPtr() == write.getPtr() && isTile(read.getPtr()) && isInjective(read.getPtr());
  }
  auto read = dyn_cast<tile::BlockLoadOp>(load);
  auto write = dyn_cast<tile::BlockStoreOp>(store);
  return read && write && read.getBase() == write.getBase() && read.getOffsets() == write.getOffsets() &&
         read.getStrides().size() == 1 && read.getStrides() == write.getStrides() &&
         matchPattern(read.getStrides()[0], m_One());
}

bool mayFuse(Operation *load, Operation *store) {
  if (areDisjoint(load, store)) {
    return true;
  }
  if (!haveSameInjectiveAddresses(load, store)) {
    return false;
  }
  bool isSafe = true;
  for (Value operand : store->getOperands()) {
    visitCone(operand, [&](Value value, bool identity) {
      isSafe &= identity || value.getDefiningOp() != load;
      return true;
    });
  }
  return isSafe;
}

} // namespace pavage::cpu
