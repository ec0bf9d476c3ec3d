// Operands of an instruction to offsets in the register frame. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/DecoderState.h"

#include <algorithm>
#include <cstring>

namespace pavage::sim {

u32 FunctionDecoder::scratch(u32 bytes) {
  u32 offset = code->frameBytes;
  code->frameBytes += static_cast<u32>(alignUp(bytes, granuleBytes));
  return offset;
}

u32 FunctionDecoder::constant(u64 value, u32 bits) {
  value = bits >= 64 ? value : value & ((u64(1) << bits) - 1);
  u32 bytes = bits <= 16 ? 2 : bits / 8;
  auto [it, isNew] = constants.emplace(std::make_pair(value, bytes), 0u);
  if (isNew) {
    it->second = scratch(32 * bytes);
    code->constants.push_back({it->second, static_cast<u8>(bytes), value});
  }
  return it->second;
}

u32 FunctionDecoder::constantPredicate(bool value) {
  if (value) {
    return trueOffset;
  }
  auto [it, isNew] = constants.emplace(std::make_pair(u64(0), 0u), 0u);
  if (isNew) {
    it->second = scratch(granuleBytes);
    code->constants.push_back({it->second, 0, 0});
  }
  return it->second;
}

u32 FunctionDecoder::registerBits(const Operand &o) const {
  u32 b = typeBits(f.registers[o.reg].type);
  return b == 8 ? 16 : b;
}

/// Where the masks are that tell in which lanes each byte of a word is defined. Most words, which stand at `offset`,
/// are so as a whole.
FunctionDecoder::ByteMasks FunctionDecoder::bytesOf(const Operand &o, u32 offset) {
  if (!isFollowed(o)) {
    return {offset, offset, offset, offset};
  }
  auto [it, isNew] = byteMasks.emplace(o.reg, ByteMasks{});
  if (isNew) {
    for (u32 &mask : it->second) {
      mask = scratch(granuleBytes);
    }
  }
  return it->second;
}

/// A byte of d is defined where those of a and b are that it is made of. Stands in front of the instruction that does
/// the work, which traces take to be the last.
void FunctionDecoder::followBytes(const Operand &d, ByteMasks a, ByteMasks b) {
  if (!isFollowed(d)) {
    return;
  }
  ByteMasks to = bytesOf(d, 0);
  bool wasFirst = isFirst;
  for (u32 k = 0; k < 4; ++k) {
    emit("defined", Class::Move, to[k], a[k], b[k]).flags |= Uncounted;
  }
  isFirst = wasFirst;
}

/// A value of which only the lowest bytes are used, so that the others need not be defined.
u32 FunctionDecoder::lowSource(const Operand &o, u32 bits, u32 bytes) {
  u32 a = source(o, bits);
  if (!isFollowed(o) || bytes > 2) {
    return a;
  }
  ByteMasks masks = bytesOf(o, a);
  u32 t = scratch(2 * granuleBytes);
  bool wasFirst = isFirst;
  emit("mov.u32", Class::Move, t, a).flags |= Uncounted;
  emit("defined", Class::Move, t, masks[0], masks[bytes - 1]).flags |= Uncounted;
  isFirst = wasFirst;
  return t;
}

u32 FunctionDecoder::specialSlot(Special s, const Operand &o) {
  switch (s) {
  case Special::Clock:
  case Special::ClockHi:
  case Special::Clock64:
  case Special::Globaltimer:
  case Special::GlobaltimerLo:
  case Special::GlobaltimerHi:
    wrong(o, "the clock can only be read by mov");
  default:
    break;
  }
  context.program.usesReservedShared |= s >= Special::ReservedSmemBegin && s <= Special::ReservedSmem1;
  context.program.usesGridSync |= s == Special::Envreg1 || s == Special::Envreg2;
  auto [it, isNew] = specials.emplace(static_cast<u32>(s), 0u);
  if (isNew) {
    it->second = scratch(32 * (s == Special::Gridid ? 8 : 4));
    code->specials.push_back({it->second, static_cast<u8>(s)});
  }
  return it->second;
}

/// A value of exactly `bits` bits.
u32 FunctionDecoder::source(const Operand &o, u32 bits, bool wantsSingle) {
  switch (o.kind) {
  case Operand::Kind::Register:
    if (registerBits(o) != bits) {
      wrong(o, "expected a register of " + std::to_string(bits) + " bits, got '" + f.registers[o.reg].name + "' of " +
                   std::to_string(registerBits(o)));
    }
    return offsets[o.reg];
  case Operand::Kind::Integer:
    return constant(o.bits, bits);
  case Operand::Kind::Float:
    if (bits == 32) {
      if (!o.single) {
        double wide;
        std::memcpy(&wide, &o.bits, 8);
        float narrow = static_cast<float>(wide);
        u32 b;
        std::memcpy(&b, &narrow, 4);
        return constant(b, 32);
      }
      return constant(o.bits, 32);
    }
    if (bits == 64) {
      if (o.single) {
        float narrow;
        std::memcpy(&narrow, &o.bits, 4);
        double wide = narrow;
        u64 b;
        std::memcpy(&b, &wide, 8);
        return constant(b, 64);
      }
      return constant(o.bits, 64);
    }
    wrong(o, "a floating-point literal cannot stand here");
  case Operand::Kind::Special: {
    u32 width = o.special == Special::Gridid ? 64 : 32;
    if (width != bits) {
      if (width == 32 && (bits == 16 || bits == 64)) {
        u32 t = scratch(32 * bits / 8);
        emit("cvt." + std::to_string(bits) + ".u32", Class::Move, t, specialSlot(o.special, o));
        return t;
      }
      wrong(o, "expected " + std::to_string(bits) + " bits, got '" + o.name + "'");
    }
    return specialSlot(o.special, o);
  }
  case Operand::Kind::Symbol: {
    u32 local;
    if (localSymbol(o, local)) {
      u32 t = scratch(32 * bits / 8);
      emit("localaddr." + std::to_string(bits), Class::Move, t).imm = local + static_cast<u64>(o.offset);
      return t;
    }
    return constant(symbolValue(o) + static_cast<u64>(o.offset), bits);
  }
  default:
    wrong(o, "expected a value");
  }
  (void)wantsSingle;
}

/// A source whose register may be wider than the type: cvt, st.
u32 FunctionDecoder::wideSource(const Operand &o, u32 &bits, u32 immediateBits) {
  bits = o.kind == Operand::Kind::Register ? registerBits(o) : std::max(16u, immediateBits);
  return source(o, bits);
}

u32 FunctionDecoder::target(const Operand &o, u32 bits) {
  if (o.kind == Operand::Kind::Sink) {
    return sinkOffset;
  }
  if (o.kind != Operand::Kind::Register) {
    wrong(o, "expected a register");
  }
  if (registerBits(o) != bits) {
    wrong(o, "expected a register of " + std::to_string(bits) + " bits, got '" + f.registers[o.reg].name + "' of " +
                 std::to_string(registerBits(o)));
  }
  return offsets[o.reg];
}

u32 FunctionDecoder::predicate(const Operand &o) {
  if (o.kind == Operand::Kind::Integer) {
    return constantPredicate((o.bits != 0) != o.negated);
  }
  if (o.kind != Operand::Kind::Register || f.registers[o.reg].type != Ty::Pred) {
    wrong(o, "expected a predicate");
  }
  if (!o.negated) {
    return offsets[o.reg];
  }
  u32 t = scratch(granuleBytes);
  bool wasFirst = isFirst;
  DInst &i = emit("pred", Class::Integer, t, offsets[o.reg]);
  i.sub = 3;
  i.flags |= Uncounted;
  isFirst = wasFirst;
  return t;
}

u32 FunctionDecoder::predicateTarget(const Operand &o) {
  if (o.kind == Operand::Kind::Sink) {
    return sinkOffset;
  }
  if (o.kind != Operand::Kind::Register || f.registers[o.reg].type != Ty::Pred) {
    wrong(o, "expected a predicate");
  }
  return offsets[o.reg];
}

bool FunctionDecoder::localSymbol(const Operand &o, u32 &offset) const {
  if (o.kind != Operand::Kind::Symbol) {
    return false;
  }
  if (o.local >= 0) {
    offset = localOffsets[static_cast<u32>(o.local)];
    return offset != ~0u;
  }
  if (f.isEntry) {
    return false;
  }
  auto found = paramOffsets.find(o.name);
  if (found == paramOffsets.end()) {
    return false;
  }
  offset = found->second;
  return true;
}

bool FunctionDecoder::entryParam(const Operand &o, u32 &offset) const {
  if (o.kind != Operand::Kind::Symbol || !f.isEntry || o.local >= 0) {
    return false;
  }
  auto found = paramOffsets.find(o.name);
  if (found == paramOffsets.end()) {
    return false;
  }
  offset = found->second;
  return true;
}

u64 FunctionDecoder::symbolValue(const Operand &o, Space *space) {
  if (o.local >= 0) {
    if (space) {
      *space = f.locals[static_cast<u32>(o.local)].space;
    }
    return localAddresses[static_cast<u32>(o.local)];
  }
  u32 param;
  if (entryParam(o, param)) {
    if (space) {
      *space = Space::Param;
    }
    return param;
  }
  auto found = context.symbols.find(o.name);
  if (found == context.symbols.end()) {
    fail(606, o.where, "unknown name '" + o.name + "'");
  }
  if (space) {
    *space = found->second.space;
  }
  return found->second.function >= 0 ? functionBase + 16 * static_cast<u64>(found->second.function)
                                     : found->second.address;
}

} // namespace pavage::sim
