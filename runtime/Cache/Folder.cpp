// Safe folders, atomic files, stale temporaries. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Cache/Folder.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pavage::cache {

using errors::Code;
using errors::Error;
using errors::Result;

static constexpr std::string_view temporarySuffix = ".tmp";
/// A writer locks its temporary file right after making it; a file this young may not be locked yet.
static constexpr int64_t settleSeconds = 5;
static constexpr uint64_t largestFile = uint64_t(1) << 32;

Descriptor::~Descriptor() {
  if (number >= 0) {
    close(number);
  }
}

static std::string reason() { return std::strerror(errno); }

//===----------------------------------------------------------------------===//
// The folder
//===----------------------------------------------------------------------===//

/// mkdir -p with mode 0700.
static bool makeFolders(const std::string &path) {
  if (mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) {
    return true;
  }
  size_t slash = path.find_last_of('/');
  if (errno != ENOENT || slash == std::string::npos || slash == 0) {
    return false;
  }
  return makeFolders(path.substr(0, slash)) && (mkdir(path.c_str(), 0700) == 0 || errno == EEXIST);
}

Result<Folder> Folder::open(const std::string &given) {
  // With a slash at the end a symbolic link would be followed.
  std::string path = given;
  while (path.size() > 1 && path.back() == '/') {
    path.pop_back();
  }
  auto unusable = [&](const std::string &why) {
    return Error(Code::CacheFolderUnusable, "expected a usable cache folder, got '" + path + "': " + why);
  };
  auto unsafe = [&](const std::string &why) {
    return Error(Code::CacheFolderUnsafe,
                 "expected a cache folder that only you can write, got '" + path + "', which " + why);
  };
  if (path.find('\0') != std::string::npos || path.empty()) {
    return unusable("not a path");
  }
  if (!makeFolders(path)) {
    return unusable(reason());
  }
  struct stat link;
  if (lstat(path.c_str(), &link) == 0 && S_ISLNK(link.st_mode)) {
    return unsafe("is a symbolic link");
  }
  Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat facts;
  if (!descriptor || fstat(descriptor.get(), &facts) != 0) {
    return unusable(reason());
  }
  if (facts.st_uid != geteuid()) {
    return unsafe("belongs to user " + std::to_string(facts.st_uid));
  }
  if ((facts.st_mode & 022) != 0) {
    char mode[8];
    std::snprintf(mode, sizeof(mode), "%03o", facts.st_mode & 0777u);
    return unsafe(std::string("has mode ") + mode);
  }
  Folder folder;
  folder.descriptor = std::move(descriptor);
  folder.path = path;
  return folder;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

Result<std::optional<std::string>> Folder::read(const std::string &name, bool isUse) const {
  Descriptor file(openat(descriptor.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!file) {
    if (errno == ENOENT) {
      return std::optional<std::string>();
    }
    return Error(Code::CacheFolderUnusable, "expected to read '" + path + "/" + name + "', got: " + reason());
  }
  struct stat facts;
  if (fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode) || uint64_t(facts.st_size) > largestFile) {
    return std::optional<std::string>(""); // there, and damaged
  }
  std::string bytes(static_cast<size_t>(facts.st_size), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t got = ::read(file.get(), bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      break;
    }
    done += static_cast<size_t>(got);
  }
  bytes.resize(done);
  if (isUse) {
    futimens(file.get(), nullptr); // a failure costs a too early eviction
  }
  return std::optional<std::string>(std::move(bytes));
}

/// Writes all bytes; errno tells why not.
static bool writeAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return false;
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

Error Folder::replace(const std::string &name, std::string_view bytes) const {
  static std::atomic<uint32_t> counter{0};
  auto failed = [&](const std::string &why) {
    return Error(Code::CacheWriteFailed, "expected to write '" + path + "/" + name + "', got: " + why);
  };
  // A process of another machine may have the same number on a shared folder: then the file is there already. And a
  // cleaner may take the file in the moment before it is locked. Both are rare enough to just try again.
  for (int attempt = 0;; ++attempt) {
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    std::string temporary = std::to_string(getpid()) + "-" + std::to_string(counter++) + "-" +
                            std::to_string(now.tv_nsec) + std::string(temporarySuffix);
    Descriptor file(
        openat(descriptor.get(), temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file) {
      if (errno == EEXIST && attempt < 10) {
        continue;
      }
      return failed(reason());
    }
    flock(file.get(), LOCK_EX | LOCK_NB); // held until closed, also by kill -9
    if (!writeAll(file.get(), bytes)) {
      std::string why = reason();
      unlinkat(descriptor.get(), temporary.c_str(), 0);
      return failed(why);
    }
    if (renameat(descriptor.get(), temporary.c_str(), descriptor.get(), name.c_str()) == 0) {
      return Error::success();
    }
    std::string why = reason();
    bool wasTaken = errno == ENOENT;
    unlinkat(descriptor.get(), temporary.c_str(), 0);
    if (!wasTaken || attempt >= 10) {
      return failed(why);
    }
  }
}

void Folder::remove(const std::string &name) const { unlinkat(descriptor.get(), name.c_str(), 0); }

std::vector<FileFacts> Folder::files(std::string_view suffix) const {
  std::vector<FileFacts> found;
  // fdopendir owns its descriptor and moves its position: give it one of its own.
  int copy = openat(descriptor.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *stream = copy < 0 ? nullptr : fdopendir(copy);
  if (stream == nullptr) {
    if (copy >= 0) {
      close(copy);
    }
    return found;
  }
  while (dirent *entry = readdir(stream)) {
    std::string_view name = entry->d_name;
    struct stat facts;
    if (name.size() > suffix.size() && name.substr(name.size() - suffix.size()) == suffix &&
        fstatat(descriptor.get(), entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(facts.st_mode)) {
      found.push_back({std::string(name), uint64_t(facts.st_size), facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec});
    }
  }
  closedir(stream);
  return found;
}

void Folder::removeStale() const {
  int64_t now = time(nullptr);
  for (const FileFacts &facts : files(temporarySuffix)) {
    if (now - facts.usedSeconds < settleSeconds) {
      continue;
    }
    Descriptor file(openat(descriptor.get(), facts.name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    // No lock to be had: its writer lives. No file to be had: whatever it is, it is not ours to keep.
    if (!file || flock(file.get(), LOCK_EX | LOCK_NB) == 0) {
      remove(facts.name);
    }
  }
}

} // namespace pavage::cache
