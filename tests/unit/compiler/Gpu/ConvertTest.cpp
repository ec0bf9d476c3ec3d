// Changes of layout, executed. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Layout/Convert.h"
#include "dialect/Layout/Constructors.h"
#include "dialect/TileGPU/TileGPU.h"
#include "tests/unit/compiler/Gpu/GpuRun.h"
#include "tests/unit/dialect/Layout/RandomLayout.h"
#include <gtest/gtest.h>

using namespace mlir;
using pavage::layout::Layout;
using pavage::layout::Place;
using pavage::layout::Random;

namespace pavage::gpu {
namespace {

std::string textOf(const Layout &layout) {
  static MLIRContext *context = [] {
    auto *made = new MLIRContext(MLIRContext::Threading::DISABLED);
    made->loadDialect<tilegpu::TileGPUDialect>();
    return made;
  }();
  std::string text;
  llvm::raw_string_ostream(text) << tilegpu::LayoutAttr::get(context, layout);
  return text;
}

/// A kernel that loads a row-major tile in one layout, converts it and stores it in another.
std::string convertText(const Layout &from, const Layout &to, const std::string &type, const std::string &target,
                        int numWarps) {
  std::string shape, extents, zeros, strides, constants = "  %zero = arith.constant 0 : i64\n";
  int64_t stride = 1;
  std::vector<int64_t> all;
  for (int axis = from.rank() - 1; axis >= 0; --axis) {
    all.insert(all.begin(), stride);
    stride *= from.extents()[axis];
  }
  for (int axis = 0; axis < from.rank(); ++axis) {
    std::string name = std::to_string(axis);
    constants += "  %e" + name + " = arith.constant " + std::to_string(from.extents()[axis]) + " : i64\n";
    constants += "  %s" + name + " = arith.constant " + std::to_string(all[axis]) + " : i64\n";
    shape += std::to_string(from.extents()[axis]) + "x";
    extents += (axis ? ", %e" : "%e") + name;
    strides += (axis ? ", %s" : "%s") + name;
    zeros += axis ? ", %zero" : "%zero";
  }
  return fill(R"(#a = $A
#b = $B
func.func @k(%out: !tile.ptr<$T>, %in: !tile.ptr<$T>)
    attributes {tile.kernel, tilegpu.num_warps = $W : i32, tilegpu.target = "$G"} {
$C  %x = tile.block_load %in[$Z] strides [$S] extents [$E] : !tile.ptr<$T> -> tensor<$Xx$T, #a>
  %y = tilegpu.convert %x : tensor<$Xx$T, #a> -> tensor<$Xx$T, #b>
  tile.block_store %out[$Z] strides [$S] extents [$E], %y : !tile.ptr<$T>, tensor<$Xx$T, #b>
  return
}
)",
              {{"A", textOf(from)},
               {"B", textOf(to)},
               {"C", constants},
               {"Z", zeros},
               {"S", strides},
               {"E", extents},
               {"Xx$T", shape + type},
               {"T", type},
               {"G", target},
               {"W", std::to_string(numWarps)}});
}

int64_t sizeOf(const std::string &type) {
  return type == "i1" || type == "i8" || type == "f8E4M3FN" ? 1
         : type == "f16" || type == "bf16"                  ? 2
         : type == "i64" || type == "f64"                   ? 8
                                                            : 4;
}

void check(const Layout &from, const Layout &to, const std::string &type, const std::string &target, int numWarps) {
  int64_t count = 1;
  for (int64_t extent : from.extents()) {
    count *= extent;
  }
  std::vector<uint8_t> data = cpu::randomBits<uint8_t>(count * sizeOf(type), 7);
  for (uint8_t &byte : data) {
    byte &= type == "i1" ? 1 : 0xff;
  }
  GpuOptions options;
  options.target = target;
  options.numWarps = numWarps;
  options.isScheduled = true;
  options.nanOf = 0;
  crossGpu(convertText(from, to, type, target, numWarps),
           {Argument::array(std::vector<uint8_t>(data.size())), Argument::array(data)}, options);
}

/// A random surjective layout for a number of warps.
Layout randomFor(Random &random, const std::vector<int64_t> &extents, int warpBits) {
  Layout layout = layout::randomLayout(random, extents);
  Layout::Bases bases;
  for (int place = 0; place < layout::kNumPlaces; ++place) {
    bases[place] = layout.basis(static_cast<Place>(place));
  }
  // That one has two warp bits.
  layout::Vectors &warps = bases[static_cast<int>(Place::Warp)], &registers = bases[static_cast<int>(Place::Register)];
  while (static_cast<int>(warps.size()) > warpBits) {
    registers.push_back(warps.back());
    warps.pop_back();
  }
  while (static_cast<int>(warps.size()) < warpBits) {
    layout::Vector image = 0;
    if (registers.size() > 1 && random() % 2) {
      image = registers.back();
      registers.pop_back();
    }
    warps.push_back(image);
  }
  return Layout(extents, bases);
}

} // namespace

