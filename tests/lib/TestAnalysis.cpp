// Passes that print what an analysis finds, as remarks on the ops. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "tests/lib/TestPasses.h"

#include "compiler/Analysis/AxisInfo.h"
#include "compiler/Analysis/MemoryRoots.h"
#include "compiler/Support/IntMath.h"
#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace pavage;

namespace {

std::string text(ArrayRef<int64_t> values) {
  std::string out = "[";
  for (int64_t value : values) {
    out += (out.size() > 1 ? ", " : "") + (value == support::anyDivisor ? "any" : std::to_string(value));
  }
  return out + "]";
}

struct TestAxisInfo : PassWrapper<TestAxisInfo, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestAxisInfo)

  TestAxisInfo() = default;
  TestAxisInfo(const TestAxisInfo &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "pavage-test-axis-info"; }
  StringRef getDescription() const final { return "print the axis info of each result as a remark"; }

  void runOnOperation() override {
    analysis::AxisInfoAnalysis analysis(getOperation(), trustHints);
    getOperation().walk([&](Operation *op) {
      for (Value result : op->getResults()) {
        if (!isa<IntegerType, tile::PtrType>(getElementTypeOrSelf(result.getType()))) {
          continue;
        }
        analysis::AxisInfo info = analysis.get(result);
        std::string out = "contiguity " + text(info.contiguity) + " divisibility " + text(info.divisibility) +
                          " constancy " + text(info.constancy);
        if (info.isNonNegative) {
          out += " nonnegative";
        }
        if (info.constant) {
          out += " constant " + std::to_string(*info.constant);
        }
        op->emitRemark(out);
      }
    });
  }

  Option<bool> trustHints{*this, "trust-hints", llvm::cl::desc("believe tile.hint"), llvm::cl::init(false)};
};

struct TestMemoryRoots : PassWrapper<TestMemoryRoots, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestMemoryRoots)

  StringRef getArgument() const final { return "pavage-test-memory-roots"; }
  StringRef getDescription() const final { return "print the roots of each pointer as a remark"; }

  void runOnOperation() override {
    analysis::MemoryRoots roots(getOperation());
    getOperation().walk([&](Operation *op) {
      for (Value result : op->getResults()) {
        if (isa<tile::PtrType>(getElementTypeOrSelf(result.getType()))) {
          op->emitRemark("roots ") << describe(roots.get(result));
        }
      }
    });
    std::string out;
    for (unsigned index = 0; index < getOperation().getNumArguments(); ++index) {
      bool isRead = roots.isRead(index);
      bool isWritten = roots.isWritten(index);
      out += (index ? ", " : "") + std::string(isRead ? "r" : "-") + (isWritten ? "w" : "-");
    }
    getOperation()->emitRemark("arguments ") << out;
  }

  static std::string describe(const analysis::RootSet &set) {
    if (set.isAny) {
      return "any";
    }
    std::string out;
    for (unsigned argument : set.arguments.set_bits()) {
      out += (out.empty() ? "" : ", ") + std::to_string(argument);
    }
    return out;
  }
};

} // namespace

void pavage::registerTestPasses() {
  PassRegistration<TestAxisInfo>();
  PassRegistration<TestMemoryRoots>();
}
