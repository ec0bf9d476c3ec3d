// A program that knows the public headers alone: vector add, a matmul loop, an early exit. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <pavage/builder.h>

namespace tl = pavage;

TEST(PublicProgram, RecordsVectorAdd) {
  tl::Builder b;
  tl::Builder::Scope scope(b);
  auto args = b.kernelBegin(
      "add",
      {{"out", tl::ptr(tl::f32)}, {"x", tl::constPtr(tl::f32), 16}, {"y", tl::constPtr(tl::f32), 16}, {"n", tl::i32}},
      __FILE__, __LINE__);
  tl::Value i = b.programId(0) * 100 + b.arange(0, 100), mask = i < args[3];
  b.store(args[0] + i, b.load(args[1] + i, {.mask = mask}) + b.load(args[2] + i, {.mask = mask}), {.mask = mask});
  tl::Module m = b.kernelEnd();
  EXPECT_EQ(m.kernel(), "add");
  std::string text = m.text();
  EXPECT_NE(text.find("tile.kernel"), std::string::npos) << text;
  EXPECT_NE(text.find("tile.store"), std::string::npos) << text;
  EXPECT_NE(m.text(true).find("PublicProgramTest.cpp"), std::string::npos);
}

TEST(PublicProgram, RecordsMatmulLoop) {
  tl::Builder b;
  tl::Builder::Scope scope(b);
  auto args = b.kernelBegin(
      "matmul", {{"c", tl::ptr(tl::f32)}, {"a", tl::ptr(tl::f16)}, {"b", tl::ptr(tl::f16)}, {"k", tl::i32}});
  tl::Value rows = b.expandDims(b.arange(0, 16), {1}), cols = b.expandDims(b.arange(0, 8), {0});
  tl::Value inner = b.arange(0, 32);
  tl::Variable acc = b.declare("acc");
  b.assign(acc, b.zeros({16, 8}, tl::f32));
  b.for_(0, args[3], 32, [&](tl::Value k) {
    tl::Value at = inner + k;
    tl::Value x = b.load(args[1] + (rows * args[3] + b.expandDims(at, {0})));
    tl::Value y = b.load(args[2] + (b.expandDims(at, {1}) * 8 + cols));
    b.assign(acc, b.dot(x, y, {.acc = b.read(acc)}));
  });
  b.store(args[0] + (rows * 8 + cols), b.read(acc));
  std::string text = b.kernelEnd().text();
  EXPECT_NE(text.find("scf.for"), std::string::npos) << text;
  EXPECT_NE(text.find("tile.dot"), std::string::npos) << text;
}

TEST(PublicProgram, LeavesALoopEarly) {
  // Counts the elements before the first negative one, at once.
  std::vector<int32_t> data = {4, 0, 7, -1, 5};
  int32_t count = 0;
  int64_t size = 5, one = 1, stride = 1;
  pv_array in{data.data(), 1, &size, &stride, 0, 0}, out{&count, 1, &one, &stride, 0, 0};
  std::vector<pv_arg> args = {{0, &out}, {0, &in}};
  std::vector<tl::Param> params = {{"out", tl::ptr(tl::i32)}, {"in", tl::ptr(tl::i32)}};
  tl::Builder b;
  tl::Builder::Scope scope(b);
  b.eagerBegin("count", params, args, {1, 1, 1});
  auto v = b.eagerProgram({0, 0, 0});
  tl::Variable n = b.declare("n");
  b.assign(n, 0);
  b.for_(0, 5, {}, [&](tl::Value i) {
    b.if_(b.load(v[1] + i) < 0, [&] { b.break_(); });
    b.assign(n, b.read(n) + 1);
  });
  b.store(v[0], b.read(n));
  b.eagerEnd();
  EXPECT_EQ(count, 3);
}

TEST(PublicProgram, ErrorsUnwind) {
  tl::Builder b;
  tl::Builder::Scope scope(b);
  try {
    b.kernelBegin("bad", {});
    b.setLocation("bad.cc", 7, 3);
    b.arange(0, 4) + b.arange(0, 8);
    FAIL();
  } catch (const tl::Error &e) {
    EXPECT_EQ(e.number(), 110);
    EXPECT_STREQ(e.what(), "bad.cc:7:3: error PV0110: expected shapes that broadcast, got [4] and [8]: axis 0 has 4 "
                           "and 8");
  }
  b.abandon();
  EXPECT_NO_THROW(b.kernelBegin("good", {}));
}
