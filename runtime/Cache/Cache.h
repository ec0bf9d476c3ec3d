// The artifact cache on disk. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One folder, one file per artifact, named by its key. Any number of processes use it at once without locks: an entry
// is written to a temporary file and renamed into place, so it is there whole or not at all; a process that is killed
// leaves at most a temporary file, which a later one removes. An entry whose checksum or key is wrong counts as
// missing.
//
// The folder holds machine code that will be run: it must be the user's own and writable by nobody else, else every
// operation fails with PV0400. That is checked at each operation, and all paths are relative to the folder that was
// checked, so it cannot be exchanged in between.
#ifndef PAVAGE_RUNTIME_CACHE_CACHE_H
#define PAVAGE_RUNTIME_CACHE_CACHE_H

#include "runtime/Artifact/Artifact.h"
#include "runtime/Artifact/Sha256.h"
#include "runtime/Errors/Errors.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pavage::cache {

/// An artifact read from disk.
struct Found {
  std::string bytes;
  artifact::Artifact artifact;
};

struct Listed {
  std::string file;
  std::string kernel; ///< empty when damaged
  std::string target;
  uint64_t bytes = 0;
  int64_t lastUsed = 0; ///< seconds since 1970
  bool isDamaged = false;
};

class Cache {
public:
  static constexpr uint64_t defaultLimit = uint64_t(1) << 30;

  Cache(std::string folder, uint64_t limit) : path(std::move(folder)), limit(limit) {}

  /// PAVAGE_CACHE_DIR (default ~/.cache/pavage, empty = no cache: null) and PAVAGE_CACHE_SIZE.
  static errors::Result<std::shared_ptr<Cache>> fromEnvironment();

  const std::string &folder() const { return path; }

  /// Makes the folder if needed. PV0400, PV0401.
  errors::Error ensureFolder() const;

  /// The artifact of this key and marks it as used; nothing when it is missing or damaged (then it is removed).
  errors::Result<std::optional<Found>> load(const artifact::Digest &key);

  /// Keeps an artifact's bytes; the least recently used ones go when the limit is passed. PV0402 when it cannot.
  errors::Error store(const artifact::Digest &key, std::string_view bytes);

  /// Forgets an entry; fine if there is none.
  void remove(const artifact::Digest &key);

  errors::Result<std::vector<Listed>> list();
  /// Removes all entries; returns how many.
  errors::Result<uint64_t> clear();
  struct Verified {
    uint64_t good = 0;
    uint64_t removed = 0;
  };
  /// Checks every entry and removes damaged ones.
  errors::Result<Verified> verify();

private:
  std::string path;
  uint64_t limit;
  std::atomic<bool> hasLooked{false}; ///< a whole look at the folder was made
  std::atomic<uint64_t> estimate{0};  ///< bytes in the folder: at the last look plus what this process added
};

} // namespace pavage::cache

#endif // PAVAGE_RUNTIME_CACHE_CACHE_H
