// Module to Program. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/Sim/Ast.h"
#include "runtime/Sim/DeviceMemory.h"
#include "runtime/Sim/Program.h"

namespace pavage::sim {

/// Decodes every function and places the module's variables in device memory. Throws Failure.
Program decodeModule(const Module &module, DeviceMemory &memory);

/// Frame offsets of the virtual registers: registers that are never live at the same time share slots. Raises
/// `frameBytes`.
std::vector<u32> allocateRegisters(const Function &f, u32 &frameBytes);

/// Words of 32 bits that a move or a permutation packs of a register that is never written, and what permutations and
/// logic make of such words. LLVM leaves parts undefined that nobody asks for, so these registers' bytes are followed
/// each by itself.
std::vector<bool> findPartlyWritten(const Function &f);

/// Bytes of a register of this type in a frame.
u32 registerBytes(Ty type);

} // namespace pavage::sim
