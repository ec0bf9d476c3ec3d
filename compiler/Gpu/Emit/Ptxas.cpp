// NVIDIA's assembler, where there is one. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Gpu/Emit/Ptxas.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

namespace pavage::gpu {

const std::string &findPtxas() {
  static const std::string path = [] {
    if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName("ptxas")) {
      return *found;
    }
    const char *home = std::getenv("CUDA_HOME");
    for (std::string folder : {std::string(home ? home : ""), std::string("/usr/local/cuda")}) {
      std::string candidate = folder + "/bin/ptxas";
      if (!folder.empty() && llvm::sys::fs::can_execute(candidate)) {
        return candidate;
      }
    }
    return std::string();
  }();
  return path;
}

/// The number before `word` in a line of ptxas -v, as in "Used 32 registers, 8 bytes spill stores".
static int64_t numberBefore(llvm::StringRef line, llvm::StringRef word) {
  size_t end = line.find(word);
  if (end == llvm::StringRef::npos) {
    return 0;
  }
  llvm::StringRef before = line.take_front(end).rtrim();
  size_t start = before.find_last_not_of("0123456789");
  int64_t number = 0;
  before.substr(start == llvm::StringRef::npos ? 0 : start + 1).getAsInteger(10, number);
  return number;
}

static void readReport(llvm::StringRef report, Cubin &cubin) {
  while (!report.empty()) {
    auto [line, rest] = report.split('\n');
    report = rest;
    if (line.contains("registers")) {
      cubin.registers = std::max(cubin.registers, numberBefore(line, " registers"));
      cubin.sharedBytes = std::max(cubin.sharedBytes, numberBefore(line, " bytes smem"));
    } else if (line.contains("spill")) {
      cubin.spillBytes += numberBefore(line, " bytes spill stores") + numberBefore(line, " bytes spill loads");
    } else if (line.contains_insensitive("warning")) {
      cubin.warnings += (line + "\n").str();
    }
  }
}

llvm::Expected<std::optional<Cubin>> assemble(const std::string &ptx, const target::GpuTarget &target) {
  if (findPtxas().empty()) {
    return std::nullopt;
  }
  // ptxas reads and writes files only.
  llvm::SmallString<128> files[3];
  llvm::scope_exit remove([&] {
    for (auto &file : files) {
      if (!file.empty()) {
        llvm::sys::fs::remove(file);
      }
    }
  });
  static constexpr const char *kinds[] = {"ptx", "cubin", "txt"};
  for (int i = 0; i < 3; ++i) {
    if (std::error_code code = llvm::sys::fs::createTemporaryFile("pavage", kinds[i], files[i])) {
      return llvm::createStringError("cannot make a temporary file: " + code.message());
    }
  }
  {
    std::error_code code;
    llvm::raw_fd_ostream stream(files[0], code);
    if (code) {
      return llvm::createStringError("cannot write '" + files[0] + "': " + code.message());
    }
    stream << ptx;
  }
  std::string arch = "-arch=" + target.name.str();
  llvm::StringRef words[] = {findPtxas(), arch, "-v", "-lineinfo", files[0], "-o", files[1]};
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(), llvm::StringRef(files[2]),
                                                llvm::StringRef(files[2])};
  std::string failure;
  int status = llvm::sys::ExecuteAndWait(findPtxas(), words, std::nullopt, redirects, 0, 0, &failure);
  auto report = llvm::MemoryBuffer::getFile(files[2]);
  llvm::StringRef said = report ? (*report)->getBuffer() : llvm::StringRef();
  if (status != 0) {
    return llvm::createStringError("ptxas: " + (failure.empty() ? said.rtrim().str() : failure));
  }
  Cubin cubin;
  readReport(said, cubin);
  auto bytes = llvm::MemoryBuffer::getFile(files[1], /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!bytes) {
    return llvm::createStringError("cannot read what ptxas wrote: " + bytes.getError().message());
  }
  cubin.bytes = (*bytes)->getBuffer().str();
  return cubin;
}

} // namespace pavage::gpu
