// The slow path of a launch: disk, compile, load, remember. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Launch/Variants.h"

#include "runtime/Artifact/Sha256.h"
#include "runtime/Cache/Cache.h"
#include "runtime/Core/Environment.h"
#include "runtime/Core/Output.h"
#include "runtime/Launch/DiskCache.h"
#include "runtime/Launch/ErrorObject.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <pthread.h>
#include <unistd.h>

using namespace pavage;
using errors::Code;
using errors::Error;
using errors::Result;
using launch::Parts;

//===----------------------------------------------------------------------===//
// The lock
//===----------------------------------------------------------------------===//

namespace {
/// One lock for the bookkeeping of all kernels: it is held for some hundred nanoseconds at a miss, and never during a
/// callback. fork() takes it too, so that a child finds every kernel in order.
struct Bookkeeping {
  std::mutex mutex;
  std::condition_variable landed;
};
} // namespace

static Bookkeeping &bookkeeping() {
  static auto *shared = [] {
    static auto *made = new Bookkeeping();
    pthread_atfork([] { made->mutex.lock(); }, [] { made->mutex.unlock(); },
                   [] {
                     made->mutex.unlock();
                     new (&made->landed) std::condition_variable(); // its waiters are not in the child
                   });
    return made;
  }();
  return *shared;
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

Result<std::unique_ptr<pvrt_variant>> launch::loadVariant(core::Device &device, std::string bytes,
                                                          artifact::Artifact artifact) {
  if (artifact.target != device.target()) {
    return Error(Code::TargetMismatch,
                 "expected code for '" + device.target() + "', got code for '" + artifact.target + "'");
  }
  auto variant = std::make_unique<pvrt_variant>();
  variant->device = &device;
  variant->bytes = std::move(bytes);
  variant->artifact = std::move(artifact);
  auto kernel = device.load({variant->artifact, variant->bytes});
  if (!kernel) {
    return kernel.takeError();
  }
  variant->kernel = std::move(*kernel);
  for (const artifact::Param &param : variant->artifact.params) {
    uint32_t flags = (param.isPointer ? PVRT_PARAM_POINTER : 0) | (param.isRead ? PVRT_PARAM_READ : 0) |
                     (param.isWritten ? PVRT_PARAM_WRITTEN : 0);
    variant->params.push_back({param.name.c_str(), artifact::dtypeName(param.dtype).data(), param.divisibility, flags});
  }
  return variant;
}

//===----------------------------------------------------------------------===//
// Why another variant
//===----------------------------------------------------------------------===//

std::string launch::describeChange(const Parts &before, const Parts &after) {
  std::string text;
  auto add = [&](const std::string &what) { text += (text.empty() ? "" : ", ") + what; };
  auto find = [](const Parts &parts, const std::string &name) -> const std::string * {
    for (const auto &[key, value] : parts) {
      if (key == name) {
        return &value;
      }
    }
    return nullptr;
  };
  for (const auto &[name, value] : after) {
    const std::string *old = find(before, name);
    bool isHidden = !name.empty() && name[0] == '.';
    if (old && *old == value) {
      continue;
    }
    if (isHidden) {
      add(name.substr(1) + " changed");
    } else {
      add(name + ": " + (old ? *old : "(none)") + " -> " + value);
    }
  }
  for (const auto &[name, value] : before) {
    if (find(after, name) == nullptr) {
      bool isHidden = !name.empty() && name[0] == '.';
      add(isHidden ? name.substr(1) + " changed" : name + ": " + value + " -> (none)");
    }
  }
  return text.empty() ? "nothing that is known" : text;
}

static size_t distance(const Parts &a, const Parts &b) {
  size_t differences = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    differences += a[i] != b[i];
  }
  return differences;
}

