// Loading PTX and launching kernels. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/Launch.h"

#include "runtime/Sim/Ast.h"
#include "runtime/Sim/AtomicCounts.h"
#include "runtime/Sim/Decoder.h"
#include "runtime/Sim/DecoderState.h"
#include "runtime/Sim/Extents.h"
#include "runtime/Sim/LaunchState.h"
#include "runtime/Sim/Parser.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <system_error>
#include <thread>

namespace pavage::sim {

namespace {

using errors::Error;

/// Shared memory that a CTA can have, by architecture.
u32 sharedLimit(u32 arch) {
  switch (arch) {
  case 75:
    return 64u << 10;
  case 80:
  case 87:
    return 163u << 10;
  case 86:
  case 89:
    return 99u << 10;
  default:
    return arch >= 90 ? 227u << 10 : 48u << 10;
  }
}

std::string triple(const u32 (&v)[3]) {
  return "(" + std::to_string(v[0]) + ", " + std::to_string(v[1]) + ", " + std::to_string(v[2]) + ")";
}

Error checkLaunch(const Program &program, const Kernel &kernel, const LaunchOptions &o, size_t paramBytes) {
  u64 threads = 1, ctas = 1;
  for (u32 axis = 0; axis < 3; ++axis) {
    if (o.block[axis] == 0 || o.block[axis] > (axis == 2 ? 64u : 1024u)) {
      return Error(621, "block " + triple(o.block) + " is beyond the limits of (1024, 1024, 64)");
    }
    if (o.grid[axis] == 0 || o.grid[axis] > (axis == 0 ? 0x7fffffffu : 65535u)) {
      return Error(622,
                   "grid " + triple(o.grid) + " is beyond the limits of (2147483647, 65535, 65535), each at least 1");
    }
    threads *= o.block[axis];
    ctas *= o.grid[axis];
  }
  if (threads > 1024) {
    return Error(621, "block " + triple(o.block) + " has " + std::to_string(threads) + " threads, the limit is 1024");
  }
  if (ctas > 0x7fffffffu) {
    return Error(622, "grid " + triple(o.grid) + " has more than 2147483647 CTAs");
  }
  if (kernel.reqntid[0] && !std::equal(o.block, o.block + 3, kernel.reqntid)) {
    return Error(621, "kernel '" + kernel.name + "' requires block " + triple(kernel.reqntid) + " (.reqntid), got " +
                          triple(o.block));
  }
  u64 most = u64(kernel.maxntid[0]) * std::max(1u, kernel.maxntid[1]) * std::max(1u, kernel.maxntid[2]);
  if (kernel.maxntid[0] && threads > most) {
    return Error(621, "kernel '" + kernel.name + "' allows " + std::to_string(most) + " threads (.maxntid), got " +
                          std::to_string(threads));
  }
  u32 arch = o.arch ? o.arch : program.arch;
  if (arch < program.arch || (program.archSuffix && arch != program.arch)) {
    return Error(625, "the module is for sm_" + std::to_string(program.arch) +
                          (program.archSuffix ? std::string(1, program.archSuffix) : "") + ", the device is sm_" +
                          std::to_string(arch));
  }
  u64 shared = u64(kernel.staticShared) + o.dynamicShared;
  if (shared > sharedLimit(arch)) {
    return Error(623, "the launch needs " + std::to_string(shared) + " bytes of shared memory, sm_" +
                          std::to_string(arch) + " has " + std::to_string(sharedLimit(arch)));
  }
  if (paramBytes != kernel.paramBytes) {
    return Error(624, "kernel '" + kernel.name + "' takes " + std::to_string(kernel.paramBytes) +
                          " bytes of parameters, got " + std::to_string(paramBytes));
  }
  return Error::success();
}

constexpr u64 firstSlice = 1u << 20;
constexpr size_t maxResident = 4096;

double threadSeconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Does the caller want the launch to end? Asked between slices of a CTA; poll by the launching thread only.
class Caller {
public:
  Caller(Launch &launch, bool isLaunching) : launch(launch), mayPoll(isLaunching && launch.options.poll) {}

