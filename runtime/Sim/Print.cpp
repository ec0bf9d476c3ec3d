// vprintf, __assertfail, malloc and free. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/BaseTables.h"
#include "runtime/Sim/LaunchState.h"

#include <cstdio>
#include <cstring>

namespace pavage::sim {

namespace {

constexpr size_t maxOutput = 4u << 20;
constexpr size_t maxString = 4096;

/// A byte of the generic address space, or -1.
int readByte(Warp &w, u32 lane, u64 address) {
  if (address - localWindow < windowSize) {
    u64 at = address - localWindow;
    return at < w.localStride ? w.local[size_t(lane) * w.localStride + at] : -1;
  }
  if (address - sharedWindow < windowSize) {
    u64 at = address - sharedWindow;
    return at < w.sharedBytes ? w.shared[at] : -1;
  }
  DeviceMemory &memory = *w.cta->launch->memory;
  u8 byte;
  return address >= deviceBase && memory.read(address, &byte, 1) ? byte : -1;
}

std::string readString(Warp &w, u32 lane, u64 address) {
  std::string text;
  for (int c; text.size() < maxString && (c = readByte(w, lane, address)) > 0; ++address) {
    text += static_cast<char>(c);
  }
  return text;
}

u64 readArgument(Warp &w, u32 lane, u64 address, u32 bytes) {
  u64 value = 0;
  for (u32 k = 0; k < bytes; ++k) {
    int c = readByte(w, lane, address + k);
    value |= u64(c < 0 ? 0 : c) << (8 * k);
  }
  return value;
}

/// The text of one printf; `count` gets the number of arguments.
std::string format(Warp &w, u32 lane, const std::string &pattern, u64 args, u32 &count) {
  std::string out;
  for (size_t k = 0; k < pattern.size(); ++k) {
    if (pattern[k] != '%') {
      out += pattern[k];
      continue;
    }
    if (k + 1 < pattern.size() && pattern[k + 1] == '%') {
      out += '%';
      ++k;
      continue;
    }
    std::string spec = "%";
    size_t at = k + 1;
    auto nextInt = [&] {
      args = (args + 3) & ~u64(3);
      i32 v = static_cast<i32>(readArgument(w, lane, args, 4));
      args += 4;
      return v;
    };
    while (at < pattern.size() && std::strchr("-+ #0123456789.*", pattern[at]) && spec.size() < 30) {
      spec += pattern[at] == '*' ? std::to_string(std::min(nextInt(), 1000)) : std::string(1, pattern[at]);
      ++at;
    }
    bool isLong = false;
    while (at < pattern.size() && std::strchr("hlLqjzt", pattern[at])) {
      isLong |=
          pattern[at] == 'l' || pattern[at] == 'j' || pattern[at] == 'z' || pattern[at] == 't' || pattern[at] == 'q';
      ++at;
    }
    if (at >= pattern.size()) {
      out += pattern.substr(k);
      break;
    }
    char kind = pattern[at];
    char text[1200];
    text[0] = 0;
    ++count;
    // A width beyond reason would not fit.
    if (std::atoi(spec.c_str() + 1 + std::strspn(spec.c_str() + 1, "-+ #0")) > 1000) {
      spec = "%";
    }
    switch (kind) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X': {
      u32 bytes = isLong ? 8 : 4;
      args = (args + bytes - 1) & ~u64(bytes - 1);
      u64 v = readArgument(w, lane, args, bytes);
      args += bytes;
      bool isSignedKind = kind == 'd' || kind == 'i';
      long long value =
          isSignedKind && bytes == 4 ? static_cast<long long>(static_cast<i32>(v)) : static_cast<long long>(v);
      std::snprintf(text, sizeof text, (spec + "ll" + kind).c_str(), value);
      break;
    }
    case 'c':
      std::snprintf(text, sizeof text, (spec + "c").c_str(), nextInt());
      break;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A': {
      args = (args + 7) & ~u64(7);
      u64 v = readArgument(w, lane, args, 8);
      args += 8;
      double d;
      std::memcpy(&d, &v, 8);
      std::snprintf(text, sizeof text, (spec + kind).c_str(), d);
      break;
    }
    case 's':
    case 'p': {
      args = (args + 7) & ~u64(7);
      u64 v = readArgument(w, lane, args, 8);
      args += 8;
      if (kind == 's') {
        std::string s = readString(w, lane, v);
        std::snprintf(text, sizeof text, (spec + "s").c_str(), s.c_str());
      } else {
        std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(v));
      }
      break;
    }
    default:
      out += pattern.substr(k, at - k + 1);
      break;
    }
    out += text;
    k = at;
  }
  return out;
}

u64 localValue(Warp &w, u32 lane, u32 offset, u32 bytes) {
  u64 v = 0;
  std::memcpy(&v, w.local + size_t(lane) * w.localStride + w.localFrame + offset, std::min(bytes, 8u));
  return v;
}

void setResult(Warp &w, const CallInfo &c, u32 lane, u64 value) {
  if (!c.retOffsets.empty()) {
    size_t at = size_t(lane) * w.localStride + w.localFrame + c.retOffsets[0];
    std::memcpy(w.local + at, &value, std::min(c.retBytes[0], 8u));
    std::memset(w.localDefinedBytes + at, 1, c.retBytes[0]);
  }
}

} // namespace

void callBuiltin(Warp &w, const DInst &i, const CallInfo &c, u32 exec) {
  Launch &launch = *w.cta->launch;
  for (u32 rest = exec; rest; rest &= rest - 1) {
    u32 l = static_cast<u32>(__builtin_ctz(rest));
    auto arg = [&](u32 k) { return k < c.argOffsets.size() ? localValue(w, l, c.argOffsets[k], c.argBytes[k]) : 0; };
    switch (c.builtin) {
    case CallInfo::Builtin::Vprintf: {
      u32 count = 0;
      std::string text = format(w, l, readString(w, l, arg(0)), arg(1), count);
      std::lock_guard<std::mutex> guard(launch.lock);
      if (launch.output.size() + text.size() < maxOutput) {
        launch.output += text;
      }
      setResult(w, c, l, count);
      break;
    }
    case CallInfo::Builtin::AssertFail: {
      std::string message = readString(w, l, arg(0)), file = readString(w, l, arg(1)),
                  function = readString(w, l, arg(3));
      report(w, i, Kind::Assert,
             file + ":" + std::to_string(static_cast<u32>(arg(2))) + ": " + function + ": thread (" +
                 std::to_string(w.index * 32 + l) + ") assertion `" + message + "' failed");
      w.cta->isStopped = true;
      launch.stop = true;
      interrupt(w);
      return;
    }
    default:
      report(w, i, Kind::Unsupported, "malloc and free on the device are not supported");
      setResult(w, c, l, 0);
      break;
    }
  }
}

} // namespace pavage::sim
