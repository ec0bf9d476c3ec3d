// Whole launches of compiled C kernels on the device `cpu`. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Core/LaunchScope.h"
#include "runtime/Core/Output.h"
#include "runtime/Cpu/CpuDevice.h"
#include "runtime/Cpu/Pool.h"
#include "tests/unit/runtime/Cpu/CompileC.h"

#include <algorithm>
#include <cfenv>
#include <cstring>
#include <thread>
#include <vector>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace pavage;
using artifact::Artifact;
using artifact::Dtype;
using artifact::Site;
using errors::Code;
using errors::Error;

static const char kernels[] = R"(
#include "runtime/Artifact/Abi.h"
#define KERNEL(name) int32_t name(const uint64_t *slots, const PavageLaunch *launch, int64_t begin, int64_t end, void *scratch)
#define EACH for (int64_t p = begin; p < end; ++p) { if (*launch->cancel) return PAVAGE_INTERRUPTED;
KERNEL(add) { // out[p] = a[p] + n
  int32_t *out = (int32_t *)slots[0]; const int32_t *a = (const int32_t *)slots[1]; int32_t n = (int32_t)slots[2];
  EACH out[p] = a[p] + n; } return 0; }
KERNEL(scratchSum) { // uses 1000 floats of scratch
  float *out = (float *)slots[0], *s = scratch;
  EACH for (int i = 0; i < 1000; ++i) s[i] = i + p; float t = 0; for (int i = 0; i < 1000; ++i) t += s[i]; out[p] = t; } return 0; }
KERNEL(assertBelow) { int64_t limit = (int64_t)slots[0];
  EACH if (p >= limit) return launch->assert_fail(launch->context, 0, p); } return 0; }
KERNEL(print) { int32_t data[3];
  EACH for (int i = 0; i < 3; ++i) data[i] = (int)p * 10 + i; launch->print(launch->context, 0, p, data); } return 0; }
KERNEL(store) { int32_t *out = (int32_t *)slots[0]; int64_t shift = (int64_t)slots[1];
  EACH int32_t *at = out + p + shift;
    int32_t e = launch->check_access(launch->context, 0, 0, (uint64_t)at, 4, 1, p); if (e) return e;
    *at = (int)p; } return 0; }
KERNEL(storeAnywhere) { int32_t *out = (int32_t *)slots[0]; int64_t shift = (int64_t)slots[1];
  EACH int32_t *at = out + p + shift;
    int32_t e = launch->check_access(launch->context, 0, -1, (uint64_t)at, 4, 1, p); if (e) return e; } return 0; }
KERNEL(chain) { volatile int64_t *done = (volatile int64_t *)slots[0];
  EACH while (__atomic_load_n(done, __ATOMIC_ACQUIRE) != p) if (*launch->cancel) return PAVAGE_INTERRUPTED;
    __atomic_store_n(done, p + 1, __ATOMIC_RELEASE); } return 0; }
KERNEL(forever) { volatile int64_t *count = (volatile int64_t *)slots[0];
  EACH for (int i = 0; i < 1000; ++i) *count += 1; } return 0; }
KERNEL(subnormal) { float *out = (float *)slots[0]; EACH volatile float x = 1e-38f; out[p] = x * 0.5f; } return 0; }
KERNEL(grid) { int64_t *out = (int64_t *)slots[0];
  EACH out[p] = p % launch->grid[0] + 100 * (p / launch->grid[0] % launch->grid[1]) + 10000 * (p / launch->grid[0] / launch->grid[1]); } return 0; }
KERNEL(wrong) { return 77; }
)";

namespace {
struct Loaded {
  Artifact facts;
  std::unique_ptr<core::Kernel> kernel;
};
} // namespace

static core::Device &device() {
  static core::Device &cpu = *cpu::makeCpuKind()->open({"cpu", "", 0})->release();
  return cpu;
}

static Artifact factsOf(const char *entry) {
  static const std::string object = compileC(kernels, "-O1 -fPIC");
  Artifact facts;
  facts.kernel = entry;
  facts.entry = entry;
  facts.target = "cpu";
  facts.cpuLevel = "portable";
  facts.abiVersion = PAVAGE_ABI_VERSION;
  facts.sections = {{"obj", object}};
  return facts;
}

