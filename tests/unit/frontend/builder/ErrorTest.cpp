// Every numbered error of the builder, with text and place. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/frontend/builder/HarnessSupport.h"

using namespace pavage;
using namespace pavage::testing;

namespace {
const std::vector<Param> params = {{"p", ptr(f32)}, {"n", i32},       {"q", constPtr(f32)}, {"b", ptr(i8)},
                                   {"u", u32},      {"ip", ptr(i32)}, {"half", ptr(f16)}};

void expectError(int number, const std::string &text, const Kernel &kernel) {
  Error e = recordError(
      [&](Builder &b, std::vector<Value> &a) {
        b.setLocation("kernel.py", 12, 5);
        kernel(b, a);
      },
      params);
  EXPECT_EQ(e.number(), number) << e.what();
  EXPECT_EQ(e.text(), text);
  EXPECT_EQ(e.place().file, "kernel.py");
  EXPECT_EQ(e.place().line, 12);
  EXPECT_EQ(e.place().column, 5);
}
#define EXPECT_PV(NUMBER, TEXT, ...)                                                                                   \
  expectError(NUMBER, TEXT, [&](Builder &b, std::vector<Value> &a) {                                                   \
    (void)b, (void)a;                                                                                                  \
    __VA_ARGS__;                                                                                                       \
  })
} // namespace

TEST(Errors, Promotion) {
  EXPECT_PV(101, "expected a literal in -128 .. 127 for int8, got 300", b.full({3}, 0, i8) + 300);
  EXPECT_PV(101, "expected a literal that is not negative for uint32, got -1; cast one of the operands", a[4] - (-1));
  EXPECT_PV(101, "expected an exponent of at least 0 for an integer base, got -2; use a float base",
            b.binary(PV_POW, a[1], -2));
  EXPECT_PV(102, "expected operands of '*' with a common dtype, got float8e5[2] and int32",
            b.full({2}, 0, f8e5) * a[1]);
  EXPECT_PV(102, "expected operands of '*' with a common dtype, got pointer<float32> and int32", a[0] * a[1]);
  EXPECT_PV(103, "expected integers for '//', got float32[2] and a literal int",
            b.binary(PV_FLOORDIV, b.full({2}, 0, f32), 2));
  EXPECT_PV(103, "expected integers, got float32[2] and a literal int", b.full({2}, 0, f32) & 1);
  EXPECT_PV(103, "expected an integer for '~', got float32[2]", ~b.full({2}, 0, f32));
  EXPECT_PV(104, "expected a float for 'exp', got int32", b.unary(PV_EXP, a[1]));
  EXPECT_PV(105, "expected operands of '//' of one signedness, got int32 and uint32; cast one of them",
            b.binary(PV_FLOORDIV, a[1], a[4]));
  EXPECT_PV(106, "expected a pointer and an integer, got pointer<float32> and pointer<const float32>", a[0] + a[2]);
  EXPECT_PV(106, "expected an integer offset for pointer<float32>, got a literal float", a[0] + 1.5);
  EXPECT_PV(106, "expected an integer to subtract, got pointer<float32>", a[1] - a[0]);
  EXPECT_PV(107, "expected a number or tile for the left side, got (int32)",
            Value::tuple(std::vector<Value>{a[1]}) + 1);
  EXPECT_PV(108, "expected a pointer cast between pointers, int64 and uint64, got pointer<float32> to float32",
            b.cast(a[0], f32));
  EXPECT_PV(108, "expected rounding 'rtne' or 'rtz', got 'up'", b.cast(b.full({2}, 0, f32), f16, "up"));
  EXPECT_PV(108, "expected a cast from a float to a narrower float where a rounding is given, got int32 to float16",
            b.cast(a[1], f16, "rtz"));
  EXPECT_PV(109, "expected a bitcast between dtypes of one width, got int32 (32 bits) to int16 (16 bits)",
            b.bitcast(a[1], i16));
}

