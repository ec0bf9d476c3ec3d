// Launching on the CPU: slots in, programs run, errors out. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Cpu/CpuKernel.h"

#include "runtime/Artifact/CheckAccess.h"
#include "runtime/Artifact/PrintTile.h"
#include "runtime/Core/LaunchScope.h"
#include "runtime/Core/Output.h"
#include "runtime/Core/SigintGuard.h"
#include "runtime/Cpu/CpuDevice.h"
#include "runtime/Cpu/Futex.h"
#include "runtime/Cpu/Pool.h"
#include "runtime/Cpu/Scratch.h"

#include <algorithm>
#include <mutex>
#include <optional>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pavage::cpu {

using artifact::Site;
using errors::Code;
using errors::Error;
using errors::Result;

/// Launches that take less run on the calling thread: waking workers would cost more than they save.
static constexpr uint64_t inlineNanoseconds = 5000;

//===----------------------------------------------------------------------===//
// Floating-point mode
//===----------------------------------------------------------------------===//

/// Kernels run with subnormals, rounding to nearest and no traps, whatever mode the calling thread is in: some
/// libraries switch the whole process to flush-to-zero when they are loaded, and workers would then differ from their
/// caller.
class FloatMode {
public:
#if defined(__x86_64__)
  FloatMode() : before(_mm_getcsr()) {
    if (before != standard) {
      _mm_setcsr(standard);
    }
  }
  ~FloatMode() {
    if (before != standard) {
      _mm_setcsr(before);
    }
  }

private:
  static constexpr unsigned standard = 0x1f80;
  unsigned before;
#endif
};

//===----------------------------------------------------------------------===//
// One launch
//===----------------------------------------------------------------------===//

class CpuLaunch {
public:
  CpuLaunch(CpuKernel &kernel, const core::LaunchArgs &args);

  Error run();

private:
  static bool runChunk(void *context, int64_t begin, int64_t end);
  static bool pollCaller(void *context);

  static int32_t onAssert(void *context, uint32_t site, int64_t program);
  static void onPrint(void *context, uint32_t site, int64_t program, const void *data);
  static int32_t onAccess(void *context, uint32_t site, int32_t argument, uint64_t address, int64_t bytes,
                          int32_t isWrite, int64_t program);

  const Site *siteAt(uint32_t site) const;
  std::string programText(int64_t program) const;
  int32_t fail(Error error, int64_t program);
  void stop(uint32_t why);
  std::optional<Error> checkAccess(int32_t argument, uint64_t address, int64_t bytes, bool isWrite) const;

  CpuKernel &kernel;
  const core::LaunchArgs &args;
  core::ThreadControl &control;
  PavageLaunch launch;
  std::vector<artifact::ArrayBounds> bounds; ///< of args.arrays, for checked kernels
  bool isCostKnown = false;                  ///< touched by the launching thread only

  std::mutex mutex;
  Error firstError; ///< of the lowest program that reported one
  int64_t firstProgram = 0;
};

CpuLaunch::CpuLaunch(CpuKernel &kernel, const core::LaunchArgs &args)
    : kernel(kernel), args(args), control(*core::threadControl()), launch{PAVAGE_ABI_VERSION,
                                                                          0,
                                                                          {args.grid[0], args.grid[1], args.grid[2]},
                                                                          core::cancelWord(control),
                                                                          this,
                                                                          &onAssert,
                                                                          &onPrint,
                                                                          &onAccess} {
  if (kernel.isChecked) {
    for (uint32_t i = 0; i < args.arrayCount; ++i) {
      bounds.emplace_back(args.arrays[i]);
    }
  }
}