static std::unique_ptr<Loaded> load(Artifact facts) {
  auto loaded = std::make_unique<Loaded>();
  loaded->facts = std::move(facts);
  auto kernel = device().load({loaded->facts, {}});
  EXPECT_TRUE(kernel) << kernel.error().render();
  loaded->kernel = kernel ? std::move(*kernel) : nullptr;
  return loaded;
}

template <typename... Slots> static Error launch(Loaded &loaded, std::initializer_list<int64_t> grid, Slots... slots) {
  uint64_t values[] = {uint64_t(slots)..., 0};
  core::LaunchArgs args;
  std::copy(grid.begin(), grid.end(), args.grid);
  args.slots = values;
  core::LaunchScope scope;
  if (Error error = scope.error()) {
    return error;
  }
  return loaded.kernel->launch(args);
}

TEST(CpuKernel, ComputesEveryProgram) {
  auto add = load(factsOf("add"));
  for (int count : {1, 7, 1000, 100000}) {
    std::vector<int32_t> in(count), out(count, -1);
    for (int i = 0; i < count; ++i) {
      in[i] = i * 3;
    }
    for (int round = 0; round < 3; ++round) { // pooled first, then by its measured cost
      Error error = launch(*add, {count}, uint64_t(out.data()), uint64_t(in.data()), -5);
      ASSERT_FALSE(error) << error.render();
      for (int i = 0; i < count; ++i) {
        ASSERT_EQ(out[i], i * 3 - 5);
      }
    }
  }
}

TEST(CpuKernel, GridsHaveThreeDimensions) {
  auto grid = load(factsOf("grid"));
  std::vector<int64_t> out(3 * 5 * 2, -1);
  ASSERT_FALSE(launch(*grid, {3, 5, 2}, uint64_t(out.data())));
  for (int64_t z = 0, p = 0; z < 2; ++z) {
    for (int64_t y = 0; y < 5; ++y) {
      for (int64_t x = 0; x < 3; ++x, ++p) {
        EXPECT_EQ(out[p], x + 100 * y + 10000 * z);
      }
    }
  }
}

TEST(CpuKernel, ScratchIsEachThreadsOwn) {
  Artifact facts = factsOf("scratchSum");
  facts.scratchBytes = 4000;
  auto sum = load(facts);
  std::vector<float> out(5000);
  ASSERT_FALSE(launch(*sum, {5000}, uint64_t(out.data())));
  for (int p = 0; p < 5000; ++p) {
    float expected = 0;
    for (int i = 0; i < 1000; ++i) {
      expected += float(i + p);
    }
    ASSERT_EQ(out[p], expected) << p;
  }
}

TEST(CpuKernel, ScratchThatIsTooLargeIsAnError) {
  Artifact facts = factsOf("scratchSum");
  facts.scratchBytes = uint64_t(1) << 50;
  auto sum = load(facts);
  EXPECT_TRUE(launch(*sum, {4}, 0).is(Code::ScratchTooLarge));
}

TEST(CpuKernel, FailedAssertStopsTheGrid) {
  Artifact facts = factsOf("assertBelow");
  facts.sites = {{Site::Kind::Assert, "x < limit", Dtype::None, false, {}, {"demo.py", 7, 5}}};
  auto below = load(facts);
  EXPECT_FALSE(launch(*below, {100}, 100));
  Error error = launch(*below, {3, 5}, 7);
  EXPECT_TRUE(error.is(Code::AssertFailed));
  EXPECT_EQ(error.at().line, 7u);
  EXPECT_NE(error.text().find("assertion failed in program ("), std::string::npos) << error.text();
  EXPECT_NE(error.text().find("x < limit"), std::string::npos);
  ASSERT_FALSE(cpu::setThreads(1));
  EXPECT_EQ(launch(*below, {3, 5}, 7).text(), "assertion failed in program (1, 2, 0): x < limit");
  ASSERT_FALSE(cpu::setThreads(0));
  // A site that the table does not have must not be believed.
  auto nowhere = load(factsOf("assertBelow"));
  EXPECT_TRUE(launch(*nowhere, {8}, 7).is(Code::AssertFailed));
}

