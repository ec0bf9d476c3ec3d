// Runs a kernel in Interp and as machine code of each CPU level, and compares. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "tests/unit/compiler/Cpu/Cross.h"

#include "compiler/Cpu/Lower/Passes.h"
#include "compiler/Cpu/Plan/Plan.h"
#include "compiler/Cpu/Schedule/Passes.h"
#include "dialect/Tile/Interp/Interp.h"
#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "runtime/Cpu/ObjectLoader.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;

namespace pavage::cpu {

std::vector<const target::CpuTarget *> levelsHere() {
  std::vector<const target::CpuTarget *> result;
  for (const target::CpuTarget &target : target::cpuTargets()) {
    bool runs = target.name == "portable" || (target.name == "avx2" && __builtin_cpu_supports("avx2")) ||
                (target.name == "avx512" && __builtin_cpu_supports("avx512vl"));
    if (runs) {
      result.push_back(&target);
    }
  }
  return result;
}

static OwningOpRef<ModuleOp> parse(MLIRContext &context, llvm::StringRef text) {
  context.loadDialect<tile::TileDialect, arith::ArithDialect, func::FuncDialect, math::MathDialect, scf::SCFDialect,
                      ub::UBDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module) << text.str();
  return module;
}

CpuObject compileText(llvm::StringRef text, const target::CpuTarget &target, const CrossOptions &options,
                      const EmitOptions &emit) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  OwningOpRef<ModuleOp> module = parse(context, text);
  if (!module) {
    return {};
  }
  if (options.isDisjoint) {
    for (auto function : module->getOps<func::FuncOp>()) {
      for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
        if (isa<tile::PtrType>(type)) {
          function.setArgAttr(index, tile::kMemoryAttr, Builder(&context).getI64IntegerAttr(index + 1));
        }
      }
    }
  }
  PassManager pm(&context);
  PlanBuffersPassOptions plan;
  plan.level = target.name.str();
  pm.addNestedPass<func::FuncOp>(createPlanBuffersPass(plan));
  LowerTilesPassOptions lower;
  lower.level = target.name.str();
  lower.check = options.check;
  pm.addPass(createLowerTilesPass(lower));
  pm.addPass(createLowerToLLVMPass());
  std::string before;
  llvm::raw_string_ostream(before) << *module;
  if (getenv("PAVAGE_TEST_DUMP")) {
    pm.enableIRPrinting([](Pass *, Operation *) { return false; }, [](Pass *, Operation *) { return true; }, true,
                        true);
  }
  if (failed(pm.run(*module))) {
    ADD_FAILURE() << "passes failed for " << target.name.str() << "\n" << before;
    return {};
  }
  llvm::Expected<CpuObject> object = emitObject(*module, target, emit);
  if (!object) {
    ADD_FAILURE() << llvm::toString(object.takeError());
    return {};
  }
  return std::move(*object);
}

int32_t runObject(const CpuObject &object, Arguments &arguments, const CrossOptions &options) {
  auto loaded = loadObject(object.object);
  if (!loaded) {
    ADD_FAILURE() << loaded.error().text();
    return -1;
  }
  auto function = reinterpret_cast<PavageKernelFn>(loaded->function(object.entry));
  if (!function) {
    ADD_FAILURE() << "no function " << object.entry;
    return -1;
  }
  std::vector<uint64_t> slots;
  for (Argument &argument : arguments) {
    slots.push_back(argument.bytes.empty() ? argument.scalar : reinterpret_cast<uint64_t>(argument.bytes.data()));
  }
  uint32_t cancel = 0;
  PavageLaunch launch{};
  launch.version = PAVAGE_ABI_VERSION;
  for (int axis = 0; axis < 3; ++axis) {
    launch.grid[axis] = options.grid[axis];
  }
  launch.cancel = &cancel;
  launch.context = const_cast<CrossOptions *>(&options);
  launch.assert_fail = [](void *, uint32_t, int64_t) -> int32_t { return 501; };
  launch.print = [](void *context, uint32_t site, int64_t program, const void *data) {
    auto *self = static_cast<const CrossOptions *>(context);
    if (self->onPrint) {
      self->onPrint(site, program, data);
    }
  };
  launch.check_access = [](void *context, uint32_t site, int32_t argument, uint64_t address, int64_t bytes,
                           int32_t isWrite, int64_t) -> int32_t {
    auto *self = static_cast<const CrossOptions *>(context);
    return self->onAccess ? self->onAccess(site, argument, address, bytes, isWrite != 0) : 0;
  };
  void *scratch = aligned_alloc(64, (object.scratchBytes + 63) / 64 * 64 + 64);
  std::memset(scratch, 0xff, object.scratchBytes); // NaNs: what was not written shows
  int64_t programs = options.grid[0] * options.grid[1] * options.grid[2];
  int32_t result = function(slots.data(), &launch, 0, programs, scratch);
  free(scratch);
  return result;
}