Error CpuLaunch::run() {
  auto allowed = threads();
  if (!allowed) {
    return allowed.takeError();
  }
  PoolJob job;
  job.total = args.grid[0] * args.grid[1] * args.grid[2];
  job.run = &runChunk;
  job.context = this;
  job.poll = args.poll ? &pollCaller : nullptr;
  job.threads = static_cast<unsigned>(std::min<int64_t>(*allowed, job.total));
  uint64_t cost = kernel.programCost.load(std::memory_order_relaxed);
  if (cost != 0 && static_cast<uint64_t>(job.total) < inlineNanoseconds * 1024 / cost) {
    job.threads = 1;
  }
  if (kernel.facts.scratchBytes != 0) {
    if (Error error = checkScratch(kernel.facts.scratchBytes, job.threads)) {
      return error;
    }
  }

  // The guard costs 0.3 us: not for a launch that is known to be short.
  bool mayBeLong = kernel.isUnbounded || cost == 0 || job.threads > 1 || cost / 1024 * job.total > inlineNanoseconds;
  core::SigintGuard guard(args.stopsOnSigint && mayBeLong);
  if (runJob(job)) {
    return Error::success();
  }
  if (firstError) {
    return std::move(firstError);
  }
  return Error(Code::Interrupted, "the launch of kernel '" + kernel.facts.kernel + "' was interrupted");
}

bool CpuLaunch::runChunk(void *context, int64_t begin, int64_t end) {
  auto &self = *static_cast<CpuLaunch *>(context);
  if (self.control.cancel.load(std::memory_order_relaxed) != core::runOn) {
    return false;
  }
  auto memory = scratch(self.kernel.facts.scratchBytes);
  if (!memory) {
    self.fail(memory.takeError(), begin);
    return false;
  }
  // The launching thread's first chunk tells what a program costs.
  bool isMeasured = core::threadControl() == &self.control && !self.isCostKnown;
  uint64_t start = isMeasured ? nanoseconds() : 0;
  int32_t status;
  {
    FloatMode mode;
    status = self.kernel.entry(self.args.slots, &self.launch, begin, end, *memory);
  }
  if (isMeasured && status == 0) {
    self.isCostKnown = true;
    uint64_t took = std::min<uint64_t>(nanoseconds() - start, UINT64_MAX >> 10);
    self.kernel.learnCost(took * 1024 / static_cast<uint64_t>(end - begin));
  }
  if (self.kernel.facts.scratchBytes != 0) {
    releaseLargeScratch();
  }
  if (status == 0) {
    return true;
  }
  if (status != PAVAGE_INTERRUPTED) {
    std::lock_guard lock(self.mutex);
    if (!self.firstError) {
      self.firstError = Error(Code::Internal, "kernel '" + self.kernel.facts.kernel +
                                                  "' ended with unexpected status " + std::to_string(status));
    }
  }
  self.stop(core::errorStop);
  return false;
}

bool CpuLaunch::pollCaller(void *context) {
  auto &self = *static_cast<CpuLaunch *>(context);
  if (self.args.poll(self.args.pollContext) != 0) {
    self.stop(core::userStop);
    return false;
  }
  return true;
}

/// Running programs of all threads see it before their next program.
void CpuLaunch::stop(uint32_t why) {
  uint32_t running = core::runOn;
  control.cancel.compare_exchange_strong(running, why);
}

//===----------------------------------------------------------------------===//
// Callbacks
//===----------------------------------------------------------------------===//

const Site *CpuLaunch::siteAt(uint32_t site) const {
  return site < kernel.facts.sites.size() ? &kernel.facts.sites[site] : nullptr;
}

std::string CpuLaunch::programText(int64_t program) const {
  int64_t id[3];
  artifact::splitProgram(program, args.grid, id);
  return "program (" + std::to_string(id[0]) + ", " + std::to_string(id[1]) + ", " + std::to_string(id[2]) + ")";
}

int32_t CpuLaunch::fail(Error error, int64_t program) {
  auto number = static_cast<int32_t>(error.number());
  {
    std::lock_guard lock(mutex);
    if (!firstError || program < firstProgram) {
      firstError = std::move(error);
      firstProgram = program;
    }
  }
  stop(core::errorStop);
  return number;
}

int32_t CpuLaunch::onAssert(void *context, uint32_t site, int64_t program) {
  auto &self = *static_cast<CpuLaunch *>(context);
  const Site *where = self.siteAt(site);
  std::string text = "assertion failed in " + self.programText(program);
  if (where && !where->text.empty()) {
    text += ": " + where->text;
  }
  return self.fail(Error(Code::AssertFailed, text, where ? where->at : errors::Position()), program);
}