TEST(Errors, Shapes) {
  EXPECT_PV(110, "expected shapes that broadcast, got [4] and [3, 8]: axis 1 has 4 and 8",
            b.arange(0, 4) + b.full({3, 8}, 0, i32));
  EXPECT_PV(110, "expected a shape that broadcasts to [3, 8] for a value, got int32[8]",
            b.broadcastTo(b.arange(0, 8), {3, 8}));
  EXPECT_PV(111, "expected an axis in -1 .. 0 for sum of int32[4], got 1", b.reduce(PV_SUM, b.arange(0, 4), 1));
  EXPECT_PV(111, "expected an axis in 0 .. 2 for program_id, got 3", b.programId(3));
  EXPECT_PV(111, "expected a new axis in -2 .. 1 for int32[4], got 2", b.expandDims(b.arange(0, 4), {2}));
  EXPECT_PV(112, "expected positive extents in full, got [3, 0]", b.full({3, 0}, 1, i32));
  EXPECT_PV(112, "expected at most 2147483648 elements in full, got shape [65536, 65536]",
            b.full({65536, 65536}, 1, i32));
  EXPECT_PV(112, "expected a shape of 6 elements for the reshape of int32[6], got [4, 2] with 8",
            b.reshape(b.arange(0, 6), {4, 2}));
  EXPECT_PV(112, "expected a last axis of extent 2 to split, got int32[6]", b.split(b.arange(0, 6)));
  EXPECT_PV(112, "expected an axis of extent 1 to squeeze, got axis 0 of int32[6]", b.squeeze(b.arange(0, 6), 0));
  EXPECT_PV(113, "expected a tile for trans, got the scalar int32", b.trans(a[1]));
  EXPECT_PV(114, "expected a permutation of the 2 axes of int32[3, 5], got [0, 0]",
            b.permute(b.full({3, 5}, 0, i32), {0, 0}));
  EXPECT_PV(116, "expected an arange whose end is above its start, got arange(4, 4)", b.arange(4, 4));
  pv_index_item at{};
  at.kind = PV_INDEX_AT;
  Value seven = Value::literal(7);
  at.at = seven.get();
  pv_index_item items[] = {at, at};
  EXPECT_PV(115, "expected an index in -4 .. 3 for axis 0 of int32[4], got 7", b.index(b.arange(0, 4), {items, 1}));
  EXPECT_PV(115, "expected at most 1 indices for int32[4], got 2", b.index(b.arange(0, 4), {items, 2}));
}

TEST(Errors, Memory) {
  EXPECT_PV(120, "expected a pointer for a load, got int32", b.load(a[1]));
  EXPECT_PV(121, "expected a mask of shape [4], the pointer's, got int1[3]",
            b.load(a[0] + b.arange(0, 4), {.mask = b.arange(0, 3) < 2}));
  EXPECT_PV(121, "expected a mask of int1, got float32[4]",
            b.load(a[0] + b.arange(0, 4), {.mask = b.full({4}, 1, f32)}));
  EXPECT_PV(122, "expected a mask where other is given, got none", b.load(a[0], {.other = 0}));
  EXPECT_PV(123, "expected a pointer that may be written, got pointer<const float32>", b.store(a[2], 1));
  EXPECT_PV(124, "expected a block pointer where boundary_check or padding_option is given, got a pointer; use a mask",
            b.load(a[0], {.boundaryCheck = {0}}));
  EXPECT_PV(125, "expected a cache modifier of '.ca', '.cg', '.cs', '.cv' for a load, got '.wb'",
            b.load(a[0], {.cache = ".wb"}));
  EXPECT_PV(125, "expected an eviction policy of 'evict_first', 'evict_last', 'evict_normal', got 'never'",
            b.load(a[0], {.eviction = "never"}));
  EXPECT_PV(
      126,
      "expected elements that atomic_max knows (integers of 32 or 64 bits, float32, float64; float16 and bfloat16 "
      "for add), got float16",
      b.atomic(PV_ATOMIC_MAX, a[6], 1));
  EXPECT_PV(127, "expected sem of 'acquire', 'release', 'acq_rel', 'relaxed', got 'weak'",
            b.atomic(PV_ATOMIC_ADD, a[5], 1, {}, "weak"));
  EXPECT_PV(127, "expected scope of 'gpu', 'cta', 'sys', got 'warp'",
            b.atomic(PV_ATOMIC_ADD, a[5], 1, {}, nullptr, "warp"));
  EXPECT_PV(110, "expected a shape that broadcasts to [4] for the value to store, got float32[3]",
            b.store(a[0] + b.arange(0, 4), b.full({3}, 0, f32)));
}