const Parts *launch::nearest(const std::vector<Parts> &earlier, const Parts &wanted) {
  const Parts *best = nullptr;
  for (const Parts &parts : earlier) {
    // Of equals the latest: what changed since the last call is what its author asks.
    if (best == nullptr || distance(parts, wanted) <= distance(*best, wanted)) {
      best = &parts;
    }
  }
  return best;
}

Error pvrt_kernel::noticeRecompile(const core::Device &device, const pvrt_request &request, const Parts &parts) {
  if ((request.flags & PVRT_REQUEST_EXPECTED) != 0) {
    return Error::success();
  }
  auto explain = core::environmentFlag("PAVAGE_EXPLAIN_RECOMPILE", false);
  auto reaction = core::environmentChoice("PAVAGE_ON_RECOMPILE", {"ignore", "error"});
  if (!explain || !reaction) {
    return explain ? reaction.takeError() : explain.takeError();
  }
  if (!*explain && *reaction != "error") {
    return Error::success();
  }
  std::string why;
  {
    std::lock_guard lock(bookkeeping().mutex);
    const Parts *before = launch::nearest(history[&device], parts);
    if (before == nullptr) {
      return Error::success(); // the first one
    }
    why = launch::describeChange(*before, parts);
  }
  std::string text = "kernel '" + name + "' is compiled again for other arguments: " + why;
  errors::Position at = {file, line, 0};
  if (*reaction == "error") {
    return Error(Code::UnexpectedRecompile, text, at);
  }
  core::write(core::Output::Notice, errors::render("note", text, at, "") + "\n");
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

void pvrt_kernel::Table::insert(pvrt_variant *variant) {
  size_t at = variant->fingerprint & mask;
  while (slots[at].load(std::memory_order_relaxed) != nullptr) {
    at = (at + 1) & mask;
  }
  slots[at].store(variant, std::memory_order_release);
  ++used;
}

/// With the lock held.
void pvrt_kernel::publish(std::unique_ptr<pvrt_variant> variant) {
  Table *current = tables.empty() ? nullptr : tables.back().get();
  if (current == nullptr || 2 * (current->used + 1) > current->mask + 1) {
    auto larger = std::make_unique<Table>(current ? 2 * (current->mask + 1) : 8);
    for (const auto &old : variants) {
      larger->insert(old.get());
    }
    current = larger.get();
    tables.push_back(std::move(larger));
  }
  current->insert(variant.get());
  table.store(current, std::memory_order_release);
  variants.push_back(std::move(variant));
}

//===----------------------------------------------------------------------===//
// Disk and compiler
//===----------------------------------------------------------------------===//

static artifact::Digest diskKey(const core::Device &device, const Parts &parts) {
  artifact::Sha256 hash;
  auto add = [&hash](std::string_view text) {
    uint64_t size = text.size();
    hash.update({reinterpret_cast<const char *>(&size), sizeof(size)});
    hash.update(text);
  };
  add("pavage artifact 1");
  add(std::to_string(PAVAGE_ABI_VERSION));
  add(device.target());
  for (const auto &[key, value] : parts) {
    add(key);
    add(value);
  }
  return hash.finish();
}

/// Errors that say "this artifact is no good", not "this machine cannot".
static bool isFaultOfArtifact(const Error &error) {
  return error.is(Code::NotAnArtifact) || error.is(Code::ArtifactVersion) || error.is(Code::ArtifactDamaged) ||
         error.is(Code::TargetMismatch) || error.is(Code::BadObject) || error.is(Code::UnsupportedRelocation) ||
         error.is(Code::UnknownSymbol) || error.is(Code::EntryMissing) || error.is(Code::CpuLevelUnsupported);
}

static Result<std::string> compile(const pvrt_request &request) {
  pvrt_bytes made = {};
  if (pvrt_error *error = request.compile(request.context, &made)) {
    return launch::fromC(error);
  }
  std::string bytes(static_cast<const char *>(made.data), made.data ? made.size : 0);
  if (made.release) {
    made.release(made.owner);
  }
  return bytes;
}

Result<std::unique_ptr<pvrt_variant>> pvrt_kernel::obtain(core::Device &device, const pvrt_request &request,
                                                          const Parts &parts) {
  std::shared_ptr<cache::Cache> disk;
  if ((request.flags & PVRT_REQUEST_NO_DISK) == 0) {
    auto opened = launch::diskCache();
    if (!opened) {
      return opened.takeError();
    }
    disk = *opened;
  }
  artifact::Digest key = diskKey(device, parts);
  if (disk) {
    auto found = disk->load(key);
    if (!found) {
      if (Error error = launch::diskTrouble(found.takeError())) {
        return error;
      }
      disk = nullptr;
    } else if (*found) {
      auto variant = launch::loadVariant(device, std::move((*found)->bytes), std::move((*found)->artifact));
      if (variant) {
        (*variant)->origin = PVRT_ORIGIN_DISK;
        return variant;
      }
      if (!isFaultOfArtifact(variant.error())) {
        return variant;
      }
      disk->remove(key);
    }
  }
  if (request.compile == nullptr) {
    return launch::misuse("expected a compile callback, got none");
  }
  auto bytes = compile(request);
  if (!bytes) {
    return bytes.takeError();
  }
  auto artifact = artifact::deserialize(*bytes);
  if (!artifact) {
    return artifact.takeError();
  }
  auto variant = launch::loadVariant(device, std::move(*bytes), std::move(*artifact));
  if (!variant) {
    return variant;
  }
  (*variant)->origin = PVRT_ORIGIN_COMPILED;
  if (disk) {
    if (Error error = launch::diskTrouble(disk->store(key, (*variant)->bytes))) {
      return error;
    }
  }
  return variant;
}

Result<pvrt_variant *> pvrt_kernel::get(core::Device &device, uint64_t fingerprint, std::string_view key,
                                        const pvrt_request &request) {
  Bookkeeping &books = bookkeeping();
  FlightKey flightKey(&device, std::string(key));
  auto flight = std::make_shared<Flight>();
  flight->thread = std::this_thread::get_id();
  flight->process = getpid();
  {
    std::unique_lock lock(books.mutex);
    if (pvrt_variant *variant = find(&device, fingerprint, key)) {
      return variant;
    }
    auto [at, isFirst] = flights.try_emplace(flightKey, flight);
    if (!isFirst && at->second->process == flight->process) {
      std::shared_ptr<Flight> other = at->second;
      if (other->thread == flight->thread) {
        return Error(Code::Internal, "compiling kernel '" + name + "' needs the same kernel to be compiled already");
      }
      books.landed.wait(lock, [&] { return other->isOver; });
      if (other->error) {
        return other->error;
      }
      return other->variant;
    }
    at->second = flight;
  }

  Parts parts;
  for (size_t i = 0; i < request.part_count; ++i) {
    parts.emplace_back(request.parts[i].name, request.parts[i].value);
  }
  auto start = std::chrono::steady_clock::now();
  Result<std::unique_ptr<pvrt_variant>> made = Error(Code::Internal, "not made");
  try {
    if (Error error = noticeRecompile(device, request, parts)) {
      made = std::move(error);
    } else {
      made = obtain(device, request, parts);
    }
  } catch (const std::bad_alloc &) { // the flight must land, or others would wait for ever
    made = Error(Code::OutOfMemory, "out of memory");
  }
  std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;

  std::lock_guard lock(books.mutex);
  if (made) {
    flight->variant = made->get();
    flight->variant->fingerprint = fingerprint;
    flight->variant->key = key;
    flight->variant->milliseconds = took.count();
    history[&device].push_back(std::move(parts));
    publish(std::move(*made));
  } else {
    flight->error = made.takeError();
  }
  flight->isOver = true;
  flights.erase(flightKey);
  books.landed.notify_all();
  if (flight->error) {
    return flight->error;
  }
  return flight->variant;
}
