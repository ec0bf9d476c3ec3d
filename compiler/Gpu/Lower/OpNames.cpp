// Which op an instruction comes from, kept through the lowering. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// The side table of an artifact (compiler/Gpu/Emit/Places.h) is made of these notes. Two ops of one line keep apart by
// their index.
#include "compiler/Gpu/Lower/OpNames.h"

#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace pavage::gpu {

/// "tile.atomic_rmw addf".
static std::string textOf(Operation *op) {
  std::string text = op->getName().getStringRef().str();
  if (auto atomic = dyn_cast<tile::AtomicRMWOp>(op)) {
    text += " " + tile::stringifyAtomicKind(atomic.getKind()).str();
  }
  return text;
}

void nameOps(func::FuncOp kernel) {
  Builder b(kernel.getContext());
  int64_t index = 0;
  kernel.walk([&](Operation *op) {
    if (op == kernel || isa<arith::ConstantOp>(op) || op->hasTrait<OpTrait::IsTerminator>()) {
      return;
    }
    NamedAttrList note;
    note.append("op", b.getStringAttr(textOf(op)));
    note.append("index", b.getI64IntegerAttr(index++));
    if (isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op)) {
      auto shaped = dyn_cast<ShapedType>(op->getResult(0).getType());
      note.append("atomics", b.getI64IntegerAttr(shaped ? shaped.getNumElements() : 1));
      if (auto update = dyn_cast<tile::AtomicRMWOp>(op); update && update.getMask()) {
        note.append("masked", b.getUnitAttr());
      }
    }
    op->setLoc(FusedLoc::get({op->getLoc()}, note.getDictionary(kernel.getContext()), kernel.getContext()));
  });
}

} // namespace pavage::gpu