// PAVAGE_TEST_CONVERSIONS=10000 runs as many as it takes to be sure.
TEST(GpuConvert, Random) {
  const char *wanted = getenv("PAVAGE_TEST_CONVERSIONS");
  int rounds = wanted ? atoi(wanted) : 60;
  Random random(41);
  const std::string types[] = {"i32", "f16", "i8", "f64", "i1", "bf16", "i64", "f8E4M3FN", "f32"};
  const std::string targets[] = {"sm_80", "sm_90", "sm_75", "sm_86", "sm_89"};
  for (int round = 0; round < rounds && !testing::Test::HasFailure(); ++round) {
    int warpBits = static_cast<int>(random() % 5);
    std::vector<int64_t> extents = layout::randomExtents(random);
    Layout from = randomFor(random, extents, warpBits), to = randomFor(random, extents, warpBits);
    SCOPED_TRACE("round " + std::to_string(round));
    check(from, to, types[random() % std::size(types)], targets[random() % std::size(targets)], 1 << warpBits);
  }
}

TEST(GpuConvert, BetweenUsualLayouts) {
  Layout rows = layout::blocked({64, 32}, {1, 8}, {8, 4}, {4, 1}, {1, 0});
  Layout columns = layout::blocked({64, 32}, {8, 1}, {8, 4}, {1, 4}, {0, 1});
  Layout sums = layout::mmaAccumulator({64, 32}, {2, 2});
  Layout left = layout::mmaOperand(0, {64, 32}, 16, {2, 2}), right = layout::mmaOperand(1, {64, 32}, 16, {2, 2});
  for (const Layout &from : {rows, columns, sums, left}) {
    for (const Layout &to : {rows, sums, left, right}) {
      for (const char *type : {"f16", "f32", "i8"}) {
        for (const char *target : {"sm_80", "sm_90"}) {
          check(from, to, type, target, 4);
        }
      }
    }
  }
}

TEST(GpuConvert, Pointers) {
  Layout rows = layout::blocked({64, 32}, {1, 2}, {4, 8}, {4, 1}, {1, 0});
  for (const Layout &to : {layout::blocked({64, 32}, {2, 1}, {8, 4}, {4, 1}, {1, 0}),
                           layout::blocked({64, 32}, {8, 1}, {8, 4}, {1, 4}, {0, 1})}) {
    std::string text = convertText(rows, to, "i64", "sm_80", 4);
    std::string pointers = "tensor<64x32x!tile.ptr<f32>, #";
    std::string from = "  %y = tilegpu.convert %x : tensor<64x32xi64, #a> -> tensor<64x32xi64, #b>\n";
    size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, from.size(),
                 "  %p = tile.bitcast %x : tensor<64x32xi64, #a> -> " + pointers +
                     "a>\n  %q = tilegpu.convert %p : " + pointers + "a> -> " + pointers +
                     "b>\n  %y = tile.bitcast %q : " + pointers + "b> -> tensor<64x32xi64, #b>\n");
    std::vector<uint64_t> data = cpu::randomBits<uint64_t>(64 * 32, 9);
    for (uint64_t &value : data) {
      value &= 0xffffffffffff; // Interp keeps the upper bits of addresses for itself
    }
    crossGpu(text, {Argument::array(std::vector<uint64_t>(data.size())), Argument::array(data)},
             {.isScheduled = true, .nanOf = 0});
  }
}

TEST(GpuConvert, RoundsThroughScratch) {
  Layout rows = layout::blocked({128, 128}, {1, 4}, {1, 32}, {4, 1}, {1, 0});
  Layout sums = layout::mmaAccumulator({128, 128}, {2, 2});
  check(rows, sums, "f32", "sm_80", 4);
  check(sums, rows, "i64", "sm_90", 4);
}

} // namespace pavage::gpu