TEST(CpuKernel, PrintsThroughTheHandler) {
  Artifact facts = factsOf("print");
  facts.sites = {{Site::Kind::Print, "x", Dtype::I32, false, {3}, {"demo.py", 7, 5}}};
  auto print = load(facts);
  std::vector<std::string> lines;
  core::setOutputHandler(
      core::Output::Print,
      [](void *context, const char *text, size_t size) {
        static_cast<std::vector<std::string> *>(context)->emplace_back(text, size);
      },
      &lines);
  ASSERT_FALSE(launch(*print, {2, 3}));
  core::setOutputHandler(core::Output::Print, nullptr, nullptr);
  std::sort(lines.begin(), lines.end());
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines[0], "pid (0, 0, 0) x: [0, 1, 2]\n");
  EXPECT_EQ(lines[5], "pid (1, 2, 0) x: [50, 51, 52]\n");
}

TEST(CpuKernel, ChecksAccesses) {
  Artifact facts = factsOf("store");
  facts.params = {{"out", Dtype::I32, true, false, true, 1}, {"shift", Dtype::I64, false, false, false, 1}};
  facts.sites = {{Site::Kind::Access, "store", Dtype::None, false, {}, {"demo.py", 9, 3}}};
  auto store = load(facts);
  std::vector<int32_t> out(30, -1);
  int64_t shape[] = {10}, strides[] = {8}; // every other element
  PavageArray array = {uint64_t(out.data()), shape, nullptr, 1, 4, 0, 0};
  auto run = [&](int64_t count, int64_t shift) {
    uint64_t slots[] = {array.base, uint64_t(shift)};
    core::LaunchArgs args;
    args.grid[0] = count;
    args.slots = slots;
    args.arrays = &array;
    args.arrayCount = 1;
    core::LaunchScope scope;
    return store->kernel->launch(args);
  };
  ASSERT_FALSE(cpu::setThreads(1));
  EXPECT_FALSE(run(10, 0));
  EXPECT_EQ(out[9], 9);
  Error error = run(12, 0);
  EXPECT_EQ(error.render(),
            "demo.py:9:3: error PV0500: write of 4 bytes outside of argument 'out': index [10] of shape "
            "[10], 0 bytes past its end, in program (10, 0, 0)");
  EXPECT_EQ(out[10], -1) << "the access must not happen";
  EXPECT_TRUE(run(1, -1).is(Code::OutOfBounds));
  array.strides = strides;
  EXPECT_FALSE(run(1, 18));
  EXPECT_NE(run(1, 17).text().find("gap"), std::string::npos);
  array.flags = PAVAGE_ARRAY_READONLY;
  EXPECT_TRUE(run(1, 0).is(Code::ReadOnlyWritten));
  array.slot = 1; // nothing is known of slot 0
  EXPECT_FALSE(run(1, 12));
  ASSERT_FALSE(cpu::setThreads(0));
}

TEST(CpuKernel, ChecksPointersOfUnknownOriginAgainstAllArrays) {
  Artifact facts = factsOf("storeAnywhere");
  facts.params = {{"a", Dtype::I32, true, false, true, 1}, {"b", Dtype::I32, true, false, true, 1}};
  facts.sites = {{Site::Kind::Access, "store", Dtype::None, false, {}, {"demo.py", 9, 3}}};
  auto store = load(facts);
  std::vector<int32_t> memory(30);
  int64_t shape[] = {10};
  PavageArray arrays[] = {{uint64_t(memory.data()), shape, nullptr, 1, 4, 0, 0},
                          {uint64_t(memory.data() + 20), shape, nullptr, 1, 4, 1, 0}};
  auto run = [&](int64_t shift, uint32_t count) {
    uint64_t slots[] = {arrays[0].base, uint64_t(shift)};
    core::LaunchArgs args;
    args.slots = slots;
    args.arrays = arrays;
    args.arrayCount = count;
    core::LaunchScope scope;
    return store->kernel->launch(args);
  };
  EXPECT_FALSE(run(0, 2));
  EXPECT_FALSE(run(25, 2));
  EXPECT_TRUE(run(15, 2).is(Code::OutOfBounds));
  EXPECT_FALSE(run(15, 1)) << "the other array's extent is not known";
}

TEST(CpuKernel, ProgramsMayWaitForLowerOnes) {
  auto chain = load(factsOf("chain"));
  for (unsigned threads : {1, 2, 4}) {
    ASSERT_FALSE(cpu::setThreads(threads));
    for (int64_t count : {1, 5, 300}) {
      int64_t done = 0;
      ASSERT_FALSE(launch(*chain, {count}, uint64_t(&done)));
      EXPECT_EQ(done, count);
    }
  }
  ASSERT_FALSE(cpu::setThreads(0));
}

