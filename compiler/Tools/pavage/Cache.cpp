// `pavage cache list|clear|verify`. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tools/pavage/Commands.h"
#include "compiler/Tools/pavage/Options.h"

#include <cstdio>
#include <ctime>
#include <pavage/runtime.h>

namespace pavage::tool {

namespace {

int report(pvrt_error *error) {
  std::fprintf(stderr, "%s\n", error->rendered);
  pvrt_error_free(error);
  return 1;
}

struct Total {
  uint64_t entries = 0;
  uint64_t bytes = 0;
};

void printEntry(void *context, const pvrt_cache_entry *entry) {
  auto *total = static_cast<Total *>(context);
  ++total->entries;
  total->bytes += entry->bytes;
  char when[32] = "";
  time_t seconds = static_cast<time_t>(entry->last_used);
  tm local;
  if (localtime_r(&seconds, &local)) {
    std::strftime(when, sizeof(when), "%Y-%m-%d %H:%M", &local);
  }
  std::printf("%-24s %-10s %10llu  %s  %s%s\n", entry->damaged ? "?" : entry->kernel,
              entry->damaged ? "" : entry->target, static_cast<unsigned long long>(entry->bytes), when, entry->name,
              entry->damaged ? "  damaged" : "");
}

int list() {
  const char *folder = "";
  if (pvrt_error *error = pvrt_cache_folder(&folder)) {
    return report(error);
  }
  if (!*folder) {
    std::puts("the disk cache is off");
    return 0;
  }
  Total total;
  if (pvrt_error *error = pvrt_cache_list(printEntry, &total)) {
    return report(error);
  }
  std::printf("%llu kernels, %llu bytes in %s\n", static_cast<unsigned long long>(total.entries),
              static_cast<unsigned long long>(total.bytes), folder);
  return 0;
}

int clear() {
  uint64_t removed = 0;
  if (pvrt_error *error = pvrt_cache_clear(&removed)) {
    return report(error);
  }
  std::printf("%llu kernels removed\n", static_cast<unsigned long long>(removed));
  return 0;
}

int verify() {
  uint64_t good = 0;
  uint64_t removed = 0;
  if (pvrt_error *error = pvrt_cache_verify(&good, &removed)) {
    return report(error);
  }
  std::printf("%llu kernels are good, %llu damaged ones removed\n", static_cast<unsigned long long>(good),
              static_cast<unsigned long long>(removed));
  return 0;
}

} // namespace

int cacheCommand(const Words &words) {
  static const std::vector<Option> options = {{"--help", nullptr, "print this text"}};
  errors::Result<Arguments> arguments = parseArguments(words, options);
  if (!arguments) {
    return tool::report(arguments.error());
  }
  if (arguments->has("--help")) {
    std::printf("usage: pavage cache list|clear|verify\n\n"
                "list      kernel, target, bytes, last use and file of each entry\n"
                "clear     remove all entries\n"
                "verify    check all entries and remove the damaged ones\n\n%s",
                describe(options).c_str());
    return 0;
  }
  const std::string action = arguments->operands.size() == 1 ? arguments->operands.front() : "";
  if (action == "list") {
    return list();
  }
  if (action == "clear") {
    return clear();
  }
  if (action == "verify") {
    return verify();
  }
  std::string got;
  for (const std::string &operand : arguments->operands) {
    got += (got.empty() ? "'" : " ") + operand;
  }
  return tool::report(errors::Error(errors::Code::BadOperand, "expected pavage cache list, clear or verify, got " +
                                                                  (got.empty() ? "nothing" : got + "'")));
}

} // namespace pavage::tool