  void ask() {
    const LaunchOptions &o = launch.options;
    bool ends = o.cancel && *o.cancel != 0;
    if (!ends && mayPoll) {
      auto now = std::chrono::steady_clock::now();
      if (now - last < std::chrono::milliseconds(10)) {
        return;
      }
      last = now;
      ends = o.poll(o.pollContext) != 0;
    }
    if (ends && !launch.stop.exchange(true)) {
      launch.isCancelled = true;
    }
  }

private:
  Launch &launch;
  bool mayPoll;
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

void runWorker(Worker &worker, bool isLaunching) {
  double start = threadSeconds();
  Launch &launch = *worker.launch;
  Caller caller(launch, isLaunching);
  std::vector<std::unique_ptr<Cta>> resident, spare;
  auto next = [&] {
    u32 linear = launch.nextCta.fetch_add(1);
    if (linear >= launch.ctas) {
      return false;
    }
    std::unique_ptr<Cta> cta;
    if (spare.empty()) {
      cta = std::make_unique<Cta>();
    } else {
      cta = std::move(spare.back());
      spare.pop_back();
    }
    startCta(*cta, worker, linear);
    resident.push_back(std::move(cta));
    return true;
  };
  // One CTA after the other; one that does not end soon may wait for a later one, so that more and more share the time.
  u64 slice = firstSlice;
  while (!launch.stop.load(std::memory_order_relaxed)) {
    if (resident.empty() && !next()) {
      break;
    }
    bool ended = false;
    for (size_t k = 0; k < resident.size();) {
      if (runCta(*resident[k], slice) == CtaState::Done) {
        checkAtomicCounts(*resident[k]);
        spare.push_back(std::move(resident[k]));
        resident.erase(resident.begin() + static_cast<std::ptrdiff_t>(k));
        ended = true;
      } else {
        ++k;
      }
      caller.ask();
    }
    slice = ended ? firstSlice : std::max<u64>(slice / 4, 20000);
    if (!ended && resident.size() < maxResident) {
      next();
    }
  }
  worker.cpuSeconds = threadSeconds() - start;
}

/// Runs the workers, the first on this thread. False when memory ran out, which ends them all.
bool runWorkers(Launch &launch, const std::vector<std::unique_ptr<Worker>> &workers) {
  std::atomic<bool> isShort{false};
  auto run = [&](size_t k) {
    try {
      runWorker(*workers[k], k == 0);
    } catch (const std::bad_alloc &) {
      isShort = launch.stop = true;
    }
  };
  std::vector<std::thread> threads;
  try {
    for (size_t k = 1; k < workers.size(); ++k) {
      threads.emplace_back(run, k);
    }
  } catch (const std::system_error &) { // fewer do as well
  }
  run(0);
  for (std::thread &t : threads) {
    t.join();
  }
  return !isShort;
}

} // namespace

bool isFaultKind(Kind kind) {
  switch (kind) {
  case Kind::Oob:
  case Kind::Misaligned:
  case Kind::UseAfterFree:
  case Kind::Assert:
  case Kind::Trap:
  case Kind::Budget:
  case Kind::Deadlock:
  case Kind::Unsupported:
    return true;
  default:
    return false;
  }
}

namespace {

bool isBackEdge(const Program &program, u32 pc) {
  const std::string &text = *program.sources[pc].text;
  return text.rfind("bra", 0) == 0 && program.code[pc].cls == Class::Control && program.code[pc].imm <= pc;
}

void addLine(Totals &t, const LineResult &line, bool isLoop) {
  u64 n = line.issued;
  if (isLoop) {
    t.innermost.instructions += n;
    t.innermost.byClass[static_cast<u32>(line.cls)] += n;
  } else {
    t.warpInstructions += n;
    t.byClass[static_cast<u32>(line.cls)] += n;
  }
}

bool startsWith(const std::string &text, const char *prefix) { return text.rfind(prefix, 0) == 0; }
bool isCopy(const std::string &text) { return startsWith(text, "cp.async.c") && !startsWith(text, "cp.async.commit"); }

void findInnermost(const Program &program, const std::vector<LineResult> &lines, Totals &t) {
  std::vector<Totals::Loop> loops;
  for (const LineResult &line : lines) {
    if (line.issued && isBackEdge(program, line.pc)) {
      Totals::Loop loop;
      loop.begin = static_cast<u32>(program.code[line.pc].imm);
      loop.end = line.pc;
      loop.iterations = line.issued;
      loops.push_back(loop);
    }
  }
  const Totals::Loop *best = nullptr;
  for (Totals::Loop &loop : loops) {
    bool isInnermost = true;
    for (const Totals::Loop &other : loops) {
      isInnermost &= &other == &loop || other.begin < loop.begin || other.end > loop.end ||
                     (other.begin == loop.begin && other.end == loop.end);
    }
    if (!isInnermost) {
      continue;
    }
    for (const LineResult &line : lines) {
      if (line.pc < loop.begin || line.pc > loop.end) {
        continue;
      }
      const std::string &text = *program.sources[line.pc].text;
      loop.instructions += line.issued;
      loop.byClass[static_cast<u32>(line.cls)] += line.issued;
      loop.mma += line.cls == Class::Mma ? line.issued : 0;
      loop.ldmatrix += startsWith(text, "ldmatrix") ? line.issued : 0;
      loop.cpAsync += isCopy(text) ? line.issued : 0;
      loop.barriers += startsWith(text, "bar.") || startsWith(text, "barrier.") ? line.issued : 0;
    }
    if (!best || loop.mma > best->mma || (loop.mma == best->mma && loop.instructions > best->instructions)) {
      best = &loop;
    }
  }
  if (best) {
    t.innermost = *best;
  }
}

void summarize(const Program &program, const std::vector<std::unique_ptr<Worker>> &workers, LaunchResult &result) {
  for (u32 pc = 0; pc < program.code.size(); ++pc) {
    if (program.code[pc].flags & Uncounted) {
      continue;
    }
    LineResult line;
    line.pc = pc;
    for (const auto &w : workers) {
      line.issued += w->issued[pc];
      const LineCount &c = w->counts[pc];
      line.counts.requests += c.requests;
      line.counts.lanes += c.lanes;
      line.counts.sectors += c.sectors;
      line.counts.sectorsIdeal += c.sectorsIdeal;
      line.counts.conflicts += c.conflicts;
      line.counts.divergent += c.divergent;
    }
    if (!line.issued) {
      continue;
    }
    const Source &s = program.sources[pc];
    line.ptxLine = s.ptxLine;
    line.file = s.file;
    line.line = s.line;
    line.cls = program.code[pc].cls;
    Totals &t = result.totals;
    addLine(t, line, false);
    const std::string &text = *s.text;
    t.sectors += line.counts.sectors;
    t.sectorsIdeal += line.counts.sectorsIdeal;
    t.bankConflictPasses += line.counts.conflicts;
    t.divergentBranches += line.counts.divergent;
    t.mma += line.cls == Class::Mma ? line.issued : 0;
    t.ldmatrix += startsWith(text, "ldmatrix") ? line.issued : 0;
    t.cpAsync += isCopy(text) ? line.issued : 0;
    t.barriers += startsWith(text, "bar.") || startsWith(text, "barrier.") ? line.issued : 0;
    if ((line.cls == Class::Load || line.cls == Class::Store) && line.counts.sectors) {
      const MemInfo &m = *static_cast<const MemInfo *>(program.code[pc].extra);
      line.accessBytes = u32(m.elementBytes) * m.count;
      t.globalAccesses[line.accessBytes] += line.counts.requests;
    } else if (isCopy(text)) {
      line.accessBytes = static_cast<const CopyInfo *>(program.code[pc].extra)->to.elementBytes;
      t.globalAccesses[line.accessBytes] += line.counts.requests;
    } else if (line.cls == Class::Atomic && line.counts.sectors) {
      line.accessBytes = static_cast<const AtomInfo *>(program.code[pc].extra)->mem.elementBytes;
      t.globalAccesses[line.accessBytes] += line.counts.requests;
    }
    result.lines.push_back(line);
  }
  findInnermost(program, result.lines, result.totals);
}

} // namespace

const artifact::Op *LoadedModule::opAt(u32 ptxLine) const {
  auto after = std::upper_bound(opLines.begin(), opLines.end(), ptxLine,
                                [](u32 line, const artifact::OpLine &entry) { return line < entry.ptxLine; });
  if (after == opLines.begin() || std::prev(after)->op >= ops.size()) {
    return nullptr;
  }
  return &ops[std::prev(after)->op];
}

errors::Result<std::unique_ptr<LoadedModule>> Gpu::load(const std::string &text, const std::string &file) {
  try {
    Module module = parseModule(text);
    auto loaded = std::make_unique<LoadedModule>();
    loaded->program = decodeModule(module, device);
    loaded->file = file;
    for (size_t at = 0; at <= text.size();) {
      size_t end = std::min(text.find('\n', at), text.size());
      loaded->lines.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    return loaded;
  } catch (const Failure &f) {
    Error error(f.number, f.text, {file, f.where.line, f.where.column});
    size_t at = 0;
    for (u32 line = 1; line < f.where.line && at != std::string::npos; ++line) {
      at = text.find('\n', at);
      at = at == std::string::npos ? at : at + 1;
    }
    if (f.where.line && at != std::string::npos) {
      error = std::move(error).withSourceLine(text.substr(at, std::min<size_t>(text.find('\n', at), text.size()) - at));
    }
    return error;
  } catch (const std::bad_alloc &) {
    return Error(609, "not enough memory to load the module", {file, 0, 0});
  }
}

errors::Result<LaunchResult> Gpu::launch(const LoadedModule &module, const std::string &name,
                                         const LaunchOptions &options, const std::vector<u8> &params) {
  const Program &program = module.program;
  const Kernel *kernel = program.findKernel(name);
  if (!kernel) {
    std::string known;
    for (const Kernel &k : program.kernels) {
      known += (known.empty() ? "" : ", ") + k.name;
    }
    return Error(620, "no kernel '" + name + "' in the module; it has: " + (known.empty() ? "none" : known),
                 {module.file, 0, 0});
  }
  if (Error e = checkLaunch(program, *kernel, options, params.size())) {
    return e;
  }
  Launch launch;
  launch.program = &program;
  launch.kernel = kernel;
  launch.memory = &device;
  launch.options = options;
  // Lanes of a vector load may read behind a parameter; the handler checks, the buffer only has to be there.
  std::vector<u8> padded = params;
  padded.resize(params.size() + 64);
  launch.params = padded.data();
  launch.sharedBytes = kernel->staticShared + options.dynamicShared;
  if (program.usesReservedShared) {
    launch.sharedBytes = (launch.sharedBytes + 127) / 128 * 128 + 1024;
  }
  if (program.usesGridSync) {
    launch.gridSync = device.allocate(4096, "grid workspace");
    device.fill(launch.gridSync, 0, 4096);
  }
  launch.dynamicShared = options.dynamicShared;
  std::copy_n(options.block, 3, launch.block);
  std::copy_n(options.grid, 3, launch.grid);
  launch.threads = options.block[0] * options.block[1] * options.block[2];
  launch.ctas = options.grid[0] * options.grid[1] * options.grid[2];
  if ((options.checks & bit(Kind::RaceGlobal)) && launch.ctas > 1) {
    launch.raceBase = device.beginRaceEpoch(launch.ctas + 1, program.globalShift);
  }
  if (options.checks & bit(Kind::AtomicCount)) {
    findAtomicRules(launch, module);
  }
  std::unique_ptr<Extents> extents;
  if (options.checks & bit(Kind::Oob)) {
    extents = std::make_unique<Extents>(device, launch.options.arrays);
  }
  auto start = std::chrono::steady_clock::now();
  std::vector<std::unique_ptr<Worker>> workers;
  u32 count = std::clamp(options.hostThreads, 1u, std::min(launch.ctas, 256u));
  for (u32 k = 0; k < count; ++k) {
    auto w = std::make_unique<Worker>();
    w->launch = &launch;
    w->counts.resize(program.code.size());
    w->issued.resize(program.code.size());
    w->cache.resize(program.memCount);
    w->random.seed(options.seed * 1000003 + k);
    workers.push_back(std::move(w));
  }
  if (!runWorkers(launch, workers)) {
    return Error(609, "the host has not enough memory to run kernel '" + kernel->name + "'");
  }
  LaunchResult result;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (const auto &w : workers) {
    result.cpuSeconds += w->cpuSeconds;
  }
  if (options.checks & bit(Kind::AtomicCount)) {
    reportIdleAtomics(launch, workers);
  }
  result.findings = std::move(launch.findings);
  result.output = std::move(launch.output);
  result.isStopped = launch.isCancelled;
  for (Finding &f : result.findings) {
    result.isFault |= isFaultKind(f.kind);
    const artifact::Op *op = module.opAt(f.ptxLine);
    f.op = op ? op->text : std::string();
  }
  summarize(program, workers, result);
  return result;
}

void addUnwritten(const DeviceMemory &memory, LaunchResult &result) {
  for (const auto &a : memory.all()) {
    if (!a->isOutput || a->isFreed || !a->defined || a->elementBytes == 0) {
      continue;
    }
    u64 missing = 0, elements = 0, first = ~u64(0);
    for (u64 at = 0; at + a->elementBytes <= a->bytes; at += a->elementBytes) {
      // 1: written by the kernel, 3: only by the host, 0: nobody's, which in a buffer without gaps is an element too.
      bool isGap = a->defined[at] == 0 && a->hasGaps;
      elements += !isGap;
      if (!isGap && a->defined[at] != 1) {
        ++missing;
        first = std::min(first, at / a->elementBytes);
      }
    }
    if (missing) {
      Finding f;
      f.kind = Kind::Unwritten;
      f.message = std::to_string(missing) + " of " + std::to_string(elements) + " elements of output '" + a->name +
                  "' were never written, the first is number " + std::to_string(first);
      f.instruction = "(kernel)";
      result.findings.push_back(std::move(f));
    }
  }
}

} // namespace pavage::sim
