// The C interface: the tuner. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Launch/DiskCache.h"
#include "runtime/Launch/ErrorObject.h"
#include "runtime/Tune/TryOut.h"
#include "runtime/Tune/Tuner.h"

using namespace pavage;
using errors::Error;

/// In the cache folder, which must be safe; empty when there is no usable one (launches tell why).
static errors::Result<std::string> tuningFile() {
  auto disk = launch::diskCache();
  if (!disk) {
    return disk.takeError();
  }
  if (!*disk) {
    return std::string();
  }
  if (Error error = (*disk)->ensureFolder()) {
    if (error.is(errors::Code::CacheFolderUnsafe)) {
      return error;
    }
    return std::string();
  }
  return (*disk)->folder() + "/tuning.json";
}

pvrt_error *pvrt_tune(const pvrt_tune_request *request, pvrt_tune_result *result, pvrt_tune_candidate *candidates) {
  return launch::guarded([&] {
    if (!request || !result || request->struct_size != sizeof(pvrt_tune_request) || !request->key || !request->run ||
        (request->candidate_count != 0 && !request->labels)) {
      return launch::misuse("expected a key, labels and a run function to tune, got less");
    }
    tune::Request wanted;
    wanted.key = request->key;
    wanted.labels.assign(request->labels, request->labels + request->candidate_count);
    auto call = [request](pvrt_error *(*function)(void *, uint32_t)) {
      std::function<Error(uint32_t)> wrapped;
      if (function) {
        wrapped = [=](uint32_t candidate) { return launch::fromC(function(request->context, candidate)); };
      }
      return wrapped;
    };
    wanted.contest.prepare = call(request->prepare);
    wanted.contest.reset = call(request->reset);
    wanted.contest.run = call(request->run);
    wanted.contest.check = call(request->check);
    if (request->try_out) {
      wanted.contest.tryOut = [request](uint32_t candidate, double seconds) {
        return launch::fromC(request->try_out(request->context, candidate, seconds));
      };
    }
    if (request->warmup_milliseconds > 0) {
      wanted.contest.warmupMilliseconds = request->warmup_milliseconds;
    }
    if (request->measure_milliseconds > 0) {
      wanted.contest.measureMilliseconds = request->measure_milliseconds;
    }
    auto file = tuningFile();
    if (!file) {
      return file.takeError();
    }
    wanted.defaultFile = *file;
    auto outcome = tune::tune(std::move(wanted));
    if (!outcome) {
      return outcome.takeError();
    }
    result->choice = outcome->choice;
    result->from_file = outcome->isStored;
    for (size_t i = 0; candidates && i < outcome->candidates.size(); ++i) {
      const tune::Measurement &measured = outcome->candidates[i];
      candidates[i] = {measured.median, measured.least, measured.runs, measured.refusal.number()};
    }
    return Error::success();
  });
}

pvrt_error *pvrt_try_out(void (*run)(void *context), double seconds, int (*fork)(void *context),
                         int (*poll)(void *context), void *context) {
  return launch::guarded([&] {
    if (!run || !(seconds > 0)) {
      return launch::misuse("expected a function to try out and a time for it, got less");
    }
    tune::TryOut wanted;
    wanted.run = [=] { run(context); };
    wanted.seconds = seconds;
    if (fork) {
      wanted.fork = [=] { return fork(context); };
    }
    if (poll) {
      wanted.poll = [=] { return poll(context) != 0; };
    }
    return tune::tryOut(wanted);
  });
}
