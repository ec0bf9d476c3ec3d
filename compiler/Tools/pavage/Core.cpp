// libpavage_core.so, opened at its first use. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tools/pavage/Core.h"

#include <climits>
#include <dlfcn.h>
#include <unistd.h>

namespace pavage::tool {

std::string programFolder() {
  char path[PATH_MAX];
  ssize_t size = readlink("/proc/self/exe", path, sizeof(path));
  std::string text(path, size > 0 ? static_cast<size_t>(size) : 0);
  size_t slash = text.rfind('/');
  return slash == std::string::npos ? "." : text.substr(0, slash);
}

errors::Error Core::lastError() const {
  pv_error_info info;
  pv_error(nullptr, &info);
  auto position = [](const char *file, int line, int column) {
    return errors::Position{file ? file : "", static_cast<unsigned>(line), static_cast<unsigned>(column)};
  };
  errors::Error error(static_cast<unsigned>(info.number), info.text, position(info.file, info.line, info.column));
  for (size_t i = 0; i < info.num_notes; ++i) {
    const pv_note &note = info.notes[i];
    error = std::move(error).withNote(note.text, position(note.file, note.line, note.column));
  }
  return error;
}

errors::Result<const Core *> loadCore() {
  static Core core;
  static const char *missing = nullptr;
  static std::string reason;
  static const bool isLoaded = [] {
    std::string folder = programFolder();
    void *library = nullptr;
    for (const char *place :
         {"/../lib/libpavage_core.so", "/libpavage_core.so", "/../python/pavage/libpavage_core.so"}) {
      std::string path = folder + place;
      if (access(path.c_str(), F_OK) == 0) {
        library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!library) {
          reason = dlerror();
          return false;
        }
        break;
      }
    }
    if (!library) {
      library = dlopen("libpavage_core.so", RTLD_NOW | RTLD_LOCAL); // a wheel's, by this program's run path
    }
    if (!library) {
      reason = "there is no libpavage_core.so in " + folder + "/../lib";
      return false;
    }
#define PAVAGE_CORE_LOAD(name)                                                                                         \
  core.name = reinterpret_cast<decltype(core.name)>(dlsym(library, #name));                                            \
  if (!core.name) {                                                                                                    \
    missing = #name;                                                                                                   \
  }
    PAVAGE_CORE_FUNCTIONS(PAVAGE_CORE_LOAD)
#undef PAVAGE_CORE_LOAD
    if (missing) {
      reason = std::string("libpavage_core.so has no ") + missing;
    }
    return missing == nullptr;
  }();
  if (!isLoaded) {
    return errors::Error(errors::Code::CoreMissing, "the compiler library cannot be used: " + reason);
  }
  return &core;
}

} // namespace pavage::tool
