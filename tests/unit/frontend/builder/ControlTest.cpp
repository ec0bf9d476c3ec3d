// Ifs, calls, break, continue and return: both sinks against plain C++. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "tests/unit/frontend/builder/HarnessSupport.h"

using namespace pavage;
using namespace pavage::testing;

namespace {
/// Runs a kernel of one int32 input for each x and compares what it stores with `reference`.
void expectFunction(const Kernel &kernel, const std::function<int32_t(int32_t)> &reference, int from = -3,
                    int to = 12) {
  for (int32_t x = from; x <= to; ++x) {
    Outcome o = runBoth(kernel, {array<int32_t>(i32, {-999}), scalar(i32, static_cast<uint32_t>(x))});
    EXPECT_EQ(o.args[0].as<int32_t>()[0], reference(x)) << "x = " << x;
  }
}

struct Name {
  Name(Builder &b, const char *name) : b(b), v(b.declare(name)) {}
  Name(Builder &b, const char *name, const Operand &x) : Name(b, name) { b.assign(v, x); }
  operator Value() const { return b.read(v); }
  Value get() const { return b.read(v); }
  void operator=(const Operand &x) { b.assign(v, x); }
  Builder &b;
  Variable v;
};
} // namespace

TEST(Control, IfElse) {
  expectFunction(
      [](Builder &b, std::vector<Value> &a) {
        Name y(b, "y", 1), z(b, "z", 5);
        b.if_(a[1] > 2, [&] { y = a[1] * 2; }, [&] { z = a[1]; });
        b.store(a[0], y.get() * 100 + z.get());
      },
      [](int32_t x) { return x > 2 ? x * 2 * 100 + 5 : 100 + x; });
}

TEST(Control, NestedIfs) {
  expectFunction(
      [](Builder &b, std::vector<Value> &a) {
        Name y(b, "y", 0);
        b.if_(
            a[1] > 0,
            [&] {
              b.if_(a[1] > 5, [&] { y = 1; }, [&] { b.if_(a[1] == 3, [&] { y = 2; }); });
              y = y.get() + 10;
            },
            [&] { y = y.get() - 10; });
        b.store(a[0], y.get());
      },
      [](int32_t x) {
        return x > 0 ? (x > 5 ? 1 : x == 3 ? 2 : 0) + 10 : -10;
      });
}

TEST(Control, ReturnFromKernel) {
  expectFunction(
      [](Builder &b, std::vector<Value> &a) {
        b.store(a[0], 1);
        b.if_(a[1] < 0, [&] { b.return_(); });
        b.store(a[0], 2);
        b.if_(
            a[1] < 5,
            [&] {
              b.if_(a[1] == 2, [&] { b.return_(); });
              b.store(a[0], 3);
            },
            [&] {
              b.store(a[0], 4);
              b.return_();
            });
        Value old = b.load(a[0]);
        b.store(a[0], old + 10);
      },
      [](int32_t x) {
        return x < 0 ? 1 : x == 2 ? 2 : x < 5 ? 13 : 4;
      });
}

TEST(Control, CodeAfterReturnIsDropped) {
  std::string text = record(
      [](Builder &b, std::vector<Value> &a) {
        b.store(a[0], 1);
        b.return_();
        EXPECT_TRUE(b.isDead());
        b.store(a[0], 2);
        b.for_(0, 4, {}, [&](Value i) { b.store(a[0], i); });
      },
      {{"p", ptr(i32)}});
  EXPECT_EQ(text.find("scf.for"), std::string::npos) << text;
  EXPECT_EQ(text.find("tile.store"), text.rfind("tile.store")) << text;
}

