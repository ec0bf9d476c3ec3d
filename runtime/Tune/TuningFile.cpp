// Reading, merging and replacing the tuning file. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Tune/TuningFile.h"

#include "runtime/Tune/Json.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pavage::tune {

using errors::Code;
using errors::Error;
using errors::Result;

static constexpr off_t largestFile = 1 << 28;

using Choices = std::map<std::string, StoredChoice>;

namespace {
class File {
public:
  explicit File(int number) : number(number) {}
  ~File() {
    if (number >= 0) {
      close(number);
    }
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;
  const int number;
};
} // namespace

static Error unusable(const std::string &path, const std::string &why) {
  return Error(Code::TuningFileUnusable, "expected a usable tuning file, got '" + path + "': " + why);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Nothing, and *damage, when it is no tuning file.
static std::optional<Choices> parse(const std::string &text, std::string *damage) {
  auto broken = [&](const std::string &what) -> std::optional<Choices> {
    if (damage) {
      *damage = what;
    }
    return std::nullopt;
  };
  unsigned line = 0;
  auto root = parseJson(text, &line);
  if (!root) {
    return broken("not JSON at line " + std::to_string(line));
  }
  if (root->kind != Json::Kind::Object || root->numberAt("version", 0) != 1) {
    return broken("not a tuning file of version 1");
  }
  const Json *stored = root->find("choices");
  if (!stored || stored->kind != Json::Kind::Object) {
    return broken("no \"choices\"");
  }
  Choices choices;
  for (const auto &[key, value] : stored->object) {
    StoredChoice choice;
    choice.chosen = value.textAt("chosen", "");
    if (const Json *candidates = value.find("candidates")) {
      for (const Json &candidate : candidates->list) {
        // Counts from a file are not to be trusted with a cast.
        auto count = [&](const char *name) {
          double number = candidate.numberAt(name, 0);
          return number >= 0 && number <= 4e9 ? static_cast<uint32_t>(number) : 0;
        };
        choice.candidates.push_back({candidate.textAt("label", ""), candidate.numberAt("ms", 0),
                                     candidate.numberAt("least", 0), count("runs"), count("error")});
      }
    }
    choices[key] = std::move(choice);
  }
  return choices;
}

static std::string format(const Choices &choices) {
  Json stored;
  stored.kind = Json::Kind::Object;
  for (const auto &[key, choice] : choices) {
    Json candidates;
    candidates.kind = Json::Kind::List;
    for (const StoredCandidate &candidate : choice.candidates) {
      Json entry;
      entry.kind = Json::Kind::Object;
      entry.object.push_back({"label", Json::of(candidate.label)});
      if (candidate.error != 0) {
        entry.object.push_back({"error", Json::of(double(candidate.error))});
      } else {
        entry.object.push_back({"ms", Json::of(candidate.milliseconds)});
        entry.object.push_back({"least", Json::of(candidate.least)});
        entry.object.push_back({"runs", Json::of(double(candidate.runs))});
      }
      candidates.list.push_back(std::move(entry));
    }
    Json value;
    value.kind = Json::Kind::Object;
    value.object.push_back({"chosen", Json::of(choice.chosen)});
    value.object.push_back({"candidates", std::move(candidates)});
    stored.object.push_back({key, std::move(value)});
  }
  Json root;
  root.kind = Json::Kind::Object;
  root.object.push_back({"version", Json::of(1.0)});
  root.object.push_back({"choices", std::move(stored)});
  return writeJson(root);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// The whole file, or an errno.
static int readAll(int file, std::string &text) {
  struct stat facts;
  if (fstat(file, &facts) != 0) {
    return errno;
  }
  if (!S_ISREG(facts.st_mode)) {
    return EINVAL;
  }
  if (facts.st_size > largestFile) {
    return EFBIG;
  }
  text.resize(static_cast<size_t>(facts.st_size));
  size_t done = 0;
  while (done < text.size()) {
    ssize_t got = pread(file, text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (got < 0 && errno != EINTR) {
      return errno;
    }
    if (got == 0) {
      break;
    }
    done += got > 0 ? static_cast<size_t>(got) : 0;
  }
  text.resize(done);
  return 0;
}

Result<std::optional<StoredChoice>> TuningFile::find(const std::string &key, std::string *damage) const {
  File file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::string text;
  int trouble = file.number < 0 ? errno : readAll(file.number, text);
  if (trouble == ENOENT) {
    return std::optional<StoredChoice>();
  }
  if (trouble != 0) {
    return unusable(path, std::strerror(trouble));
  }
  if (text.empty()) { // made by a process that was killed before it wrote
    return std::optional<StoredChoice>();
  }
  auto choices = parse(text, damage);
  if (!choices || !choices->count(key)) {
    return std::optional<StoredChoice>();
  }
  return std::optional(std::move((*choices)[key]));
}

/// The file, opened and locked; made if it is not there. The lock is on the file that has the name now, not on one that
/// was replaced while waiting.
static int openLocked(const std::string &path) {
  while (true) {
    int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0644);
    if (file < 0) {
      return -1;
    }
    while (flock(file, LOCK_EX) != 0 && errno == EINTR) {
    }
    struct stat mine, named;
    if (fstat(file, &mine) == 0 && stat(path.c_str(), &named) == 0 && mine.st_ino == named.st_ino &&
        mine.st_dev == named.st_dev) {
      return file;
    }
    close(file);
  }
}

Error TuningFile::store(const std::string &key, const StoredChoice &choice) const {
  // A file that is linked to (from a repository, say) is replaced where it really is.
  std::string real = path;
  if (char *resolved = realpath(path.c_str(), nullptr)) {
    real = resolved;
    std::free(resolved);
  }
  File lock(openLocked(real));
  if (lock.number < 0) {
    return unusable(path, std::strerror(errno));
  }
  std::string text;
  if (int trouble = readAll(lock.number, text)) {
    return unusable(path, std::strerror(trouble));
  }
  Choices choices;
  if (!text.empty()) {
    if (auto stored = parse(text, nullptr)) {
      choices = std::move(*stored);
    } else if (link(real.c_str(), (real + ".damaged").c_str()) != 0 && errno != EEXIST) {
      return unusable(path, std::string("it is damaged and cannot be set aside: ") + std::strerror(errno));
    }
  }
  choices[key] = choice;
  text = format(choices);

  // One name is enough, as only the lock's holder writes; what a killed process left is used again.
  std::string temporary = real + ".tmp";
  File file(open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (file.number < 0) {
    return unusable(path, std::strerror(errno));
  }
  for (size_t done = 0; done < text.size();) {
    ssize_t written = write(file.number, text.data() + done, text.size() - done);
    if (written < 0 && errno != EINTR) {
      int trouble = errno;
      unlink(temporary.c_str());
      return unusable(path, std::strerror(trouble));
    }
    done += written > 0 ? static_cast<size_t>(written) : 0;
  }
  struct stat before;
  if (fstat(lock.number, &before) == 0) {
    fchmod(file.number, before.st_mode & 07777);
  }
  if (rename(temporary.c_str(), real.c_str()) != 0) {
    int trouble = errno;
    unlink(temporary.c_str());
    return unusable(path, std::strerror(trouble));
  }
  return Error::success();
}

} // namespace pavage::tune
