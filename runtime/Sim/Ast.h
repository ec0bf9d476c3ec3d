// What the parser makes of a PTX file. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names are resolved while reading, since both registers and labels are lexically scoped: an operand refers to a
// register by its number inside the function, to a label by its number, and to anything else by name.
#pragma once

#include "runtime/Sim/Failure.h"
#include "runtime/Sim/Types.h"

#include <string>
#include <vector>

namespace pavage::sim {

/// Numbers of special registers; .x .y .z follow each other.
enum class Special : u8 {
#define PAVAGE_SPECIAL(id, text) id,
#include "runtime/Sim/Special.def"
  Count
};

/// The special register with this spelling, percent sign included; Count when there is none.
Special parseSpecial(std::string_view text);

struct Operand {
  enum class Kind : u8 {
    Register, // reg, with `negated` for !p
    Integer,  // bits
    Float,    // bits of an f32 (0f), an f64 (0d), or a decimal literal kept as f64
    Symbol,   // name (+ offset): a variable, a function or a parameter
    Address,  // [elements[0] + offset], or [elements...] for the tensor form
    Vector,   // {elements...}
    Sink,     // _
    Label,    // label
    Special,  // special
    Pair,     // elements[0] | elements[1]
    List      // (elements...) of a call
  };
  Kind kind = Kind::Integer;
  bool negated = false;
  bool single = false; // a Float written as 0f
  Special special = Special::Count;
  u32 reg = 0;
  u32 label = 0;
  i32 local = -1; // a Symbol declared in the body: index into Function::locals
  u64 bits = 0;
  i64 offset = 0;
  std::string name;
  std::vector<Operand> elements;
  Location where;
};

struct Register {
  std::string name;
  Ty type = Ty::None;
};

struct SchemaRow;

struct Instruction {
  std::string opcode;                 // base opcode
  std::vector<std::string> modifiers; // in source order
  std::vector<Operand> operands;
  i32 guard = -1; // register number of the guard
  bool guardNegated = false;
  Location where;
  u32 sourceFile = 0; // of the last .loc, 0 = none
  u32 sourceLine = 0, sourceColumn = 0;
  const SchemaRow *row = nullptr;
  std::vector<i16> groups; // per group of the row: index into modifiers, or -1

  std::string fullName() const {
    std::string text = opcode;
    for (const std::string &m : modifiers) {
      text += '.' + m;
    }
    return text;
  }
};

struct Relocation {
  u64 offset;
  std::string symbol;
  i64 addend;
  i32 byte; // >= 0: only this byte of the address, as in 0xFF00(symbol)
  Location where;
};

struct Variable {
  std::string name;
  Space space = Space::Global;
  Ty type = Ty::B8;
  u32 align = 1;
  u64 bytes = 0;
  bool isExtern = false;  // an extern shared array is the dynamic shared memory
  bool isPointer = false; // a kernel parameter with .ptr
  std::vector<u8> init;
  std::vector<Relocation> relocations;
  Location where;
};

struct Function {
  std::string name;
  bool isEntry = false;
  bool hasBody = false;
  std::vector<Variable> params;
  std::vector<Variable> results;
  std::vector<Register> registers;
  std::vector<Variable> locals; // .local, .shared and .param of the body, names made unique by scope
  std::vector<Instruction> instructions;
  std::vector<u32> labels;                     // label number -> instruction index
  std::vector<std::vector<u32>> branchTargets; // of a label in front of .branchtargets, by label number
  u32 reqntid[3] = {0, 0, 0};
  u32 maxntid[3] = {0, 0, 0};
  u32 maxnreg = 0;
  Location where;
};

struct Module {
  u32 ptxVersion = 0;             // major * 10 + minor
  u32 arch = 0;                   // 80, 90, ...
  char archSuffix = 0;            // 'a' or 'f'
  std::vector<std::string> files; // of .file, by number
  std::vector<Variable> globals;
  std::vector<Function> functions;
};

} // namespace pavage::sim
