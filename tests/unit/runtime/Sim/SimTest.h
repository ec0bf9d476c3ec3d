// Running pieces of PTX in unit tests of the virtual GPU. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/Sim/Launch.h"

#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace pavage::sim {

inline std::string header(const char *target = "sm_90", const char *version = "8.4") {
  return std::string(".version ") + version + "\n.target " + target + "\n.address_size 64\n";
}

/// A kernel launch over buffers; every buffer is a .u64 parameter p0, p1, ...
class Session {
public:
  LaunchOptions options;
  LaunchResult result;
  std::string error;

  template <class T> u64 buffer(const std::vector<T> &data) {
    u64 address = gpu.memory().allocate(data.size() * sizeof(T), "buffer" + std::to_string(addresses.size()));
    gpu.memory().write(address, data.data(), data.size() * sizeof(T));
    addresses.push_back(address);
    return address;
  }
  /// Memory that counts as never written.
  u64 empty(u64 bytes) {
    addresses.push_back(gpu.memory().allocate(bytes, "buffer" + std::to_string(addresses.size())));
    return addresses.back();
  }
  template <class T> std::vector<T> read(u32 index, size_t count) {
    std::vector<T> data(count);
    gpu.memory().read(addresses[index], data.data(), count * sizeof(T));
    return data;
  }

  /// Text of a kernel "k" around the body; shared memory "smem" of some bytes.
  std::string kernel(const std::string &body, u32 sharedBytes = 0) const {
    std::string text = header() + ".visible .entry k(";
    for (size_t k = 0; k < addresses.size(); ++k) {
      text += (k ? ", " : "") + std::string(".param .u64 p") + std::to_string(k);
    }
    text += ")\n{\n.reg .pred %p<8>;\n.reg .b16 %h<16>;\n.reg .b32 %r<32>;\n.reg .b64 %q<32>;\n.reg .f32 %f<16>;\n";
    if (sharedBytes) {
      text += ".shared .align 16 .b8 smem[" + std::to_string(sharedBytes) + "];\n";
    }
    return text + body + "\nret;\n}\n";
  }

  /// Launches; false (with `error`) when loading or launching fails.
  bool launch(const std::string &text, const std::string &name = "k") {
    auto module = gpu.load(text, "test.ptx");
    if (!module) {
      error = module.error().render();
      return false;
    }
    std::vector<u8> params(addresses.size() * 8);
    if (!params.empty()) {
      std::memcpy(params.data(), addresses.data(), params.size());
    }
    auto launched = gpu.launch(**module, name, options, params);
    if (!launched) {
      error = launched.error().render();
      return false;
    }
    result = std::move(*launched);
    return true;
  }

  u32 count(Kind kind) const {
    u32 n = 0;
    for (const Finding &f : result.findings) {
      n += f.kind == kind;
    }
    return n;
  }
  /// Kinds and texts of all findings, for messages.
  std::string findings() const {
    std::string text;
    for (const Finding &f : result.findings) {
      text += std::string(kindName(f.kind)) + " line " + std::to_string(f.ptxLine) + ": " + f.message + "\n";
    }
    return text;
  }

  std::unique_ptr<Gpu> owner = std::make_unique<Gpu>(u64(1) << 30); // so that a session can be returned
  Gpu &gpu = *owner;
  std::vector<u64> addresses;
};

template <class T> const char *registerType() { return sizeof(T) == 2 ? ".b16" : sizeof(T) == 4 ? ".b32" : ".b64"; }
template <class T> const char *loadType() { return sizeof(T) == 2 ? "b16" : sizeof(T) == 4 ? "b32" : "b64"; }

/// Runs `code`, which computes %d from %a, %b and %c, in up to 32 lanes, one per element. Scratch: %p<4>, %t<8> (b32),
/// %u<8> (b64), %v<8> (b16).
template <class D, class A, class B = A, class C = A>
std::vector<D> lanes(const std::string &code, const std::vector<A> &a, const std::vector<B> &b = {},
                     const std::vector<C> &c = {}) {
  Session run;
  u32 n = static_cast<u32>(a.size());
  run.options.block[0] = n;
  run.buffer(a);
  run.buffer(b.empty() ? std::vector<B>(n) : b);
  run.buffer(c.empty() ? std::vector<C>(n) : c);
  run.empty(n * sizeof(D));
  std::string text = header() + ".visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3)\n{\n"
                                ".reg .pred %p<4>;\n.reg .b32 %t<8>;\n.reg .b64 %u<8>;\n.reg .b16 %v<8>;\n.reg .b32 "
                                "%thread;\n.reg .b64 %at<4>;\n";
  text += std::string(".reg ") + registerType<D>() + " %d;\n.reg " + registerType<A>() + " %a;\n.reg " +
          registerType<B>() + " %b;\n.reg " + registerType<C>() + " %c;\n";
  text += "mov.u32 %thread, %tid.x;\n";
  auto access = [&](int k, size_t size) {
    std::string q = "%at" + std::to_string(k);
    return "ld.param.u64 " + q + ", [p" + std::to_string(k) + "];\nmad.wide.u32 " + q + ", %thread, " +
           std::to_string(size) + ", " + q + ";\n";
  };
  text += access(0, sizeof(A)) + access(1, sizeof(B)) + access(2, sizeof(C)) + access(3, sizeof(D));
  text += std::string("ld.global.") + loadType<A>() + " %a, [%at0];\nld.global." + loadType<B>() +
          " %b, [%at1];\nld.global." + loadType<C>() + " %c, [%at2];\n";
  text += code + "\nst.global." + std::string(loadType<D>()) + " [%at3], %d;\nret;\n}\n";
  EXPECT_TRUE(run.launch(text)) << run.error;
  EXPECT_TRUE(run.result.findings.empty()) << run.findings();
  return run.read<D>(3, n);
}

inline u32 floatBits(float x) {
  u32 b;
  std::memcpy(&b, &x, 4);
  return b;
}
inline float bitsFloat(u32 b) {
  float x;
  std::memcpy(&x, &b, 4);
  return x;
}
inline u64 doubleBits(double x) {
  u64 b;
  std::memcpy(&b, &x, 8);
  return b;
}

template <class T> using Values = std::vector<T>;

} // namespace pavage::sim
