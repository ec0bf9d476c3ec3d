// Handlers for what kernels print. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A handler may need a lock of its host (Python's), and a thread that holds that lock may set handlers or fork: so the
// lock around a call is another one than that around the handler's address, and a forked child makes both anew.
#include "runtime/Core/Output.h"

#include <cstdio>
#include <mutex>
#include <new>
#include <pthread.h>

namespace pavage::core {

namespace {
struct Channel {
  std::mutex address;
  std::mutex call;
  OutputHandler handler = nullptr;
  void *context = nullptr;
};
} // namespace

static Channel &channel(Output output) {
  static auto *channels = [] {
    static Channel *made = new Channel[2];
    pthread_atfork(nullptr, nullptr, [] {
      for (int i = 0; i < 2; ++i) {
        new (&made[i].address) std::mutex();
        new (&made[i].call) std::mutex();
      }
    });
    return made;
  }();
  return channels[output == Output::Print ? 0 : 1];
}

void setOutputHandler(Output output, OutputHandler handler, void *context) {
  Channel &to = channel(output);
  std::lock_guard lock(to.address);
  to.handler = handler;
  to.context = context;
}

void write(Output output, std::string_view text) {
  Channel &to = channel(output);
  std::lock_guard call(to.call);
  OutputHandler handler;
  void *context;
  {
    std::lock_guard lock(to.address);
    handler = to.handler;
    context = to.context;
  }
  if (handler) {
    handler(context, text.data(), text.size());
    return;
  }
  std::FILE *file = output == Output::Print ? stdout : stderr;
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);
}

} // namespace pavage::core
