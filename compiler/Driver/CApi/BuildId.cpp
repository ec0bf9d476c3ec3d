// Which build of the library this is. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Driver/CApi/BuildId.h"

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <link.h>

namespace pavage::driver {

namespace {

struct Search {
  uintptr_t here;
  std::string id;
};

/// Looks through the notes of the object whose segments hold `here`.
int visit(dl_phdr_info *info, size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  bool isOurs = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + header.p_vaddr;
    isOurs |= header.p_type == PT_LOAD && search.here >= start && search.here < start + header.p_memsz;
  }
  if (!isOurs) {
    return 0;
  }
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = info->dlpi_phdr[i];
    if (header.p_type != PT_NOTE) {
      continue;
    }
    const auto *at = reinterpret_cast<const unsigned char *>(info->dlpi_addr + header.p_vaddr);
    const unsigned char *end = at + header.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof(note));
      const unsigned char *name = at + sizeof(note);
      const unsigned char *content = name + (note.n_namesz + 3) / 4 * 4;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0) {
        static constexpr char digits[] = "0123456789abcdef";
        for (unsigned k = 0; k < note.n_descsz; ++k) {
          search.id += digits[content[k] >> 4];
          search.id += digits[content[k] & 15];
        }
        return 1;
      }
      at = content + (note.n_descsz + 3) / 4 * 4;
    }
  }
  return 1;
}

} // namespace

std::string buildId() {
  Search search{reinterpret_cast<uintptr_t>(&visit), {}};
  dl_iterate_phdr(visit, &search);
  return search.id.empty() ? "unknown" : search.id;
}

} // namespace pavage::driver
