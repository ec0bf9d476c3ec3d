// The differential fuzzer: random tile programs, Interp against cpu. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
//   pavage-fuzz --seconds 60 --seed 1          as many programs as fit, from seed 1 on
//   pavage-fuzz --count 1000 --seed 5000
//   pavage-fuzz --replay tests/fuzz/corpus/*.mlir
//   pavage-fuzz --show SEED                    prints a program
//
// Programs run in a child process, which is replaced when it crashes or hangs. A finding is shrunk in a process of its
// own and written to --out (default build/fuzz). Returns 1 when there was one.
#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "tests/fuzz/Harness.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <csignal>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace pavage;
using Clock = std::chrono::steady_clock;

namespace {
llvm::cl::opt<uint64_t> seedFlag("seed", llvm::cl::desc("first seed"), llvm::cl::init(1));
llvm::cl::opt<uint64_t> countFlag("count", llvm::cl::desc("number of programs"), llvm::cl::init(0));
llvm::cl::opt<uint64_t> secondsFlag("seconds", llvm::cl::desc("time to run"), llvm::cl::init(0));
llvm::cl::opt<uint64_t> hangFlag("hang", llvm::cl::desc("seconds after which a program hangs"), llvm::cl::init(60));
llvm::cl::opt<int64_t> opsFlag("ops", llvm::cl::desc("most ops of a body"), llvm::cl::init(30));
llvm::cl::opt<int64_t> elementsFlag("elements", llvm::cl::desc("most elements of a tile"), llvm::cl::init(2048));
llvm::cl::opt<std::string> levelFlag("cpu", llvm::cl::desc("portable, avx2, avx512 or amx"), llvm::cl::init(""));
llvm::cl::opt<bool> checkFlag("check", llvm::cl::desc("compile with bounds checks"), llvm::cl::init(false));
llvm::cl::opt<bool> noShrink("no-shrink", llvm::cl::desc("report findings as they are"), llvm::cl::init(false));
llvm::cl::opt<std::string> outFlag("out", llvm::cl::desc("folder for findings"), llvm::cl::init("build/fuzz"));
llvm::cl::opt<int64_t> showFlag("show", llvm::cl::desc("print the program of a seed"), llvm::cl::init(-1));
llvm::cl::list<std::string> replayFlag("replay", llvm::cl::desc("run kept programs"), llvm::cl::CommaSeparated);
llvm::cl::list<std::string> filesFlag(llvm::cl::Positional, llvm::cl::desc("<more kept programs>"));

/// What parent and worker share.
struct Progress {
  uint64_t current, done;
  bool failed;
  char failure[2000];
};

struct Fuzzer {
  Fuzzer() {
    options.cpuLevel = levelFlag.empty() ? nullptr : levelFlag.c_str();
    options.check = checkFlag;
  }

  /// A context for a few hundred programs: they are recycled, since types and locations stay.
  static std::unique_ptr<MLIRContext> makeContext() {
    auto context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
    context->loadDialect<tile::TileDialect, arith::ArithDialect, func::FuncDialect, math::MathDialect, scf::SCFDialect,
                         ub::UBDialect>();
    return context;
  }

  fuzz::Program make(MLIRContext &context, uint64_t seed) const {
    fuzz::Program program = fuzz::generate(context, seed, {opsFlag, elementsFlag});
    fuzz::annotate(program);
    return program;
  }

  /// Runs seeds in a child until the end, a finding, or a crash of the child.
  void work(Progress &progress, uint64_t first, uint64_t last, Clock::time_point deadline) const {
    std::unique_ptr<MLIRContext> context;
    for (uint64_t seed = first; seed < last && Clock::now() < deadline; ++seed) {
      if (!context || seed % 256 == 0) {
        context = makeContext();
      }
      progress.current = seed;
      fuzz::Program program = make(*context, seed);
      if (std::optional<std::string> failure = fuzz::compare(program, seed, options)) {
        progress.failed = true;
        snprintf(progress.failure, sizeof progress.failure, "%s", failure->c_str());
        _exit(0);
      }
      ++progress.done;
    }
    progress.current = last;
    _exit(0);
  }