TEST(Control, CallsReturnValues) {
  auto classify = [](Builder &b, const Value &x) {
    b.callBegin("classify");
    b.if_(x < 0, [&] { b.return_(-1); });
    Name y(b, "y", x + 1);
    b.if_(x > 4, [&] {
      b.if_(x > 8, [&] { b.return_(y.get() * 1000); });
      y = y.get() * 10;
    });
    b.return_(y.get());
    return b.callEnd();
  };
  expectFunction(
      [&](Builder &b, std::vector<Value> &a) {
        Value first = classify(b, a[1]);
        Value second = classify(b, first);
        b.store(a[0], first + second * 7);
      },
      [](int32_t x) {
        auto f = [](int32_t v) { return v < 0 ? -1 : v > 8 ? (v + 1) * 1000 : v > 4 ? (v + 1) * 10 : v + 1; };
        return f(x) + f(f(x)) * 7;
      });
}

TEST(Control, ReturnInsideLoopsOfACall) {
  auto find = [](Builder &b, const Value &x) {
    b.callBegin("find");
    b.for_(0, 5, {}, [&](Value i) {
      b.for_(0, 4, {}, [&](Value j) { b.if_(i * 4 + j == x, [&] { b.return_(i * 100 + j); }); });
    });
    b.return_(-7);
    return b.callEnd();
  };
  expectFunction([&](Builder &b, std::vector<Value> &a) { b.store(a[0], find(b, a[1]) * 2); },
                 [](int32_t x) { return x >= 0 && x < 20 ? (x / 4 * 100 + x % 4) * 2 : -14; }, -2, 22);
}

TEST(Control, TuplesAndNothing) {
  expectFunction(
      [](Builder &b, std::vector<Value> &a) {
        b.callBegin("pair");
        b.if_(a[1] > 3, [&] { b.return_(Value::tuple(std::vector<Value>{a[1], a[1] * 2})); });
        b.return_(Value::tuple(std::vector<Value>{a[1] - 1, Value::literal(0)}));
        Value pair = b.callEnd();
        ASSERT_EQ(pair.tupleSize(), 2u);
        b.callBegin("nothing");
        b.if_(a[1] > 100, [&] { b.return_(); });
        EXPECT_FALSE(b.callEnd());
        b.store(a[0], pair.item(0) * 10 + pair.item(1));
      },
      [](int32_t x) { return x > 3 ? x * 10 + x * 2 : (x - 1) * 10; });
}

TEST(Control, ReturnedLiterals) {
  expectFunction(
      [](Builder &b, std::vector<Value> &a) {
        b.callBegin("four");
        b.return_(4);
        Value four = b.callEnd();
        EXPECT_EQ(four.kind(), PV_KIND_LITERAL_INT);
        b.callBegin("either");
        b.if_(a[1] > 3, [&] { b.return_(1); });
        b.for_(0, 4, {}, [&](Value i) {
          b.if_(i == a[1], [&] { b.return_(2); });
          b.if_(i * 2 == a[1], [&] { b.return_(i); });
        });
        b.return_(-5);
        Value either = b.callEnd();
        EXPECT_TRUE(b.isEager() || either.kind() == PV_KIND_TILE);
        b.store(a[0], either * 10 + four);
      },
      [](int32_t x) {
        return (x > 3 ? 1 : x >= 0 ? (x == 0 ? 2 : x == 2 ? 1 : 2) : -5) * 10 + 4;
      });
}

TEST(Control, BreakAndContinueNested) {
  expectFunction(
      [](Builder &b, std::vector<Value> &a) {
        Name sum(b, "sum", 0);
        b.for_(0, 10, {}, [&](Value i) {
          b.if_(i == a[1], [&] { b.break_(); });
          b.if_((i & 1) == 1, [&] { b.continue_(); });
          b.for_(0, 6, {}, [&](Value j) {
            b.if_(j > i, [&] { b.break_(); }, [&] { b.if_(j == 2, [&] { b.continue_(); }); });
            sum = sum.get() + i * 10 + j;
          });
          sum = sum.get() + 1000;
        });
        b.store(a[0], sum.get());
      },
      [](int32_t x) {
        int32_t sum = 0;
        for (int i = 0; i < 10; ++i) {
          if (i == x) {
            break;
          }
          if (i & 1) {
            continue;
          }
          for (int j = 0; j < 6; ++j) {
            if (j > i) {
              break;
            } else if (j == 2) {
              continue;
            }
            sum += i * 10 + j;
          }
          sum += 1000;
        }
        return sum;
      });
}