TEST(Errors, Descriptors) {
  std::vector<Value> two = {Value::literal(4), Value::literal(2)}, one = {Value::literal(4)};
  const int64_t block[] = {2, 2};
  EXPECT_PV(130, "expected a last stride of 1 for a tensor descriptor, got 2", b.makeDescriptor(a[0], two, two, block));
  EXPECT_PV(130, "expected a tensor descriptor, got int32", b.descriptorLoad(a[1], two));
  EXPECT_PV(131, "expected 2 strides, got 1", b.makeDescriptor(a[0], two, one, block));
  EXPECT_PV(131, "expected 2 offsets to advance block pointer to float32[2, 2], got 1",
            b.advance(b.makeBlockPtr(a[0], two, two, two, block), one));
  EXPECT_PV(125, "expected floats for the padding 'nan', got int32",
            b.load(b.makeBlockPtr(a[5], two, two, two, block), {.padding = "nan"}));
  EXPECT_PV(111, "expected different axes in 0 .. 1 for boundary_check, got [1, 1]",
            b.load(b.makeBlockPtr(a[0], two, two, two, block), {.boundaryCheck = {1, 1}}));
}

TEST(Errors, Dot) {
  auto t = [](Builder &b, std::initializer_list<int64_t> shape, DType d) { return b.full(shape, 0, d); };
  EXPECT_PV(135, "expected inner extents of dot that are equal, got float32[3, 5] and float32[4, 7]: 5 and 4",
            b.dot(t(b, {3, 5}, f32), t(b, {4, 7}, f32)));
  EXPECT_PV(135, "expected two tiles of rank 2, or of one higher rank, for dot, got float32[5] and float32[5, 7]",
            b.dot(t(b, {5}, f32), t(b, {5, 7}, f32)));
  EXPECT_PV(135, "expected an accumulator of shape [3, 7] for dot, got float32[7, 3]",
            b.dot(t(b, {3, 5}, f32), t(b, {5, 7}, f32), {.acc = t(b, {7, 3}, f32)}));
  EXPECT_PV(137, "expected max_num_imprecise_acc of at most K = 4 for a dot of fp8, got 8",
            b.dot(t(b, {3, 4}, f8e5), t(b, {4, 5}, f8e5), {.maxNumImpreciseAcc = 8}));
  EXPECT_PV(136,
            "expected operands of dot of one dtype out of int8, fp8, float16, bfloat16, float32 and float64, got "
            "float16[3, 5] and float32[5, 7]",
            b.dot(t(b, {3, 5}, f16), t(b, {5, 7}, f32)));
  EXPECT_PV(136, "expected float32 or float16 as result of a dot of float16[3, 5] and float16[5, 7], got int32",
            b.dot(t(b, {3, 5}, f16), t(b, {5, 7}, f16), {.outDType = i32}));
  EXPECT_PV(137, "expected one of input_precision and allow_tf32, got both",
            b.dot(t(b, {3, 5}, f32), t(b, {5, 7}, f32), {.inputPrecision = "ieee", .allowTf32 = true}));
  EXPECT_PV(137, "expected input_precision of 'ieee', 'tf32', 'tf32x3', 'bf16x3', 'bf16x6', got 'fp16'",
            b.dot(t(b, {3, 5}, f32), t(b, {5, 7}, f32), {.inputPrecision = "fp16"}));
}

