// Decoding arithmetic, logic and comparison. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/DecoderState.h"
#include "runtime/Sim/Rounding.h"

namespace pavage::sim {

namespace {

bool isSixteenBitFloat(Ty t) { return t == Ty::F16 || t == Ty::F16x2 || t == Ty::BF16 || t == Ty::BF16x2; }
bool isDirected(std::string_view rounding) { return rounding == "rz" || rounding == "rm" || rounding == "rp"; }

} // namespace

/// d, a, b of the same width.
void FunctionDecoder::emitBinary(const std::string &name, Class cls, u32 bits) {
  u32 a = source(op(1), bits), b = source(op(2), bits);
  emit(name, cls, target(op(0), bits), a, b);
}

/// A f32 or f64 operation in one of the directed roundings; groups 0 to 2 are rounding, ftz, sat.
void FunctionDecoder::emitDirected(u32 operation, u32 sources, Ty t) {
  u32 bits = typeBits(t);
  u32 at[3] = {0, 0, 0};
  for (u32 k = 0; k < sources; ++k) {
    at[k] = source(op(k + 1), bits);
  }
  for (u32 k = sources; k < 3; ++k) {
    at[k] = at[0]; // any defined value
  }
  DInst &i = emit("directed." + str(typeName(t)), Class::Float, target(op(0), bits), at[0], at[1], at[2]);
  i.sub = static_cast<u16>(group(0)[1]);
  i.imm = operation | (has(1) ? 0x100 : 0) | (has(2) ? 0x200 : 0);
}

/// .ftz and .sat of f16, after the operation.
void FunctionDecoder::finishHalf(Ty t, u32 d) {
  if (has(1)) {
    emit("flush." + str(typeName(t)), Class::Float, d, d);
  }
  if (group(2) == "sat") {
    emit("saturate." + str(typeName(t)), Class::Float, d, d);
  }
}

void FunctionDecoder::decodeAddSub() {
  Ty t = type(3);
  u32 bits = typeBits(t);
  if (has(5)) {
    return decodeCarry();
  }
  if (t == Ty::F32 || t == Ty::F64) {
    if (isDirected(group(0))) {
      return emitDirected(static_cast<u32>(inst->opcode == "add" ? RoundedOp::Add : RoundedOp::Sub), 2, t);
    }
    return emitBinary(inst->opcode + (has(1) ? ".ftz" : "") + (has(2) ? ".sat." : ".") + str(typeName(t)), Class::Float,
                      bits);
  }
  if (isSixteenBitFloat(t)) {
    emitBinary(inst->opcode + "." + str(typeName(t)), Class::Float, bits);
    return finishHalf(t, target(op(0), bits));
  }
  if (t == Ty::U16x2 || t == Ty::S16x2) {
    return emitBinary("add.u16x2", Class::Integer, 32);
  }
  emitBinary(inst->opcode + (has(2) ? ".sat.s32" : "." + unsignedName(t)), Class::Integer, bits);
}

/// add.cc, addc, sub.cc, subc, mad.cc, madc: the condition code is one bit per lane.
void FunctionDecoder::decodeCarry() {
  bool isMad = inst->opcode == "mad" || inst->opcode == "madc";
  Ty t = type(3);
  u32 bits = typeBits(t);
  bool reads = inst->opcode == "addc" || inst->opcode == "subc" || inst->opcode == "madc";
  bool writes = has(5);
  u32 a = source(op(1), bits), b = source(op(2), bits);
  if (isMad) {
    u32 c = source(op(3), bits);
    DInst &i = emit("madc." + unsignedName(t), Class::Integer, target(op(0), bits), a, b, c);
    i.sub = static_cast<u16>((reads ? 1 : 0) | (writes ? 2 : 0) | (group(4) == "hi" ? 4 : 0) | (isSigned(t) ? 8 : 0));
    return;
  }
  bool isAdd = inst->opcode == "add" || inst->opcode == "addc";
  DInst &i = emit((isAdd ? "addc." : "subc.") + unsignedName(t), Class::Integer, target(op(0), bits), a, b);
  i.sub = static_cast<u16>((reads ? 1 : 0) | (writes ? 2 : 0));
}

void FunctionDecoder::decodeMul() {
  Ty t = type(3);
  u32 bits = typeBits(t);
  if (isFloat(t)) {
    if (isSixteenBitFloat(t)) {
      emitBinary("mul." + str(typeName(t)), Class::Float, bits);
      return finishHalf(t, target(op(0), bits));
    }
    if (isDirected(group(0))) {
      return emitDirected(static_cast<u32>(RoundedOp::Mul), 2, t);
    }
    return emitBinary(std::string("mul") + (has(1) ? ".ftz" : "") + (has(2) ? ".sat." : ".") + str(typeName(t)),
                      Class::Float, bits);
  }
  u32 a = source(op(1), bits), b = source(op(2), bits);
  if (group(4) == "wide") {
    emit("mul.wide." + integerName(t), Class::Integer, target(op(0), 2 * bits), a, b);
  } else if (group(4) == "hi") {
    emit("mul.hi." + integerName(t), Class::Integer, target(op(0), bits), a, b);
  } else {
    emit("mul.lo." + unsignedName(t), Class::Integer, target(op(0), bits), a, b);
  }
}

/// fma, and mad of all types.
void FunctionDecoder::decodeFma() {
  Ty t = type(3);
  u32 bits = typeBits(t);
  if (!isFloat(t) && has(5)) {
    return decodeCarry();
  }
  if ((t == Ty::F32 || t == Ty::F64) && isDirected(group(0))) {
    return emitDirected(static_cast<u32>(RoundedOp::Fma), 3, t);
  }
  u32 a = source(op(1), bits), b = source(op(2), bits);
  bool wide = !isFloat(t) && group(4) == "wide";
  u32 c = source(op(3), wide ? 2 * bits : bits);
  u32 d = target(op(0), wide ? 2 * bits : bits);
  if (t == Ty::F32 || t == Ty::F64) {
    emit(std::string("fma") + (has(1) ? ".ftz" : "") + (has(2) ? ".sat." : ".") + str(typeName(t)), Class::Float, d, a,
         b, c);
  } else if (isFloat(t)) {
    emit(std::string("fma") + (group(2) == "relu" ? ".relu." : ".") + str(typeName(t)), Class::Float, d, a, b, c);
    finishHalf(t, d);
  } else if (wide) {
    emit("mad.wide." + integerName(t), Class::Integer, d, a, b, c);
  } else if (group(4) == "hi") {
    emit(std::string("mad.hi.") + (has(2) ? "sat." : "") + integerName(t), Class::Integer, d, a, b, c);
  } else {
    emit("mad.lo." + unsignedName(t), Class::Integer, d, a, b, c);
  }
}

void FunctionDecoder::decodeMad24() {
  std::string name = inst->opcode + "." + str(group(4)) + (has(2) ? ".sat." : ".") + integerName(type(3));
  u32 a = source(op(1), 32), b = source(op(2), 32);
  u32 c = inst->opcode == "mad24" ? source(op(3), 32) : 0;
  emit(name, Class::Integer, target(op(0), 32), a, b, c);
}

void FunctionDecoder::decodeSad() {
  Ty t = type(3);
  u32 bits = typeBits(t);
  u32 a = source(op(1), bits), b = source(op(2), bits), c = source(op(3), bits);
  emit("sad." + integerName(t), Class::Integer, target(op(0), bits), a, b, c);
}

void FunctionDecoder::decodeDot() {
  std::string name = inst->opcode + (inst->opcode == "dp2a" ? "." + str(group(2)) : "") + "." + integerName(type(0)) +
                     "." + integerName(type(1));
  u32 a = source(op(1), 32), b = source(op(2), 32), c = source(op(3), 32);
  emit(name, Class::Integer, target(op(0), 32), a, b, c);
}

void FunctionDecoder::decodeByteDifferences() {
  if (has(3)) {
    unsupported(".sat");
  }
  u32 a = source(op(1), 32), b = source(op(2), 32), c = source(op(3), 32);
  std::string name = inst->opcode + "." + integerName(type(1)) + "." + integerName(type(2)) + (has(4) ? ".add" : "");
  emit(name, Class::Integer, target(op(0), 32), a, b, c);
}

void FunctionDecoder::decodeDivide() {
  Ty t = type(3);
  u32 bits = typeBits(t);
  if (!isFloat(t)) {
    return emitBinary(inst->opcode + "." + integerName(t), Class::Integer, bits);
  }
  if (isDirected(group(0))) {
    return emitDirected(static_cast<u32>(RoundedOp::Div), 2, t);
  }
  emitBinary(std::string("div") + (has(1) ? ".ftz." : ".") + str(typeName(t)), Class::Float, bits);
}

/// rcp, sqrt, rsqrt, ex2, lg2, sin, cos, tanh.
void FunctionDecoder::decodeUnaryMath() {
  Ty t = type(3);
  u32 bits = typeBits(t);
  bool isRoot = inst->opcode == "sqrt" || inst->opcode == "rcp";
  if (isRoot && isDirected(group(0))) {
    return emitDirected(static_cast<u32>(inst->opcode == "sqrt" ? RoundedOp::Sqrt : RoundedOp::Rcp), 1, t);
  }
  bool ftz = has(1) && !isSixteenBitFloat(t);
  std::string name = inst->opcode;
  if (!isRoot || (t == Ty::F64 && group(0) == "approx")) {
    name += ".approx";
  }
  u32 a = source(op(1), bits);
  emit(name + (ftz ? ".ftz." : ".") + str(typeName(t)), Class::Float, target(op(0), bits), a);
}

void FunctionDecoder::decodeSign() {
  Ty t = type(3);
  u32 bits = typeBits(t);
  bool ftz = has(1) && t == Ty::F32;
  u32 a = source(op(1), bits);
  std::string suffix = isFloat(t) ? str(typeName(t)) : integerName(t);
  emit(inst->opcode + (ftz ? ".ftz." : ".") + suffix, isFloat(t) ? Class::Float : Class::Integer, target(op(0), bits),
       a);
}

void FunctionDecoder::decodeMinMax() {
  if (inst->row->choices.size() > 4 && has(4)) { // relu
    Ty t = type(3);
    return emitBinary(inst->opcode + ".relu." + (t == Ty::S16x2 ? "s16x2" : integerName(t)), Class::Integer,
                      typeBits(t));
  }
  Ty t = type(3);
  if (!isFloat(t)) {
    bool isPacked = t == Ty::U16x2 || t == Ty::S16x2;
    return emitBinary(inst->opcode + "." + (isPacked ? str(typeName(t)) : integerName(t)), Class::Integer, typeBits(t));
  }
  std::string name = inst->opcode + (has(0) ? ".NaN" : "") + (has(2) ? ".xorsign" : "");
  if (t == Ty::F32 && has(1)) {
    name += ".ftz";
  }
  emitBinary(name + "." + str(typeName(t)), Class::Float, typeBits(t));
  if (isSixteenBitFloat(t) && has(1)) {
    u32 d = target(op(0), typeBits(t));
    if (t == Ty::F16 || t == Ty::F16x2) {
      emit("flush." + str(typeName(t)), Class::Float, d, d);
    }
  }
}

void FunctionDecoder::decodeCopysign() {
  Ty t = type(0);
  emitBinary("copysign." + str(typeName(t)), Class::Float, typeBits(t));
}

void FunctionDecoder::decodeTestp() {
  constexpr std::string_view names[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
  Ty t = type(1);
  u32 a = source(op(1), typeBits(t));
  DInst &i = emit("testp." + str(typeName(t)), Class::Float, predicateTarget(op(0)), a);
  for (u16 k = 0; k < 6; ++k) {
    i.sub = group(0) == names[k] ? k : i.sub;
  }
}

void FunctionDecoder::decodeLogic() {
  Ty t = type(0);
  bool isUnary = inst->opcode == "not" || inst->opcode == "cnot";
  if (t == Ty::Pred) {
    constexpr std::string_view names[] = {"and", "or", "xor", "not"};
    u32 a = predicate(op(1)), b = isUnary ? trueOffset : predicate(op(2));
    DInst &i = emit("pred", Class::Integer, predicateTarget(op(0)), a, b);
    for (u16 k = 0; k < 4; ++k) {
      i.sub = inst->opcode == names[k] ? k : i.sub;
    }
    return;
  }
  u32 bits = typeBits(t);
  u32 a = source(op(1), bits), b = isUnary ? 0 : source(op(2), bits);
  followBytes(op(0), bytesOf(op(1), a), isUnary ? ByteMasks{} : bytesOf(op(2), b));
  emit(inst->opcode + "." + unsignedName(t), Class::Integer, target(op(0), bits), a, b);
}

void FunctionDecoder::decodeLop3() {
  if (op(4).kind != Operand::Kind::Integer || op(4).bits > 255) {
    wrong(op(4), "expected a table of 8 bits");
  }
  u32 a = source(op(1), 32), b = source(op(2), 32), c = source(op(3), 32);
  bool isPair = op(0).kind == Operand::Kind::Pair;
  if (isPair != has(1) || has(1) != (ops() > 5)) {
    wrong(op(0), "expected d|p and a predicate operand together with .and or .or");
  }
  u32 d = isPair ? (op(0).elements[0].kind == Operand::Kind::Sink ? scratch(128) : target(op(0).elements[0], 32))
                 : target(op(0), 32);
  emit("lop3", Class::Integer, d, a, b, c).imm = op(4).bits;
  if (isPair) { // p = (d != 0) and or or q
    u32 q = predicate(op(5));
    DInst &i = emit("setp.ne.u32", Class::Integer, predicateTarget(op(0).elements[1]), d, constant(0, 32), q);
    i.sub = group(1) == "and" ? 1 : 2;
  }
}

void FunctionDecoder::decodeShift() {
  Ty t = type(0);
  u32 bits = typeBits(t);
  u32 a = source(op(1), bits), b = source(op(2), 32);
  std::string name = inst->opcode == "shl" ? "shl." + unsignedName(t) : "shr." + integerName(t);
  emit(name, Class::Integer, target(op(0), bits), a, b);
}

void FunctionDecoder::decodeFunnel() {
  u32 a = source(op(1), 32), b = source(op(2), 32), c = source(op(3), 32);
  emit("shf." + str(group(0)) + "." + str(group(1)), Class::Integer, target(op(0), 32), a, b, c);
}

/// popc, clz, brev, bfind.
void FunctionDecoder::decodeCount() {
  bool isFind = inst->opcode == "bfind";
  Ty t = type(isFind ? 1 : 0);
  u32 bits = typeBits(t);
  u32 a = source(op(1), bits);
  std::string name = inst->opcode + (isFind && has(0) ? ".shiftamt" : "") + "." + str(typeName(t));
  emit(name, Class::Integer, target(op(0), inst->opcode == "brev" ? bits : 32), a);
}

void FunctionDecoder::decodeFns() {
  u32 a = source(op(1), 32), b = source(op(2), 32), c = source(op(3), 32);
  emit("fns.b32", Class::Integer, target(op(0), 32), a, b, c);
}

void FunctionDecoder::decodeBitField() {
  Ty t = type(0);
  u32 bits = typeBits(t);
  if (inst->opcode == "bfe") {
    u32 a = source(op(1), bits), b = source(op(2), 32), c = source(op(3), 32);
    emit("bfe." + str(typeName(t)), Class::Integer, target(op(0), bits), a, b, c);
    return;
  }
  u32 a = source(op(1), bits), b = source(op(2), bits), c = source(op(3), 32), length = source(op(4), 32);
  emit("bfi." + str(typeName(t)), Class::Integer, target(op(0), bits), a, b, c).d2 = length;
}

void FunctionDecoder::decodeMaskOps() {
  std::string name = inst->opcode + "." + str(group(0));
  if (inst->opcode == "szext") {
    name += "." + integerName(type(1));
  }
  emitBinary(name, Class::Integer, 32);
}

void FunctionDecoder::decodePrmt() {
  u32 a = source(op(1), 32), b = source(op(2), 32), c = source(op(3), 32);
  u32 d = target(op(0), 32);
  if (!isFollowed(op(0))) {
    emit(has(1) ? "prmt." + str(group(1)) : "prmt", Class::Integer, d, a, b, c);
    return;
  }
  ByteMasks low = bytesOf(op(1), a), high = bytesOf(op(2), b), from;
  for (u32 k = 0; k < 4; ++k) {
    u32 byte = (op(3).bits >> (4 * k)) & 7;
    from[k] = byte < 4 ? low[byte] : high[byte - 4];
  }
  followBytes(op(0), from);
  emit("prmt", Class::Integer, d, a, b, c);
  // Bytes that are not picked need not be defined.
  emit("defined", Class::Move, d, from[0], from[1], from[2]);
  emit("defined", Class::Move, d, d, from[3]);
}

/// The handler of a comparison; lo, ls, hi, hs are unsigned whatever the type.
std::string FunctionDecoder::comparison(u32 cmpGroup, u32 ftzGroup, Ty t, const Operand &) const {
  std::string_view cmp = group(cmpGroup);
  if (isFloat(t)) {
    bool ftz = has(ftzGroup) && t == Ty::F32;
    return "setp." + str(cmp) + (ftz ? ".ftz." : ".") + str(typeName(t));
  }
  if (cmp == "lo" || cmp == "ls" || cmp == "hi" || cmp == "hs") {
    std::string_view plain = cmp == "lo" ? "lt" : cmp == "ls" ? "le" : cmp == "hi" ? "gt" : "ge";
    return "setp." + str(plain) + "." + unsignedName(t);
  }
  return "setp." + str(cmp) + "." + integerName(t);
}

u32 FunctionDecoder::emitCompare(const std::string &name, Ty t, const Operand &a, const Operand &b, u32 with,
                                 u32 boolOp, u32 p, u32 q) {
  u32 bits = typeBits(t);
  u32 x = source(a, bits), y = source(b, bits);
  DInst &i = emit(name, isFloat(t) ? Class::Float : Class::Integer, p, x, y, with);
  i.sub = static_cast<u16>(boolOp);
  i.d2 = q;
  return p;
}

namespace {
u32 boolOperator(std::string_view name) { return name == "and" ? 1 : name == "or" ? 2 : name == "xor" ? 3 : 0; }
} // namespace

void FunctionDecoder::decodeSetp() {
  Ty t = type(3);
  const Operand &d = op(0);
  bool isPair = d.kind == Operand::Kind::Pair;
  u32 p = predicateTarget(isPair ? d.elements[0] : d);
  u32 q = isPair ? predicateTarget(d.elements[1]) : sinkOffset;
  u32 with = has(1) ? predicate(op(3)) : trueOffset;
  emitCompare(comparison(0, 2, t, d), t, op(1), op(2), with, boolOperator(group(1)), p, q);
}

/// set: the comparison into a scratch predicate, then all ones or 1.0 or zero.
void FunctionDecoder::decodeSet() {
  Ty to = type(3), t = type(4);
  if (to == Ty::F16x2 || to == Ty::BF16x2 || t == Ty::F16x2 || t == Ty::BF16x2) {
    bool floatResult = isFloat(to);
    u32 p = scratch(granuleBytes), q = scratch(granuleBytes);
    u32 with = has(1) ? predicate(op(3)) : trueOffset;
    emitCompare(comparison(0, 2, t, op(0)), t, op(1), op(2), with, boolOperator(group(1)), p, q);
    u32 one = constant(floatResult ? (to == Ty::F16x2 ? 0x3c00 : 0x3f80) : 0xffff, 16), zero = constant(0, 16);
    u32 low = scratch(64), high = scratch(64);
    emit("sel.16", Class::Integer, low, one, zero, p);
    emit("sel.16", Class::Integer, high, one, zero, q);
    program.tables.push_back({low, high});
    emit("pack.16.32", Class::Move, target(op(0), 32)).extra = program.tables.back().data();
    return;
  }
  u32 p = scratch(granuleBytes);
  u32 with = has(1) ? predicate(op(3)) : trueOffset;
  emitCompare(comparison(0, 2, t, op(0)), t, op(1), op(2), with, boolOperator(group(1)), p, sinkOffset);
  u32 bits = typeBits(to);
  u64 one = to == Ty::F32 ? 0x3f800000 : to == Ty::F16 ? 0x3c00 : to == Ty::BF16 ? 0x3f80 : ~u64(0);
  emit("sel." + std::to_string(bits), Class::Integer, target(op(0), bits), constant(one, bits), constant(0, bits), p);
}

void FunctionDecoder::decodeSelp() {
  u32 bits = typeBits(type(0));
  u32 p = predicate(op(3));
  u32 a = source(op(1), bits), b = source(op(2), bits);
  emit("sel." + std::to_string(bits), Class::Move, target(op(0), bits), a, b, p).flags |= OwnDefined;
}

/// slct: a where c >= 0, else b (also for NaN).
void FunctionDecoder::decodeSlct() {
  Ty t = type(1), by = type(2);
  u32 bits = typeBits(t);
  u32 p = scratch(granuleBytes);
  u32 c = source(op(3), 32);
  emit(by == Ty::F32 ? (has(0) ? "setp.ge.ftz.f32" : "setp.ge.f32") : "setp.ge.s32", Class::Move, p, c,
       constant(0, 32));
  u32 a = source(op(1), bits), b = source(op(2), bits);
  emit("sel." + std::to_string(bits), Class::Move, target(op(0), bits), a, b, p).flags |= OwnDefined;
}

} // namespace pavage::sim