TEST(Control, ValuesAtABreakSurvive) {
  expectFunction(
      [](Builder &b, std::vector<Value> &a) {
        Name x(b, "x", 1);
        b.for_(0, 6, {}, [&](Value i) {
          x = x.get() + i;
          b.if_(i == a[1], [&] { b.break_(); });
          x = x.get() * 2;
        });
        b.store(a[0], x.get());
      },
      [](int32_t limit) {
        int32_t x = 1;
        for (int i = 0; i < 6; ++i) {
          x += i;
          if (i == limit) {
            break;
          }
          x *= 2;
        }
        return x;
      });
}

TEST(Control, ReturnFromKernelInsideLoop) {
  expectFunction(
      [](Builder &b, std::vector<Value> &a) {
        b.store(a[0], 0);
        b.for_(0, 4, {}, [&](Value i) {
          b.for_(0, 4, {}, [&](Value j) {
            b.if_(i * j == a[1], [&] { b.return_(); });
            b.store(a[0], i * 10 + j);
          });
        });
        b.store(a[0], -1);
      },
      [](int32_t x) {
        int32_t out = 0;
        for (int i = 0; i < 4; ++i) {
          for (int j = 0; j < 4; ++j) {
            if (i * j == x) {
              return out;
            }
            out = i * 10 + j;
          }
        }
        return -1;
      });
}

TEST(Control, WhileWithExits) {
  expectFunction(
      [](Builder &b, std::vector<Value> &a) {
        Name n(b, "n", a[1]), steps(b, "steps", 0);
        b.while_([&] { return n.get() > 1; },
                 [&] {
                   steps = steps.get() + 1;
                   b.if_(steps.get() > 9, [&] { b.break_(); });
                   b.if_((n.get() & 1) == 0, [&] {
                     n = b.binary(PV_FLOORDIV, n.get(), 2);
                     b.continue_();
                   });
                   n = n.get() * 3 + 1;
                 });
        b.store(a[0], steps.get() * 100 + n.get());
      },
      [](int32_t n) {
        int32_t steps = 0;
        while (n > 1) {
          ++steps;
          if (steps > 9) {
            break;
          }
          if ((n & 1) == 0) {
            n /= 2;
            continue;
          }
          n = n * 3 + 1;
        }
        return steps * 100 + n;
      });
}

TEST(Control, WhileTrueAssignsWhatItsExitsSaw) {
  expectFunction(
      [](Builder &b, std::vector<Value> &a) {
        Name i(b, "i", 0), last(b, "last");
        b.while_([] { return Value::literal(true); },
                 [&] {
                   last = i.get() * 3;
                   b.if_(i.get() >= a[1], [&] { b.break_(); });
                   i = i.get() + 1;
                 });
        b.store(a[0], last.get() + i.get() * 100);
      },
      [](int32_t x) { return std::max(x, 0) * 103; });
}

TEST(Control, ConditionThatReadsAndCalls) {
  expectFunction(
      [](Builder &b, std::vector<Value> &a) {
        Name i(b, "i", 0), seen(b, "seen", 0);
        b.while_(
            [&] {
              b.callBegin("below");
              b.if_(i.get() > 6, [&] { b.return_(false); });
              b.return_(i.get() < a[1]);
              Value below = b.callEnd();
              seen = seen.get() + 1;
              return below;
            },
            [&] { i = i.get() + 2; });
        b.store(a[0], seen.get() * 10 + i.get());
      },
      [](int32_t x) {
        int32_t i = 0, seen = 0;
        auto below = [&] {
          ++seen;
          return i <= 6 && i < x;
        };
        while (below()) {
          i += 2;
        }
        return seen * 10 + i;
      });
}

