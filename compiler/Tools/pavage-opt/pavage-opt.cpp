// Runs passes on IR text, with upstream's flag names. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Cpu/Lower/Passes.h"
#include "compiler/Cpu/Schedule/Passes.h"
#include "compiler/Gpu/Lower/Passes.h"
#include "compiler/Gpu/Schedule/Passes.h"
#include "compiler/Normalize/Passes.h"
#include "compiler/Pipeline/BuildPipeline.h"
#include "compiler/Pipeline/Passes.h"
#include "compiler/Tools/pavage-opt/EmitPtxPass.h"
#include "compiler/Tools/pavage-opt/InterpPass.h"
#include "dialect/TileGPU/Interp/Interp.h"
#include "dialect/TileGPU/TileGPU.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#ifdef PAVAGE_TESTS
#include "tests/lib/TestPasses.h"
#endif

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<pavage::tile::TileDialect, pavage::tilegpu::TileGPUDialect, mlir::arith::ArithDialect,
                  mlir::cf::ControlFlowDialect, mlir::func::FuncDialect, mlir::LLVM::LLVMDialect,
                  mlir::NVVM::NVVMDialect, mlir::math::MathDialect, mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
                  mlir::ub::UBDialect, mlir::vector::VectorDialect>();
  mlir::func::registerInlinerExtension(registry);
  mlir::registerTransformsPasses();
  pavage::normalize::registerNormalizePasses();
  pavage::cpu::registerCpuSchedulePasses();
  pavage::cpu::registerCpuLowerPasses();
  pavage::gpu::registerGpuSchedulePasses();
  pavage::gpu::lower::registerGpuLowerPasses();
  pavage::pipeline::registerPipelinePasses();
  pavage::pipeline::registerPipelines();
  pavage::tilegpu::extendInterp();
  pavage::registerInterpPass();
  pavage::registerEmitPtxPass();
#ifdef PAVAGE_TESTS
  pavage::registerTestPasses();
#endif
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Pavage's optimizer driver\n", registry));
}