  void report(uint64_t seed, const std::string &failure, bool crashed) const {
    llvm::errs() << "seed " << seed << ": " << failure << "\n";
    llvm::sys::fs::create_directories(outFlag);
    std::unique_ptr<MLIRContext> context = makeContext();
    fuzz::Program program = make(*context, seed);
    if (!crashed && !noShrink) {
      program = fuzz::shrink(std::move(program), seed, options, failure);
    }
    std::string path = llvm::formatv("{0}/seed-{1}.mlir", outFlag, seed).str();
    std::error_code error;
    llvm::raw_fd_ostream file(path, error);
    file << "// " << failure << "\n";
    program.module->print(file);
    llvm::errs() << "  kept as " << path << "\n";
  }

  fuzz::HarnessOptions options;
};

/// Waits for a child that must show progress; false when it had to be killed.
bool waitFor(pid_t child, const Progress &progress, int &status) {
  uint64_t last = ~uint64_t(0);
  Clock::time_point since = Clock::now();
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (progress.current != last) {
      last = progress.current;
      since = Clock::now();
    } else if (Clock::now() - since > std::chrono::seconds(hangFlag)) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return false;
    }
    usleep(2000);
  }
  return true;
}

int replay(const Fuzzer &fuzzer, ArrayRef<std::string> files) {
  int findings = 0;
  for (const std::string &path : files) {
    std::unique_ptr<MLIRContext> context = Fuzzer::makeContext();
    std::optional<fuzz::Program> program = fuzz::readBack(*context, path);
    if (!program) {
      llvm::errs() << path << ": not a kept program\n";
      ++findings;
      continue;
    }
    for (uint64_t seed : {1, 2, 3}) {
      if (std::optional<std::string> failure = fuzz::compare(*program, seed, fuzzer.options)) {
        llvm::errs() << path << ": " << *failure << "\n";
        ++findings;
      }
    }
  }
  llvm::outs() << files.size() << " kept programs, " << findings << " findings\n";
  return findings ? 1 : 0;
}
} // namespace

int main(int argc, char **argv) {
  llvm::cl::ParseCommandLineOptions(argc, argv, "random tile programs, Interp against cpu\n");
  Fuzzer fuzzer;
  if (showFlag >= 0) {
    std::unique_ptr<MLIRContext> context = Fuzzer::makeContext();
    fuzzer.make(*context, showFlag).module->print(llvm::outs());
    return 0;
  }
  std::vector<std::string> files(replayFlag.begin(), replayFlag.end());
  files.insert(files.end(), filesFlag.begin(), filesFlag.end());
  if (!files.empty()) {
    return replay(fuzzer, files);
  }
  auto *progress = static_cast<Progress *>(
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  uint64_t next = seedFlag, last = countFlag ? seedFlag + countFlag : ~uint64_t(0);
  Clock::time_point deadline =
      secondsFlag ? Clock::now() + std::chrono::seconds(secondsFlag) : Clock::time_point::max();
  uint64_t findings = 0;
  while (next < last && Clock::now() < deadline && findings < 20) {
    progress->current = next;
    progress->failed = false;
    pid_t child = fork();
    if (child == 0) {
      fuzzer.work(*progress, next, last, deadline);
    }
    int status = 0;
    bool hung = !waitFor(child, *progress, status);
    uint64_t seed = progress->current;
    if (!hung && !progress->failed && WIFEXITED(status)) {
      break; // the end, or the deadline
    }
    bool crashed = hung || !progress->failed;
    std::string failure = hung      ? "hang"
                          : crashed ? llvm::formatv("crash: signal {0}", WTERMSIG(status)).str()
                                    : std::string(progress->failure);
    if (pid_t reporter = fork()) {
      waitpid(reporter, &status, 0);
    } else {
      fuzzer.report(seed, failure, crashed);
      _exit(0);
    }
    ++findings;
    next = seed + 1;
  }
  llvm::outs() << progress->done << " programs, " << findings << " findings (seeds from " << uint64_t(seedFlag)
               << ")\n";
  return findings ? 1 : 0;
}
