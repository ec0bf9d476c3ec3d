// Decoding moves, conversions, loads, stores and atomics. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/DecoderState.h"

#include <algorithm>

namespace pavage::sim {

namespace {

Space parseSpace(std::string_view text) {
  std::string_view base = text.substr(0, text.find("::"));
  return base == "global"   ? Space::Global
         : base == "shared" ? Space::Shared
         : base == "local"  ? Space::Local
         : base == "const"  ? Space::Const
         : base == "param"  ? Space::Param
                            : Space::Generic;
}

u8 parseScope(std::string_view text) {
  return text == "cta" ? 1 : text == "cluster" ? 2 : text == "gpu" ? 3 : text == "sys" ? 4 : 0;
}

/// The handler's name for a space; constants lie in device memory.
const char *spaceHandler(Space s) {
  switch (s) {
  case Space::Global:
  case Space::Const:
    return "global";
  case Space::Shared:
    return "shared";
  case Space::Local:
    return "local";
  case Space::Param:
    return "param";
  default:
    return "generic";
  }
}

} // namespace

void FunctionDecoder::decodeCvt() {
  if (group(0) == "pack") {
    u32 a = source(op(1), 32), b = source(op(2), 32);
    std::string_view to = group(5);
    if (to == "u16" || to == "s16") {
      emit("cvt.pack." + str(to), Class::Convert, target(op(0), 32), a, b);
      return;
    }
    u32 c = source(op(3), 32);
    DInst &i = emit("cvt.pack.small", Class::Convert, target(op(0), 32), a, b, c);
    i.sub = static_cast<u16>((to[1] - '0') | (to[0] == 's' ? 256 : 0));
    return;
  }
  Ty to = type(5), from = type(6);
  bool isPacked = to == Ty::F16x2 || to == Ty::BF16x2 || to == Ty::E4M3x2 || to == Ty::E5M2x2;
  if (isPacked || to == Ty::TF32) {
    // One handler per form.
    std::string name = "cvt." + str(group(0)) + (has(3) ? ".relu" : "") + (has(4) ? ".satfinite." : ".") +
                       str(typeName(to)) + "." + str(typeName(from));
    u16 sub = 0;
    bool isFp8 = from == Ty::E4M3x2 || from == Ty::E5M2x2 || to == Ty::E4M3x2 || to == Ty::E5M2x2;
    if (isFp8) {
      sub = has(3) ? 1 : 0;
      name = "cvt.rn." + std::string(has(4) ? "satfinite." : "") + str(typeName(to)) + "." + str(typeName(from));
    }
    u32 a = source(op(1), typeBits(from));
    u32 b = ops() > 2 ? source(op(2), typeBits(from)) : 0;
    emit(name, Class::Convert, target(op(0), typeBits(to)), a, b).sub = sub;
    return;
  }
  u32 fromBits = 0;
  u32 a = wideSource(op(1), fromBits, typeBits(from));
  if (op(0).kind != Operand::Kind::Register) {
    wrong(op(0), "expected a register");
  }
  u32 toBits = registerBits(op(0));
  if (fromBits < typeBits(from) || toBits < typeBits(to)) {
    wrong(op(fromBits < typeBits(from) ? 1 : 0), "the register is too narrow");
  }
  u32 d = target(op(0), toBits);
  if (!isFloat(to) && !isFloat(from) && !has(2)) {
    // Integers: extend, or cut off. A result narrower than its register is extended again by the type of the result.
    Ty effective = from;
    bool narrows = typeBits(to) < typeBits(from);
    if (narrows && typeBits(to) < toBits) {
      effective = to; // reading only the low part of the source is the same
    } else if (!narrows && typeBits(to) < toBits && isSigned(from) && !isSigned(to)) {
      effective = Ty::None;
    }
    u32 needed = std::max(16u, typeBits(effective));
    if (effective != Ty::None && fromBits == needed) {
      emit("cvt." + std::to_string(toBits) + "." + integerName(effective), Class::Convert, d, a);
      return;
    }
  }
  if (typeBits(from) == fromBits && typeBits(to) == toBits) {
    std::string name = "cvt.";
    if (isFloat(to) && !isFloat(from)) {
      name += has(0) ? str(group(0)) + "." : "rn.";
    } else if (has(0)) {
      name += str(group(0)) + ".";
    }
    name += has(3) ? "relu." : "";
    bool plain = !has(1) && !has(2) && !has(4);
    std::string toName = isFloat(to) ? str(typeName(to)) : integerName(to),
                fromName = isFloat(from) ? str(typeName(from)) : integerName(from);
    if (plain && findHandler(name + toName + "." + fromName)) {
      emit(name + toName + "." + fromName, Class::Convert, d, a);
      return;
    }
  }
  CvtInfo c;
  c.to = to;
  c.from = from;
  c.toBytes = static_cast<u8>(toBits / 8);
  c.fromBytes = static_cast<u8>(fromBits / 8);
  if (has(0)) {
    std::string_view r = group(0);
    c.rounding = r[1];
    c.toIntegral = r.size() == 3 && r[2] == 'i';
  }
  c.ftz = has(1);
  c.sat = has(2);
  c.relu = has(3);
  c.satfinite = has(4);
  program.cvts.push_back(c);
  emit("cvt.any", Class::Convert, d, a).extra = &program.cvts.back();
}

void FunctionDecoder::decodeMov() {
  Ty t = type(0);
  u32 bits = typeBits(t);
  const Operand &d = op(0), &s = op(1);
  if (t == Ty::Pred) {
    u32 a = predicate(s);
    emit("pred", Class::Move, predicateTarget(d), a).sub = 4;
    return;
  }
  if (s.kind == Operand::Kind::Vector || d.kind == Operand::Kind::Vector) {
    const Operand &v = s.kind == Operand::Kind::Vector ? s : d;
    u32 parts = static_cast<u32>(v.elements.size());
    if ((parts != 2 && parts != 4) || (s.kind == d.kind)) {
      wrong(v, "expected two or four elements");
    }
    u32 partBits = bits / parts;
    std::vector<u32> regs;
    for (const Operand &e : v.elements) {
      regs.push_back(&v == &s ? source(e, std::max(16u, partBits)) : target(e, std::max(16u, partBits)));
    }
    program.tables.push_back(regs);
    const u32 *table = program.tables.back().data();
    std::string name = std::to_string(partBits) + "." + std::to_string(bits);
    if (&v == &s) {
      followBytes(d, {regs[0], regs[0], regs[1], regs[1]});
      DInst &i = emit("pack." + name, Class::Move, target(d, bits));
      i.extra = table;
      i.a = regs[0];
      i.b = regs[1];
      i.c = parts > 2 ? regs[2] : 0; // for the defined masks
    } else {
      u32 a = source(s, bits);
      DInst &i = emit("unpack." + name, Class::Move, regs[0], a);
      i.extra = table;
      ByteMasks from = bytesOf(s, a);
      for (u32 k = isFollowed(s) ? 0 : 1; k < parts; ++k) {
        // The handler writes all parts; these carry the defined masks.
        emit("defined", Class::Move, regs[k], from[2 * k % 4], from[2 * k % 4 + 1]);
      }
    }
    return;
  }
  if (s.kind == Operand::Kind::Special) {
    switch (s.special) {
    case Special::Clock:
    case Special::ClockHi:
    case Special::GlobaltimerLo:
    case Special::GlobaltimerHi:
    case Special::Clock64:
    case Special::Globaltimer:
      emit("clock." + std::to_string(bits), Class::Special, target(d, bits)).sub = static_cast<u16>(s.special);
      return;
    default:
      break;
    }
    u32 width = s.special == Special::Gridid ? 64 : 32;
    u32 a = specialSlot(s.special, s);
    emit(width == bits ? "mov." + unsignedName(t) : "cvt." + std::to_string(bits) + (width == 64 ? ".u64" : ".u32"),
         Class::Move, target(d, bits), a);
    return;
  }
  u32 local;
  if (localSymbol(s, local)) {
    emit("localaddr." + std::to_string(bits), Class::Move, target(d, bits)).imm = local + static_cast<u64>(s.offset);
    return;
  }
  u32 a = source(s, bits);
  emit(bits == 128 ? "mov.b128" : "mov." + unsignedName(t), Class::Move, target(d, bits), a);
}

void FunctionDecoder::decodeCvta() {
  if (type(2) != Ty::U64) {
    unsupported("32-bit addresses");
  }
  bool to = has(0);
  Space space = parseSpace(group(1));
  u32 a = source(op(1), 64), d = target(op(0), 64);
  u64 window = space == Space::Shared  ? sharedWindow
               : space == Space::Local ? localWindow
               : space == Space::Param ? paramWindow
                                       : 0;
  if (!window) {
    emit("mov.u64", Class::Move, d, a);
  } else {
    emit(to ? "sub.u64" : "add.u64", Class::Move, d, a, constant(window, 64));
  }
}

void FunctionDecoder::decodeIsspacep() {
  Space space = parseSpace(group(0));
  u32 a = source(op(1), 64);
  emit("isspacep", Class::Integer, predicateTarget(op(0)), a).sub = static_cast<u16>(space);
}

/// Outside a cluster every CTA has rank 0 and its own shared memory.
void FunctionDecoder::decodeMapa() {
  u32 bits = typeBits(type(1));
  if (inst->opcode == "getctarank") {
    emit("mov.u32", Class::Integer, target(op(0), 32), constant(0, 32));
    return;
  }
  u32 a = source(op(1), bits);
  emit("mov.u" + std::to_string(bits), Class::Integer, target(op(0), bits), a);
}

std::vector<const Operand *> FunctionDecoder::elements(const Operand &o) const {
  std::vector<const Operand *> list;
  if (o.kind == Operand::Kind::Vector) {
    for (const Operand &e : o.elements) {
      list.push_back(&e);
    }
  } else {
    list.push_back(&o);
  }
  return list;
}

/// Base, offset and address width of `[...]`.
void FunctionDecoder::address(const Operand &o, MemInfo &m, DInst &d) {
  if (o.elements.size() != 1) {
    wrong(o, "expected one address in the brackets");
  }
  const Operand &base = o.elements[0];
  u64 offset = static_cast<u64>(o.offset);
  switch (base.kind) {
  case Operand::Kind::Register: {
    u32 bits = registerBits(base);
    if (bits != 32 && bits != 64) {
      wrong(base, "expected an address register of 32 or 64 bits");
    }
    d.a = source(base, bits);
    m.addressBytes = static_cast<u8>(bits / 8);
    d.imm = offset;
    break;
  }
  case Operand::Kind::Integer:
    d.a = constant(0, 64);
    d.imm = base.bits + offset;
    break;
  case Operand::Kind::Symbol: {
    u32 local;
    d.a = constant(0, 64);
    if (localSymbol(base, local)) {
      m.space = Space::Local;
      m.isLocalFrame = true;
      d.imm = local + offset;
      break;
    }
    Space space = Space::Generic;
    d.imm = symbolValue(base, &space) + offset;
    if (m.space == Space::Generic && space == Space::Shared) {
      d.imm += sharedWindow;
    } else if (m.space == Space::Generic && space == Space::Param) {
      d.imm += paramWindow;
    }
    break;
  }
  default:
    wrong(o, "expected a register or a name in the brackets");
  }
}

void FunctionDecoder::fillVector(u32 *regs, u8 &count, u32 limit, const Operand &o, u32 bits, bool isTarget) {
  count = 0;
  for (const Operand *e : elements(o)) {
    if (count >= limit) {
      wrong(o, "too many elements");
    }
    regs[count++] = isTarget ? target(*e, bits) : source(*e, bits);
  }
}

/// Types, element count and registers of a load or store.
void FunctionDecoder::fillAccess(MemInfo &m, u32 vectorGroup, u32 typeGroup, const Operand &data, bool isStore) {
  Ty t = type(typeGroup);
  m.elementBytes = static_cast<u8>(typeBytes(t));
  m.isSigned = isSigned(t);
  m.isStore = isStore;
  u32 wanted = has(vectorGroup) ? static_cast<u32>(group(vectorGroup)[1] - '0') : 1;
  std::vector<const Operand *> list = elements(data);
  if (list.size() != wanted) {
    wrong(data, "expected " + std::to_string(wanted) + " elements, got " + std::to_string(list.size()));
  }
  if (m.elementBytes * wanted > 32) {
    wrong(data, "an access is at most 32 bytes wide");
  }
  // All registers of a vector have one width; literals take that of the type.
  u32 bits = std::max(16u, typeBits(t));
  for (const Operand *e : list) {
    if (e->kind == Operand::Kind::Register) {
      bits = registerBits(*e);
    }
  }
  if (bits < typeBits(t)) {
    wrong(data, "the register is too narrow");
  }
  m.registerBytes = static_cast<u8>(bits / 8);
  m.count = static_cast<u8>(wanted);
  for (u32 k = 0; k < wanted; ++k) {
    m.regs[k] = isStore ? lowSource(*list[k], bits, m.elementBytes) : target(*list[k], bits);
  }
}

namespace {
std::string accessName(const MemInfo &m, const char *verb) {
  u32 bits = m.elementBytes * 8u, reg = m.registerBytes * 8u;
  bool isSigned = m.isSigned && !m.isStore && reg > bits;
  return std::string(verb) + "." + spaceHandler(m.space) + "." + (isSigned ? "s" : "u") + std::to_string(bits) + "." +
         std::to_string(reg);
}
} // namespace

void FunctionDecoder::decodeLoad() {
  MemInfo m;
  m.space = has(2) ? parseSpace(group(2)) : Space::Generic;
  m.isVolatile = has(0) && group(0) != "weak";
  m.acquire = group(0) == "acquire";
  m.scope = parseScope(group(1));
  fillAccess(m, 8, 9, op(0), false);
  DInst probe;
  if (m.space == Space::Param && !f.isEntry) {
    m.space = Space::Local; // parameters of device functions lie in the local frame
  }
  address(op(1), m, probe);
  program.hasStrongAccesses |= m.isVolatile && (m.space == Space::Global || m.space == Space::Generic);
  m.id = program.memCount++;
  program.mems.push_back(m);
  DInst &i = emit(accessName(m, "ld"), Class::Load, m.regs[0], probe.a);
  i.imm = probe.imm;
  i.extra = &program.mems.back();
  i.flags |= OwnDefined;
  if (m.acquire && (m.space == Space::Global || m.space == Space::Generic) && m.scope >= 2) {
    DInst &order = emit("acquire", Class::Load, sinkOffset, probe.a);
    order.imm = probe.imm;
    order.extra = &program.mems.back();
    order.flags |= OwnDefined;
  }
}

void FunctionDecoder::decodeStore() {
  MemInfo m;
  m.space = has(2) ? parseSpace(group(2)) : Space::Generic;
  m.isVolatile = has(0) && group(0) != "weak";
  m.release = group(0) == "release";
  m.scope = parseScope(group(1));
  fillAccess(m, 8, 9, op(1), true);
  DInst probe;
  if (m.space == Space::Param) {
    m.space = Space::Local;
  }
  address(op(0), m, probe);
  if (m.space == Space::Const) {
    unsupported("constant memory cannot be written");
  }
  program.hasStrongAccesses |= m.isVolatile && (m.space == Space::Global || m.space == Space::Generic);
  m.id = program.memCount++;
  program.mems.push_back(m);
  if (m.release && (m.space == Space::Global || m.space == Space::Generic) && m.scope >= 2) {
    DInst &order = emit("release", Class::Store, sinkOffset, probe.a);
    order.imm = probe.imm;
    order.extra = &program.mems.back();
    order.flags |= OwnDefined | Uncounted;
    isFirst = true;
  }
  DInst &i = emit(accessName(m, "st"), Class::Store, sinkOffset, probe.a);
  i.imm = probe.imm;
  i.extra = &program.mems.back();
  i.flags |= OwnDefined;
}

/// Hints, and what has no effect here.
void FunctionDecoder::decodeNothing() { emit("nothing", Class::Special).flags |= OwnDefined; }

void FunctionDecoder::decodeCreatePolicy() { emit("mov.u64", Class::Special, target(op(0), 64), constant(0, 64)); }

void FunctionDecoder::decodeAtom() {
  static const std::unordered_map<std::string_view, AtomOp> names = {
      {"and", AtomOp::And}, {"or", AtomOp::Or},   {"xor", AtomOp::Xor}, {"exch", AtomOp::Exch}, {"cas", AtomOp::Cas},
      {"add", AtomOp::Add}, {"min", AtomOp::Min}, {"max", AtomOp::Max}, {"inc", AtomOp::Inc},   {"dec", AtomOp::Dec}};
  AtomInfo a;
  a.hasResult = inst->opcode == "atom" && op(0).kind != Operand::Kind::Sink;
  a.op = names.at(group(3));
  a.type = type(6);
  a.mem.space = has(2) ? parseSpace(group(2)) : Space::Generic;
  a.mem.isVolatile = true;
  a.mem.acquire = group(0) == "acquire" || group(0) == "acq_rel";
  a.mem.release = group(0) == "release" || group(0) == "acq_rel";
  a.mem.scope = has(1) ? parseScope(group(1)) : 3;
  u32 bits = typeBits(a.type);
  a.mem.elementBytes = static_cast<u8>(bits / 8);
  a.mem.registerBytes = static_cast<u8>(std::max(16u, bits) / 8);
  u32 first = inst->opcode == "atom" ? 1 : 0;
  u32 d = inst->opcode == "atom" ? target(op(0), bits) : sinkOffset;
  DInst probe;
  address(op(first), a.mem, probe);
  u32 b = source(op(first + 1), bits);
  u32 c = a.op == AtomOp::Cas ? source(op(first + 2), bits) : b;
  a.mem.id = program.memCount++;
  if (a.mem.space == Space::Global || a.mem.space == Space::Generic) {
    program.hasStrongAccesses = true;
  }
  program.atoms.push_back(a);
  DInst &i = emit("atom", Class::Atomic, d, probe.a, b, c);
  i.imm = probe.imm;
  i.extra = &program.atoms.back();
  i.flags |= OwnDefined;
}

void FunctionDecoder::decodeFence() {
  u8 scope = 0;
  if (inst->opcode == "membar") {
    scope = group(0) == "cta" ? 1 : group(0) == "gl" ? 3 : 4;
  } else if (group(0) != "mbarrier_init" && group(0) != "proxy") {
    scope = parseScope(group(inst->row->choices.size() > 2 ? 2 : 1)); // sync_restrict stands before it
  }
  DInst &i = emit("fence", Class::Special);
  i.sub = scope;
  i.flags |= OwnDefined;
}

} // namespace pavage::sim
