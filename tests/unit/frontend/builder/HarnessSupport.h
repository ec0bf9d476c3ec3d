// Runs one kernel through both sinks of the builder. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_TESTS_UNIT_FRONTEND_BUILDER_HARNESSSUPPORT_H
#define PAVAGE_TESTS_UNIT_FRONTEND_BUILDER_HARNESSSUPPORT_H

#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <pavage/builder.h>

namespace pavage::testing {

/// An argument: an array with its bytes, or a scalar.
struct Arg {
  DType dtype;
  std::vector<uint8_t> bytes; // arrays
  std::vector<int64_t> shape;
  uint64_t bits = 0; // scalars
  bool isArray = false;

  template <typename T> std::vector<T> as() const {
    std::vector<T> r(bytes.size() / sizeof(T));
    std::memcpy(r.data(), bytes.data(), bytes.size());
    return r;
  }
};

template <typename T> Arg array(DType dtype, const std::vector<T> &values, std::vector<int64_t> shape = {}) {
  Arg a;
  a.dtype = dtype;
  a.isArray = true;
  a.bytes.resize(values.size() * sizeof(T));
  std::memcpy(a.bytes.data(), values.data(), a.bytes.size());
  a.shape = shape.empty() ? std::vector<int64_t>{static_cast<int64_t>(values.size())} : std::move(shape);
  return a;
}
template <typename T> Arg zeros(DType dtype, size_t count) { return array<T>(dtype, std::vector<T>(count)); }
inline Arg scalar(DType dtype, uint64_t bits) {
  Arg a;
  a.dtype = dtype;
  a.bits = bits;
  return a;
}

using Kernel = std::function<void(Builder &, std::vector<Value> &)>;

struct Outcome {
  std::vector<Arg> args; // as the kernel left them
  std::string printed;
  int error = 0; // the number of the error that stopped it
  std::string text;
};

Outcome runRecorded(const Kernel &kernel, std::vector<Arg> args, const std::vector<int64_t> &grid = {1});
Outcome runEager(const Kernel &kernel, std::vector<Arg> args, const std::vector<int64_t> &grid = {1});
/// Both; their arrays must be equal.
Outcome runBoth(const Kernel &kernel, const std::vector<Arg> &args, const std::vector<int64_t> &grid = {1});

/// The text of a kernel that is only recorded.
std::string record(const Kernel &kernel, const std::vector<Param> &params = {});
/// The error of a kernel that is only recorded; fails the test when there is none.
Error recordError(const Kernel &kernel, const std::vector<Param> &params = {});

/// Stores a tile or scalar of any rank to an array, element by element.
void put(Builder &b, const Value &out, const Value &value);

} // namespace pavage::testing

#endif // PAVAGE_TESTS_UNIT_FRONTEND_BUILDER_HARNESSSUPPORT_H
