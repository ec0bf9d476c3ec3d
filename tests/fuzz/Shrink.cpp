// Makes a failing program small, and programs that can be read back. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "tests/fuzz/Harness.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pavage::tile;

namespace pavage::fuzz {

static constexpr const char *kRoles[] = {"input", "inout", "output", "approximate", "scalar"};

static func::FuncOp kernelOf(ModuleOp module) { return *module.getOps<func::FuncOp>().begin(); }

void annotate(Program &program) {
  func::FuncOp kernel = kernelOf(*program.module);
  Builder builder(kernel.getContext());
  for (auto [index, argument] : llvm::enumerate(program.arguments)) {
    std::string text = std::string(kRoles[argument.role]) + ":" + std::to_string(argument.elements);
    kernel.setArgAttr(index, "tile.fuzz", builder.getStringAttr(text));
  }
  kernel->setAttr("tile.fuzz_grid", builder.getI32IntegerAttr(program.grid));
}

std::optional<Program> readBack(MLIRContext &context, const std::string &path) {
  Program program;
  program.module = parseSourceFile<ModuleOp>(path, &context);
  if (!program.module) {
    return std::nullopt;
  }
  func::FuncOp kernel = kernelOf(*program.module);
  if (auto grid = kernel->getAttrOfType<IntegerAttr>("tile.fuzz_grid")) {
    program.grid = grid.getInt();
  }
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    auto text = kernel.getArgAttrOfType<StringAttr>(i, "tile.fuzz");
    if (!text) {
      return std::nullopt;
    }
    auto [role, count] = text.getValue().split(':');
    Type type = kernel.getArgumentTypes()[i];
    if (auto pointer = dyn_cast<PtrType>(type)) {
      type = pointer.getPointee();
    }
    int64_t elements = 0;
    count.getAsInteger(10, elements);
    auto *known = llvm::find(kRoles, role);
    program.arguments.push_back({static_cast<Argument::Role>(known - kRoles), type, elements});
  }
  return program;
}

/// Zero of a type, or null for pointers.
static Value zero(OpBuilder &builder, Location loc, Type type) {
  if (isa<PtrType>(elementTypeOf(type))) {
    return nullptr;
  }
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

/// Drops the op with this number, its results replaced by zeros; false when that is not possible.
static bool drop(ModuleOp module, size_t number) {
  Operation *victim = nullptr;
  size_t count = 0;
  kernelOf(module).walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<func::FuncOp>(op) && count++ == number) {
      victim = op;
    }
  });
  if (!victim || victim->hasTrait<OpTrait::IsTerminator>() || isa<arith::ConstantOp>(victim)) {
    return false;
  }
  OpBuilder builder(victim);
  for (Value result : victim->getResults()) {
    if (result.use_empty()) {
      continue;
    }
    Value replacement = zero(builder, victim->getLoc(), result.getType());
    if (!replacement) {
      return false;
    }
    result.replaceAllUsesWith(replacement);
  }
  victim->erase();
  return true;
}

static void eraseDead(ModuleOp module) {
  bool changed = true;
  while (changed) {
    changed = false;
    SmallVector<Operation *> dead;
    kernelOf(module).walk([&](Operation *op) {
      if (isOpTriviallyDead(op)) {
        dead.push_back(op);
      }
    });
    for (Operation *op : llvm::reverse(dead)) {
      if (op->use_empty()) {
        op->erase();
        changed = true;
      }
    }
  }
}

static size_t countOps(ModuleOp module) {
  size_t count = 0;
  kernelOf(module).walk([&](Operation *op) { count += !isa<func::FuncOp>(op); });
  return count;
}

Program shrink(Program program, uint64_t seed, const HarnessOptions &options, const std::string &failure) {
  StringRef kind = StringRef(failure).take_while(llvm::isAlpha);
  auto stillFails = [&](const Program &candidate) {
    std::optional<std::string> result = compare(candidate, seed, options);
    return result && StringRef(*result).starts_with(kind);
  };
  bool changed = true;
  while (changed) {
    changed = false;
    for (size_t number = countOps(*program.module); number-- > 0;) {
      Program candidate;
      candidate.module = cast<ModuleOp>(program.module->clone());
      candidate.arguments = program.arguments;
      candidate.grid = program.grid;
      if (!drop(*candidate.module, number)) {
        continue;
      }
      eraseDead(*candidate.module);
      if (countOps(*candidate.module) < countOps(*program.module) && stillFails(candidate)) {
        program = std::move(candidate);
        changed = true;
        number = std::min(number, countOps(*program.module));
      }
    }
  }
  return program;
}

} // namespace pavage::fuzz
