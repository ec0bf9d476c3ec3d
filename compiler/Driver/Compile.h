// From a module to an artifact: the stages joined to one call. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_COMPILER_DRIVER_COMPILE_H
#define PAVAGE_COMPILER_DRIVER_COMPILE_H

#include "compiler/Driver/Capture.h"
#include "compiler/Pipeline/Stages.h"
#include "compiler/Target/GpuTarget.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "runtime/Artifact/Artifact.h"
#include "runtime/Errors/Errors.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace pavage::driver {

struct CompileOptions {
  pipeline::Target target = pipeline::Target::Cpu;
  const target::GpuTarget *gpu = nullptr;   ///< for Target::Gpu: which
  std::string cpuLevel;                     ///< portable, avx2, avx512, amx; empty = this machine's
  std::vector<pipeline::Stage> emit;        ///< sections beside the code
  std::optional<pipeline::Stage> stopAfter; ///< stage, which then is a section, instead of code
  std::string dumpFolder;                   ///< IR after each pass; empty = none
  bool check = false;                       ///< compare every access with the extents of its argument
  bool fpFusion = true;                     ///< a*b + c gets one rounding
  bool verifyEach = false;                  ///< run the verifiers after every pass
  RemarkHandler remark;                     ///< receives what passes tell; may be empty
};

/// Compiles a copy of the module. Errors are numbered and have the author's place; 09xx are the compiler's own.
errors::Result<artifact::Artifact> compileModule(mlir::ModuleOp module, const CompileOptions &options);

/// The module's one kernel, or error PV0202.
errors::Result<mlir::func::FuncOp> findKernel(mlir::ModuleOp module);

/// The launch facts of a kernel's arguments: names, types, what is read and written.
std::vector<artifact::Param> kernelParams(mlir::func::FuncOp kernel);

/// Adds to a context what modules of other origin than the builder may use. No thread may be using it.
void prepareContext(mlir::MLIRContext &context);

/// Reads text or bytecode, verifies, and finds the kernel: errors PV0200-0202.
errors::Result<mlir::OwningOpRef<mlir::ModuleOp>> parseModule(mlir::MLIRContext &context, llvm::StringRef text,
                                                              llvm::StringRef file);

/// Runs the verifiers: error PV0201.
errors::Error verifyModule(mlir::ModuleOp module);

} // namespace pavage::driver

#endif // PAVAGE_COMPILER_DRIVER_COMPILE_H
