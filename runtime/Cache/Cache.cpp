// Entries: key, artifact, age. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file is `magic (8) · key (32) · artifact`. The key inside ties the contents to the name, so that a file that was
// renamed or restored under a wrong name is not taken for another kernel; the artifact carries its own checksum.
#include "runtime/Cache/Cache.h"

#include "runtime/Cache/Folder.h"
#include "runtime/Core/Environment.h"

#include <algorithm>
#include <cstring>
#include <pwd.h>
#include <tuple>
#include <unistd.h>

namespace pavage::cache {

using artifact::Digest;
using errors::Code;
using errors::Error;
using errors::Result;

static constexpr char magic[8] = {'P', 'V', 'C', 'A', 'C', 'H', 'E', '1'};
static constexpr size_t headerSize = sizeof(magic) + sizeof(Digest);
static constexpr std::string_view suffix = ".pv";

static std::string fileName(const Digest &key) { return artifact::hex(key) + std::string(suffix); }

static std::string homeFolder() {
  auto home = core::environment("HOME");
  if (home && !home->empty()) {
    return *home;
  }
  const passwd *entry = getpwuid(geteuid());
  return entry && entry->pw_dir ? entry->pw_dir : "/";
}

Result<std::shared_ptr<Cache>> Cache::fromEnvironment() {
  auto folder = core::environment("PAVAGE_CACHE_DIR");
  if (folder && folder->empty()) {
    return std::shared_ptr<Cache>();
  }
  auto limit = core::environmentBytes("PAVAGE_CACHE_SIZE");
  if (!limit) {
    return limit.takeError();
  }
  return std::make_shared<Cache>(folder ? *folder : homeFolder() + "/.cache/pavage", limit->value_or(defaultLimit));
}

Error Cache::ensureFolder() const {
  auto folder = Folder::open(path);
  return folder ? Error::success() : folder.takeError();
}

/// The artifact's bytes in a file of this name, or nothing when magic or key do not fit.
static std::optional<std::string_view> unwrap(std::string_view file, std::string_view name) {
  if (file.size() < headerSize || std::memcmp(file.data(), magic, sizeof(magic)) != 0) {
    return std::nullopt;
  }
  Digest key;
  std::memcpy(key.data(), file.data() + sizeof(magic), key.size());
  return fileName(key) == name ? std::optional(file.substr(headerSize)) : std::nullopt;
}

Result<std::optional<Found>> Cache::load(const Digest &key) {
  auto folder = Folder::open(path);
  if (!folder) {
    return folder.takeError();
  }
  std::string name = fileName(key);
  auto file = folder->read(name, true);
  if (!file) {
    return file.takeError();
  }
  if (!*file) {
    return std::optional<Found>();
  }
  if (auto bytes = unwrap(**file, name)) {
    if (auto artifact = artifact::deserialize(*bytes)) {
      return std::optional<Found>({std::string(*bytes), std::move(*artifact)});
    }
  }
  folder->remove(name);
  return std::optional<Found>();
}

Error Cache::store(const Digest &key, std::string_view bytes) {
  uint64_t size = bytes.size() + headerSize;
  if (size > limit) {
    return Error::success(); // it would only throw out everything else, and then itself
  }
  auto folder = Folder::open(path);
  if (!folder) {
    return folder.takeError();
  }
  std::string file(magic, sizeof(magic));
  file.append(reinterpret_cast<const char *>(key.data()), key.size());
  file += bytes;
  if (Error error = folder->replace(fileName(key), file)) {
    return error;
  }

  // Looking at the whole folder is for the first store of a process and for when it may be full.
  if (estimate.fetch_add(size) + size <= limit && hasLooked.load()) {
    return Error::success();
  }
  folder->removeStale();
  std::vector<FileFacts> entries = folder->files(suffix);
  uint64_t total = 0;
  for (const FileFacts &entry : entries) {
    total += entry.bytes;
  }
  if (total > limit) {
    std::sort(entries.begin(), entries.end(), [](const FileFacts &a, const FileFacts &b) {
      return std::tie(a.usedSeconds, a.usedNanoseconds, a.name) < std::tie(b.usedSeconds, b.usedNanoseconds, b.name);
    });
    // Some room to spare, or each further store would have to look again.
    uint64_t goal = limit - limit / 8;
    for (const FileFacts &entry : entries) {
      bool isNew = entry.name == fileName(key);
      if (total <= goal) {
        break;
      }
      if (!isNew) {
        folder->remove(entry.name);
        total -= entry.bytes;
      }
    }
  }
  estimate = total;
  hasLooked = true;
  return Error::success();
}

void Cache::remove(const Digest &key) {
  if (auto folder = Folder::open(path)) {
    folder->remove(fileName(key));
  }
}

Result<std::vector<Listed>> Cache::list() {
  auto folder = Folder::open(path);
  if (!folder) {
    return folder.takeError();
  }
  std::vector<Listed> all;
  for (const FileFacts &facts : folder->files(suffix)) {
    Listed listed;
    listed.file = facts.name;
    listed.bytes = facts.bytes;
    listed.lastUsed = facts.usedSeconds;
    listed.isDamaged = true;
    auto file = folder->read(facts.name, false);
    if (file && !*file) {
      continue; // gone since
    }
    auto bytes = file ? unwrap(**file, facts.name) : std::nullopt;
    if (bytes) {
      if (auto artifact = artifact::deserialize(*bytes)) {
        listed.isDamaged = false;
        listed.kernel = artifact->kernel;
        listed.target = artifact->target;
      }
    }
    all.push_back(std::move(listed));
  }
  std::sort(all.begin(), all.end(), [](const Listed &a, const Listed &b) {
    return std::tie(a.kernel, a.target, a.file) < std::tie(b.kernel, b.target, b.file);
  });
  return all;
}

Result<uint64_t> Cache::clear() {
  auto folder = Folder::open(path);
  if (!folder) {
    return folder.takeError();
  }
  uint64_t removed = 0;
  for (const FileFacts &facts : folder->files(suffix)) {
    folder->remove(facts.name);
    ++removed;
  }
  folder->removeStale();
  estimate = 0;
  return removed;
}

Result<Cache::Verified> Cache::verify() {
  auto all = list();
  if (!all) {
    return all.takeError();
  }
  auto folder = Folder::open(path);
  if (!folder) {
    return folder.takeError();
  }
  Verified result;
  for (const Listed &entry : *all) {
    if (entry.isDamaged) {
      folder->remove(entry.file);
      ++result.removed;
    } else {
      ++result.good;
    }
  }
  folder->removeStale();
  return result;
}

} // namespace pavage::cache
