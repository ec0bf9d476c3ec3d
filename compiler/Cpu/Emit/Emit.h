// LLVM dialect to object code, in memory. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   module of Tile --pavage-cpu-plan-buffers--pavage-cpu-lower-tiles--pavage-cpu-lower-to-llvm--> module of LLVM
//   dialect emitObject(module, target, options) -> CpuObject
//
// The module holds one kernel; its launch facts (scratch size, sites) travel as attributes that Lower left on it. The
// target must be the one that the passes were given. Safe to call from several threads with a context each.
#ifndef PAVAGE_COMPILER_CPU_EMIT_EMIT_H
#define PAVAGE_COMPILER_CPU_EMIT_EMIT_H

#include "compiler/Target/CpuTarget.h"
#include "runtime/Artifact/Artifact.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace pavage::cpu {

struct EmitOptions {
  bool keepLlvm = false;     ///< also give the LLVM IR after optimisation, as text
  bool keepAssembly = false; ///< also give the assembler text
};

struct CpuObject {
  std::string entry;    ///< the function's symbol
  std::string object;   ///< an ELF relocatable file
  std::string llvm;     ///< text, if asked for
  std::string assembly; ///< text, if asked for
  uint64_t scratchBytes = 0;
  std::vector<artifact::Site> sites;
  std::string cpuLevel; ///< name of the least level that can run it
};

llvm::Expected<CpuObject> emitObject(mlir::ModuleOp module, const target::CpuTarget &target,
                                     const EmitOptions &options = {});

} // namespace pavage::cpu

#endif // PAVAGE_COMPILER_CPU_EMIT_EMIT_H
