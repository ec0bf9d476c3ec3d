// What launches on virtual GPUs left behind. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/Record.h"

#include "runtime/Sim/Report.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <pthread.h>

namespace pavage::sim {

namespace {

/// A program that launches for hours with findings that nobody reads must not eat the memory.
constexpr size_t mostRecords = 1000;

struct Log {
  std::mutex mutex;
  std::vector<std::shared_ptr<const Record>> records;
  std::vector<Profile *> open;
};

Log &log() {
  static auto *shared = [] {
    static auto *made = new Log();
    // Held for an instant only, but another thread may be in that instant at a fork.
    pthread_atfork(nullptr, nullptr, [] { new (&made->mutex) std::mutex(); });
    return made;
  }();
  return *shared;
}

} // namespace

Profile::Profile() {
  std::lock_guard lock(log().mutex);
  log().open.push_back(this);
}

void Profile::close() {
  std::lock_guard lock(log().mutex);
  auto &open = log().open;
  open.erase(std::remove(open.begin(), open.end(), this), open.end());
}

std::vector<std::shared_ptr<const Record>> Profile::records() const {
  std::lock_guard lock(log().mutex);
  return ended;
}

void remember(std::shared_ptr<const Record> record) {
  std::lock_guard lock(log().mutex);
  for (Profile *profile : log().open) {
    profile->ended.push_back(record);
  }
  if (!record->result.findings.empty() && log().records.size() < mostRecords) {
    log().records.push_back(std::move(record));
  }
}

std::vector<std::shared_ptr<const Record>> recordsWithFindings() {
  std::lock_guard lock(log().mutex);
  return log().records;
}

void clearFindings() {
  std::lock_guard lock(log().mutex);
  log().records.clear();
}

errors::Position placeOf(const LoadedModule &module, const Finding &finding) {
  const std::vector<std::string> &files = module.program.files;
  if (finding.line != 0 && finding.file < files.size() && !files[finding.file].empty()) {
    return {files[finding.file], finding.line, finding.column};
  }
  u32 column = finding.ptxLine != 0 && finding.pc < module.program.sources.size()
                   ? module.program.sources[finding.pc].ptxColumn
                   : 0;
  return {module.file, finding.ptxLine, column};
}

errors::Error asError(const Record &record, const Finding &finding) {
  errors::Position at = placeOf(*record.module, finding);
  errors::Error error(findingNumber(finding.kind), describe(*record.module, finding), at);
  bool isInPtx = at.file == record.module->file && at.line == finding.ptxLine;
  if (isInPtx && at.line != 0 && at.line <= record.module->lines.size()) {
    error = std::move(error).withSourceLine(record.module->lines[at.line - 1]);
  }
  return error;
}

} // namespace pavage::sim
