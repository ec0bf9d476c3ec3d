// The decoder of one function, shared by its files. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DecodeModule.cpp places variables, Decoder.cpp drives, DecodeOperands.cpp turns operands into frame offsets, and
// Decode{Arithmetic,Memory,Control,Warp}.cpp turn one family of instructions each into decoded instructions. Handlers
// are found by name, e.g. "add.ftz.f32".
#pragma once

#include "runtime/Sim/Decoder.h"
#include "runtime/Sim/Schema.h"

#include <array>
#include <map>

namespace pavage::sim {

/// Flag of decoded instructions that belong to the one before and are not counted.
constexpr u8 Uncounted = 16;

/// What a name means in a module.
struct Symbol {
  Space space = Space::Generic;
  u64 address = 0; // global, const: device address; shared: offset
  i32 function = -1;
};

struct ModuleContext {
  const Module &module;
  Program &program;
  std::unordered_map<std::string, Symbol> symbols; // of the module
  std::unordered_map<std::string, u32> functionNumbers;
  u32 sharedBytes = 0; // static shared memory of the module's and functions' variables so far
  bool hasDynamicShared = false;
};

/// Function addresses: an entry in no memory.
constexpr u64 functionBase = u64(0x05) << 40;

class FunctionDecoder {
public:
  FunctionDecoder(ModuleContext &context, const Function &f, u32 number)
      : context(context), program(context.program), f(f), number(number) {}
  void run();

private:
  using Method = void (FunctionDecoder::*)();
  static const std::unordered_map<std::string_view, Method> &methods();

  // Of the current instruction.
  std::string_view group(u32 g) const {
    i16 m = g < inst->groups.size() ? inst->groups[g] : i16(-1); // rows of one opcode may have fewer groups
    return m < 0 ? std::string_view() : std::string_view(inst->modifiers[static_cast<u32>(m)]);
  }
  bool has(u32 g) const { return g < inst->groups.size() && inst->groups[g] >= 0; }
  Ty type(u32 g) const { return parseType(group(g)); }
  const Operand &op(u32 k) const { return inst->operands[k]; }
  size_t ops() const { return inst->operands.size(); }
  [[noreturn]] void wrong(const Operand &o, const std::string &text) const {
    fail(603, o.where, text + " in '" + inst->fullName() + "'");
  }
  [[noreturn]] void unsupported(const std::string &why) const {
    fail(605, inst->where, "'" + inst->fullName() + "' is not supported: " + why);
  }

  // Operands to frame offsets.
  u32 source(const Operand &o, u32 bits, bool wantsSingle = true);
  u32 wideSource(const Operand &o, u32 &registerBits, u32 immediateBits);
  u32 target(const Operand &o, u32 bits);
  u32 predicate(const Operand &o); // emits a negation where needed
  u32 predicateTarget(const Operand &o);
  u32 constant(u64 value, u32 bits);
  u32 constantPredicate(bool value);
  u32 scratch(u32 bytes);
  u32 specialSlot(Special s, const Operand &o);
  u32 registerBits(const Operand &o) const;
  using ByteMasks = std::array<u32, 4>;
  bool isFollowed(const Operand &o) const { return o.kind == Operand::Kind::Register && partlyWritten[o.reg]; }
  ByteMasks bytesOf(const Operand &o, u32 offset);
  void followBytes(const Operand &d, ByteMasks a, ByteMasks b = {0, 0, 0, 0});
  u32 lowSource(const Operand &o, u32 bits, u32 bytes);
  u64 symbolValue(const Operand &o, Space *space = nullptr);
  bool localSymbol(const Operand &o, u32 &offset) const; // .local or .param of the body, parameters of device functions
  bool entryParam(const Operand &o, u32 &offset) const;

  DInst &emit(const std::string &handler, Class cls, u32 d = sinkOffset, u32 a = 0, u32 b = 0, u32 c = 0);
  Handler handler(const std::string &name) const;

