// Decoded PTX, ready to execute. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every operand of a decoded instruction is a byte offset into the register frame of its function: virtual registers,
// special registers, and literals (broadcast to 32 lanes when a warp starts) all live there. A frame consists of
// granules of 64 bytes: 16-bit registers take one (32 lanes x 2 bytes), 32-bit ones two, 64-bit ones four, 128-bit ones
// eight; a predicate is one u32 mask in a granule of its own. Granule 0 is the predicate that is always true, and what
// an absent operand refers to; the next eight swallow results that nobody wants.
#pragma once

#include "runtime/Sim/Types.h"

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

namespace pavage::sim {

struct Warp;
struct DInst;
using Handler = void (*)(Warp &, const DInst &, u32 exec);

constexpr u32 granuleBytes = 64;
constexpr u32 trueOffset = 0;
constexpr u32 sinkOffset = granuleBytes;
constexpr u32 firstOffset = 9 * granuleBytes;

/// Classes of warp instructions, for the counters.
enum class Class : u8 {
  Integer,
  Float,
  Convert,
  Move,
  Control,
  Special,
  Load,
  Store,
  Atomic,
  Warp,
  Barrier,
  AsyncCopy,
  MatrixMove,
  Mma,
  Count
};
std::string_view className(Class c);

enum DFlags : u8 {
  Guarded = 1,
  GuardNegated = 2,
  OwnDefined = 4, // the handler keeps the defined masks itself
  FusedGroup = 8,
  TracksWrap = 32, // has a Trace for int32 wrap, or for the birth of NaN
  TracksNan = 64
};

/// What an instruction does to the bits that say "this value has wrapped at 32 bits".
enum class WrapOp : u8 { None, Check, Copy, Add, Sub, Mul, Mad, Shl };

/// What the checks of Trace.h need of an instruction.
struct Trace {
  WrapOp op = WrapOp::None;
  u8 sources = 0; // 1 a, 2 b, 4 c: operands that carry such bits
  bool isSigned = false;
  Ty type = Ty::None; // of the operands and the result, for NaN
  u8 operands = 0;
};

struct DInst {
  Handler fn = nullptr;
  const void *extra = nullptr; // a MemInfo, MmaInfo, ... of the Program
  u64 imm = 0;
  u32 d = sinkOffset, a = 0, b = 0, c = 0;
  u32 guard = 0;
  u32 d2 = sinkOffset;
  u32 source = 0; // index into Program::sources
  u16 sub = 0;    // a variant of the operation, known to the handler
  u8 flags = 0;
  Class cls = Class::Integer;
};

/// Where a decoded instruction comes from.
struct Source {
  u32 ptxLine = 0;
  u32 ptxColumn = 0;
  u32 file = 0;
  u32 line = 0, column = 0;
  const std::string *text = nullptr; // full opcode
};

/// A load, a store, an atomic or a copy.
struct MemInfo {
  Space space = Space::Generic;
  u8 elementBytes = 4;
  u8 count = 1;         // elements per lane
  u8 registerBytes = 4; // per element; wider than the element when the value is extended
  u8 addressBytes = 8;
  bool isSigned = false;
  bool isStore = false;
  bool isVolatile = false; // volatile or relaxed: an access that others may see at any time
  bool acquire = false, release = false;
  u8 scope = 0;              // 0 none, 1 cta, 2 cluster, 3 gpu, 4 sys
  bool isLocalFrame = false; // the address is relative to the local frame of the function
  u32 regs[8] = {};
  u32 id = 0; // number among the memory instructions of the program
};

enum class AtomOp : u8 { And, Or, Xor, Exch, Cas, Add, Min, Max, Inc, Dec };

/// cp.async: sub of the instruction is 0, 1 with a source size in c, 2 with an ignore-source predicate in c.
struct CopyInfo {
  MemInfo to, from;
  u64 fromOffset = 0;
};

struct AtomInfo {
  MemInfo mem;
  AtomOp op = AtomOp::Add;
  Ty type = Ty::U32;
  bool hasResult = true;
};

struct CvtInfo {
  Ty to = Ty::None, from = Ty::None;
  u8 toBytes = 4, fromBytes = 4; // of the registers
  char rounding = 0;             // n z m p, or a for rna; 0 none
  bool toIntegral = false;       // rni, rzi, rmi, rpi
  bool ftz = false, sat = false, relu = false, satfinite = false;
};

enum class MmaKind : u8 { F16, BF16, TF32, F64, S8, S4, B1, FP8 };

struct MmaInfo {
  MmaKind kind = MmaKind::F16;
  u8 m = 16, n = 8, k = 16;
  u16 kFull = 16;
  Ty a = Ty::F16, b = Ty::F16, c = Ty::F32, d = Ty::F32;
  bool satfinite = false, isAnd = false;
  char rounding = 'n';
  u8 na = 0, nb = 0, nc = 0, nd = 0;
  u32 ra[16] = {}, rb[16] = {}, rc[16] = {}, rd[16] = {};
};

/// wmma: where a fragment's elements lie, computed once; element e of lane l is (row, column) of the tile.
struct WmmaInfo {
  MemInfo mem;
  bool rowMajor = true;
  u8 count = 0; // registers
  u8 rows = 16, columns = 16;
  u32 regs[16] = {};
  u8 elementsPerRegister = 1;
  u8 part = 'a';
  Ty type = Ty::F16;
  u32 stride = 0; // offset of the register with the stride; 0 = the tile's own
};

struct CallCopy {
  u32 from = 0, to = 0, bytes = 0; // offsets in the caller's and in the callee's local frame
};

struct CallInfo {
  i32 callee = -1; // function number; -1: through register a
  enum class Builtin : u8 { None, Vprintf, AssertFail, Malloc, Free } builtin = Builtin::None;
  std::vector<u32> argOffsets, argBytes; // in the caller's local frame
  std::vector<u32> retOffsets, retBytes;
};

struct Code {
  std::string name;
  u32 entry = 0; // index of its first instruction
  u32 end = 0;
  u32 frameBytes = firstOffset;
  u32 localBytes = 0;                        // of one thread
  std::vector<u32> paramOffsets, paramBytes; // of a device function: in its local frame
  std::vector<u32> resultOffsets, resultBytes;
  struct Constant {
    u32 offset;
    u8 bytes; // 2, 4, 8; 0 = a predicate
    u64 value;
  };
  std::vector<Constant> constants;
  struct SpecialUse {
    u32 offset;
    u8 special;
  };
  std::vector<SpecialUse> specials;
  bool isEntry = false;
};

struct KernelParam {
  std::string name;
  u32 offset = 0, bytes = 0;
  bool isPointer = false; // .ptr, or a .u64 that may be one
  bool isDeclaredPointer = false;
  Ty type = Ty::None;
};

struct Kernel {
  std::string name;
  u32 code = 0; // number of its Code
  std::vector<KernelParam> params;
  u32 paramBytes = 0;
  u32 staticShared = 0;
  bool usesDynamicShared = false;
  u32 sharedShift = 2; // log2 of the granularity of shared-memory shadows
  u32 reqntid[3] = {0, 0, 0};
  u32 maxntid[3] = {0, 0, 0};
  u32 maxnreg = 0;
};

struct GlobalVariable {
  std::string name;
  u64 address = 0;
  u64 bytes = 0;
  bool isConst = false;
  std::vector<u8> init;
};

struct Program {
  std::vector<DInst> code;
  std::vector<Source> sources; // of code, by the same index
  std::vector<Trace> traces;   // likewise
  std::deque<std::string> texts;
  std::vector<Code> functions;
  std::vector<Kernel> kernels;
  std::vector<GlobalVariable> globals;
  std::vector<std::string> files;
  std::deque<MemInfo> mems;
  std::deque<AtomInfo> atoms;
  std::deque<CvtInfo> cvts;
  std::deque<MmaInfo> mmas;
  std::deque<WmmaInfo> wmmas;
  struct WmmaGroup {
    const WmmaInfo *d, *a, *b, *c;
  };
  std::deque<WmmaGroup> wmmaGroups;
  std::deque<CallInfo> calls;
  std::deque<CopyInfo> copies;
  std::deque<std::vector<u32>> tables; // of brx.idx
  u32 memCount = 0;
  u32 arch = 0;
  char archSuffix = 0;
  u32 ptxVersion = 0;
  bool hasStrongAccesses = false;  // to global memory: atomics, volatile, relaxed, acquire, release
  u32 globalShift = 2;             // log2 of the granularity of global-memory shadows
  bool usesReservedShared = false; // 1 KB behind the kernel's own shared memory
  bool usesGridSync = false;       // the workspace behind %envreg1 and %envreg2

  const Kernel *findKernel(const std::string &name) const {
    for (const Kernel &k : kernels) {
      if (k.name == name) {
        return &k;
      }
    }
    return nullptr;
  }
};

} // namespace pavage::sim
