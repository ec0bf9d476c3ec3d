// A checked cache folder and the file operations in it. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_RUNTIME_CACHE_FOLDER_H
#define PAVAGE_RUNTIME_CACHE_FOLDER_H

#include "runtime/Errors/Errors.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pavage::cache {

/// An open file descriptor.
class Descriptor {
public:
  explicit Descriptor(int number = -1) : number(number) {}
  Descriptor(Descriptor &&other) noexcept : number(std::exchange(other.number, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number, other.number);
    return *this;
  }
  ~Descriptor();
  int get() const { return number; }
  explicit operator bool() const { return number >= 0; }

private:
  int number;
};

/// What a file's metadata says.
struct FileFacts {
  std::string name;
  uint64_t bytes = 0;
  int64_t usedSeconds = 0;
  int64_t usedNanoseconds = 0;
};

/// The folder, opened and found safe.
class Folder {
public:
  /// Creates it (and what is missing above it) with mode 0700. PV0400, PV0401.
  static errors::Result<Folder> open(const std::string &path);

  /// The contents of a regular file; nothing when there is none. Marks it as used when asked to.
  errors::Result<std::optional<std::string>> read(const std::string &name, bool isUse) const;

  /// Writes a file through a temporary one. PV0402.
  errors::Error replace(const std::string &name, std::string_view bytes) const;

  void remove(const std::string &name) const;

  /// Regular files whose name ends so.
  std::vector<FileFacts> files(std::string_view suffix) const;

  /// Removes temporary files of processes that are gone.
  void removeStale() const;

private:
  Descriptor descriptor;
  std::string path;
};

} // namespace pavage::cache

#endif // PAVAGE_RUNTIME_CACHE_FOLDER_H
