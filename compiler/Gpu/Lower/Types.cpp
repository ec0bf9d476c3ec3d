// How the kernel's values look in registers. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Gpu/Lower/Emitter.h"

using namespace mlir;

namespace pavage::gpu {

// --- types -----------------------------------------------------------------------------------------------------------

Type Emitter::registerType(Type element) const {
  MLIRContext *context = b.getContext();
  if (isa<tile::PtrType>(element)) {
    return LLVM::LLVMPointerType::get(context, /*addressSpace=*/1);
  }
  if (isa<IndexType>(element)) {
    return IntegerType::get(context, 64);
  }
  if (isa<Float8E4M3FNType, Float8E5M2Type>(element)) {
    return IntegerType::get(context, 8);
  }
  return element;
}

Type Emitter::memoryType(Type element) const {
  if (element.isInteger(1)) {
    return IntegerType::get(b.getContext(), 8);
  }
  if (isa<tile::PtrType>(element)) {
    return IntegerType::get(b.getContext(), 64);
  }
  return registerType(element);
}

unsigned Emitter::numRegisters(Type type) {
  tilegpu::LayoutAttr layout = tilegpu::layoutOf(type);
  return layout ? 1u << layout.getCounts()[static_cast<int>(layout::Place::Register)] : 1;
}

unsigned Emitter::perWord(Type type) {
  Type element = tile::elementTypeOf(type);
  if (!element.isIntOrFloat() || element.isInteger(1) || element.getIntOrFloatBitWidth() >= 32) {
    return 1;
  }
  return std::min(numRegisters(type), 32 / element.getIntOrFloatBitWidth());
}

Type Emitter::wordType(Type type) const {
  Type element = registerType(tile::elementTypeOf(type));
  unsigned lanes = perWord(type);
  return lanes == 1 ? element : VectorType::get({lanes}, element);
}

// --- values ----------------------------------------------------------------------------------------------------------

ArrayRef<Value> Emitter::words(Value value) const {
  auto found = bound.find(value);
  assert(found != bound.end() && "operands are emitted before their users");
  return found->second;
}

Value Emitter::scalar(Value value) const { return words(value).front(); }

Values Emitter::elements(Value value) {
  // A copy: unpacking may emit, and emitting may bind.
  Values all(words(value));
  return unpack(all, perWord(value.getType()));
}

void Emitter::bindWords(Value value, Values words) { bound[value] = std::move(words); }

void Emitter::bindElements(Value value, ArrayRef<Value> elements) {
  bindWords(value, pack(elements, perWord(value.getType())));
}

Values Emitter::pack(ArrayRef<Value> elements, unsigned perWord) {
  if (perWord == 1) {
    return Values(elements);
  }
  Values words;
  for (size_t first = 0; first < elements.size(); first += perWord) {
    words.push_back(vectorOf(elements.slice(first, perWord)));
  }
  return words;
}

Values Emitter::unpack(ArrayRef<Value> words, unsigned perWord) {
  if (perWord == 1) {
    return Values(words);
  }
  Values elements;
  for (Value word : words) {
    for (unsigned lane = 0; lane < perWord; ++lane) {
      elements.push_back(extract(word, lane));
    }
  }
  return elements;
}

Value Emitter::toMemory(Value value, Type element) {
  if (element.isInteger(1)) {
    return resize(value, 8, /*isSigned=*/false);
  }
  if (isa<tile::PtrType>(element)) {
    return LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), value);
  }
  return value;
}

Value Emitter::fromMemory(Value value, Type element) {
  if (element.isInteger(1)) {
    return compare(LLVM::ICmpPredicate::ne, value, zero(value.getType()));
  }
  if (isa<tile::PtrType>(element)) {
    return LLVM::IntToPtrOp::create(b, loc, registerType(element), value);
  }
  return value;
}

Values Emitter::flatten(ValueRange values) {
  Values flat;
  for (Value value : values) {
    llvm::append_range(flat, words(value));
  }
  return flat;
}

SmallVector<Type> Emitter::flatTypes(TypeRange types) {
  SmallVector<Type> flat;
  for (Type type : types) {
    flat.append(numRegisters(type) / perWord(type), wordType(type));
  }
  return flat;
}

void Emitter::bindFlat(ValueRange values, ValueRange flat) {
  for (Value value : values) {
    unsigned count = numRegisters(value.getType()) / perWord(value.getType());
    bindWords(value, Values(flat.take_front(count)));
    flat = flat.drop_front(count);
  }
}

} // namespace pavage::gpu