TEST(Control, ConditionNotEvaluatedAfterABreak) {
  // The condition loads past the end if it is evaluated once more.
  auto kernel = [](Builder &b, std::vector<Value> &a) {
    Name i(b, "i", 0);
    b.while_([&] { return b.load(a[1] + i.get()) > 0; },
             [&] {
               i = i.get() + 1;
               b.if_(i.get() == 3, [&] { b.break_(); });
             });
    b.store(a[0], i.get());
  };
  Outcome o = runBoth(kernel, {array<int32_t>(i32, {0}), array<int32_t>(i32, {1, 1, 1})});
  EXPECT_EQ(o.args[0].as<int32_t>()[0], 3);
}

TEST(Control, ExitsInBothArms) {
  expectFunction(
      [](Builder &b, std::vector<Value> &a) {
        Name s(b, "s", 0);
        b.for_(0, 8, {}, [&](Value i) {
          s = s.get() + 1;
          b.if_(
              i < a[1],
              [&] {
                b.if_(i == 5, [&] { b.break_(); }, [&] { b.continue_(); });
                s = s.get() + 1000;
              },
              [&] { b.if_(i == 6, [&] { b.break_(); }); });
          s = s.get() + 10;
        });
        b.store(a[0], s.get());
      },
      [](int32_t x) {
        int32_t s = 0;
        for (int i = 0; i < 8; ++i) {
          s += 1;
          if (i < x) {
            if (i == 5) {
              break;
            }
            continue;
          }
          if (i == 6) {
            break;
          }
          s += 10;
        }
        return s;
      });
}

TEST(Control, TilesThroughBranchesAndLoops) {
  auto kernel = [](Builder &b, std::vector<Value> &a) {
    Name t(b, "t", b.full({3, 5}, 1, f32));
    b.for_(0, a[1], {},
           [&](Value i) { b.if_((i & 1) == 0, [&] { t = t.get() + 1; }, [&] { t = t.get() * b.cast(i, f32); }); });
    put(b, a[0], t);
  };
  for (int n : {0, 1, 2, 5}) {
    float expected = 1;
    for (int i = 0; i < n; ++i) {
      expected = i & 1 ? expected * i : expected + 1;
    }
    Outcome o = runBoth(kernel, {zeros<float>(f32, 15), scalar(i32, n)});
    EXPECT_EQ(o.args[0].as<float>(), std::vector<float>(15, expected));
  }
}

TEST(Control, BlockPointersAreCarried) {
  auto kernel = [](Builder &b, std::vector<Value> &a) {
    std::vector<Value> shape = {Value::literal(10)}, strides = {Value::literal(1)}, offsets = {Value::literal(0)};
    const int64_t block[] = {4}, check[] = {0};
    Name p(b, "p", b.makeBlockPtr(a[1], shape, strides, offsets, block)), sum(b, "sum", b.zeros({4}, i32));
    b.for_(0, 3, {}, [&](Value) {
      sum = sum.get() + b.load(p.get(), {.boundaryCheck = {check[0]}});
      p = b.advance(p.get(), std::vector<Value>{Value::literal(4)});
    });
    put(b, a[0], sum);
  };
  Outcome o = runBoth(kernel, {zeros<int32_t>(i32, 4), array<int32_t>(i32, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})});
  EXPECT_EQ(o.args[0].as<int32_t>(), (std::vector<int32_t>{12, 15, 8, 10}));
}

TEST(Control, ConstexprStaysWhatItIs) {
  record([](Builder &b, std::vector<Value> &) {
    Variable size = b.declare("SIZE", PV_VAR_CONSTEXPR), plain = b.declare("n");
    b.assign(size, 16);
    b.assign(plain, 16);
    b.for_(0, 4, {}, [&](Value) {
      EXPECT_EQ(b.read(size).kind(), PV_KIND_LITERAL_INT);
      EXPECT_EQ(b.read(plain).kind(), PV_KIND_TILE);
      EXPECT_EQ(b.read(plain).dtype(), i32);
      b.assign(size, 16);
    });
    EXPECT_EQ(b.read(size).constantInt(), 16);
    EXPECT_EQ(b.read(plain).constantInt(), 16);
  });
}