void CpuLaunch::onPrint(void *context, uint32_t site, int64_t program, const void *data) {
  auto &self = *static_cast<CpuLaunch *>(context);
  if (const Site *where = self.siteAt(site)) {
    int64_t id[3];
    artifact::splitProgram(program, self.args.grid, id);
    core::write(core::Output::Print, artifact::formatPrint(*where, id, data));
  }
}

std::optional<Error> CpuLaunch::checkAccess(int32_t argument, uint64_t address, int64_t bytes, bool isWrite) const {
  std::string verb =
      std::string(isWrite ? "write" : "read") + " of " + std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  auto nameOf = [&](uint32_t slot) {
    return slot < kernel.facts.params.size() ? "'" + kernel.facts.params[slot].name + "'" : std::to_string(slot);
  };
  const artifact::ArrayBounds *miss = nullptr;
  uint32_t missSlot = 0;
  for (uint32_t i = 0; i < args.arrayCount; ++i) {
    if (argument >= 0 && args.arrays[i].slot != static_cast<uint32_t>(argument)) {
      continue;
    }
    if (bounds[i].contains(address, bytes)) {
      bool isForbidden = isWrite && (args.arrays[i].flags & PAVAGE_ARRAY_READONLY) != 0;
      return isForbidden
                 ? std::optional(Error(Code::ReadOnlyWritten,
                                       verb + " to argument " + nameOf(args.arrays[i].slot) + ", which is read-only"))
                 : std::nullopt;
    }
    if (miss == nullptr) {
      miss = &bounds[i];
      missSlot = args.arrays[i].slot;
    }
  }
  if (argument < 0) {
    // Of unknown origin: wrong only if every pointer's extent is known and none has the address.
    size_t pointers = 0;
    for (const artifact::Param &param : kernel.facts.params) {
      pointers += param.isPointer;
    }
    if (pointers != args.arrayCount || miss == nullptr) {
      return std::nullopt;
    }
    return Error(Code::OutOfBounds, verb + " outside of every argument");
  }
  if (miss == nullptr) {
    return std::nullopt; // passed without extents
  }
  return Error(Code::OutOfBounds, verb + " outside of argument " + nameOf(missSlot) + ": " + miss->describe(address));
}

int32_t CpuLaunch::onAccess(void *context, uint32_t site, int32_t argument, uint64_t address, int64_t bytes,
                            int32_t isWrite, int64_t program) {
  auto &self = *static_cast<CpuLaunch *>(context);
  auto error = self.checkAccess(argument, address, bytes, isWrite != 0);
  if (!error) {
    return 0;
  }
  const Site *where = self.siteAt(site);
  return self.fail(
      Error(error->code(), error->text() + ", in " + self.programText(program), where ? where->at : errors::Position()),
      program);
}

//===----------------------------------------------------------------------===//
// Kernel and device
//===----------------------------------------------------------------------===//

static bool hasAccessSites(const artifact::Artifact &facts) {
  for (const Site &site : facts.sites) {
    if (site.kind == Site::Kind::Access) {
      return true;
    }
  }
  return false;
}

CpuKernel::CpuKernel(const artifact::Artifact &facts, LoadedObject code, PavageKernelFn entry)
    : facts(facts), code(std::move(code)), entry(entry), isChecked(hasAccessSites(facts)),
      isUnbounded(facts.fact("unbounded_loops", 1) != 0) {}

void CpuKernel::learnCost(uint64_t cost) {
  // Believed at once when it is lower, slowly when it is higher: a high one is often an interruption.
  uint64_t before = programCost.load(std::memory_order_relaxed);
  uint64_t learned = before == 0 || cost < before ? cost : before + (cost - before) / 8;
  programCost.store(std::max<uint64_t>(learned, 1), std::memory_order_relaxed);
}

Error CpuKernel::launch(const core::LaunchArgs &args) { return CpuLaunch(*this, args).run(); }

} // namespace pavage::cpu
