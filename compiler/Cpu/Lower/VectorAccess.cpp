// One vector of elements in memory, consecutive or not, all or some of them. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// Where the target has no instruction for it, a masked or scattered access is a loop over the lanes through memory on
// the stack, not a branch per lane: the code stays small, and full vectors do not come here.
#include "compiler/Cpu/Lower/Emitter.h"

#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace pavage::cpu {

static Value allOnes(OpBuilder &b, Location loc, int64_t lanes) {
  auto type = VectorType::get({lanes}, b.getI1Type());
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, true));
}

static bool hasMasked(const target::CpuTarget &target, unsigned bytes) {
  return target.maskedBytes != 0 && bytes >= target.maskedBytes;
}

/// Memory on the stack for the lanes of one vector.
Value Emitter::laneSlot(unsigned index) {
  Value &slot = laneSlots[index];
  if (!slot) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfterValue(fields.scratchAddress);
    slot = LLVM::AllocaOp::create(b, loc, fields.scratch.getType(), b.getI8Type(), i64(8 * rowAlignment), 64);
  }
  return slot;
}

/// Runs `body` for each active lane: a loop, where a masked vector access would become a branch per lane.
void Emitter::forActiveLanes(Value mask, llvm::function_ref<void(Value)> body) {
  Value slot = mask ? laneSlot(0) : Value();
  if (mask) {
    LLVM::StoreOp::create(b, loc, ops().resize(mask, 8, false), slot, 1);
  }
  scf::ForOp loop = openLoop(nest->lanes, 1);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Value lane = loop.getInductionVar();
  if (!mask) {
    return body(lane);
  }
  Value flag = LLVM::LoadOp::create(b, loc, b.getI8Type(), laneElement(slot, b.getI8Type(), lane), 1);
  when(ops().cmp(Ops::Pred::ne, flag, 0), [&] { body(lane); });
}

Value Emitter::laneElement(Value slot, Type element, Value lane) {
  return LLVM::GEPOp::create(b, loc, slot.getType(), element, slot, ArrayRef<LLVM::GEPArg>{lane});
}

/// The address of a lane, given the first lane's or all of them.
static Value laneAddress(Ops o, Value address, Value lane, unsigned bytes, llvm::function_ref<Value(Value)> element) {
  return lanesOf(address.getType()) == 0 ? o.add(address, o.mul(lane, bytes)) : element(lane);
}

Value Emitter::loadLanes(Type memory, Value address, Value mask, Value otherwise) {
  auto type = VectorType::get({nest->lanes}, memory);
  unsigned bytes = memory.getIntOrFloatBitWidth() / 8;
  Value addresses = laneSlot(1), values = laneSlot(2);
  if (lanesOf(address.getType()) != 0) {
    LLVM::StoreOp::create(b, loc, address, addresses, 8);
  }
  LLVM::StoreOp::create(b, loc, otherwise ? otherwise : ops().bits(type, 0), values, bytes);
  forActiveLanes(mask, [&](Value lane) {
    Value at = laneAddress(ops(), address, lane, bytes, [&](Value lane) -> Value {
      return LLVM::LoadOp::create(b, loc, b.getI64Type(), laneElement(addresses, b.getI64Type(), lane), 8);
    });
    Value value = LLVM::LoadOp::create(b, loc, memory, pointerFrom(at), bytes);
    LLVM::StoreOp::create(b, loc, value, laneElement(values, memory, lane), bytes);
  });
  return LLVM::LoadOp::create(b, loc, type, values, bytes);
}

void Emitter::storeLanes(Value value, Value address, Value mask) {
  Type memory = getElementTypeOrSelf(value.getType());
  unsigned bytes = memory.getIntOrFloatBitWidth() / 8;
  Value addresses = laneSlot(1), values = laneSlot(2);
  if (lanesOf(address.getType()) != 0) {
    LLVM::StoreOp::create(b, loc, address, addresses, 8);
  }
  LLVM::StoreOp::create(b, loc, value, values, bytes);
  forActiveLanes(mask, [&](Value lane) {
    Value at = laneAddress(ops(), address, lane, bytes, [&](Value lane) -> Value {
      return LLVM::LoadOp::create(b, loc, b.getI64Type(), laneElement(addresses, b.getI64Type(), lane), 8);
    });
    Value element = LLVM::LoadOp::create(b, loc, memory, laneElement(values, memory, lane), bytes);
    LLVM::StoreOp::create(b, loc, element, pointerFrom(at), bytes);
  });
}

/// Consecutive elements of a vector, those without mask being `otherwise` (null = 0).
Value Emitter::contiguousLoad(Type memory, Value address, Value mask, Value allTrue, Value otherwise) {
  auto type = VectorType::get({nest->lanes}, memory);
  unsigned bytes = memory.getIntOrFloatBitWidth() / 8;
  auto plain = [&]() -> Value { return LLVM::LoadOp::create(b, loc, type, pointerFrom(address), bytes); };
  if (!mask) {
    return plain();
  }
  if (hasMasked(target, bytes)) {
    Value other = otherwise ? otherwise : ops().bits(type, 0);
    return LLVM::MaskedLoadOp::create(b, loc, type, pointerFrom(address), mask, other, bytes);
  }
  return branch(allTrue ? allTrue : ops().all(mask), type, plain,
                [&] { return loadLanes(memory, address, mask, otherwise); });
}

Value Emitter::gather(Type memory, Value addresses, Value mask, Value otherwise) {
  auto type = VectorType::get({nest->lanes}, memory);
  unsigned bytes = memory.getIntOrFloatBitWidth() / 8;
  if (!target.hasGather || bytes < 4) {
    return loadLanes(memory, addresses, mask, otherwise);
  }
  Value other = otherwise ? otherwise : ops().bits(type, 0);
  Value active = mask ? mask : allOnes(b, loc, nest->lanes);
  return LLVM::masked_gather::create(b, loc, type, pointerFrom(addresses), active, other, b.getI32IntegerAttr(bytes));
}

void Emitter::contiguousStore(Value value, Value address, Value mask, Value allTrue) {
  unsigned bytes = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth() / 8;
  auto plain = [&] { LLVM::StoreOp::create(b, loc, value, pointerFrom(address), bytes); };
  auto masked = [&] {
    if (hasMasked(target, bytes)) {
      LLVM::MaskedStoreOp::create(b, loc, value, pointerFrom(address), mask, bytes);
    } else {
      storeLanes(value, address, mask);
    }
  };
  if (!mask) {
    plain();
  } else if (allTrue || !hasMasked(target, bytes)) {
    // A masked store of a line that is not in the cache is slow.
    when(allTrue ? allTrue : ops().all(mask), plain, masked);
  } else {
    masked();
  }
}

/// In the order of the lanes, so that the last of equal addresses wins.
void Emitter::scatter(Value value, Value addresses, Value mask) {
  unsigned bytes = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth() / 8;
  if (!target.hasGather || bytes < 4) {
    return storeLanes(value, addresses, mask);
  }
  LLVM::masked_scatter::create(b, loc, value, pointerFrom(addresses), mask ? mask : allOnes(b, loc, nest->lanes),
                               b.getI32IntegerAttr(bytes));
}

} // namespace pavage::cpu
