// The CPU back end behind a border that nothing crosses but values. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// LLVM ends the process when a back end meets what it cannot compile (report_fatal_error). A user's process must not
// end for that: the handler installed here jumps back out of LLVM. What LLVM had allocated for the kernel is lost, no
// lock is held (each thread has its own context and target machine), and the caller gets an error.
#include "compiler/Driver/EmitCpu.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/TargetParser/Host.h"
#include <csetjmp>
#include <mutex>
#include <optional>

namespace pavage::driver {

namespace {

struct Escape {
  std::jmp_buf target;
  std::string reason;
};
thread_local Escape *escape = nullptr;

void leave(void *, const char *reason, bool) {
  if (!escape) {
    return; // not ours: LLVM goes on to end the process
  }
  escape->reason = reason;
  std::longjmp(escape->target, 1); // NOLINT: there is no other way out of report_fatal_error
}

void installHandler() {
  static std::once_flag once;
  std::call_once(once, [] { llvm::install_fatal_error_handler(leave); });
}

/// Whether this machine has every instruction that the level uses.
bool hostHas(const target::CpuTarget &level, const llvm::StringMap<bool> &host) {
  auto has = [&](std::initializer_list<llvm::StringRef> features) {
    return llvm::all_of(features, [&](llvm::StringRef feature) { return host.lookup(feature); });
  };
  if (level.name == "portable") {
    return true;
  }
  if (level.name == "avx2") {
    return has({"avx2", "fma", "f16c", "bmi", "bmi2", "movbe", "lzcnt"});
  }
  if (level.name == "avx512") {
    return has({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"});
  }
  return has({"amx-tile", "amx-bf16", "amx-int8", "avx512vnni", "avx512bf16"});
}

} // namespace

errors::Result<const target::CpuTarget *> cpuTarget(const std::string &name) {
  if (name.empty()) {
    llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
    const target::CpuTarget *best = nullptr;
    for (const target::CpuTarget &level : target::cpuTargets()) {
      if (!best || hostHas(level, host)) {
        best = &level;
      } else {
        break;
      }
    }
    return best;
  }
  if (const target::CpuTarget *level = target::findCpuTarget(name)) {
    return level;
  }
  std::string known = llvm::join(
      llvm::map_range(target::cpuTargets(), [](const target::CpuTarget &level) { return level.name; }), ", ");
  return errors::Error(errors::Code::UnknownCpuLevel, "unknown CPU level '" + name + "': expected one of " + known);
}

errors::Result<cpu::CpuObject> emitCpu(mlir::ModuleOp module, const target::CpuTarget &target,
                                       const EmitRequest &request) {
  installHandler();
  Escape frame;
  Escape *outer = escape;
  escape = &frame;
  if (setjmp(frame.target) != 0) {
    escape = outer;
    return errors::Error(errors::Code::BackEndFailed, "LLVM: " + frame.reason);
  }
  cpu::EmitOptions options;
  options.keepLlvm = request.llvm;
  options.keepAssembly = request.assembly;
  llvm::Expected<cpu::CpuObject> object = cpu::emitObject(module, target, options);
  escape = outer;
  if (!object) {
    return errors::Error(errors::Code::BackEndFailed, llvm::toString(object.takeError()));
  }
  return std::move(*object);
}

} // namespace pavage::driver
