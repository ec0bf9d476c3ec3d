// What LLVM would end the process for becomes an error. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Driver/EmitCpu.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace pavage;

namespace {

/// Compiles a kernel with this body, as Lower would leave it.
errors::Result<cpu::CpuObject> emit(const std::string &body) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<LLVM::LLVMDialect>();
  std::string text = "llvm.func @k(%x: i32) -> i32 attributes {tile.sites = [], tile.scratch_bytes = 0 : i64} {\n" +
                     body + "  llvm.return %y : i32\n}\n";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module) {
    ADD_FAILURE() << text;
    return errors::Error(errors::Code::Internal, "");
  }
  return driver::emitCpu(*module, **driver::cpuTarget("portable"), {});
}

} // namespace

TEST(EmitCpuTest, GoodCodeIsObject) {
  auto object = emit("  %y = llvm.add %x, %x : i32\n");
  ASSERT_TRUE(object) << object.error().text();
  EXPECT_EQ(object->object.substr(1, 3), "ELF");
}

TEST(EmitCpuTest, FatalErrorOfLlvmComesBack) {
  auto object = emit("  %y = llvm.call_intrinsic \"llvm.aarch64.crc32w\"(%x, %x) : (i32, i32) -> i32\n");
  ASSERT_FALSE(object);
  EXPECT_TRUE(object.error().is(errors::Code::BackEndFailed));
  EXPECT_NE(object.error().text().find("Cannot select"), std::string::npos) << object.error().text();
  // And the thread can go on.
  EXPECT_TRUE(emit("  %y = llvm.add %x, %x : i32\n"));
}

TEST(EmitCpuTest, DiagnosticOfLlvmComesBack) {
  auto object = emit("  %y = llvm.inline_asm \"nothing $0, $1\", \"=r,r\" %x : (i32) -> i32\n");
  ASSERT_FALSE(object);
  EXPECT_TRUE(object.error().is(errors::Code::BackEndFailed)) << object.error().text();
  EXPECT_TRUE(emit("  %y = llvm.add %x, %x : i32\n"));
}
