// The table of PTX forms. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One row per form: opcode, groups of modifiers, operand kinds, first architecture and first ISA version. The parser
// matches every instruction against it, the decoder asks which modifier filled which group, and the documentation and
// `pavage sim --list-forms` are printed from it.
//
// Groups stand in a fixed order, but the modifiers of an instruction may come in any: each takes the first free group
// that holds it, so that `cvt.f32.f16` fills the result type before the source type.
//   a|b     one of them must be there        [a|b]   at most one of them
//   -       an empty group, so that rows of one opcode number their groups alike
//   @name   a set named in Schema.cpp
// Operands, one letter each; those after ? may be missing:
//   d register or _     D the same or a vector      q register, r|p pair or _      s value      S value or vector
//   p predicate         a address                   v vector                       i integer    l label
//   f function name or register                     n symbol                       L list in parentheses
#pragma once

#include "runtime/Sim/Ast.h"

#include <string_view>
#include <vector>

namespace pavage::sim {

struct SchemaRow {
  std::string_view opcode;
  std::string_view groups;
  std::string_view operands;
  u32 arch;       // 75, 80, ...; older ones count as 75
  u32 ptxVersion; // major * 10 + minor
  char archSuffix;
  std::vector<std::vector<std::string_view>> choices; // per group
  std::vector<bool> optional;
};

const std::vector<SchemaRow> &schema();

/// Sets row and groups of the instruction and checks operand kinds, architecture and version. Throws Failure.
void matchSchema(Instruction &i, u32 arch, char archSuffix, u32 ptxVersion);

/// Prints the forms that are known, each with its first architecture and ISA version; given files, how often each form
/// is met in them. 0, or 1 with a message when a file cannot be read.
int listForms(const std::vector<std::string> &files);

/// The form in a fixed spelling, e.g. "ld.volatile|relaxed.global.b32 D a".
std::string describe(const SchemaRow &row);

} // namespace pavage::sim
