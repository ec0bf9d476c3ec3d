// Modules as input: reading, verifying, and what is known of their kernel. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "compiler/Driver/Compile.h"

#include "compiler/Analysis/MemoryRoots.h"
#include "dialect/Tile/Interp/ElementDtype.h"
#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"

using namespace mlir;

namespace pavage::driver {

// --- Reading ---------------------------------------------------------------------------------------------------------

void prepareContext(MLIRContext &context) {
  DialectRegistry registry;
  func::registerInlinerExtension(registry);
  registry.insert<arith::ArithDialect, func::FuncDialect, math::MathDialect, scf::SCFDialect, ub::UBDialect,
                  tile::TileDialect>();
  context.appendDialectRegistry(registry);
}

errors::Result<OwningOpRef<ModuleOp>> parseModule(MLIRContext &context, StringRef text, StringRef file) {
  prepareContext(context);
  ErrorCapture capture(context);
  // Verified apart from parsing, so that the two kinds of mistake have numbers of their own.
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, config, file);
  if (!module) {
    return capture.take(errors::Code::ModuleSyntax);
  }
  if (errors::Error error = verifyModule(*module)) {
    return error;
  }
  if (errors::Result<func::FuncOp> kernel = findKernel(*module); !kernel) {
    return kernel.takeError();
  }
  return module;
}

errors::Error verifyModule(ModuleOp module) {
  ErrorCapture capture(*module.getContext());
  if (failed(verify(module))) {
    return capture.take(errors::Code::ModuleInvalid);
  }
  return {};
}

// --- The kernel ------------------------------------------------------------------------------------------------------

static errors::Error kernelError(Operation *op, std::string text) {
  return {errors::Code::NoKernel, std::move(text), toPosition(support::placeOf(op->getLoc()))};
}

errors::Result<func::FuncOp> findKernel(ModuleOp module) {
  func::FuncOp kernel;
  for (func::FuncOp function : module.getOps<func::FuncOp>()) {
    if (!function->hasAttr(tile::kKernelAttr)) {
      continue;
    }
    if (kernel) {
      return kernelError(function, "expected one function with tile.kernel, got '" + kernel.getName().str() +
                                       "' and '" + function.getName().str() + "'");
    }
    kernel = function;
  }
  if (!kernel) {
    return kernelError(module, "expected a function with the attribute tile.kernel, found none");
  }
  if (kernel.isExternal()) {
    return kernelError(kernel, "kernel '" + kernel.getName().str() + "' has no body");
  }
  if (kernel.getNumResults() != 0) {
    return kernelError(kernel, "kernel '" + kernel.getName().str() + "' returns a value; kernels store their results");
  }
  for (Type type : kernel.getArgumentTypes()) {
    bool isScalar = isa<IntegerType>(type) ? llvm::is_contained({1u, 8u, 16u, 32u, 64u}, type.getIntOrFloatBitWidth())
                                           : isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
    if (!isScalar && !isa<tile::PtrType>(type)) {
      std::string text = "kernel '" + kernel.getName().str() + "' has an argument of type ";
      llvm::raw_string_ostream(text) << type << "; expected a pointer, an integer, f16, bf16, f32 or f64";
      return kernelError(kernel, std::move(text));
    }
  }
  return kernel;
}

std::vector<artifact::Param> kernelParams(func::FuncOp kernel) {
  analysis::MemoryRoots roots(kernel);
  std::vector<artifact::Param> params;
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    artifact::Param param;
    auto name = kernel.getArgAttrOfType<StringAttr>(index, tile::kNameAttr);
    param.name = name ? name.getValue().str() : "arg" + std::to_string(index);
    auto isSigned = kernel.getArgAttrOfType<BoolAttr>(index, tile::kSignedAttr);
    auto pointer = dyn_cast<tile::PtrType>(type);
    param.isPointer = !!pointer;
    param.dtype = tile::dtypeOf(pointer ? pointer.getPointee() : type, !isSigned || isSigned.getValue());
    if (auto divisor = kernel.getArgAttrOfType<IntegerAttr>(index, tile::kDivisibilityAttr);
        divisor && divisor.getInt() > 0) {
      param.divisibility = divisor.getInt();
    }
    if (pointer) {
      param.isRead = roots.isRead(index);
      param.isWritten = roots.isWritten(index);
    }
    params.push_back(std::move(param));
  }
  return params;
}

} // namespace pavage::driver