  void attachTrace(Trace trace);

  // Families.
  void layoutVariables();
  void decodeAddSub();
  void decodeCarry();
  void decodeMul();
  void decodeFma();
  void decodeMad24();
  void decodeSad();
  void decodeDot();
  void decodeByteDifferences();
  void decodeDivide();
  void decodeUnaryMath();
  void decodeSign();
  void decodeMinMax();
  void decodeCopysign();
  void decodeTestp();
  void decodeLogic();
  void decodeLop3();
  void decodeShift();
  void decodeFunnel();
  void decodeCount();
  void decodeFns();
  void decodeBitField();
  void decodeMaskOps();
  void decodePrmt();
  void decodeSetp();
  void decodeSet();
  void decodeSelp();
  void decodeSlct();
  void decodeCvt();
  void decodeMov();
  void decodeCvta();
  void decodeIsspacep();
  void decodeMapa();
  void decodeLoad();
  void decodeStore();
  void decodeNothing();
  void decodeCreatePolicy();
  void decodeAtom();
  void decodeFence();
  void decodeBranch();
  void decodeBranchIndex();
  void decodeCall();
  void decodeExit();
  void decodeTrap();
  void decodeSimple();
  void decodeBarrier();
  void decodeActiveMask();
  void decodeElect();
  void decodeShuffle();
  void decodeVote();
  void decodeMatch();
  void decodeRedux();
  void decodeCpAsync();
  void decodeMbarrier();
  void decodeMatrixMove();
  void decodeMovMatrix();
  void decodeMma();
  void decodeWmma();

  void emitBinary(const std::string &name, Class cls, u32 bits);
  void emitDirected(u32 operation, u32 sources, Ty t);
  void finishHalf(Ty t, u32 d);
  std::string comparison(u32 cmpGroup, u32 ftzGroup, Ty t, const Operand &o) const;
  u32 emitCompare(const std::string &name, Ty t, const Operand &a, const Operand &b, u32 with, u32 boolOp, u32 p,
                  u32 q);
  void address(const Operand &o, MemInfo &m, DInst &d);
  void fillAccess(MemInfo &m, u32 vectorGroup, u32 typeGroup, const Operand &data, bool isStore);
  std::vector<const Operand *> elements(const Operand &o) const;
  void fillVector(u32 *regs, u8 &count, u32 limit, const Operand &o, u32 bits, bool isTarget);

  ModuleContext &context;
  Program &program;
  const Function &f;
  u32 number;
  Code *code = nullptr;
  std::vector<u32> offsets;                          // of virtual registers
  std::vector<u32> localOffsets;                     // of f.locals in the local frame, ~0 for others
  std::vector<u64> localAddresses;                   // of shared and global variables of the body
  std::unordered_map<std::string, u32> paramOffsets; // entry: in the parameter buffer; else in the local frame
  std::vector<bool> partlyWritten;                   // see findPartlyWritten
  std::unordered_map<u32, ByteMasks> byteMasks;      // of these registers, where they are
  std::map<std::pair<u64, u32>, u32> constants;
  std::unordered_map<u32, u32> specials;
  const Instruction *inst = nullptr;
  u32 instIndex = 0;
  bool isFirst = true;
  std::vector<u32> pcOfInstruction;
  std::vector<std::pair<u32, u32>> branches;              // pc, label
  std::vector<std::pair<std::vector<u32> *, u32>> tables; // table, label of .branchtargets
  u32 pendingGuard = 0;
};

inline u64 alignUp(u64 x, u64 align) { return (x + align - 1) & ~(align - 1); }
inline std::string str(std::string_view s) { return std::string(s); }
/// u16, u32 or u64: the name of handlers that do not care for the sign.
std::string unsignedName(Ty t);
/// By sign: u32, s32, ...; b types count as unsigned.
std::string integerName(Ty t);

} // namespace pavage::sim
