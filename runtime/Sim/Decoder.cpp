// Driving the decoding of a function: its variables, then its instructions. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "runtime/Sim/DecoderState.h"
#include "runtime/Sim/Trace.h"

#include <algorithm>
#include <cstring>

namespace pavage::sim {

namespace {

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
      {"vabsdiff2", &D::decodeByteDifferences},
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
  partlyWritten = findPartlyWritten(f);
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

} // namespace pavage::sim
