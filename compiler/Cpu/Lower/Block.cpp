// The ops of a block, one after the other. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Cpu/Lower/Emitter.h"

#include "compiler/Support/Diagnostics.h"
#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "runtime/Artifact/Abi.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace pavage::cpu {

LogicalResult Emitter::unsupported(Operation *op) {
  return support::emitNumbered(op->getLoc(), 240) << "'" << op->getName() << "' cannot run on the cpu";
}

LogicalResult Emitter::emitBlock(Block &block) {
  for (Operation &op : block) {
    loc = op.getLoc();
    settle(&op);
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      continue;
    }
    if (isInlineable(&op)) {
      for (Value result : op.getResults()) {
        if (isBuffered(result)) {
          pending.push_back(result);
        }
      }
      continue;
    }
    if (failed(emitOp(&op))) {
      return failure();
    }
    if (failedOp) {
      return unsupported(failedOp);
    }
    for (Value result : op.getResults()) {
      if (isTile(result)) {
        defineTile(result);
      }
    }
  }
  return success();
}

LogicalResult Emitter::emitOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<tile::StoreOp, tile::BlockStoreOp>([&](Operation *) { return emitStore(op); })
      .Case<tile::ReduceOp>([&](Operation *) { return emitReduce(op); })
      .Case<tile::ScanOp>([&](Operation *) { return emitScan(op); })
      .Case<tile::DotOp>([&](Operation *) { return emitDot(op); })
      .Case<tile::SortOp>([&](Operation *) { return emitSort(op); })
      .Case<tile::HistogramOp>([&](Operation *) { return emitHistogram(op); })
      .Case<tile::AtomicRMWOp, tile::AtomicCASOp>([&](Operation *) { return emitAtomic(op); })
      .Case<scf::ForOp>([&](Operation *) { return emitFor(op); })
      .Case<scf::WhileOp>([&](Operation *) { return emitWhile(op); })
      .Case<scf::IfOp>([&](Operation *) { return emitIf(op); })
      .Case<tile::AssertOp>([&](Operation *) { return emitAssert(op), success(); })
      .Case<tile::PrintOp>([&](Operation *) { return emitPrint(op), success(); })
      .Case<tile::BarrierOp, tile::AssumeOp>([](Operation *) { return success(); })
      .Case([&](tile::UnsplatOp unsplat) {
        emitUnsplat(op, unsplat.getSrc(), unsplat.getResult());
        return success();
      })
      .Case([&](tile::SplitOp split) { // of a tile of extent 2: two scalars
        runNest({}, {split.getSrc()}, [&](Nest &) {
          for (int64_t half : {0, 1}) {
            Coord place{{}, half, 0, {}, 0};
            scalars.map(op->getResult(half), eval(split.getSrc(), place).value);
          }
        });
        return success();
      })
      .Case<tile::LoadOp, tile::BlockLoadOp>([&](Operation *) {
        Value result = op->getResult(0);
        if (!isTile(result)) {
          runNest({}, {}, [&](Nest &) { scalars.map(result, evalLoad(op, {}, true).value); });
          return success();
        }
        // A volatile load of a tile runs where it stands, used or not.
        Buffer buffer = isBuffered(result) ? bufferAt(result, *plannedOffset(result)) : Buffer();
        runNest(tile::shapeOf(result.getType()), llvm::to_vector(op->getOperands()), [&](Nest &current) {
          Lanes value = evalLoad(op, current.coords, true);
          storeBuffer(buffer, current.coords, value);
        });
        return success();
      })
      .Case([&](tile::JoinOp join) { return unsupported(op); })
      .Default([&](Operation *) { return emitScalarOp(op); });
}

LogicalResult Emitter::emitScalarOp(Operation *op) {
  Ops o = ops();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto number = dyn_cast<FloatAttr>(constant.getValue());
    APInt bits = number ? number.getValue().bitcastToAPInt() : cast<IntegerAttr>(constant.getValue()).getValue();
    scalars.map(op->getResult(0), o.bits(loweredElement(op->getResult(0).getType()), bits.getZExtValue()));
    return success();
  }
  if (isa<ub::PoisonOp>(op)) {
    scalars.map(op->getResult(0), o.bits(loweredElement(op->getResult(0).getType()), 0));
    return success();
  }
  if (auto id = dyn_cast<tile::ProgramIdOp>(op)) {
    scalars.map(id.getResult(), fields.pid[id.getAxis()]);
    return success();
  }
  if (auto count = dyn_cast<tile::NumProgramsOp>(op)) {
    scalars.map(count.getResult(), o.resize(fields.grid[count.getAxis()], 32, false));
    return success();
  }
  bool isScalar = op->getNumRegions() == 0 && op->getNumResults() > 0 && op->getNumOperands() > 0 &&
                  llvm::none_of(op->getOperands(), isTile) && llvm::none_of(op->getResults(), isTile);
  if (!isScalar || isa<tile::InlinePtxOp>(op)) {
    return unsupported(op);
  }
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(scalar(operand));
  }
  SmallVector<Value> values = o.elementwise(op, operands);
  if (values.empty()) {
    return unsupported(op);
  }
  for (auto [result, value] : llvm::zip(op->getResults(), values)) {
    scalars.map(result, value);
  }
  return success();
}

void Emitter::emitUnsplat(Operation *op, Value tile, Value result) {
  runNest({}, {tile}, [&](Nest &) {
    SmallVector<Coord> place(tile::shapeOf(tile.getType()).size());
    scalars.map(result, eval(tile, place).value);
  });
}

void Emitter::emitAssert(Operation *op) {
  auto assertion = cast<tile::AssertOp>(op);
  Value site = ops().constant(b.getI32Type(), addSite("assert", assertion.getMessage(), loc));
  runNest(tile::shapeOf(assertion.getCondition().getType()), llvm::to_vector(op->getOperands()), [&](Nest &current) {
    Ops o = ops();
    Value bad = o.notI1(evalVector(assertion.getCondition(), current.coords));
    if (assertion.getMask()) {
      bad = o.andI(bad, evalVector(assertion.getMask(), current.coords));
    }
    if (current.tail) {
      bad = o.andI(bad, current.tail);
    }
    when(o.any(bad), [&] { exitIf(callLaunch(offsetof(PavageLaunch, assert_fail), {site, fields.program}, true)); });
  });
}

void Emitter::emitPrint(Operation *op) {
  auto print = cast<tile::PrintOp>(op);
  Ops o = ops();
  auto call = [&](unsigned site, Value data) {
    callLaunch(offsetof(PavageLaunch, print), {o.constant(b.getI32Type(), site), fields.program, data}, false);
  };
  if (print.getArgs().empty()) {
    call(addSite("print", print.getPrefix(), loc), LLVM::ZeroOp::create(b, loc, fields.scratch.getType()));
    return;
  }
  for (auto [index, value] : llvm::enumerate(print.getArgs())) {
    unsigned site =
        addSite("print", print.getPrefix(), loc, value.getType(), print.getHex(), print.getIsSigned()[index]);
    // The elements without gaps, one by one.
    Buffer dense = bufferAt(value.getType(), tempsOf(op)[index]);
    int64_t stride = 1;
    for (int axis = static_cast<int>(dense.extents.size()) - 1; axis >= 0; --axis) {
      dense.shape.strides[axis] = stride;
      stride *= dense.extents[axis];
    }
    runNest(
        dense.extents, {value}, [&](Nest &current) { storeBuffer(dense, current.coords, eval(value, current.coords)); },
        true);
    call(site, elementPointer(dense, {}));
  }
}

} // namespace pavage::cpu
