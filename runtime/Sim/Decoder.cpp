// Laying out variables and driving the decoding of functions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/DecoderState.h"
#include "runtime/Sim/Trace.h"

#include <algorithm>
#include <cstring>

namespace pavage::sim {

namespace {

u64 alignUp(u64 x, u64 align) { return (x + align - 1) & ~(align - 1); }
constexpr u32 maxLocalBytes = 512u << 10;
constexpr u32 maxParamBytes = 32764;

} // namespace

std::string unsignedName(Ty t) { return "u" + std::to_string(typeBits(t)); }
std::string integerName(Ty t) { return (isSigned(t) ? "s" : "u") + std::to_string(typeBits(t)); }

std::string_view className(Class c) {
  constexpr std::string_view names[] = {"integer", "float",  "convert", "move",    "control",    "special",     "load",
                                        "store",   "atomic", "warp",    "barrier", "async_copy", "matrix_move", "mma"};
  return names[static_cast<u8>(c)];
}

const std::unordered_map<std::string_view, FunctionDecoder::Method> &FunctionDecoder::methods() {
  using D = FunctionDecoder;
  static const std::unordered_map<std::string_view, Method> table = {
      {"add", &D::decodeAddSub},
      {"sub", &D::decodeAddSub},
      {"addc", &D::decodeCarry},
      {"subc", &D::decodeCarry},
      {"madc", &D::decodeCarry},
      {"mul", &D::decodeMul},
      {"mad", &D::decodeFma},
      {"fma", &D::decodeFma},
      {"mul24", &D::decodeMad24},
      {"mad24", &D::decodeMad24},
      {"sad", &D::decodeSad},
      {"dp4a", &D::decodeDot},
      {"dp2a", &D::decodeDot},
      {"vabsdiff4", &D::decodeByteDifferences},
      {"div", &D::decodeDivide},
      {"rem", &D::decodeDivide},
      {"rcp", &D::decodeUnaryMath},
      {"sqrt", &D::decodeUnaryMath},
      {"rsqrt", &D::decodeUnaryMath},
      {"ex2", &D::decodeUnaryMath},
      {"lg2", &D::decodeUnaryMath},
      {"sin", &D::decodeUnaryMath},
      {"cos", &D::decodeUnaryMath},
      {"tanh", &D::decodeUnaryMath},
      {"abs", &D::decodeSign},
      {"neg", &D::decodeSign},
      {"min", &D::decodeMinMax},
      {"max", &D::decodeMinMax},
      {"copysign", &D::decodeCopysign},
      {"testp", &D::decodeTestp},
      {"and", &D::decodeLogic},
      {"or", &D::decodeLogic},
      {"xor", &D::decodeLogic},
      {"not", &D::decodeLogic},
      {"cnot", &D::decodeLogic},
      {"lop3", &D::decodeLop3},
      {"shl", &D::decodeShift},
      {"shr", &D::decodeShift},
      {"shf", &D::decodeFunnel},
      {"popc", &D::decodeCount},
      {"clz", &D::decodeCount},
      {"brev", &D::decodeCount},
      {"bfind", &D::decodeCount},
      {"fns", &D::decodeFns},
      {"bfe", &D::decodeBitField},
      {"bfi", &D::decodeBitField},
      {"bmsk", &D::decodeMaskOps},
      {"szext", &D::decodeMaskOps},
      {"prmt", &D::decodePrmt},
      {"setp", &D::decodeSetp},
      {"set", &D::decodeSet},
      {"selp", &D::decodeSelp},
      {"slct", &D::decodeSlct},
      {"cvt", &D::decodeCvt},
      {"mov", &D::decodeMov},
      {"cvta", &D::decodeCvta},
      {"isspacep", &D::decodeIsspacep},
      {"mapa", &D::decodeMapa},
      {"getctarank", &D::decodeMapa},
      {"ld", &D::decodeLoad},
      {"ldu", &D::decodeLoad},
      {"st", &D::decodeStore},
      {"prefetch", &D::decodeNothing},
      {"prefetchu", &D::decodeNothing},
      {"applypriority", &D::decodeNothing},
      {"discard", &D::decodeNothing},
      {"createpolicy", &D::decodeCreatePolicy},
      {"atom", &D::decodeAtom},
      {"red", &D::decodeAtom},
      {"membar", &D::decodeFence},
      {"fence", &D::decodeFence},
      {"bra", &D::decodeBranch},
      {"brx", &D::decodeBranchIndex},
      {"call", &D::decodeCall},
      {"ret", &D::decodeExit},
      {"exit", &D::decodeExit},
      {"trap", &D::decodeTrap},
      {"brkpt", &D::decodeNothing},
      {"nanosleep", &D::decodeSimple},
      {"pmevent", &D::decodeNothing},
      {"griddepcontrol", &D::decodeNothing},
      {"bar", &D::decodeBarrier},
      {"barrier", &D::decodeBarrier},
      {"activemask", &D::decodeActiveMask},
      {"elect", &D::decodeElect},
      {"shfl", &D::decodeShuffle},
      {"vote", &D::decodeVote},
      {"match", &D::decodeMatch},
      {"redux", &D::decodeRedux},
      {"cp", &D::decodeCpAsync},
      {"mbarrier", &D::decodeMbarrier},
      {"ldmatrix", &D::decodeMatrixMove},
      {"stmatrix", &D::decodeMatrixMove},
      {"movmatrix", &D::decodeMovMatrix},
      {"mma", &D::decodeMma},
      {"wmma", &D::decodeWmma},
  };
  return table;
}

Handler FunctionDecoder::handler(const std::string &name) const {
  Handler h = findHandler(name);
  if (!h) {
    fail(605, inst->where, "'" + inst->fullName() + "' is not supported (no handler '" + name + "')");
  }
  return h;
}

DInst &FunctionDecoder::emit(const std::string &name, Class cls, u32 d, u32 a, u32 b, u32 c) {
  DInst i;
  i.fn = handler(name);
  i.cls = cls;
  i.d = d;
  i.a = a;
  i.b = b;
  i.c = c;
  i.source = static_cast<u32>(program.code.size());
  if (inst->guard >= 0 && pendingGuard) {
    i.guard = pendingGuard;
    i.flags |= Guarded | (inst->guardNegated ? GuardNegated : 0);
  }
  if (!isFirst) {
    i.flags |= Uncounted;
  }
  isFirst = false;
  program.code.push_back(i);
  program.traces.emplace_back();
  program.sources.push_back({inst->where.line, inst->where.column, inst->sourceFile, inst->sourceLine,
                             inst->sourceColumn, &program.texts.back()});
  return program.code.back();
}

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

void FunctionDecoder::layoutVariables() {
  u64 local = 0;
  auto place = [&](const Variable &v) {
    local = alignUp(local, std::max(1u, v.align));
    u64 at = local;
    local += v.bytes;
    if (local > maxLocalBytes) {
      fail(609, v.where, "more than 512 KB of local memory per thread");
    }
    return static_cast<u32>(at);
  };
  if (f.isEntry) {
    u64 at = 0;
    for (const Variable &v : f.params) {
      at = alignUp(at, v.align);
      paramOffsets[v.name] = static_cast<u32>(at);
      at += v.bytes;
      if (at > maxParamBytes) {
        fail(609, v.where, "more than 32764 bytes of kernel parameters");
      }
    }
  } else {
    for (const Variable &v : f.params) {
      paramOffsets[v.name] = place(v);
      code->paramOffsets.push_back(paramOffsets[v.name]);
      code->paramBytes.push_back(static_cast<u32>(v.bytes));
    }
    for (const Variable &v : f.results) {
      paramOffsets[v.name] = place(v);
      code->resultOffsets.push_back(paramOffsets[v.name]);
      code->resultBytes.push_back(static_cast<u32>(v.bytes));
    }
  }
  localOffsets.assign(f.locals.size(), ~0u);
  localAddresses.assign(f.locals.size(), 0);
  for (size_t k = 0; k < f.locals.size(); ++k) {
    const Variable &v = f.locals[k];
    if (v.space == Space::Local || v.space == Space::Param) {
      localOffsets[k] = place(v);
    } else if (v.space == Space::Shared && v.isExtern) {
      context.hasDynamicShared = true;
      localAddresses[k] = ~u64(0); // known after all static variables; patched by the module
      fail(608, v.where, "an extern shared array must be declared at module level");
    } else if (v.space == Space::Shared) {
      context.sharedBytes = static_cast<u32>(alignUp(context.sharedBytes, v.align));
      localAddresses[k] = context.sharedBytes;
      if (v.bytes > (1u << 20)) {
        fail(609, v.where, "shared variable '" + v.name + "' is too large");
      }
      context.sharedBytes += static_cast<u32>(v.bytes);
    } else {
      fail(608, v.where, "variables of space '" + std::string(spaceName(v.space)) + "' cannot stand in a function");
    }
  }
  code->localBytes = static_cast<u32>(alignUp(local, 16));
}

/// Marks the decoded instruction that does the work of the current one.
void FunctionDecoder::attachTrace(Trace trace) {
  u32 begin = pcOfInstruction[instIndex], end = static_cast<u32>(program.code.size());
  Ty t = nanType(*inst);
  bool isMatrix = false;
  for (u32 pc = begin; pc < end; ++pc) {
    DInst &i = program.code[pc];
    bool isFloatMma = i.cls == Class::Mma && inst->opcode == "mma" && isFloat(static_cast<const MmaInfo *>(i.extra)->d);
    if (!isMatrix && (isFloatMma || (t != Ty::None && i.cls == Class::Float))) {
      isMatrix = true; // the first one only: flushing and saturating come after
      i.flags |= TracksNan;
      trace.type = t;
      trace.operands = static_cast<u8>(inst->operands.size() - 1);
      program.traces[pc] = trace;
    }
  }
  if (trace.op == WrapOp::None) {
    return;
  }
  for (u32 pc = end; pc-- > begin;) {
    DInst &i = program.code[pc];
    if (trace.op != WrapOp::Check || i.cls == Class::Load || i.cls == Class::Store || i.cls == Class::Atomic ||
        i.cls == Class::AsyncCopy) {
      i.flags |= TracksWrap;
      program.traces[pc] = trace;
      return;
    }
  }
}

void FunctionDecoder::run() {
  code = &program.functions[number];
  code->name = f.name;
  code->isEntry = f.isEntry;
  layoutVariables();
  offsets = allocateRegisters(f, code->frameBytes);
  code->entry = static_cast<u32>(program.code.size());
  pcOfInstruction.assign(f.instructions.size() + 1, 0);
  std::vector<Trace> wraps = findWraps(f);
  for (instIndex = 0; instIndex < f.instructions.size(); ++instIndex) {
    inst = &f.instructions[instIndex];
    pcOfInstruction[instIndex] = static_cast<u32>(program.code.size());
    isFirst = true;
    program.texts.push_back(inst->fullName());
    pendingGuard = inst->guard >= 0 ? offsets[static_cast<u32>(inst->guard)] : 0;
    auto method = methods().find(inst->opcode);
    if (method == methods().end()) {
      unsupported("no decoder");
    }
    (this->*method->second)();
    attachTrace(wraps[instIndex]);
  }
  // Running off the end returns.
  Instruction end;
  end.opcode = "ret";
  end.where = f.instructions.empty() ? f.where : f.instructions.back().where;
  end.groups = {-1};
  inst = &end;
  isFirst = false;
  pcOfInstruction.back() = static_cast<u32>(program.code.size());
  program.texts.push_back("ret");
  decodeExit();
  code->end = static_cast<u32>(program.code.size());
  for (auto [pc, label] : branches) {
    program.code[pc].imm = pcOfInstruction[f.labels[label]];
  }
  for (auto [table, label] : tables) {
    for (u32 target : f.branchTargets[label]) {
      table->push_back(pcOfInstruction[f.labels[target]]);
    }
  }
}

namespace {

void placeGlobals(ModuleContext &context, DeviceMemory &memory) {
  for (const Variable &v : context.module.globals) {
    if (v.space == Space::Shared) {
      Symbol s;
      s.space = Space::Shared;
      if (v.isExtern) {
        context.hasDynamicShared = true;
        s.address = ~u64(0);
      } else {
        context.sharedBytes = static_cast<u32>(alignUp(context.sharedBytes, v.align));
        s.address = context.sharedBytes;
        if (v.bytes > (1u << 20)) {
          fail(609, v.where, "shared variable '" + v.name + "' is too large");
        }
        context.sharedBytes += static_cast<u32>(v.bytes);
      }
      context.symbols[v.name] = s;
      continue;
    }
    Symbol s;
    s.space = v.space;
    s.address = memory.allocate(std::max<u64>(v.bytes, 1), v.name, std::max<u64>(v.align, 256));
    if (!s.address) {
      fail(609, v.where, "no memory for variable '" + v.name + "'");
    }
    memory.fill(s.address, 0, std::max<u64>(v.bytes, 1));
    context.symbols[v.name] = s;
    context.program.globals.push_back({v.name, s.address, v.bytes, v.space == Space::Const, {}});
  }
}

void fillGlobals(ModuleContext &context, DeviceMemory &memory) {
  for (const Variable &v : context.module.globals) {
    if (v.space == Space::Shared || v.init.empty()) {
      continue;
    }
    std::vector<u8> bytes = v.init;
    for (const Relocation &r : v.relocations) {
      auto found = context.symbols.find(r.symbol);
      if (found == context.symbols.end()) {
        fail(606, r.where, "unknown name '" + r.symbol + "'");
      }
      const Symbol &s = found->second;
      u64 value =
          (s.function >= 0 ? functionBase + 16 * static_cast<u64>(s.function) : s.address) + static_cast<u64>(r.addend);
      if (r.byte >= 0) {
        bytes[r.offset] = static_cast<u8>(value >> (8 * (r.byte & 7)));
      } else {
        std::memcpy(bytes.data() + r.offset, &value, std::min<size_t>(8, bytes.size() - r.offset));
      }
    }
    memory.write(context.symbols[v.name].address, bytes.data(), bytes.size());
  }
}

} // namespace

Program decodeModule(const Module &module, DeviceMemory &memory) {
  Program program;
  program.arch = module.arch;
  program.archSuffix = module.archSuffix;
  program.ptxVersion = module.ptxVersion;
  program.files = module.files;
  ModuleContext context{module, program, {}, {}, 0, false};
  placeGlobals(context, memory);
  for (const Function &f : module.functions) {
    u32 index = static_cast<u32>(program.functions.size());
    Symbol s;
    s.function = static_cast<i32>(index);
    context.symbols[f.name] = s;
    context.functionNumbers[f.name] = index;
    program.functions.emplace_back();
  }
  fillGlobals(context, memory);
  // Shared memory: the module's variables, then those of device functions, then each kernel's own from there on. The
  // dynamic array starts behind the largest kernel's, so that device functions find it at one place.
  std::vector<u32> sharedStart(module.functions.size(), 0);
  u32 dynamicAt = 0;
  for (bool entries : {false, true}) {
    for (u32 k = 0; k < module.functions.size(); ++k) {
      if (module.functions[k].isEntry != entries) {
        continue;
      }
      u32 at = sharedStart[k] = context.sharedBytes;
      for (const Variable &v : module.functions[k].locals) {
        if (v.space == Space::Shared) {
          at = static_cast<u32>(alignUp(at, v.align) + std::min<u64>(v.bytes, 1u << 20));
        }
      }
      context.sharedBytes = entries ? context.sharedBytes : at;
      dynamicAt = std::max(dynamicAt, at);
    }
  }
  for (const Variable &v : module.globals) {
    if (v.space == Space::Shared && v.isExtern) {
      dynamicAt = static_cast<u32>(alignUp(dynamicAt, std::max(16u, v.align)));
    }
  }
  for (auto &[name, s] : context.symbols) {
    if (s.space == Space::Shared && s.address == ~u64(0)) {
      s.address = dynamicAt;
    }
  }
  std::vector<u32> staticEnd(module.functions.size(), 0);
  for (u32 k = 0; k < module.functions.size(); ++k) {
    const Function &f = module.functions[k];
    program.functions[k].name = f.name;
    if (f.hasBody) {
      context.sharedBytes = sharedStart[k];
      FunctionDecoder(context, f, k).run();
    }
    staticEnd[k] = context.sharedBytes;
  }
  u32 shift = 2;
  auto noteGlobal = [&](const MemInfo &m, u32 bytes) {
    if (m.space == Space::Global || m.space == Space::Generic) {
      program.globalShift = std::min(program.globalShift, bytes >= 4 ? 2u : bytes / 2);
    }
  };
  for (const AtomInfo &a : program.atoms) {
    noteGlobal(a.mem, a.mem.elementBytes);
  }
  for (const WmmaInfo &x : program.wmmas) {
    noteGlobal(x.mem, x.mem.elementBytes);
  }
  for (const MemInfo &m : program.mems) {
    noteGlobal(m, u32(m.elementBytes) * m.count);
    bool mayBeShared = m.space == Space::Shared || m.space == Space::Generic;
    if (mayBeShared && m.elementBytes * m.count < 4) {
      shift = std::min(shift, m.elementBytes * m.count == 2 ? 1u : 0u);
    }
  }
  for (u32 k = 0; k < module.functions.size(); ++k) {
    const Function &f = module.functions[k];
    if (!f.isEntry || !f.hasBody) {
      continue;
    }
    Kernel kernel;
    kernel.name = f.name;
    kernel.code = k;
    u64 at = 0;
    for (const Variable &v : f.params) {
      at = alignUp(at, v.align);
      bool isPointer = v.isPointer || ((v.type == Ty::U64 || v.type == Ty::B64) && v.bytes == 8);
      kernel.params.push_back(
          {v.name, static_cast<u32>(at), static_cast<u32>(v.bytes), isPointer, v.isPointer, v.type});
      at += v.bytes;
    }
    kernel.paramBytes = static_cast<u32>(at);
    kernel.staticShared = context.hasDynamicShared ? dynamicAt : staticEnd[k];
    kernel.usesDynamicShared = context.hasDynamicShared;
    kernel.sharedShift = shift;
    std::copy_n(f.reqntid, 3, kernel.reqntid);
    std::copy_n(f.maxntid, 3, kernel.maxntid);
    kernel.maxnreg = f.maxnreg;
    program.kernels.push_back(std::move(kernel));
  }
  return program;
}

} // namespace pavage::sim
