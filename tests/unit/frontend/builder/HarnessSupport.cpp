// Runs one kernel through both sinks of the builder. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/frontend/builder/HarnessSupport.h"

#include "tests/unit/frontend/builder/RunRecordedSupport.h"

using namespace pavage;
using namespace pavage::testing;

namespace {
/// Arguments in the form of the C interface; points into `args`.
struct Raw {
  std::vector<Param> params;
  std::vector<pv_array> arrays;
  std::vector<std::vector<int64_t>> strides;
  std::vector<pv_arg> args;
  std::vector<pv_dtype> dtypes;
  int64_t grid[3] = {1, 1, 1};

  Raw(std::vector<Arg> &given, const std::vector<int64_t> &sizes) {
    arrays.reserve(given.size());
    strides.reserve(given.size());
    for (size_t i = 0; i < given.size(); ++i) {
      Arg &a = given[i];
      DType dtype = a.isArray ? ptr(a.dtype) : a.dtype;
      params.push_back({"arg" + std::to_string(i), dtype, 0});
      dtypes.push_back(dtype.code);
      pv_arg arg{a.bits, nullptr};
      if (a.isArray) {
        std::vector<int64_t> s(a.shape.size(), 1);
        for (size_t axis = a.shape.size(); axis-- > 1;) {
          s[axis - 1] = s[axis] * a.shape[axis];
        }
        strides.push_back(s);
        arrays.push_back({a.bytes.data(), a.shape.size(), a.shape.data(), strides.back().data(), 0, 0});
        arg.array = &arrays.back();
      }
      args.push_back(arg);
    }
    for (size_t i = 0; i < sizes.size(); ++i) {
      grid[i] = sizes[i];
    }
  }
};
} // namespace

Outcome pavage::testing::runRecorded(const Kernel &kernel, std::vector<Arg> args, const std::vector<int64_t> &grid) {
  Outcome outcome{std::move(args), "", 0, ""};
  Raw raw(outcome.args, grid);
  Builder b;
  Builder::Scope scope(b);
  std::vector<Value> values = b.kernelBegin("kernel", raw.params, "test.py", 1);
  kernel(b, values);
  Module m = b.kernelEnd();
  outcome.text = interpret(m.get(), raw.args, raw.dtypes, raw.grid, outcome.printed, outcome.error);
  return outcome;
}

Outcome pavage::testing::runEager(const Kernel &kernel, std::vector<Arg> args, const std::vector<int64_t> &grid) {
  Outcome outcome{std::move(args), "", 0, ""};
  Raw raw(outcome.args, grid);
  Builder b;
  Builder::Scope scope(b);
  auto print = [](void *context, const char *text) { *static_cast<std::string *>(context) += text; };
  b.eagerBegin("kernel", raw.params, raw.args, raw.grid, "test.py", 1, print, &outcome.printed);
  try {
    for (int64_t z = 0; z < raw.grid[2]; ++z) {
      for (int64_t y = 0; y < raw.grid[1]; ++y) {
        for (int64_t x = 0; x < raw.grid[0]; ++x) {
          std::vector<Value> values = b.eagerProgram({x, y, z});
          kernel(b, values);
        }
      }
    }
    b.eagerEnd();
  } catch (const Error &error) {
    outcome.error = error.number();
    outcome.text = error.text();
  }
  return outcome;
}

Outcome pavage::testing::runBoth(const Kernel &kernel, const std::vector<Arg> &args, const std::vector<int64_t> &grid) {
  Outcome recorded = runRecorded(kernel, args, grid), eager = runEager(kernel, args, grid);
  EXPECT_EQ(recorded.text, "");
  EXPECT_EQ(eager.text, "");
  EXPECT_EQ(recorded.printed, eager.printed);
  for (size_t i = 0; i < args.size(); ++i) {
    EXPECT_EQ(recorded.args[i].bytes, eager.args[i].bytes) << "argument " << i << " differs between the sinks";
  }
  return recorded;
}

std::string pavage::testing::record(const Kernel &kernel, const std::vector<Param> &params) {
  Builder b;
  Builder::Scope scope(b);
  std::vector<Value> values = b.kernelBegin("kernel", params, "test.py", 1);
  kernel(b, values);
  return b.kernelEnd().text();
}

Error pavage::testing::recordError(const Kernel &kernel, const std::vector<Param> &params) {
  try {
    record(kernel, params);
  } catch (const Error &error) {
    return error;
  }
  ADD_FAILURE() << "expected an error, got none";
  return Error(0, "");
}

void pavage::testing::put(Builder &b, const Value &out, const Value &value) {
  if (value.rank() == 0) {
    b.store(out, value);
    return;
  }
  b.store(b.binary(PV_ADD, out, b.arange(0, value.numel())), b.reshape(value, {value.numel()}));
}
