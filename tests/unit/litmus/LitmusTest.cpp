// The litmus programs of tests/litmus on every device that runs here. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// Each function of those files is a kernel with the contents of its arrays before and after. A device is Interp or a
// level of the CPU, there also with checked accesses. Fusion is off: numerics.md states results before Normalize.
#include "compiler/Driver/Compile.h"
#include "compiler/Driver/Interpret.h"
#include "dialect/Tile/Interp/Interp.h"
#include "dialect/Tile/Interp/RunModule.h"
#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "runtime/Core/CpuInfo.h"
#include "runtime/Core/LaunchScope.h"
#include "runtime/Cpu/CpuDevice.h"

#include <filesystem>
#include <gtest/gtest.h>

using namespace mlir;
using namespace pavage;

namespace {

const std::vector<std::string> &fileNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> found;
    for (const auto &entry : std::filesystem::directory_iterator(PAVAGE_SOURCE_DIR "/tests/litmus")) {
      if (entry.path().extension() == ".mlir") {
        found.push_back(entry.path().stem().string());
      }
    }
    std::sort(found.begin(), found.end());
    return found;
  }();
  return names;
}

/// One run of one kernel: its arrays, and what they must hold in the end.
class KernelRun {
public:
  explicit KernelRun(func::FuncOp kernel) : kernel(kernel) {
    arrays.resize(kernel.getNumArguments());
    shapes.resize(kernel.getNumArguments());
    for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
      unsigned owner = i;
      if (auto alias = kernel.getArgAttrOfType<IntegerAttr>(i, tile::kTestAliasAttr)) {
        owner = static_cast<unsigned>(alias.getInt());
      }
      auto contents = kernel.getArgAttrOfType<DenseElementsAttr>(owner, tile::kTestAttr);
      if (owner == i) {
        arrays[i] = tile::Datum(contents.getType());
        EXPECT_TRUE(arrays[i].read(contents));
      }
      shapes[i].assign(contents.getType().getShape().begin(), contents.getType().getShape().end());
      auto address = reinterpret_cast<uint64_t>(arrays[owner].bytes.data());
      slots.push_back(address);
      records.push_back({address, shapes[i].data(), nullptr, static_cast<int32_t>(shapes[i].size()),
                         static_cast<uint32_t>(tile::bytesInMemory(contents.getElementType())), i, 0});
    }
    if (auto given = kernel->getAttrOfType<DenseI32ArrayAttr>(tile::kTestGridAttr)) {
      llvm::copy(given.asArrayRef(), grid.begin());
    }
  }

  void check() {
    for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
      auto value = kernel.getArgAttrOfType<DenseElementsAttr>(i, tile::kTestExpectAttr);
      if (!value) {
        continue;
      }
      tile::Datum expected(value.getType());
      ASSERT_TRUE(expected.read(value));
      EXPECT_TRUE(tile::equalData(arrays[i], expected))
          << "argument " << i << " holds " << formatDatum(arrays[i]) << "\n       expected " << formatDatum(expected);
    }
  }

  func::FuncOp kernel;
  std::vector<tile::Datum> arrays;
  std::vector<std::vector<int64_t>> shapes;
  std::vector<uint64_t> slots;
  std::vector<PavageArray> records;
  std::array<int64_t, 3> grid{1, 1, 1};
};

class Litmus : public testing::TestWithParam<std::string> {
public:
  void SetUp() override {
    driver::prepareContext(context);
    context.loadAllAvailableDialects();
    file = parseSourceFile<ModuleOp>(PAVAGE_SOURCE_DIR "/tests/litmus/" + GetParam() + ".mlir", &context);
    ASSERT_TRUE(file);
  }

  /// Calls fn with a module for each kernel of the file.
  template <class Fn> void forEachKernel(Fn fn) {
    for (auto kernel : file->getOps<func::FuncOp>()) {
      SCOPED_TRACE("@" + kernel.getName().str());
      OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
      module->push_back(kernel->clone());
      fn(*module, KernelRun(kernel));
      ++kernels;
    }
    EXPECT_GT(kernels, 0);
  }

  void runOnCpu(ModuleOp module, KernelRun run, const std::string &level, bool isChecked) {
    driver::CompileOptions options;
    options.cpuLevel = level;
    options.fpFusion = false;
    options.check = isChecked;
    errors::Result<artifact::Artifact> artifact = driver::compileModule(module, options);
    ASSERT_TRUE(artifact) << artifact.error().text();
    std::string bytes = artifact::serialize(*artifact);
    core::DeviceName name;
    name.kind = "cpu";
    auto device = cpu::makeCpuKind()->open(name);
    ASSERT_TRUE(device) << device.error().text();
    auto kernel = (*device)->load({*artifact, bytes});
    ASSERT_TRUE(kernel) << kernel.error().text();
    core::LaunchArgs args;
    std::copy(run.grid.begin(), run.grid.end(), args.grid);
    args.slots = run.slots.data();
    args.arrays = run.records.data();
    args.arrayCount = static_cast<uint32_t>(run.records.size());
    core::LaunchScope scope;
    errors::Error error = (*kernel)->launch(args);
    ASSERT_FALSE(error) << error.text();
    run.check();
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> file;
  int kernels = 0;
};

INSTANTIATE_TEST_SUITE_P(Files, Litmus, testing::ValuesIn(fileNames()), [](const auto &info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

} // namespace

TEST_P(Litmus, Interp) {
  forEachKernel([](ModuleOp module, KernelRun run) {
    driver::InterpretOptions options;
    options.grid = run.grid;
    options.slots = run.slots;
    options.arrays = run.records;
    errors::Error error = driver::interpretModule(module, options);
    ASSERT_FALSE(error) << error.text();
    run.check();
  });
}

TEST_P(Litmus, Cpu) {
  for (auto level : {core::CpuLevel::Portable, core::CpuLevel::Avx2, core::CpuLevel::Avx512}) {
    if (level > core::cpuInfo().best) {
      continue;
    }
    SCOPED_TRACE(std::string(core::cpuLevelName(level)));
    forEachKernel([&](ModuleOp module, KernelRun run) {
      runOnCpu(module, std::move(run), std::string(core::cpuLevelName(level)), false);
    });
  }
}

TEST_P(Litmus, CpuWithCheckedAccesses) {
  forEachKernel([&](ModuleOp module, KernelRun run) { runOnCpu(module, std::move(run), "", true); });
}
