// Which kernel arguments a pointer may derive from. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Analysis/MemoryRoots.h"

#include "dialect/Tile/TileOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace pavage::analysis {

// --- RootSet ---------------------------------------------------------------------------------------------------------

std::optional<unsigned> RootSet::single() const {
  if (isAny || arguments.count() != 1) {
    return std::nullopt;
  }
  return arguments.find_first();
}

bool RootSet::contains(unsigned argument) const {
  return isAny || (argument < arguments.size() && arguments.test(argument));
}

bool RootSet::overlaps(const RootSet &other) const {
  // Different arguments may still point to the same memory; only the caller knows whether they cannot.
  return isAny || other.isAny || arguments.anyCommon(other.arguments);
}

RootSet RootSet::join(const RootSet &a, const RootSet &b) {
  if (a.isAny || b.isAny) {
    return {true, {}};
  }
  RootSet result = a;
  result.arguments |= b.arguments;
  return result;
}

bool RootSet::operator==(const RootSet &other) const {
  if (isAny || other.isAny) {
    return isAny == other.isAny;
  }
  return arguments.count() == other.arguments.count() && !arguments.test(other.arguments);
}

// --- MemoryRoots -----------------------------------------------------------------------------------------------------

static bool isPointer(Type type) { return isa<tile::PtrType>(getElementTypeOrSelf(type)); }

MemoryRoots::MemoryRoots(func::FuncOp function) : function(function) {
  run(function);
  function.walk([&](Operation *op) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (!effects) {
      return;
    }
    RootSet roots;
    for (Value operand : op->getOperands()) {
      // A stored pointer counts as well: whoever loads it back has unknown roots anyway.
      if (isPointer(operand.getType())) {
        roots = RootSet::join(roots, get(operand));
      }
    }
    bool hasPointer = roots.isAny || roots.arguments.any();
    if (!hasPointer) {
      return; // prints, asserts, barriers
    }
    // A load marked volatile claims to write, to be kept; it still only reads.
    bool isLoad = isa<tile::LoadOp, tile::BlockLoadOp>(op);
    if (isLoad || effects.hasEffect<MemoryEffects::Read>()) {
      read = RootSet::join(read, roots);
    }
    if (!isLoad && effects.hasEffect<MemoryEffects::Write>()) {
      written = RootSet::join(written, roots);
    }
  });
}

bool MemoryRoots::isPointerArgument(unsigned index) const {
  func::FuncOp kernel = function;
  return isa<tile::PtrType>(kernel.getArgumentTypes()[index]);
}

RootSet MemoryRoots::unknown(Value value) const { return {isPointer(value.getType()), {}}; }

RootSet MemoryRoots::argument(BlockArgument argument) const {
  RootSet set;
  if (isPointer(argument.getType()) && argument.getOwner()->getParentOp() == function) {
    set.arguments.resize(argument.getArgNumber() + 1);
    set.arguments.set(argument.getArgNumber());
    return set;
  }
  return unknown(argument);
}

SmallVector<RootSet> MemoryRoots::transfer(Operation *op, ArrayRef<RootSet> operands) const {
  SmallVector<RootSet> results;
  for (Value result : op->getResults()) {
    RootSet set;
    if (isPointer(result.getType())) {
      bool hasPointerOperand = false;
      for (auto [operand, roots] : llvm::zip(op->getOperands(), operands)) {
        if (isPointer(operand.getType())) {
          set = RootSet::join(set, roots);
          hasPointerOperand = true;
        }
      }
      // Loads give what is in memory, whatever the address came from; regions may give what they see outside.
      if (!hasPointerOperand || op->getNumRegions() != 0 || !isMemoryEffectFree(op)) {
        set = {true, {}};
      }
    }
    results.push_back(std::move(set));
  }
  return results;
}

} // namespace pavage::analysis
