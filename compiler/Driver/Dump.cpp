// IR after each pass, as files. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Driver/Dump.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace pavage::driver {

namespace {

std::string print(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream, OpPrintingFlags().enableDebugInfo(true, /*prettyForm=*/true).useLocalScope());
  return text;
}

class DumpAfterPass : public PassInstrumentation {
public:
  explicit DumpAfterPass(std::shared_ptr<Dump> dump) : dump(std::move(dump)) {}

  void runAfterPass(Pass *pass, Operation *op) override { record(pass, op, ""); }
  void runAfterPassFailed(Pass *pass, Operation *op) override { record(pass, op, "-failed"); }

private:
  void record(Pass *pass, Operation *op, StringRef suffix) {
    StringRef name = pass->getArgument();
    if (name.empty()) {
      return; // the adaptor that runs nested passes
    }
    name.consume_front("pavage-");
    while (Operation *parent = op->getParentOp()) {
      op = parent;
    }
    dump->write((name + suffix).str(), op);
  }

  std::shared_ptr<Dump> dump;
};

} // namespace

errors::Result<std::shared_ptr<Dump>> Dump::create(StringRef folder, StringRef kernel, ModuleOp module) {
  std::string text = print(module);
  SmallString<128> path(folder);
  llvm::sys::path::append(path, llvm::formatv("{0}-{1:x-8}", kernel, llvm::xxh3_64bits(text) & 0xffffffff).str());
  if (std::error_code code = llvm::sys::fs::create_directories(path)) {
    return errors::Error(errors::Code::DumpFailed,
                         "cannot make the folder '" + path.str().str() + "': " + code.message());
  }
  auto dump = std::make_shared<Dump>();
  dump->folder = path.str();
  dump->write("recorded", "mlir", text);
  if (dump->failure) {
    return dump->failure;
  }
  return dump;
}

void Dump::write(StringRef step, StringRef extension, StringRef content) {
  SmallString<128> path(folder);
  llvm::sys::path::append(path, llvm::formatv("{0,0+2}-{1}.{2}", next++, step, extension).str());
  std::error_code code;
  llvm::raw_fd_ostream stream(path, code, llvm::sys::fs::OF_None);
  if (!code) {
    stream << content;
    stream.close();
    code = stream.error();
    stream.clear_error();
  }
  if (code && !failure) {
    failure = errors::Error(errors::Code::DumpFailed, "cannot write '" + path.str().str() + "': " + code.message());
  }
}

void Dump::write(StringRef step, Operation *module) { write(step, "mlir", print(module)); }

void Dump::attach(const std::shared_ptr<Dump> &dump, PassManager &pm) {
  pm.addInstrumentation(std::make_unique<DumpAfterPass>(dump));
}

} // namespace pavage::driver
