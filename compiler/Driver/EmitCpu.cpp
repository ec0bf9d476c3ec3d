// The CPU back end behind a border that nothing crosses but values. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "compiler/Driver/EmitCpu.h"

#include "compiler/Driver/Guard.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TargetParser/Host.h"
#include <optional>

namespace pavage::driver {

namespace {

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
  cpu::EmitOptions options;
  options.keepLlvm = request.llvm;
  options.keepAssembly = request.assembly;
  std::optional<llvm::Expected<cpu::CpuObject>> object;
  errors::Error fatal = guardLlvm([&] { object.emplace(cpu::emitObject(module, target, options)); });
  if (fatal) {
    return fatal;
  }
  if (!*object) {
    return errors::Error(errors::Code::BackEndFailed, llvm::toString(object->takeError()));
  }
  return std::move(**object);
}

} // namespace pavage::driver
