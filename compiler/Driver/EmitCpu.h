// The CPU back end behind a border that nothing crosses but values. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#ifndef PAVAGE_COMPILER_DRIVER_EMITCPU_H
#define PAVAGE_COMPILER_DRIVER_EMITCPU_H

#include "compiler/Cpu/Emit/Emit.h"
#include "compiler/Target/CpuTarget.h"
#include "runtime/Errors/Errors.h"
#include <string>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace pavage::driver {

struct EmitRequest {
  bool llvm = false;     ///< the LLVM IR as text
  bool assembly = false; ///< the assembler text
};

/// The level of this name, or error PV0206; for "" the best one that this machine has.
errors::Result<const target::CpuTarget *> cpuTarget(const std::string &name);

/// Object code of a module in the LLVM dialect. What LLVM takes for a reason to end the process becomes error PV0903.
errors::Result<cpu::CpuObject> emitCpu(mlir::ModuleOp module, const target::CpuTarget &target,
                                       const EmitRequest &request);

} // namespace pavage::driver

#endif // PAVAGE_COMPILER_DRIVER_EMITCPU_H
