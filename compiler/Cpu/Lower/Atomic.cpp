// Atomic accesses, one lane after the other. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Cpu/Lower/Emitter.h"

#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace pavage::cpu {

static std::optional<LLVM::AtomicBinOp> nativeKind(tile::AtomicKind kind) {
  switch (kind) {
  case tile::AtomicKind::AddI:
    return LLVM::AtomicBinOp::add;
  case tile::AtomicKind::MaxS:
    return LLVM::AtomicBinOp::max;
  case tile::AtomicKind::MaxU:
    return LLVM::AtomicBinOp::umax;
  case tile::AtomicKind::MinS:
    return LLVM::AtomicBinOp::min;
  case tile::AtomicKind::MinU:
    return LLVM::AtomicBinOp::umin;
  case tile::AtomicKind::And:
    return LLVM::AtomicBinOp::_and;
  case tile::AtomicKind::Or:
    return LLVM::AtomicBinOp::_or;
  case tile::AtomicKind::Xor:
    return LLVM::AtomicBinOp::_xor;
  case tile::AtomicKind::Xchg:
    return LLVM::AtomicBinOp::xchg;
  default:
    return std::nullopt;
  }
}

/// What a float kind makes of the old value and the operand, both as bits.
static Value combineFloats(Ops o, tile::AtomicKind kind, Type element, Value oldBits, Value operand) {
  bool isNarrow = isNarrowFloat(element);
  Value x = isNarrow ? o.widen(oldBits, element) : o.bitcast(oldBits, element);
  Value y = isNarrow ? o.widen(operand, element) : operand;
  Value result = kind == tile::AtomicKind::AddF ? o.addF(x, y) : o.extremum(x, y, kind == tile::AtomicKind::MaxF, true);
  return isNarrow ? o.narrow(result, element) : o.bitcast(result, o.i(Ops::width(result)));
}

/// The old value of one lane; `operands` are the op's value, or compare and value.
Value Emitter::atomicLane(Operation *op, Value address, ArrayRef<Value> operands) {
  Ops o = ops();
  Value pointer = pointerFrom(address);
  Type element = tile::elementTypeOf(op->getResult(0).getType()), lowered = loweredElement(element);
  Type bits = o.i(lowered.getIntOrFloatBitWidth());
  unsigned bytes = storageBytes(element);
  auto order = LLVM::AtomicOrdering::seq_cst;
  auto exchange = [&](Value expected, Value next) {
    return LLVM::AtomicCmpXchgOp::create(b, loc, pointer, expected, next, order, order, StringRef(), bytes);
  };
  if (isa<tile::AtomicCASOp>(op)) {
    Value pair = exchange(o.bitcast(operands[0], bits), o.bitcast(operands[1], bits));
    return o.bitcast(LLVM::ExtractValueOp::create(b, loc, pair, 0).getResult(), lowered);
  }
  tile::AtomicKind kind = cast<tile::AtomicRMWOp>(op).getKind();
  if (auto native = nativeKind(kind)) {
    Value value = o.bitcast(operands[0], bits);
    Value old = LLVM::AtomicRMWOp::create(b, loc, *native, pointer, value, order, StringRef(), bytes);
    return o.bitcast(old, lowered);
  }
  // Tries again until nobody came between reading and writing.
  Value first =
      LLVM::LoadOp::create(b, loc, bits, pointer, bytes, false, false, false, false, LLVM::AtomicOrdering::monotonic);
  auto loop = scf::WhileOp::create(b, loc, bits, first);
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&loop.getBefore(), {}, {bits}, {loc});
  Value old = before->getArgument(0);
  Value pair = exchange(old, combineFloats(o, kind, element, old, operands[0]));
  Value seen = LLVM::ExtractValueOp::create(b, loc, pair, 0);
  Value isDone = LLVM::ExtractValueOp::create(b, loc, pair, 1);
  scf::ConditionOp::create(b, loc, o.notI1(isDone), seen);
  Block *after = b.createBlock(&loop.getAfter(), {}, {bits}, {loc});
  scf::YieldOp::create(b, loc, after->getArguments());
  b.setInsertionPointAfter(loop);
  return o.bitcast(loop.getResult(0), lowered);
}

LogicalResult Emitter::emitAtomic(Operation *op) {
  Value result = op->getResult(0), pointer = op->getOperand(0);
  auto update = dyn_cast<tile::AtomicRMWOp>(op);
  Value mask = update ? update.getMask() : Value();
  SmallVector<Value> reads(op->getOperands());
  runNest(
      tile::shapeOf(pointer.getType()), reads,
      [&](Nest &current) {
        Ops o = ops();
        Type lowered = loweredElement(tile::elementTypeOf(result.getType()));
        Access access{op, tile::elementTypeOf(result.getType()), eval(pointer, current.coords), {}, {}};
        SmallVector<Value> operands;
        for (Value operand : op->getOperands().slice(1, update ? 1 : 2)) {
          operands.push_back(eval(operand, current.coords).value);
        }
        auto run = [&]() -> Value {
          checkAccess(access, access.pointer, true);
          return atomicLane(op, access.pointer.value, operands);
        };
        Value old =
            mask ? branch(eval(mask, current.coords).value, lowered, run, [&] { return o.bits(lowered, 0); }) : run();
        if (!isTile(result)) {
          scalars.map(result, old);
        } else if (auto offset = plannedOffset(result)) {
          storeBuffer(bufferAt(result, *offset), current.coords, uniform(old));
        }
      },
      true);
  return success();
}

} // namespace pavage::cpu
