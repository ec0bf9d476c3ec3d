// The pool of contexts, and what the C interface says of modules. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "frontend/builder/Module.h"

#include "dialect/Tile/TileDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "pavage/builder_c.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

using namespace mlir;
using namespace pavage::builder;

namespace {
struct Pool {
  std::mutex mutex;
  std::vector<MLIRContext *> free;
};
} // namespace

/// Never destroyed: modules may be dropped while the process exits.
static Pool &pool() {
  static Pool &instance = *new Pool;
  return instance;
}

OwnedContext::OwnedContext() : context(nullptr) {
  {
    std::lock_guard lock(pool().mutex);
    if (!pool().free.empty()) {
      context = pool().free.back();
      pool().free.pop_back();
      return;
    }
  }
  context = new MLIRContext(MLIRContext::Threading::DISABLED);
  context->loadDialect<arith::ArithDialect, func::FuncDialect, math::MathDialect, scf::SCFDialect, ub::UBDialect,
                       pavage::tile::TileDialect>();
}

OwnedContext::~OwnedContext() {
  std::lock_guard lock(pool().mutex);
  pool().free.push_back(context);
}

extern "C" {

const char *pv_module_kernel(const pv_module *m) { return m ? m->kernel.c_str() : ""; }

char *pv_module_text(const pv_module *m, int withLocations) {
  if (!m) {
    return nullptr;
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  if (withLocations) {
    flags.enableDebugInfo(/*enable=*/true);
  }
  m->module.get()->print(stream, flags);
  char *copy = static_cast<char *>(std::malloc(text.size() + 1));
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

void pv_string_free(char *text) { std::free(text); }

void pv_module_destroy(pv_module *m) { delete m; }

} // extern "C"
