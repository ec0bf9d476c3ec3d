// Registers as words and elements, and their exchange between lanes. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "compiler/Gpu/Lower/Exchange.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using pavage::layout::Layout;
using Predicate = LLVM::ICmpPredicate;

namespace pavage::gpu {

// --- words and elements ----------------------------------------------------------------------------------------------

Registers Registers::of(Emitter &e, Value value) {
  return {e, tile::elementTypeOf(value.getType()), Values(e.words(value)), Emitter::perWord(value.getType())};
}

Value Registers::get(unsigned reg) {
  if (single.empty()) {
    single = e.unpack(words, perWord);
  }
  return single[reg];
}

Value toBits(Emitter &e, Value value, Type element) {
  value = e.toMemory(value, element);
  Type type = value.getType();
  return isa<IntegerType>(type) ? value : e.bitcast(value, e.b.getIntegerType(type.getIntOrFloatBitWidth()));
}

Value fromBits(Emitter &e, Value bits, Type element) {
  return e.fromMemory(e.bitcast(bits, e.memoryType(element)), element);
}

/// Whether these are all registers of a word, in order.
static bool isWord(ArrayRef<uint32_t> registers, unsigned perWord) {
  if (registers.size() != perWord || registers.front() % perWord != 0) {
    return false;
  }
  for (auto [index, reg] : llvm::enumerate(registers)) {
    if (reg != registers.front() + index) {
      return false;
    }
  }
  return true;
}

Value Registers::bits(ArrayRef<uint32_t> registers) {
  if (perWord > 1 && isWord(registers, perWord)) {
    Value word = words[registers.front() / perWord];
    return e.bitcast(word, e.b.getIntegerType(8 * Emitter::bytesOf(element) * perWord));
  }
  // By shifts, for a vector whose upper lanes nobody reads may come out with undefined ones.
  unsigned each = 8 * Emitter::bytesOf(element), width = each * registers.size();
  Value joined;
  for (auto [index, reg] : llvm::enumerate(registers)) {
    Value part = e.shl(e.resize(toBits(e, get(reg), element), width, /*isSigned=*/false), index * each);
    joined = joined ? e.bitOr(joined, part) : part;
  }
  return joined;
}

void Gathered::put(ArrayRef<uint32_t> registers, Value bits) {
  if (perWord > 1 && isWord(registers, perWord)) {
    Type type = VectorType::get({perWord}, e.registerType(element));
    whole[registers.front() / perWord] = e.bitcast(bits, type);
    return;
  }
  unsigned each = 8 * Emitter::bytesOf(element);
  for (auto [index, reg] : llvm::enumerate(registers)) {
    single[reg] = fromBits(e, e.resize(e.lshr(bits, index * each), each, /*isSigned=*/false), element);
  }
}

Values Gathered::words() {
  if (perWord == 1) {
    return single;
  }
  for (auto [index, word] : llvm::enumerate(whole)) {
    if (!word) {
      word = e.vectorOf(ArrayRef(single).slice(index * perWord, perWord));
    }
  }
  return whole;
}

Values Gathered::elements() { return e.unpack(words(), perWord); }

// --- flips -----------------------------------------------------------------------------------------------------------

Value isOdd(Emitter &e, uint32_t lanes, uint32_t warps) {
  layout::Vectors ofLanes, ofWarps;
  for (int bit = 0; bit < 5; ++bit) {
    ofLanes.push_back(lanes >> bit & 1);
    ofWarps.push_back(warps >> bit & 1);
  }
  Value parity = e.mapThread(ofLanes, ofWarps);
  return e.compare(Predicate::ne, parity, e.i32(0));
}

Values flip(Emitter &e, Values registers, ArrayRef<layout::Flip> flips) {
  for (const layout::Flip &flip : flips) {
    Value condition = isOdd(e, flip.lanes, flip.warps);
    Values old = registers;
    for (uint32_t reg = 0; reg < registers.size(); ++reg) {
      registers[reg] = e.select(condition, old[reg ^ flip.registers], old[reg]);
    }
  }
  return registers;
}

// --- shuffles --------------------------------------------------------------------------------------------------------

static Value shuffleWord(Emitter &e, Value word, Value offset, NVVM::ShflKind kind) {
  return NVVM::ShflOp::create(e.b, e.loc, e.b.getI32Type(), e.i32(-1), word, offset, e.i32(31), kind, UnitAttr());
}

static Value shuffleAny(Emitter &e, Value value, Value offset, NVVM::ShflKind kind) {
  Type type = value.getType(), i32 = e.b.getI32Type();
  if (isa<LLVM::LLVMPointerType>(type)) {
    Value number = LLVM::PtrToIntOp::create(e.b, e.loc, e.b.getI64Type(), value);
    return LLVM::IntToPtrOp::create(e.b, e.loc, type, shuffleAny(e, number, offset, kind));
  }
  auto vector = dyn_cast<VectorType>(type);
  unsigned width = vector ? vector.getNumElements() * vector.getElementTypeBitWidth() : type.getIntOrFloatBitWidth();
  if (width == 64) {
    Value halves = e.bitcast(value, VectorType::get({2}, i32));
    Value low = shuffleWord(e, e.extract(halves, 0), offset, kind);
    Value high = shuffleWord(e, e.extract(halves, 1), offset, kind);
    return e.bitcast(e.vectorOf({low, high}), type);
  }
  Value word = e.resize(e.bitcast(value, e.b.getIntegerType(width)), 32, /*isSigned=*/false);
  return e.bitcast(e.resize(shuffleWord(e, word, offset, kind), width, /*isSigned=*/false), type);
}

Value shuffleXor(Emitter &e, Value value, uint32_t offset) {
  return shuffleAny(e, value, e.i32(offset), NVVM::ShflKind::bfly);
}

Value shuffleFrom(Emitter &e, Value value, Value lane) { return shuffleAny(e, value, lane, NVVM::ShflKind::idx); }

Values shuffle(Emitter &e, Registers &source, const Layout &from, const Layout &to, unsigned resultPerWord) {
  int elementBits = static_cast<int>(8 * Emitter::bytesOf(source.element));
  layout::ShufflePlan plan = layout::planShuffle(from, to, elementBits);
  unsigned size = 1u << to.numBits(layout::Place::Register);
  unsigned perWord = static_cast<unsigned>(plan.perWord);
  Value lane;
  auto receive = [&](const layout::ShufflePlan::Step &step, Value value) {
    if (step.isLocal) {
      return value;
    }
    if (plan.isButterfly) {
      return shuffleXor(e, value, step.laneFlip);
    }
    lane = lane ? lane : e.mapThread(plan.laneImages, plan.warpImages);
    return shuffleFrom(e, value, e.bitXor(lane, e.i32(step.laneFlip)));
  };

  if (plan.keepsWords && source.perWord == perWord && resultPerWord == perWord) {
    auto inWords = [&](std::vector<layout::Flip> flips) {
      for (layout::Flip &flip : flips) {
        flip.registers /= perWord;
      }
      return flips;
    };
    Values sent = flip(e, source.words, inWords(plan.sendFlips));
    Values slots((size_t(1) << plan.slotBits) / perWord);
    for (const layout::ShufflePlan::Step &step : plan.steps) {
      slots[step.receive.front() / perWord] = receive(step, sent[step.send.front() / perWord]);
    }
    slots = flip(e, slots, inWords(plan.receiveFlips));
    slots.truncate(size / perWord);
    return slots;
  }

  Values elements;
  for (unsigned reg = 0; reg < source.size(); ++reg) {
    elements.push_back(source.get(reg));
  }
  Registers sent = Registers::of(e, source.element, flip(e, elements, plan.sendFlips));
  Gathered slots(e, source.element, 1u << plan.slotBits, 1);
  Values local(size_t(1) << plan.slotBits);
  for (const layout::ShufflePlan::Step &step : plan.steps) {
    if (step.isLocal) {
      for (auto [send, slot] : llvm::zip(step.send, step.receive)) {
        local[slot] = sent.get(send);
      }
    } else {
      slots.put(step.receive, receive(step, sent.bits(step.send)));
    }
  }
  Values received = slots.elements();
  for (auto [slot, value] : llvm::zip(received, local)) {
    slot = value ? value : slot;
  }
  received = flip(e, received, plan.receiveFlips);
  received.truncate(size);
  return e.pack(received, resultPerWord);
}

} // namespace pavage::gpu
