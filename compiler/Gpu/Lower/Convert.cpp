// Changes of layout. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Gpu/Lower/Exchange.h"
#include "compiler/Gpu/Lower/Families.h"

#include "dialect/Layout/Convert.h"

using namespace mlir;
using pavage::layout::Conversion;
using pavage::layout::Layout;

namespace pavage::gpu {

LogicalResult emitConvert(Emitter &e, tilegpu::ConvertOp op) {
  Layout from = tilegpu::layoutOf(op.getSrc().getType()).getLayout();
  Layout to = tilegpu::layoutOf(op.getType()).getLayout();
  Registers source = Registers::of(e, op.getSrc());
  unsigned size = Emitter::numRegisters(op.getType()), perWord = Emitter::perWord(op.getType());
  switch (layout::classify(from, to)) {
  case Conversion::Nothing:
    e.bindWords(op, source.words);
    return success();
  case Conversion::Registers:
  case Conversion::Shuffle:
    e.bindWords(op, shuffle(e, source, from, to, perWord));
    return success();
  case Conversion::Shared: {
    Trip trip{source,
              layout::planTrip(from, to, Emitter::bytesOf(source.element), kScratchLimit, sharedUse(e)),
              e.scratchOffset(op),
              isFirstOf(e, from),
              size,
              perWord};
    e.bindWords(op, travel(e, trip).front());
    return success();
  }
  }
  llvm_unreachable("all classes are listed");
}

} // namespace pavage::gpu
