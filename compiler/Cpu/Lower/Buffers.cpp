// Tiles in scratch memory, constant tiles, their types in memory. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "compiler/Cpu/Lower/Emitter.h"

#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace pavage::cpu {

Value Emitter::bufferAddress(int64_t offset) { return ops().add(fields.scratchAddress, static_cast<uint64_t>(offset)); }

Coord Emitter::bufferIndex(const Buffer &buffer, Coords coords) { return linearize(coords, buffer.shape.strides); }

/// A pointer to the element of lane 0, derived from the scratch pointer, which nothing else reaches.
Value Emitter::elementPointer(const Buffer &buffer, const Coord &index) {
  Coord bytes = scale({index.base, index.offset, 0, {}, index.level}, storageBytes(buffer.element));
  Value place = bytes.base ? ops().add(bytes.base, static_cast<uint64_t>(buffer.offset + bytes.offset))
                           : i64(buffer.offset + bytes.offset);
  return LLVM::GEPOp::create(b, loc, fields.scratch.getType(), b.getI8Type(), fields.scratch,
                             ArrayRef<LLVM::GEPArg>{place});
}

Lanes Emitter::loadBuffer(const Buffer &buffer, Coords coords) {
  Ops o = ops();
  Coord index = bufferIndex(buffer, coords);
  Type memory = memoryType(buffer.element);
  unsigned bytes = storageBytes(buffer.element);
  if (!index.vec && (index.lane == 0 || nest->lanes == 1)) {
    Value value = LLVM::LoadOp::create(b, loc, memory, elementPointer(buffer, index), bytes);
    return uniform(fromMemory(value, buffer.element));
  }
  if (!index.vec && index.lane == 1) {
    auto type = VectorType::get({nest->lanes}, memory);
    Value value = LLVM::LoadOp::create(b, loc, type, elementPointer(buffer, index), bytes);
    return vector(fromMemory(value, buffer.element));
  }
  Value addresses = o.add(o.splat(bufferAddress(buffer.offset), nest->lanes), o.mul(coordVector(index), bytes));
  return vector(fromMemory(gather(memory, addresses, nest->tail, {}), buffer.element));
}

void Emitter::storeBuffer(const Buffer &buffer, Coords coords, const Lanes &value, Value mask) {
  Coord index = bufferIndex(buffer, coords);
  unsigned bytes = storageBytes(buffer.element);
  bool isScalar = nest->lanes == 1 || index.lane == 0;
  Value data = toMemory(isScalar ? value.value : vectorOf(value), buffer.element);
  if (!isScalar && index.lane != 1) { // lanes along an axis that is not the buffer's last
    Ops o = ops();
    Value addresses = o.add(o.splat(bufferAddress(buffer.offset), nest->lanes), o.mul(coordVector(index), bytes));
    return scatter(data, addresses, mask ? mask : nest->tail);
  }
  Value address = elementPointer(buffer, index);
  if (mask && !isScalar) {
    Value number = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), address);
    return contiguousStore(data, number, mask, {});
  }
  LLVM::StoreOp::create(b, loc, data, address, bytes);
}

/// The address of a constant tile's elements, laid out as in a buffer.
Value Emitter::constantAddress(Operation *op) {
  Value &address = constants[op];
  if (address) {
    return address;
  }
  auto values = cast<DenseElementsAttr>(cast<arith::ConstantOp>(op).getValue());
  Buffer buffer = bufferAt(op->getResult(0), 0);
  unsigned bytes = storageBytes(buffer.element);
  // Vectors may read beyond the last element.
  std::vector<char> data((buffer.shape.elements + rowAlignment) * bytes, 0);
  SmallVector<int64_t> place(buffer.extents.size(), 0);
  for (Attribute element : values.getValues<Attribute>()) {
    int64_t index = 0;
    for (auto [coord, stride] : llvm::zip(place, buffer.shape.strides)) {
      index += coord * stride;
    }
    auto number = dyn_cast<FloatAttr>(element);
    uint64_t bits =
        (number ? number.getValue().bitcastToAPInt() : cast<IntegerAttr>(element).getValue()).getZExtValue();
    std::memcpy(&data[index * bytes], &bits, bytes);
    for (int axis = static_cast<int>(place.size()) - 1; axis >= 0 && ++place[axis] == buffer.extents[axis]; --axis) {
      place[axis] = 0;
    }
  }
  OpBuilder::InsertionGuard guard(b);
  std::string name = "pavage.constant." + std::to_string(numConstants++);
  b.setInsertionPointToStart(module.getBody());
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), data.size());
  auto global = LLVM::GlobalOp::create(b, loc, type, true, LLVM::Linkage::Private, name,
                                       b.getStringAttr(StringRef(data.data(), data.size())), 64);
  b.setInsertionPointAfterValue(fields.scratchAddress);
  Value pointer = LLVM::AddressOfOp::create(b, loc, global);
  address = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), pointer);
  return address;
}

} // namespace pavage::cpu