TEST(Errors, Reductions) {
  EXPECT_PV(140, "expected integers for xor_sum, got float32[4]", b.reduce(PV_XOR_SUM, b.full({4}, 0, f32)));
  EXPECT_PV(140, "expected integers of rank 1 for histogram, got int32[2, 2]", b.histogram(b.full({2, 2}, 0, i32), 4));
  std::vector<Value> xs(1);
  auto reduceWith = [&](Builder &b, const std::function<std::vector<Value>(std::vector<Value>)> &f) {
    xs[0] = b.arange(0, 4);
    b.reduce(xs, 0, f);
  };
  EXPECT_PV(141, "expected a combine function that gives a scalar int32, got float32",
            reduceWith(b, [&](std::vector<Value> v) { return std::vector<Value>{b.cast(v[0], f32)}; }));
  EXPECT_PV(142, "expected a combine function without effects on memory, got a store",
            reduceWith(b, [&](std::vector<Value> v) {
              b.store(a[5], v[0]);
              return std::vector<Value>{v[0]};
            }));
  EXPECT_PV(112, "expected k in 1 .. 4 for topk of int32[4], got 5", b.topk(b.arange(0, 4), 5));
}

TEST(Errors, Random) {
  EXPECT_PV(145, "expected integers for an offset, got a literal float", b.random(PV_RAND, 1, 0.5));
  EXPECT_PV(145, "expected 1 .. 1024 rounds of philox, got 0", b.random(PV_RAND, 1, 2, 0));
}

TEST(Errors, Hints) {
  const int64_t bad[] = {-7}, pair[] = {4, 4};
  EXPECT_PV(165, "expected positive values in max_contiguous, got [-7]",
            b.hint(PV_MAX_CONTIGUOUS, b.arange(0, 4), bad));
  EXPECT_PV(165, "expected 1 values in multiple_of of int32, got 2", b.hint(PV_MULTIPLE_OF, a[1], pair));
  const DType results[] = {i32};
  EXPECT_PV(168, "expected a power of two for pack, got 3",
            b.inlineAsm("", "", std::vector<Value>{a[1]}, results, true, 3));
}

TEST(Errors, Conditions) {
  EXPECT_PV(156, "expected a scalar condition for an if, got int1[4]; use where, or reduce it",
            b.ifBegin(b.arange(0, 4) < 2));
  EXPECT_PV(157, "expected a step of range other than 0, got 0", b.forBegin(0, 4, 0));
  EXPECT_PV(157, "expected integer scalars as bounds of range, got a literal float", b.forBegin(0, 4.5));
  EXPECT_PV(158, "expected a loop around break, got none", b.break_());
  EXPECT_PV(158, "expected a loop around continue, got none", b.continue_());
  EXPECT_PV(158, "expected an open if before else, got none", b.elseBegin());
  EXPECT_PV(158, "expected an open loop to end, got none", b.loopEnd());
  EXPECT_PV(160, "expected a kernel that returns nothing, got int32", b.return_(a[1]));
}

TEST(Errors, OpenAtTheEnd) {
  EXPECT_PV(158,
            "expected every loop, if, call and combine function to be closed at the end of the kernel, got an open one",
            b.ifBegin(a[1]));
}

TEST(Errors, Variables) {
  EXPECT_PV(150, "expected 'x' to be assigned before it is read, got no value", b.read(b.declare("x")));
  EXPECT_PV(150, "expected 'x' to be assigned before it is read, got no value", {
    Variable x = b.declare("x");
    b.assign(x, 1);
    b.unassign(x);
    b.read(x);
  });
}

