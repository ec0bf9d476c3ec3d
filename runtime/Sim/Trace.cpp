// Following values through instructions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/Trace.h"

#include "runtime/Sim/LaunchState.h"
#include "runtime/Sim/Schema.h"

#include <algorithm>

namespace pavage::sim {

namespace {

// What a register's value becomes: an address as it is, or one after being extended by sign or with zeros.
constexpr u8 needsAddress = 1, needsSigned = 2, needsUnsigned = 4;

struct Carrier {
  WrapOp op = WrapOp::None;
  i32 target = -1;
  i32 sources[3] = {-1, -1, -1};
  u8 extends[3] = {0, 0, 0}; // the need of a source when it is not that of the target
};

bool hasModifier(const Instruction &i, std::string_view name) {
  return std::find(i.modifiers.begin(), i.modifiers.end(), name) != i.modifiers.end();
}

Ty firstType(const Instruction &i) {
  for (const std::string &m : i.modifiers) {
    if (Ty t = parseType(m); t != Ty::None) {
      return t;
    }
  }
  return Ty::None;
}

i32 registerOf(const Operand &o) { return o.kind == Operand::Kind::Register ? static_cast<i32>(o.reg) : -1; }

/// The register that a global access takes its address from, and which operand of the decoded form that is.
Carrier accessOf(const Instruction &i, u8 &slot) {
  Carrier c;
  bool isCopy = i.opcode == "cp";
  bool isAccess = i.opcode == "ld" || i.opcode == "ldu" || i.opcode == "st" || i.opcode == "atom" || i.opcode == "red";
  if (isCopy ? i.operands.size() < 3 : !isAccess) {
    return c;
  }
  for (const char *space : {"shared", "shared::cta", "shared::cluster", "local", "param", "const"}) {
    if (!isCopy && hasModifier(i, space)) {
      return c;
    }
  }
  u32 seen = 0;
  for (const Operand &o : i.operands) {
    if (o.kind == Operand::Kind::Address && seen++ == (isCopy ? 1u : 0u) && o.elements.size() == 1) {
      c.op = WrapOp::Check;
      c.sources[0] = registerOf(o.elements[0]);
      slot = isCopy ? 1 : 0;
    }
  }
  return c;
}

Carrier carrierOf(const Instruction &i) {
  Carrier c;
  Ty t = firstType(i);
  u32 bits = typeBits(t);
  auto is = [&](const char *name) { return i.opcode == name; };
  size_t sources = 0;
  if (isFloat(t) || (bits != 32 && bits != 64)) {
    return c;
  }
  bool wide = hasModifier(i, "wide");
  if ((is("add") || is("sub")) && !hasModifier(i, "cc") && !hasModifier(i, "sat")) {
    c.op = bits == 64 ? WrapOp::Copy : is("add") ? WrapOp::Add : WrapOp::Sub;
    sources = 2;
  } else if ((is("mul") || is("mad")) && (wide || hasModifier(i, "lo")) && !hasModifier(i, "cc")) {
    c.op = bits == 64 || wide ? WrapOp::Copy : is("mul") ? WrapOp::Mul : WrapOp::Mad;
    sources = is("mul") ? 2 : 3;
    c.extends[0] = c.extends[1] = !wide ? u8(0) : isSigned(t) ? needsSigned : needsUnsigned;
  } else if (is("shl")) {
    c.op = bits == 64 ? WrapOp::Copy : WrapOp::Shl;
    sources = 1;
  } else if (is("mov") || is("cvta")) {
    c.op = WrapOp::Copy;
    sources = 1;
  } else if (is("selp") || is("or")) { // LLVM writes or for an addition without carries
    c.op = WrapOp::Copy;
    sources = 2;
  } else if (is("cvt") && i.modifiers.size() == 2 && typeBits(t) == 64) {
    Ty from = parseType(i.modifiers[1]);
    if (isFloat(from) || typeBits(from) < 32) {
      return c;
    }
    c.op = WrapOp::Copy;
    sources = 1;
    c.extends[0] = typeBits(from) == 64 ? u8(0) : isSigned(from) ? needsSigned : needsUnsigned;
  }
  if (c.op == WrapOp::None || i.operands.size() <= sources) {
    return {};
  }
  c.target = registerOf(i.operands[0]);
  for (size_t k = 0; k < sources; ++k) {
    c.sources[k] = registerOf(i.operands[k + 1]);
  }
  return c.target < 0 ? Carrier() : c;
}

bool isArithmetic(WrapOp op) { return op >= WrapOp::Add; }

void visitTargets(const Instruction &i, auto visit) {
  std::string_view letters = i.row->operands;
  for (size_t k = 0; k < i.operands.size() && k < letters.size(); ++k) {
    if (letters[k] != 'd' && letters[k] != 'D' && letters[k] != 'q') {
      break;
    }
    visit(registerOf(i.operands[k]));
    for (const Operand &e : i.operands[k].elements) {
      visit(registerOf(e));
    }
  }
}

} // namespace

std::vector<Trace> findWraps(const Function &f) {
  size_t count = f.instructions.size(), registers = f.registers.size();
  std::vector<Trace> traces(count);
  std::vector<Carrier> carriers(count);
  std::vector<u8> slots(count, 0), need(registers, 0);
  std::vector<bool> isOpaque(registers, false), mayWrap(registers, false);
  std::vector<std::vector<u32>> writers(registers), readers(registers);
  std::vector<u32> work;
  for (u32 k = 0; k < count; ++k) {
    const Instruction &i = f.instructions[k];
    Carrier c = accessOf(i, slots[k]);
    if (c.op == WrapOp::Check) {
      if (c.sources[0] >= 0) {
        u32 r = static_cast<u32>(c.sources[0]);
        if (!need[r]) {
          work.push_back(r);
        }
        need[r] |= needsAddress;
      }
      visitTargets(i, [&](i32 r) {
        if (r >= 0) {
          isOpaque[static_cast<u32>(r)] = true;
        }
      });
    } else {
      c = carrierOf(i);
      visitTargets(i, [&](i32 r) {
        if (r >= 0 && r != c.target) {
          isOpaque[static_cast<u32>(r)] = true;
        }
      });
      if (c.target >= 0) {
        writers[static_cast<u32>(c.target)].push_back(k);
      }
    }
    carriers[k] = c;
  }
  if (work.empty()) {
    return traces;
  }
  // Backward: which registers an address is made of.
  while (!work.empty()) {
    u32 r = work.back();
    work.pop_back();
    for (u32 k : writers[r]) {
      for (u32 s = 0; s < 3; ++s) {
        i32 from = carriers[k].sources[s];
        u8 wanted = carriers[k].extends[s] ? carriers[k].extends[s] : need[r];
        if (from >= 0 && (need[static_cast<u32>(from)] | wanted) != need[static_cast<u32>(from)]) {
          need[static_cast<u32>(from)] |= wanted;
          work.push_back(static_cast<u32>(from));
        }
      }
    }
  }
  // Forward: which of them may hold a wrapped value.
  auto mark = [&](i32 r) {
    if (r >= 0 && need[static_cast<u32>(r)] && !isOpaque[static_cast<u32>(r)] && !mayWrap[static_cast<u32>(r)]) {
      mayWrap[static_cast<u32>(r)] = true;
      work.push_back(static_cast<u32>(r));
    }
  };
  for (u32 k = 0; k < count; ++k) {
    for (i32 s : carriers[k].sources) {
      if (s >= 0) {
        readers[static_cast<u32>(s)].push_back(k);
      }
    }
    if (isArithmetic(carriers[k].op) && (need[static_cast<u32>(carriers[k].target)] & ~needsAddress)) {
      mark(carriers[k].target);
    }
  }
  while (!work.empty()) {
    u32 r = work.back();
    work.pop_back();
    for (u32 k : readers[r]) {
      mark(carriers[k].target);
    }
  }
  for (u32 k = 0; k < count; ++k) {
    const Carrier &c = carriers[k];
    Trace t;
    for (u32 s = 0; s < 3; ++s) {
      bool follows = c.sources[s] >= 0 && mayWrap[static_cast<u32>(c.sources[s])];
      t.sources |= static_cast<u8>(follows ? 1u << (c.op == WrapOp::Check ? slots[k] : s) : 0);
    }
    bool isLive = c.op == WrapOp::Check ? t.sources != 0 : c.target >= 0 && mayWrap[static_cast<u32>(c.target)];
    if (c.op != WrapOp::None && isLive) {
      t.op = c.op;
      // Where both extensions follow, only what neither could hold counts.
      t.isSigned = c.target >= 0 && !(need[static_cast<u32>(c.target)] & needsUnsigned);
      traces[k] = t;
    }
  }
  return traces;
}

namespace {

template <class T> const T *lanesOf(const Warp &w, u32 offset) { return reinterpret_cast<const T *>(w.r + offset); }

constexpr i64 least = -(i64(1) << 31), beyond = i64(1) << 32;

/// No reading of the operands, with or without sign, has this result in 32 bits.
template <class F> bool wrapsUnsigned(u32 a, u32 b, F f) {
  i64 as = static_cast<i32>(a), bs = static_cast<i32>(b), au = a, bu = b;
  for (i64 x : {f(au, bu), f(au, bs), f(as, bu), f(as, bs)}) {
    if (x >= least && x < beyond) {
      return false;
    }
  }
  return true;
}

/// Saturates instead of overflowing itself.
i64 multiply(i64 a, i64 b) {
  i64 x;
  return __builtin_mul_overflow(a, b, &x) ? INT64_MAX : x;
}
i64 shift(u32 amount, i64 a) { return amount >= 32 ? (a ? INT64_MAX : 0) : a * (i64(1) << amount); }

template <class F> u32 eachLane(const u32 *a, const u32 *b, const u32 *c, F f) {
  u32 bits = 0;
  for (u32 l = 0; l < 32; ++l) {
    bits |= static_cast<u32>(f(a[l], b[l], c[l])) << l;
  }
  return bits;
}

constexpr bool fits(i64 x) { return x == static_cast<i32>(x); }
constexpr i64 extend(u32 x) { return static_cast<i32>(x); }

/// Lanes whose exact result, sign extended, is not the 32-bit one.
u32 signedWraps(WrapOp op, const u32 *a, const u32 *b, const u32 *c) {
  switch (op) {
  case WrapOp::Add:
    return eachLane(a, b, c, [](u32 x, u32 y, u32) { return (((x ^ (x + y)) & (y ^ (x + y))) >> 31) != 0; });
  case WrapOp::Sub:
    return eachLane(a, b, c, [](u32 x, u32 y, u32) { return (((x ^ y) & (x ^ (x - y))) >> 31) != 0; });
  case WrapOp::Mul:
    return eachLane(a, b, c, [](u32 x, u32 y, u32) { return !fits(extend(x) * extend(y)); });
  case WrapOp::Mad:
    return eachLane(a, b, c, [](u32 x, u32 y, u32 z) { return !fits(extend(x) * extend(y) + extend(z)); });
  case WrapOp::Shl:
    return eachLane(a, b, c, [](u32 x, u32 y, u32) { return !fits(shift(y, extend(x))); });
  default:
    return 0;
  }
}

/// Lanes whose exact result fits 32 bits under no reading of the operands.
u32 unsignedWraps(WrapOp op, const u32 *a, const u32 *b, const u32 *c) {
  constexpr auto sum = [](i64 x, i64 y) { return x + y; };
  switch (op) {
  case WrapOp::Add:
    return eachLane(a, b, c, [&](u32 x, u32 y, u32) { return wrapsUnsigned(x, y, sum); });
  case WrapOp::Sub:
    return eachLane(a, b, c, [](u32 x, u32 y, u32) { return wrapsUnsigned(x, y, [](i64 p, i64 q) { return p - q; }); });
  case WrapOp::Mul:
    return eachLane(a, b, c, [](u32 x, u32 y, u32) { return wrapsUnsigned(x, y, multiply); });
  case WrapOp::Mad:
    return eachLane(a, b, c,
                    [&](u32 x, u32 y, u32 z) { return wrapsUnsigned(x, y, multiply) || wrapsUnsigned(x * y, z, sum); });
  case WrapOp::Shl:
    return eachLane(a, b, c,
                    [](u32 x, u32 y, u32) { return wrapsUnsigned(x, x, [&](i64 p, i64) { return shift(y, p); }); });
  default:
    return 0;
  }
}

} // namespace

void followWrap(Warp &w, const DInst &i, u32 exec) {
  const Trace &t = w.cta->launch->program->traces[pcOf(w, i)];
  u32 bits = (t.sources & 1 ? w.wrap[i.a / granuleBytes] : 0) | (t.sources & 2 ? w.wrap[i.b / granuleBytes] : 0) |
             (t.sources & 4 ? w.wrap[i.c / granuleBytes] : 0);
  if (t.op == WrapOp::Check) {
    if (bits & exec) {
      report(w, i, Kind::Wrap,
             "the address was computed with 32 bits and the result did not fit: lane " +
                 std::to_string(__builtin_ctz(bits & exec)) + " of the warp; extend to 64 bits before multiplying");
    }
    return;
  }
  if (isArithmetic(t.op)) {
    const u32 *a = lanesOf<u32>(w, i.a), *b = lanesOf<u32>(w, i.b), *c = lanesOf<u32>(w, i.c);
    bits |= t.isSigned ? signedWraps(t.op, a, b, c) : unsignedWraps(t.op, a, b, c);
  }
  u32 &d = w.wrap[i.d / granuleBytes];
  d = (d & ~exec) | (bits & exec);
}

Ty nanType(const Instruction &i) {
  static constexpr std::string_view arithmetic[] = {"add",   "sub", "mul", "mad", "fma", "div",  "rcp", "sqrt",
                                                    "rsqrt", "ex2", "lg2", "sin", "cos", "tanh", "min", "max"};
  if (std::find(std::begin(arithmetic), std::end(arithmetic), i.opcode) == std::end(arithmetic)) {
    return Ty::None;
  }
  Ty t = firstType(i);
  return isFloat(t) ? t : Ty::None;
}

namespace {

template <class T> u32 nanLanes(const T *a, T sign, T infinity) {
  u32 bits = 0;
  for (u32 l = 0; l < 32; ++l) {
    bits |= static_cast<u32>(static_cast<T>(a[l] & ~sign) > infinity) << l;
  }
  return bits;
}

u32 nanLanes(const Warp &w, u32 offset, Ty t) {
  auto halves = [&](u16 infinity) {
    const u16 *a = lanesOf<u16>(w, offset);
    u32 bits = 0;
    for (u32 k = 0; k < 64; ++k) {
      bits |= static_cast<u32>((a[k] & 0x7fff) > infinity) << (k / 2);
    }
    return bits;
  };
  auto bytes = [&](auto isNan) {
    const u8 *a = lanesOf<u8>(w, offset);
    u32 bits = 0;
    for (u32 k = 0; k < 128; ++k) {
      bits |= static_cast<u32>(isNan(a[k])) << (k / 4);
    }
    return bits;
  };
  switch (t) {
  case Ty::F16:
    return nanLanes<u16>(lanesOf<u16>(w, offset), 0x8000, 0x7c00);
  case Ty::BF16:
    return nanLanes<u16>(lanesOf<u16>(w, offset), 0x8000, 0x7f80);
  case Ty::F16x2:
    return halves(0x7c00);
  case Ty::BF16x2:
    return halves(0x7f80);
  case Ty::F32:
  case Ty::TF32:
    return nanLanes<u32>(lanesOf<u32>(w, offset), 0x80000000u, 0x7f800000u);
  case Ty::F64:
    return nanLanes<u64>(lanesOf<u64>(w, offset), u64(1) << 63, u64(0x7ff) << 52);
  case Ty::E4M3:
    return bytes([](u8 x) { return (x & 0x7f) == 0x7f; });
  case Ty::E5M2:
    return bytes([](u8 x) { return (x & 0x7f) > 0x7c; });
  default:
    return 0;
  }
}

/// Matrix operands hold several elements per register.
Ty packed(Ty t) { return t == Ty::F16 ? Ty::F16x2 : t == Ty::BF16 ? Ty::BF16x2 : t; }

u32 nanLanes(const Warp &w, const u32 *registers, u32 count, Ty t) {
  u32 bits = 0;
  for (u32 k = 0; k < count; ++k) {
    bits |= nanLanes(w, registers[k], packed(t));
  }
  return bits;
}

/// Every lane's result depends on every lane's operands: a NaN anywhere explains all.
bool isMatrix(const DInst &i) { return i.cls == Class::Mma; }

} // namespace

u32 lanesWithoutNan(Warp &w, const DInst &i, u32 exec) {
  if (isMatrix(i)) {
    const MmaInfo &m = *static_cast<const MmaInfo *>(i.extra);
    bool any = nanLanes(w, m.ra, m.na, m.a) || nanLanes(w, m.rb, m.nb, m.b) || nanLanes(w, m.rc, m.nc, m.c);
    return any ? 0 : exec;
  }
  const Trace &t = w.cta->launch->program->traces[pcOf(w, i)];
  u32 bits = nanLanes(w, i.a, t.type);
  bits |= t.operands > 1 ? nanLanes(w, i.b, t.type) : 0;
  bits |= t.operands > 2 ? nanLanes(w, i.c, t.type) : 0;
  return exec & ~bits;
}

void reportBirth(Warp &w, const DInst &i, u32 lanes) {
  u32 born;
  if (isMatrix(i)) {
    const MmaInfo &m = *static_cast<const MmaInfo *>(i.extra);
    born = nanLanes(w, m.rd, m.nd, m.d) & lanes;
  } else {
    born = nanLanes(w, i.d, w.cta->launch->program->traces[pcOf(w, i)].type) & lanes;
  }
  if (born) {
    report(w, i, Kind::Nan,
           "the result is not a number though no operand is one: lane " + std::to_string(__builtin_ctz(born)) +
               " of the warp" + (born & (born - 1) ? " and others" : ""));
  }
}

} // namespace pavage::sim
