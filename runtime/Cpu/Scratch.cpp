// Scratch arenas: mapped on demand, kept by their thread. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Cpu/Scratch.h"

#include <cerrno>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace pavage::cpu {

using errors::Code;
using errors::Error;
using errors::Result;

static constexpr uint64_t pageSize = 4096;
static constexpr uint64_t hugePage = uint64_t(2) << 20;
static constexpr uint64_t keptSize = uint64_t(64) << 20;

namespace {
struct Arena {
  char *map = nullptr;
  uint64_t size = 0; ///< usable bytes; the guard page follows

  void release() {
    if (map != nullptr) {
      munmap(map, size + pageSize);
    }
    map = nullptr;
    size = 0;
  }
  ~Arena() { release(); }
};
} // namespace

static thread_local Arena arena;

static Error tooLarge(uint64_t bytes, const std::string &reason) {
  return Error(Code::ScratchTooLarge,
               "expected " + std::to_string(bytes) + " bytes of temporary memory per thread, got none: " + reason);
}

Result<void *> scratch(uint64_t bytes) {
  if (bytes == 0) {
    return static_cast<void *>(nullptr);
  }
  if (bytes > arena.size) {
    if (bytes > uint64_t(1) << 46) {
      return tooLarge(bytes, "more than an address can reach");
    }
    uint64_t unit = bytes >= hugePage ? hugePage : pageSize;
    uint64_t size = (bytes + unit - 1) / unit * unit;
    arena.release();
    void *map = mmap(nullptr, size + pageSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) {
      return tooLarge(bytes, std::strerror(errno));
    }
    if (mprotect(static_cast<char *>(map) + size, pageSize, PROT_NONE) != 0) {
      munmap(map, size + pageSize);
      return tooLarge(bytes, std::strerror(errno));
    }
    if (size >= hugePage) {
      madvise(map, size, MADV_HUGEPAGE);
    }
    arena.map = static_cast<char *>(map);
    arena.size = size;
  }
  return static_cast<void *>(arena.map + arena.size - (bytes + 63) / 64 * 64);
}

void releaseLargeScratch() {
  if (arena.size > keptSize) {
    arena.release();
  }
}

Error checkScratch(uint64_t bytes, unsigned threads) {
  // The system promises more memory than it has and kills who takes it at its word.
  static const uint64_t physical = uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE));
  if (bytes > physical / threads) {
    return tooLarge(bytes, std::to_string(threads) + " threads share " + std::to_string(physical) + " bytes of memory");
  }
  return Error::success();
}

} // namespace pavage::cpu
