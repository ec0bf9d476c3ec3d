// What a recorded kernel looks like. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/frontend/builder/HarnessSupport.h"

using namespace pavage;
using namespace pavage::testing;

TEST(Kernel, ArgumentsAndAttributes) {
  std::string text = record([](Builder &b, std::vector<Value> &a) { b.store(a[0], a[1]); },
                            {{"out", ptr(u32), 16}, {"n", i32, 4}, {"h", f16}});
  for (const char *part : {"func.func @kernel(", "!tile.ptr<i32> {", "tile.divisibility = 16", "tile.name = \"out\"",
                           "tile.signed = false", "tile.name = \"n\"", "tile.signed = true", "tile.kernel"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
}

TEST(Kernel, PlacesAndCalls) {
  Builder b;
  Builder::Scope scope(b);
  b.kernelBegin("k", {{"p", ptr(i32)}}, "k.py", 1);
  b.setLocation("k.py", 10, 3);
  b.callBegin("f");
  b.setLocation("k.py", 2, 7);
  Value x = b.arange(0, 4);
  b.return_(x);
  Value y = b.callEnd();
  const char *file;
  int line, column;
  pv_get_location(b.get(), &file, &line, &column);
  EXPECT_EQ(line, 10); // the place of the call again
  b.devicePrint("", std::vector<Value>{y});
  std::string text = b.kernelEnd().text(true);
  EXPECT_NE(text.find("loc(callsite("), std::string::npos) << text;
  EXPECT_NE(text.find("loc(\"k.py\":2:7)"), std::string::npos) << text;
}

TEST(Kernel, ABuilderMakesManyKernels) {
  Builder b;
  Builder::Scope scope(b);
  Value old;
  for (int i = 0; i < 3; ++i) {
    b.kernelBegin("k" + std::to_string(i), {});
    if (old) {
      EXPECT_THROW(b.binary(PV_ADD, old, 1), Error);
    }
    old = b.programId(0);
    EXPECT_EQ(b.kernelEnd().kernel(), "k" + std::to_string(i));
  }
}

TEST(Kernel, AbandonedInTheMiddle) {
  Builder b;
  Builder::Scope scope(b);
  for (int i = 0; i < 3; ++i) {
    auto a = b.kernelBegin("k", {{"n", i32}});
    Variable x = b.declare("x");
    b.assign(x, b.full({4}, 0, f32));
    b.forBegin(0, a[0]);
    b.loopNext();
    b.read(x);
    b.ifBegin(a[0]);
    b.whileBegin();
    b.loopNext();
    b.whileCondition(a[0]);
    b.read(x);
    b.abandon();
  }
}

TEST(Kernel, HintsAndPtx) {
  const int64_t sixteen[] = {16};
  const DType results[] = {i32, f32};
  std::string text = record(
      [&](Builder &b, std::vector<Value> &a) {
        Value i = b.hint(PV_MULTIPLE_OF, b.arange(0, 4), sixteen);
        std::vector<Value> r = b.inlineAsm("add.s32 $0, $2, $3;", "=r,=f,r,r", std::vector<Value>{i, a[0]}, results);
        EXPECT_EQ(r[1].dtype(), f32);
        EXPECT_EQ(r[1].shape(), std::vector<int64_t>{4});
      },
      {{"n", i32}});
  EXPECT_NE(text.find("tile.hint"), std::string::npos) << text;
  EXPECT_NE(text.find("tile.inline_ptx"), std::string::npos) << text;
}

TEST(Kernel, OpaqueObjectsInVariables) {
  record(
      [](Builder &b, std::vector<Value> &a) {
        int dropped = 0;
        auto drop = [](void *context, uint64_t) { ++*static_cast<int *>(context); };
        {
          Value none = Value::adopt(pv_opaque(7, "None", drop, &dropped));
          Variable x = b.declare("x");
          b.assign(x, Value::tuple(std::vector<Value>{none, a[0]}));
          b.for_(0, a[0], {}, [&](Value) {
            Value pair = b.read(x);
            EXPECT_EQ(pv_opaque_id(pair.item(0).get()), 7u);
            b.assign(x, Value::tuple(std::vector<Value>{none, pair.item(1) + 1}));
          });
          EXPECT_EQ(pv_opaque_id(b.read(x).item(0).get()), 7u);
          EXPECT_EQ(b.read(x).typeText(), "(None, int32)");
          b.if_(a[0] > 0, [&] { b.assign(x, none); });
          EXPECT_THROW(b.read(x), Error);
          b.assign(x, 1);
        }
      },
      {{"n", i32}});
}

TEST(Kernel, DtypeNames) {
  for (DType d : {i1, i8, u64, f8e4nv, bf16, ptr(f32), constPtr(i8)}) {
    EXPECT_EQ(DType::parse(d.name()), d) << d.name();
  }
  EXPECT_EQ(DType::parse("*fp32"), ptr(f32));
  EXPECT_EQ(DType::parse("*kbf16"), constPtr(bf16));
  EXPECT_EQ(DType::parse("u32"), u32);
  EXPECT_FALSE(DType::parse("int7"));
  EXPECT_EQ(ptr(f32).bytes(), 8);
  EXPECT_EQ(i1.bytes(), 1);
}
