// Gathers: the source lies in scratch memory, every thread fetches what its indices name. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
#include "compiler/Gpu/Lower/Families.h"
#include "compiler/Gpu/Lower/Placed.h"

using namespace mlir;
using Predicate = LLVM::ICmpPredicate;

namespace pavage::gpu {

LogicalResult emitGather(Emitter &e, tile::GatherOp op) {
  tilegpu::LayoutAttr result = tilegpu::layoutOf(op.getType()), index = tilegpu::layoutOf(op.getIndex().getType());
  if (result != index) {
    return e.unsupported(op, "has indices in another layout than the result's");
  }
  auto sourceType = cast<RankedTensorType>(op.getSrc().getType());
  ArrayRef<int64_t> extents = sourceType.getShape();
  Type element = sourceType.getElementType(), inMemory = e.memoryType(element);
  int64_t bytes = Emitter::bytesOf(element);
  layout::Layout from = tilegpu::layoutOf(sourceType).getLayout();
  Registers source = Registers::of(e, op.getSrc());
  Value base = e.shared(e.scratchOffset(op));
  writeShared(e, source, layout::planMove(from, rowMajor(extents), static_cast<int>(bytes), false), base,
              isFirstOf(e, from));
  e.barrier();

  Values fetched;
  unsigned axis = op.getAxis();
  for (auto [reg, value] : llvm::enumerate(e.elements(op.getIndex()))) {
    // Signed indices, outside of the extent when they are large unsigned ones.
    Value wide = e.resize(value, std::max(32u, value.getType().getIntOrFloatBitWidth()), /*isSigned=*/true);
    Value isInside = e.compare(Predicate::ult, wide, e.constant(wide.getType(), extents[axis]));
    Values coordinates = coordinatesOf(e, index, reg);
    coordinates[axis] = e.resize(wide, 32, /*isSigned=*/false);
    Value offset = e.select(isInside, packedOffset(e, extents, coordinates), e.i32(0));
    Value loaded = LLVM::LoadOp::create(e.b, e.loc, inMemory, e.gep(base, inMemory, offset), bytes);
    fetched.push_back(e.fromMemory(e.select(isInside, loaded, e.zero(inMemory)), element));
  }
  e.bindElements(op, fetched);
  return success();
}

} // namespace pavage::gpu