static bool isNan(char kind, const uint8_t *at) {
  uint64_t bits = 0;
  switch (kind) {
  case 'f':
    std::memcpy(&bits, at, 4);
    return (bits & 0x7fffffff) > 0x7f800000;
  case 'd':
    std::memcpy(&bits, at, 8);
    return (bits & ~(uint64_t(1) << 63)) > 0x7ff0000000000000u;
  case 'h':
    std::memcpy(&bits, at, 2);
    return (bits & 0x7fff) > 0x7c00;
  case 'b':
    std::memcpy(&bits, at, 2);
    return (bits & 0x7fff) > 0x7f80;
  case '4':
    return (*at & 0x7f) == 0x7f;
  case '5':
    return (*at & 0x7f) > 0x7c;
  default:
    return false;
  }
}

std::string compare(const Argument &expected, const Argument &actual, const CrossOptions &options) {
  size_t step = options.nanOf == 'd'                           ? 8
                : options.nanOf == 'f'                         ? 4
                : options.nanOf == 'h' || options.nanOf == 'b' ? 2
                                                               : 1;
  for (size_t at = 0; at < expected.bytes.size(); at += step) {
    size_t count = std::min(step, expected.bytes.size() - at);
    const uint8_t *x = &expected.bytes[at], *y = &actual.bytes[at];
    bool bothNan = count == step && isNan(options.nanOf, x) && isNan(options.nanOf, y);
    if (std::memcmp(x, y, count) == 0 || bothNan) {
      continue;
    }
    double a = 0, b = 0;
    if (step == 8) {
      std::memcpy(&a, x, 8), std::memcpy(&b, y, 8);
    } else if (step == 4) {
      float p, q;
      std::memcpy(&p, x, 4), std::memcpy(&q, y, 4);
      a = p, b = q;
      if (options.tolerance >= 0 && std::fabs(a - b) <= options.tolerance * std::max(std::fabs(a), 1e-30)) {
        continue;
      }
    }
    char text[200];
    snprintf(text, sizeof text, "element %zu: expected %.9g, got %.9g; bytes %02x%02x%02x%02x and %02x%02x%02x%02x",
             at / step, a, b, x[0], count > 1 ? x[1] : 0, count > 2 ? x[2] : 0, count > 3 ? x[3] : 0, y[0],
             count > 1 ? y[1] : 0, count > 2 ? y[2] : 0, count > 3 ? y[3] : 0);
    return text;
  }
  return "";
}

void runEach(llvm::StringRef text, const Arguments &arguments, const std::function<void(const Arguments &)> &judge,
             const CrossOptions &options) {
  for (const target::CpuTarget *target : levelsHere()) {
    SCOPED_TRACE(target->name.str());
    CpuObject object = compileText(text, *target, options);
    if (object.entry.empty()) {
      return;
    }
    Arguments copy = arguments;
    EXPECT_EQ(runObject(object, copy, options), options.expectedError);
    judge(copy);
  }
}

Arguments interpret(ModuleOp module, const Arguments &arguments, const CrossOptions &options) {
  Arguments expected = arguments;
  func::FuncOp kernel = *module.getOps<func::FuncOp>().begin();
  tile::InterpOptions interpOptions;
  interpOptions.print = [](llvm::StringRef) {};
  for (int axis = 0; axis < 3; ++axis) {
    interpOptions.grid[axis] = static_cast<int32_t>(options.grid[axis]);
  }
  std::vector<tile::Datum> data;
  for (auto [index, argument] : llvm::enumerate(expected)) {
    uint64_t bits = argument.scalar;
    if (!argument.bytes.empty()) {
      bits = reinterpret_cast<uint64_t>(argument.bytes.data());
      tile::ArrayRecord record;
      record.base = bits;
      record.shape.push_back(static_cast<int64_t>(argument.bytes.size()));
      interpOptions.arrays.push_back(record);
    }
    data.push_back(tile::Datum::scalar(kernel.getArgumentTypes()[index], bits));
  }
  tile::Interp interp(interpOptions);
  bool isDone = interp.runGrid(kernel, data);
  for (const tile::Finding &finding : interp.findings()) {
    EXPECT_FALSE(finding.isError && options.expectedError == 0) << finding.text;
  }
  EXPECT_EQ(isDone, options.expectedError == 0);
  return expected;
}

Arguments cross(llvm::StringRef text, const Arguments &arguments, const CrossOptions &options) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  OwningOpRef<ModuleOp> module = parse(context, text);
  if (!module) {
    return arguments;
  }
  SCOPED_TRACE(text.str());
  Arguments expected = interpret(*module, arguments, options);
  runEach(
      text, arguments,
      [&](const Arguments &actual) {
        for (size_t index = 0; index < expected.size(); ++index) {
          std::string difference = compare(expected[index], actual[index], options);
          EXPECT_EQ(difference, "") << "argument " << index << "\n" << text.str();
        }
      },
      options);
  return expected;
}

std::string fill(llvm::StringRef text, const std::vector<std::pair<std::string, std::string>> &values) {
  std::string result = text.str();
  for (const auto &[name, value] : values) {
    std::string key = "$" + name;
    for (size_t at = result.find(key); at != std::string::npos; at = result.find(key, at + value.size())) {
      result.replace(at, key.size(), value);
    }
  }
  return result;
}

} // namespace pavage::cpu