TEST(Errors, MaybeUnassigned) {
  Error e = recordError(
      [](Builder &b, std::vector<Value> &a) {
        Variable x = b.declare("x");
        b.ifBegin(a[1] > 0);
        b.setLocation("k.py", 3, 9);
        b.assign(x, 1);
        b.ifEnd();
        EXPECT_FALSE(b.isReadable(x));
        b.setLocation("k.py", 5, 1);
        b.read(x);
      },
      params);
  EXPECT_STREQ(e.what(), "k.py:5:1: error PV0151: expected 'x' to be assigned on every path, got one on line 3:9 only\n"
                         "k.py:3:9: note: 'x' is assigned here, on a path that may not be taken");
}

TEST(Errors, MaybeUnassignedAfterALoop) {
  EXPECT_PV(151, "expected 'x' to be assigned on every path, got one on line 12:5 only", {
    Variable x = b.declare("x");
    b.for_(0, a[1], {}, [&](Value i) { b.assign(x, i); });
    b.read(x);
  });
  EXPECT_PV(151, "expected 'x' to be assigned on every path, got one on line 12:5 only", {
    Variable x = b.declare("x");
    b.for_(0, 4, {}, [&](Value i) {
      b.if_(i == a[1], [&] { b.break_(); });
      b.assign(x, i);
    });
    b.read(x);
  });
}

TEST(Errors, ConflictingTypes) {
  Error e = recordError(
      [](Builder &b, std::vector<Value> &a) {
        Variable x = b.declare("x");
        b.ifBegin(a[1] > 0);
        b.setLocation("k.py", 3, 9);
        b.assign(x, 1);
        b.elseBegin();
        b.setLocation("k.py", 5, 9);
        b.assign(x, 2.5);
        b.ifEnd();
        b.setLocation("k.py", 7, 1);
        b.read(x);
      },
      params);
  EXPECT_STREQ(e.what(), "k.py:7:1: error PV0152: expected one type for 'x' on every path, got int32 (line 3:9) and "
                         "float32 (line 5:9)\nk.py:3:9: note: 'x' is int32 here\nk.py:5:9: note: 'x' is float32 here");
}

TEST(Errors, ConflictsMatterOnlyWhenRead) {
  record(
      [](Builder &b, std::vector<Value> &a) {
        Variable x = b.declare("x");
        b.if_(a[1] > 0, [&] { b.assign(x, 1); }, [&] { b.assign(x, 2.5); });
        b.assign(x, 3);
        b.for_(0, a[1], {}, [&](Value) {
          b.assign(x, b.full({4}, 0, f32));
          b.read(x);
        });
        b.assign(x, 4);
        b.read(x);
      },
      params);
}

TEST(Errors, LoopTypeChange) {
  Error e = recordError(
      [](Builder &b, std::vector<Value> &a) {
        Variable x = b.declare("acc");
        b.setLocation("k.py", 2, 5);
        b.assign(x, 0);
        b.setLocation("k.py", 3, 5);
        b.forBegin(0, a[1]);
        b.loopNext();
        b.setLocation("k.py", 4, 9);
        b.assign(x, b.read(x) + b.load(a[0]));
        b.loopEnd();
      },
      params);
  EXPECT_STREQ(e.what(),
               "k.py:4:9: error PV0153: expected 'acc' to keep its type in the loop, got int32 before it (line 2) and "
               "float32 after a trip (line 4)\nk.py:2:5: note: 'acc' is int32 here\nk.py:4:9: note: 'acc' becomes "
               "float32 here");
}

TEST(Errors, LoopTypeChangeInAWhile) {
  for (bool leaves : {false, true}) {
    EXPECT_PV(153,
              "expected 'x' to keep its type in the loop, got int32 before it (line 12) and float32 after a trip (line "
              "12)",
              {
                Variable x = b.declare("x");
                b.assign(x, 0);
                b.while_([&] { return b.read(x) < a[1]; },
                         [&] {
                           b.assign(x, b.read(x) + 0.5);
                           if (leaves) {
                             b.if_(a[1] == 4, [&] { b.break_(); });
                           }
                         });
              });
  }
}

