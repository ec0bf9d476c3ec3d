// Decoding warp-wide, asynchronous and matrix instructions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/DecoderState.h"

#include <algorithm>

namespace pavage::sim {

namespace {

template <size_t N> u16 indexOf(const std::string_view (&names)[N], std::string_view name) {
  return static_cast<u16>(std::find(names, names + N, name) - names);
}

u32 parseNumber(std::string_view text) {
  u32 value = 0;
  for (char c : text) {
    value = value * 10 + static_cast<u32>(c - '0');
  }
  return value;
}

struct Shape {
  u32 m, n, k;
};
/// m16n8k16.
Shape parseShape(std::string_view text) {
  size_t n = text.find('n'), k = text.find('k');
  return {parseNumber(text.substr(1, n - 1)), parseNumber(text.substr(n + 1, k - n - 1)),
          parseNumber(text.substr(k + 1))};
}

} // namespace

void FunctionDecoder::decodeActiveMask() { emit("activemask", Class::Warp, target(op(0), 32)).flags |= OwnDefined; }

void FunctionDecoder::decodeElect() {
  const Operand &d = op(0);
  bool isPair = d.kind == Operand::Kind::Pair;
  u32 lane = target(isPair ? d.elements[0] : d, 32), p = isPair ? predicateTarget(d.elements[1]) : sinkOffset;
  u32 mask = source(op(1), 32);
  DInst &i = emit("elect", Class::Warp, lane, mask);
  i.d2 = p;
  i.flags |= OwnDefined;
}

/// sub: up, down, bfly, idx. The member mask is in imm.
void FunctionDecoder::decodeShuffle() {
  constexpr std::string_view modes[] = {"up", "down", "bfly", "idx"};
  const Operand &d = op(0);
  bool isPair = d.kind == Operand::Kind::Pair;
  u32 value = target(isPair ? d.elements[0] : d, 32), p = isPair ? predicateTarget(d.elements[1]) : sinkOffset;
  u32 a = source(op(1), 32), b = source(op(2), 32), c = source(op(3), 32), members = source(op(4), 32);
  DInst &i = emit("shfl", Class::Warp, value, a, b, c);
  i.sub = indexOf(modes, group(1));
  i.d2 = p;
  i.imm = members;
  i.flags |= OwnDefined;
}

/// sub: all, any, uni, ballot.
void FunctionDecoder::decodeVote() {
  constexpr std::string_view modes[] = {"all", "any", "uni", "ballot"};
  u16 mode = indexOf(modes, group(1));
  u32 p = predicate(op(1)), members = source(op(2), 32);
  u32 d = mode == 3 ? target(op(0), 32) : predicateTarget(op(0));
  DInst &i = emit("vote", Class::Warp, d, p, members);
  i.sub = mode;
  i.flags |= OwnDefined;
}

/// sub: bit 0 all, bit 1 64-bit values.
void FunctionDecoder::decodeMatch() {
  bool isAll = group(0) == "all";
  u32 bits = typeBits(type(2));
  const Operand &d = op(0);
  bool isPair = d.kind == Operand::Kind::Pair;
  u32 mask = target(isPair ? d.elements[0] : d, 32), p = isPair ? predicateTarget(d.elements[1]) : sinkOffset;
  u32 a = source(op(1), bits), members = source(op(2), 32);
  DInst &i = emit("match", Class::Warp, mask, a, members);
  i.sub = static_cast<u16>((isAll ? 1 : 0) | (bits == 64 ? 2 : 0));
  i.d2 = p;
  i.flags |= OwnDefined;
}

/// sub: add, min, max, and, or, xor; bit 3 signed.
void FunctionDecoder::decodeRedux() {
  constexpr std::string_view operations[] = {"add", "min", "max", "and", "or", "xor"};
  u32 a = source(op(1), 32), members = source(op(2), 32);
  DInst &i = emit("redux", Class::Warp, target(op(0), 32), a, members);
  i.sub = static_cast<u16>(indexOf(operations, group(1)) | (isSigned(type(2)) ? 8 : 0));
  i.flags |= OwnDefined;
}

void FunctionDecoder::decodeCpAsync() {
  std::string_view what = group(1);
  if (what == "commit_group" || what == "wait_all") {
    emit("cp." + str(what), Class::AsyncCopy).flags |= OwnDefined;
    return;
  }
  if (what == "wait_group") {
    DInst &i = emit("cp.wait_group", Class::AsyncCopy);
    i.imm = op(0).bits;
    i.flags |= OwnDefined;
    return;
  }
  DInst probe;
  MemInfo m;
  m.space = Space::Shared;
  m.isStore = true;
  if (what == "mbarrier") {
    address(op(0), m, probe);
    m.id = program.memCount++;
    program.mems.push_back(m);
    DInst &i = emit("cp.mbarrier", Class::AsyncCopy, sinkOffset, probe.a);
    i.imm = probe.imm;
    i.extra = &program.mems.back();
    i.sub = has(3) ? 1 : 0;
    i.flags |= OwnDefined;
    return;
  }
  // cp.async d, a, size {, source size or ignore predicate} {, policy}.
  address(op(0), m, probe);
  MemInfo from;
  from.space = Space::Global;
  DInst fromProbe;
  address(op(1), from, fromProbe);
  u64 size = op(2).bits;
  bool isWide = what == "cg";
  if (size != 16 && (isWide || (size != 4 && size != 8))) {
    wrong(op(2), isWide ? "cp.async.cg copies 16 bytes" : "cp.async.ca copies 4, 8 or 16 bytes");
  }
  size_t extra = ops() - 3 - (has(4) ? 1 : 0);
  u32 sourceSize = 0;
  u16 sub = 0;
  if (ops() > 3 && extra >= 1) {
    const Operand &s = op(3);
    if (s.kind == Operand::Kind::Register && f.registers[s.reg].type == Ty::Pred) {
      sourceSize = predicate(s);
      sub = 2;
    } else {
      sourceSize = source(s, 32);
      sub = 1;
    }
  }
  m.elementBytes = static_cast<u8>(size);
  from.elementBytes = static_cast<u8>(size);
  m.id = program.memCount++;
  from.id = program.memCount++;
  program.copies.push_back({m, from, fromProbe.imm});
  DInst &i = emit("cp.async", Class::AsyncCopy, sinkOffset, probe.a, fromProbe.a, sourceSize);
  i.imm = probe.imm;
  i.extra = &program.copies.back();
  i.sub = sub;
  i.flags |= OwnDefined;
}

void FunctionDecoder::decodeMbarrier() {
  std::string_view what = group(0);
  if (what == "pending_count") {
    u32 a = source(op(1), 64);
    emit("mbarrier.pending_count", Class::Barrier, target(op(0), 32), a);
    return;
  }
  MemInfo m;
  bool isArrive = what == "arrive" || what == "arrive_drop", isWait = what == "test_wait" || what == "try_wait";
  u32 at = isArrive || isWait ? 1 : 0;
  u32 spaceGroup = isArrive || isWait || what == "expect_tx" || what == "complete_tx" ? 3 : 1;
  m.space = has(spaceGroup) ? Space::Shared : Space::Generic;
  DInst probe;
  address(op(at), m, probe);
  u32 value = 0, d = sinkOffset;
  std::string name;
  u16 sub = 0;
  if (isArrive) {
    d = op(0).kind == Operand::Kind::Sink ? sinkOffset : target(op(0), 64);
    value = ops() > 2 ? source(op(2), 32) : constant(1, 32);
    sub = static_cast<u16>((has(4) ? 1 : 0) | (what == "arrive_drop" ? 2 : 0) | (has(5) ? 4 : 0));
    if (has(4) && ops() < 3) {
      fail(603, inst->where, "expected a byte count for .expect_tx");
    }
    name = "mbarrier.arrive";
  } else if (isWait) {
    if (ops() < 3) {
      fail(603, inst->where, "expected a state or a parity to wait for");
    }
    d = predicateTarget(op(0));
    bool parity = has(4);
    value = source(op(2), parity ? 32 : 64);
    sub = static_cast<u16>((parity ? 1 : 0) | (what == "try_wait" ? 2 : 0));
    name = "mbarrier.wait";
  } else if (what == "init") {
    value = source(op(1), 32);
    name = "mbarrier.init";
  } else if (what == "inval") {
    name = "mbarrier.inval";
  } else {
    value = source(op(1), 32);
    sub = what == "complete_tx" ? 1 : 0;
    name = "mbarrier.tx";
  }
  m.elementBytes = 8;
  m.id = program.memCount++;
  program.mems.push_back(m);
  DInst &i = emit(name, Class::Barrier, d, probe.a, value);
  i.imm = probe.imm;
  i.sub = sub;
  i.extra = &program.mems.back();
  i.flags |= OwnDefined;
}

void FunctionDecoder::decodeMatrixMove() {
  bool isLoad = inst->opcode == "ldmatrix";
  MemInfo m;
  m.space = Space::Shared;
  m.isStore = !isLoad;
  m.elementBytes = 16;
  u32 wanted = parseNumber(group(3).substr(1));
  const Operand &data = op(isLoad ? 0 : 1);
  fillVector(m.regs, m.count, 4, data, 32, isLoad);
  if (m.count != wanted) {
    wrong(data, "expected " + std::to_string(wanted) + " registers, got " + std::to_string(m.count));
  }
  DInst probe;
  address(op(isLoad ? 1 : 0), m, probe);
  m.id = program.memCount++;
  program.mems.push_back(m);
  DInst &i = emit(inst->opcode, Class::MatrixMove, isLoad ? m.regs[0] : sinkOffset, probe.a);
  i.imm = probe.imm;
  i.extra = &program.mems.back();
  i.sub = has(4) ? 1 : 0;
  i.flags |= OwnDefined;
}

void FunctionDecoder::decodeMovMatrix() {
  u32 a = source(op(1), 32);
  emit("movmatrix", Class::MatrixMove, target(op(0), 32), a).flags |= OwnDefined;
}

void FunctionDecoder::decodeMma() {
  Shape shape = parseShape(group(2));
  MmaInfo m;
  m.m = static_cast<u8>(shape.m);
  m.kFull = static_cast<u16>(shape.k);
  m.d = type(5);
  m.a = type(6);
  m.b = type(7);
  m.c = type(8);
  if (group(3) != "row" || group(4) != "col") {
    unsupported("only row.col");
  }
  u32 aBits = typeBits(m.a);
  u32 fragmentBits = m.a == Ty::F64 ? 64 : 32;
  u32 e = fragmentBits / aBits;
  u32 k = shape.k / (4 * e);
  u32 accumulators = shape.m == 16 ? 4 : 2;
  u32 cBits = m.a == Ty::F64 ? 64 : 32;
  struct Part {
    u32 *regs;
    u8 *count;
    u32 wanted, bits;
  };
  Part parts[4] = {{m.rd, &m.nd, m.d == Ty::F16 ? accumulators / 2 : accumulators, cBits},
                   {m.ra, &m.na, k * (shape.m / 8), fragmentBits},
                   {m.rb, &m.nb, k, fragmentBits},
                   {m.rc, &m.nc, m.c == Ty::F16 ? accumulators / 2 : accumulators, cBits}};
  for (u32 p = 0; p < 4; ++p) {
    fillVector(parts[p].regs, *parts[p].count, 16, op(p), parts[p].bits, p == 0);
    if (*parts[p].count != parts[p].wanted) {
      wrong(op(p),
            "expected " + std::to_string(parts[p].wanted) + " registers, got " + std::to_string(*parts[p].count));
    }
  }
  std::string name;
  std::string kText = std::to_string(shape.k);
  if (m.a == Ty::F64) {
    if (has(9) && group(9) != "rn") {
      unsupported("rounding other than .rn");
    }
    name = "mma.f64." + std::to_string(shape.m) + "." + kText;
  } else if (m.a == Ty::E4M3 || m.a == Ty::E5M2) {
    name = "mma." + str(typeName(m.a)) + "." + str(typeName(m.b)) + "." + kText;
  } else if (isFloat(m.a)) {
    name = "mma." + str(typeName(m.a)) + "." + kText;
  } else {
    name = "mma.integer";
    m.satfinite = m.a != Ty::B1 && has(9);
    m.isAnd = m.a == Ty::B1 && group(9) == "and";
  }
  program.mmas.push_back(m);
  DInst &i = emit(name, Class::Mma, m.rd[0], m.ra[0], m.rb[0], m.rc[0]);
  i.extra = &program.mmas.back();
  i.flags |= OwnDefined;
}

/// The fragments of wmma are opaque: element e of the tile, in row-major order, is element e % per of lane e / per;
/// what is left of a lane's registers repeats these.
void FunctionDecoder::decodeWmma() {
  std::string_view what = group(0);
  WmmaInfo x;
  auto describe = [&](WmmaInfo &info, char part, Ty t, Shape s) {
    info.part = static_cast<u8>(part);
    info.type = t;
    info.rows = static_cast<u8>(part == 'b' ? s.k : s.m);
    info.columns = static_cast<u8>(part == 'a' ? s.k : s.n);
    info.elementsPerRegister = static_cast<u8>(t == Ty::F64 ? 1 : 32 / typeBits(t));
  };
  if (what == "mma") {
    // Two layouts stand in groups 4 and 5, the shape in 6, types from 7 on.
    Shape s = parseShape(group(6));
    u32 typeGroups = static_cast<u32>(inst->row->choices.size());
    Ty d, a, b, c;
    if (typeGroups == 9) { // f16: result and accumulator only
      d = type(7), c = type(8), a = b = Ty::F16;
    } else {
      d = type(7), a = type(8), b = type(9), c = type(10);
    }
    WmmaInfo parts[4];
    describe(parts[0], 'c', d, s);
    describe(parts[1], 'a', a, s);
    describe(parts[2], 'b', b, s);
    describe(parts[3], 'c', c, s);
    size_t first = program.wmmas.size();
    for (u32 p = 0; p < 4; ++p) {
      fillVector(parts[p].regs, parts[p].count, 16, op(p), parts[p].type == Ty::F64 ? 64 : 32, p == 0);
      program.wmmas.push_back(parts[p]);
    }
    program.wmmaGroups.push_back(
        {&program.wmmas[first], &program.wmmas[first + 1], &program.wmmas[first + 2], &program.wmmas[first + 3]});
    DInst &i = emit("wmma.mma", Class::Mma, parts[0].regs[0], parts[1].regs[0], parts[2].regs[0], parts[3].regs[0]);
    i.extra = &program.wmmaGroups.back();
    i.sub = typeGroups > 11 && has(11) && group(11) == "satfinite" ? 1 : 0;
    i.flags |= OwnDefined;
    return;
  }
  // load a|b|c sync aligned layout shape space type; store d ...
  bool isLoad = what == "load";
  Ty t = type(7);
  describe(x, isLoad ? group(1)[0] : 'c', t, parseShape(group(5)));
  x.rowMajor = group(4) == "row";
  x.mem.space = !has(6) ? Space::Generic : group(6) == "global" ? Space::Global : Space::Shared;
  x.mem.isStore = !isLoad;
  x.mem.elementBytes = static_cast<u8>(typeBytes(t));
  fillVector(x.regs, x.count, 16, op(isLoad ? 0 : 1), t == Ty::F64 ? 64 : 32, isLoad);
  DInst probe;
  address(op(isLoad ? 1 : 0), x.mem, probe);
  x.stride = ops() > 2 ? source(op(2), 32) : 0;
  x.mem.id = program.memCount++;
  program.wmmas.push_back(x);
  DInst &i = emit(isLoad ? "wmma.load" : "wmma.store", Class::MatrixMove, isLoad ? x.regs[0] : sinkOffset, probe.a);
  i.imm = probe.imm;
  i.extra = &program.wmmas.back();
  i.flags |= OwnDefined;
}

} // namespace pavage::sim