TEST(CpuKernel, InterruptStopsIt) {
  auto forever = load(factsOf("forever"));
  core::ThreadControl *self = core::threadControl();
  for (unsigned threads : {1, 2}) {
    ASSERT_FALSE(cpu::setThreads(threads));
    int64_t count = 0;
    std::thread signaller([&] {
      while (*reinterpret_cast<volatile int64_t *>(&count) < 100000) {
        std::this_thread::yield();
      }
      core::interrupt(self);
    });
    Error error = launch(*forever, {INT32_MAX, INT32_MAX}, uint64_t(&count));
    signaller.join();
    EXPECT_TRUE(error.is(Code::Interrupted)) << error.render();
  }
  ASSERT_FALSE(cpu::setThreads(0));
  // One that comes when nothing runs is forgotten.
  core::interrupt(self);
  core::interrupt(nullptr);
  int64_t count = 0;
  EXPECT_FALSE(launch(*forever, {3}, uint64_t(&count)));
}

TEST(CpuKernel, PollStopsIt) {
  auto forever = load(factsOf("forever"));
  int64_t count = 0;
  uint64_t slots[] = {uint64_t(&count)};
  int polls = 0;
  core::LaunchArgs args;
  args.grid[0] = args.grid[1] = INT32_MAX;
  args.slots = slots;
  args.poll = [](void *context) { return ++*static_cast<int *>(context) == 2 ? 1 : 0; };
  args.pollContext = &polls;
  core::LaunchScope scope;
  EXPECT_TRUE(forever->kernel->launch(args).is(Code::Interrupted));
  EXPECT_EQ(polls, 2);
}

TEST(CpuKernel, NestedLaunchesAreErrors) {
  Artifact facts = factsOf("print");
  facts.sites = {{Site::Kind::Print, "x", Dtype::I32, false, {3}, {"demo.py", 7, 5}}};
  auto print = load(facts);
  struct State {
    Loaded *kernel;
    int nested = 0;
  } state{print.get()};
  core::setOutputHandler(
      core::Output::Print,
      [](void *context, const char *, size_t) {
        auto &state = *static_cast<State *>(context);
        state.nested += launch(*state.kernel, {1}).is(Code::NestedLaunch);
      },
      &state);
  EXPECT_FALSE(launch(*print, {50}));
  core::setOutputHandler(core::Output::Print, nullptr, nullptr);
  EXPECT_EQ(state.nested, 50);
}

#if defined(__x86_64__)
TEST(CpuKernel, KeepsSubnormalsWhateverTheCallersMode) {
  auto subnormal = load(factsOf("subnormal"));
  std::vector<float> out(1000);
  unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040); // flush to zero, denormals are zero
  Error error = launch(*subnormal, {1000}, uint64_t(out.data()));
  unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_FALSE(error);
  EXPECT_EQ(after & 0x8040, 0x8040u) << "the caller's mode must come back";
  for (float value : out) {
    ASSERT_EQ(value, 5e-39f);
  }
}
#endif

TEST(CpuKernel, UnexpectedStatusIsInternal) {
  auto wrong = load(factsOf("wrong"));
  Error error = launch(*wrong, {4});
  EXPECT_TRUE(error.is(Code::Internal));
  EXPECT_EQ(error.text(), "kernel 'wrong' ended with unexpected status 77");
}

TEST(CpuDevice, RefusesWhatItCannotRun) {
  auto refuse = [](const Artifact &facts) {
    auto kernel = device().load({facts, {}});
    return kernel ? Error() : kernel.takeError();
  };
  Artifact facts = factsOf("add");
  facts.entry = "subtract";
  EXPECT_TRUE(refuse(facts).is(Code::EntryMissing));
  facts = factsOf("add");
  facts.sections.clear();
  EXPECT_TRUE(refuse(facts).is(Code::EntryMissing));
  facts = factsOf("add");
  facts.abiVersion = 99;
  EXPECT_TRUE(refuse(facts).is(Code::ArtifactVersion));
  facts = factsOf("add");
  facts.cpuLevel = "avx1024";
  EXPECT_TRUE(refuse(facts).is(Code::CpuLevelUnsupported));
  facts = factsOf("add");
  facts.sections = {{"obj", "rubbish"}};
  EXPECT_TRUE(refuse(facts).is(Code::BadObject));
}
