// Checks that follow values: int32 wrap and the birth of NaN. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What to follow is found when a function is decoded, so that other instructions cost nothing: a backward walk from the
// addresses of global accesses finds the 32-bit additions, multiplications and shifts that an address is made of, and
// stops where a value is cut down on purpose (and, shr, rem, bfe, min, ...). At run time each of these sets a bit per
// lane when its exact result does not fit 32 bits; the access reports the bits of the lanes that take part.
#pragma once

#include "runtime/Sim/Ast.h"
#include "runtime/Sim/Machine.h"

namespace pavage::sim {

/// For each instruction of the function what it does to the wrap bits; `op` None for most.
std::vector<Trace> findWraps(const Function &f);

/// The type whose NaNs the instruction may give birth to; None for most.
Ty nanType(const Instruction &i);

/// Moves the wrap bits along before the instruction runs, or reports them.
void followWrap(Warp &w, const DInst &i, u32 exec);

/// Lanes that have no NaN among the operands, before the instruction runs.
u32 lanesWithoutNan(Warp &w, const DInst &i, u32 exec);
/// Reports a NaN in the result of these lanes, after it ran.
void reportBirth(Warp &w, const DInst &i, u32 lanes);

} // namespace pavage::sim