TEST(Errors, ConstexprWithTwoValues) {
  EXPECT_PV(152, "expected one type for 'N' on every path, got 1 (line 12:5) and 2 (line 12:5)", {
    Variable n = b.declare("N", PV_VAR_CONSTEXPR);
    b.if_(a[1] > 0, [&] { b.assign(n, 1); }, [&] { b.assign(n, 2); });
    b.read(n);
  });
}

TEST(Errors, ValuesLiveInTheirRegion) {
  EXPECT_PV(155, "expected a value that lives here, got int32 made inside a loop, branch or function that has ended", {
    Value inner;
    b.for_(0, a[1], {}, [&](Value i) { inner = i + 1; });
    inner + 1;
  });
}

TEST(Errors, Returns) {
  EXPECT_PV(159, "expected every return of 'f' to give int32, got float32", {
    b.callBegin("f");
    b.if_(a[1] > 0, [&] { b.return_(1); });
    b.return_(1.5);
  });
  EXPECT_PV(161, "expected 'f' to return a value on every path, got one that reaches its end without", {
    b.callBegin("f");
    b.if_(a[1] > 0, [&] { b.return_(1); });
    b.callEnd();
  });
  EXPECT_PV(
      162, "expected at most 256 calls within each other, got one more: 'f'; calls are inlined, so they cannot recurse",
      for (int i = 0; i < 300; ++i) { b.callBegin("f"); });
}

TEST(Errors, CallsAppearAsNotes) {
  Error e = recordError(
      [](Builder &b, std::vector<Value> &a) {
        b.setLocation("k.py", 20, 3);
        b.callBegin("helper");
        b.setLocation("k.py", 5, 7);
        b.load(a[1]);
      },
      params);
  ASSERT_EQ(e.notes().size(), 1u);
  EXPECT_STREQ(e.what(), "k.py:5:7: error PV0120: expected a pointer for a load, got int32\nk.py:20:3: note: in the "
                         "call of 'helper'");
}

TEST(Errors, Kernels) {
  auto begin = [](std::vector<Param> p) {
    try {
      Builder b;
      b.kernelBegin("k", p);
      return std::string();
    } catch (const Error &e) {
      EXPECT_EQ(e.number(), 170);
      return e.text();
    }
  };
  EXPECT_EQ(begin({{"x", i32}, {"x", i32}}), "expected parameters of 'k' with names of their own, got 'x'");
  EXPECT_EQ(begin({{"x", f8e5}}), "expected a pointer or a scalar of 16 bits or more, an integer or int1 for parameter "
                                  "'x', got float8e5");
  EXPECT_EQ(begin({{"x", DType()}}), "expected a pointer or a scalar of 16 bits or more, an integer or int1 for "
                                     "parameter 'x', got none");
}

TEST(Errors, OutsideAKernel) {
  Builder b;
  try {
    b.arange(0, 4);
    FAIL();
  } catch (const Error &e) {
    EXPECT_EQ(e.number(), 100);
    EXPECT_EQ(e.text(), "expected an open kernel, got none");
  }
  EXPECT_THROW(Value::literal(1) + 2, Error);
}

TEST(Errors, Misuse) {
  EXPECT_EQ(pv_unary(nullptr, PV_NEG, nullptr, nullptr), 171);
  pv_error_info info;
  pv_error(nullptr, &info);
  EXPECT_EQ(info.number, 171);
  EXPECT_PV(171, "expected a unary operation, got number 999", b.unary(static_cast<pv_unary_op>(999), a[1]));
  EXPECT_PV(172, "expected a value that is known while the kernel is built, got int32", b.read<int32_t>(a[1]));
  pv_value *out = nullptr;
  Builder b;
  EXPECT_EQ(pv_literal_integer(b.get(), "18446744073709551616", &out), 101);
  EXPECT_EQ(pv_literal_integer(b.get(), "x1", &out), 171);
  ASSERT_EQ(pv_literal_integer(b.get(), "18446744073709551615", &out), 0);
  EXPECT_EQ(pv_value_dtype(out), PV_UINT64);
  pv_release(out);
}
