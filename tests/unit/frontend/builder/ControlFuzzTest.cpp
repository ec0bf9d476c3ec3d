// Random programs of loops, branches, exits and calls: both sinks against a direct interpreter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program works on five int32 variables and emits values to memory, so that the order of effects counts as well as
// the final values. Seeds are fixed; a failing one is named with its program.
#include "tests/unit/frontend/builder/HarnessSupport.h"

#include <memory>
#include <random>

using namespace pavage;
using namespace pavage::testing;

namespace {
constexpr int numVars = 5, numSlots = 64, maxSteps = 3000;

struct Expr {
  char op; // v: variable, c: constant, i: input; else + - * & ^ and < (0 or 1)
  int value = 0;
  std::unique_ptr<Expr> left, right;
};

struct Stmt {
  enum Kind { Assign, Emit, If, For, While, Break, Continue, Return, Call } kind;
  int var = 0, step = 1;
  std::unique_ptr<Expr> a, b;
  std::vector<Stmt> first, second;
};
using Block = std::vector<Stmt>;

//===----------------------------------------------------------------------===//
// Making programs
//===----------------------------------------------------------------------===//

class Generator {
public:
  explicit Generator(unsigned seed) : random(seed) {}

  Block block(int depth, bool inLoop, bool inCall) {
    Block b;
    for (int i = 0, n = 1 + pick(4); i < n; ++i) {
      b.push_back(statement(depth, inLoop, inCall));
    }
    return b;
  }

private:
  int pick(int n) { return static_cast<int>(random() % n); }

  std::unique_ptr<Expr> expr(int depth) {
    auto e = std::make_unique<Expr>();
    int choice = depth == 0 ? pick(3) : pick(6);
    if (choice < 3) {
      e->op = "vci"[choice];
      e->value = choice == 0 ? pick(numVars) : pick(9) - 3;
      return e;
    }
    e->op = "+-*&^"[pick(5)];
    e->left = expr(depth - 1);
    e->right = expr(depth - 1);
    return e;
  }

  std::unique_ptr<Expr> condition() {
    auto e = std::make_unique<Expr>();
    e->op = '<';
    e->left = expr(1);
    e->right = expr(1);
    return e;
  }

  Stmt statement(int depth, bool inLoop, bool inCall) {
    Stmt s{};
    int choice = pick(depth == 0 ? 5 : 12);
    s.var = pick(numVars);
    switch (choice) {
    case 0:
    case 1:
      s.kind = Stmt::Assign;
      s.a = expr(2);
      break;
    case 2:
      s.kind = Stmt::Emit;
      s.a = expr(1);
      break;
    case 3:
      s.kind = inLoop ? (pick(2) ? Stmt::Break : Stmt::Continue) : Stmt::Assign;
      s.a = expr(1);
      break;
    case 4:
      s.kind = pick(3) == 0 ? Stmt::Return : Stmt::Emit;
      s.a = expr(1);
      break;
    case 5:
    case 6:
    case 7:
      s.kind = Stmt::If;
      s.a = condition();
      s.first = block(depth - 1, inLoop, inCall);
      if (pick(2)) {
        s.second = block(depth - 1, inLoop, inCall);
      }
      break;
    case 8:
    case 9:
      s.kind = Stmt::For;
      s.a = expr(0);
      s.b = expr(0);
      s.step = std::vector<int>{1, 1, 2, 3, -1, -2}[pick(6)];
      s.first = block(depth - 1, true, inCall);
      break;
    case 10:
      s.kind = Stmt::While;
      s.a = condition();
      s.first = block(depth - 1, true, inCall);
      break;
    default:
      s.kind = Stmt::Call;
      s.a = expr(1);
      s.first = block(depth - 1, false, true);
      break;
    }
    return s;
  }

  std::mt19937 random;
};

//===----------------------------------------------------------------------===//
// Running them directly
//===----------------------------------------------------------------------===//

struct Direct {
  enum Exit { None, Broke, Continued, Returned, OutOfSteps };
  int32_t vars[numVars] = {1, 2, 3, 4, 5}, input = 0, result = 0, count = 0;
  std::vector<int32_t> out = std::vector<int32_t>(numSlots);
  int steps = 0;

  int32_t eval(const Expr &e) {
    switch (e.op) {
    case 'v':
      return vars[e.value];
    case 'c':
      return e.value;
    case 'i':
      return input;
    default: {
      uint32_t x = eval(*e.left), y = eval(*e.right);
      return e.op == '+'   ? x + y
             : e.op == '-' ? x - y
             : e.op == '*' ? x * y
             : e.op == '&' ? x & y
             : e.op == '^' ? x ^ y
                           : static_cast<int32_t>(x) < static_cast<int32_t>(y);
    }
    }
  }

  Exit run(const Block &block) {
    for (const Stmt &s : block) {
      if (Exit e = run(s)) {
        return e;
      }
    }
    return None;
  }

  Exit run(const Stmt &s) {
    if (++steps > maxSteps) {
      return OutOfSteps;
    }
    switch (s.kind) {
    case Stmt::Assign:
      vars[s.var] = eval(*s.a);
      return None;
    case Stmt::Emit:
      out[count++ & (numSlots - 1)] = eval(*s.a);
      return None;
    case Stmt::If:
      return run(eval(*s.a) ? s.first : s.second);
    case Stmt::For: {
      int32_t lo = eval(*s.a), hi = eval(*s.b) & 7;
      for (int64_t i = lo; s.step > 0 ? i < hi : i > hi; i += s.step) {
        vars[s.var] = static_cast<int32_t>(i);
        Exit e = run(s.first);
        if (e == Broke) {
          break;
        }
        if (e && e != Continued) {
          return e;
        }
      }
      return None;
    }
    case Stmt::While: {
      for (int32_t trips = 0; trips < 5 && eval(*s.a);) {
        ++trips;
        Exit e = run(s.first);
        if (e == Broke) {
          break;
        }
        if (e && e != Continued) {
          return e;
        }
      }
      return None;
    }
    case Stmt::Break:
      return Broke;
    case Stmt::Continue:
      return Continued;
    case Stmt::Return:
      result = eval(*s.a);
      return Returned;
    case Stmt::Call: {
      Exit e = run(s.first);
      if (e == OutOfSteps) {
        return e;
      }
      vars[s.var] = e == Returned ? result : eval(*s.a);
      return None;
    }
    }
    return None;
  }
};

//===----------------------------------------------------------------------===//
// Running them through the builder
//===----------------------------------------------------------------------===//

struct Through {
  Builder &b;
  std::vector<Value> &args; // out, vars, input
  std::vector<Variable> vars;
  Variable count;
  int depth = 0;

  Through(Builder &b, std::vector<Value> &args) : b(b), args(args) {
    for (int i = 0; i < numVars; ++i) {
      vars.push_back(b.declare("v" + std::to_string(i)));
      b.assign(vars.back(), i + 1);
    }
    count = b.declare("count");
    b.assign(count, 0);
  }

  Value eval(const Expr &e) {
    switch (e.op) {
    case 'v':
      return b.read(vars[e.value]);
    case 'c':
      return b.toTensor(e.value);
    case 'i':
      return args[2];
    default: {
      static const std::pair<char, pv_binary_op> ops[] = {{'+', PV_ADD}, {'-', PV_SUB}, {'*', PV_MUL},
                                                          {'&', PV_AND}, {'^', PV_XOR}, {'<', PV_LT}};
      Value x = eval(*e.left), y = eval(*e.right);
      for (auto [op, code] : ops) {
        if (op == e.op) {
          return b.binary(code, x, y);
        }
      }
      return x;
    }
    }
  }

  void run(const Block &block) {
    for (const Stmt &s : block) {
      run(s);
    }
  }

  /// The final values, wherever the kernel is left.
  void finish() {
    for (int i = 0; i < numVars; ++i) {
      b.store(args[1] + i, b.read(vars[i]));
    }
  }

  void run(const Stmt &s) {
    switch (s.kind) {
    case Stmt::Assign:
      b.assign(vars[s.var], eval(*s.a));
      break;
    case Stmt::Emit: {
      Value n = b.read(count);
      b.store(args[0] + (n & (numSlots - 1)), eval(*s.a));
      b.assign(count, n + 1);
      break;
    }
    case Stmt::If:
      if (s.second.empty()) {
        b.if_(eval(*s.a), [&] { run(s.first); });
      } else {
        b.if_(eval(*s.a), [&] { run(s.first); }, [&] { run(s.second); });
      }
      break;
    case Stmt::For: {
      Value lo = eval(*s.a), hi = eval(*s.b) & 7;
      b.for_(lo, hi, s.step, [&](Value i) {
        b.assign(vars[s.var], i);
        run(s.first);
      });
      break;
    }
    case Stmt::While: {
      Variable trips = b.declare("trips");
      b.assign(trips, 0);
      b.while_([&] { return b.binary(PV_LOGICAL_AND, b.read(trips) < 5, eval(*s.a)); },
               [&] {
                 b.assign(trips, b.read(trips) + 1);
                 run(s.first);
               });
      break;
    }
    case Stmt::Break:
      b.break_();
      break;
    case Stmt::Continue:
      b.continue_();
      break;
    case Stmt::Return:
      if (depth > 0) {
        b.return_(eval(*s.a));
      } else {
        finish();
        b.return_();
      }
      break;
    case Stmt::Call:
      b.callBegin("f");
      ++depth;
      run(s.first);
      --depth;
      b.return_(eval(*s.a));
      b.assign(vars[s.var], b.callEnd());
      break;
    }
  }
};

//===----------------------------------------------------------------------===//
// Telling what failed
//===----------------------------------------------------------------------===//

std::string show(const Expr &e) {
  switch (e.op) {
  case 'v':
    return "v" + std::to_string(e.value);
  case 'c':
    return std::to_string(e.value);
  case 'i':
    return "x";
  default:
    return "(" + show(*e.left) + " " + e.op + " " + show(*e.right) + ")";
  }
}

std::string show(const Block &block, int indent) {
  std::string s, pad(indent * 2, ' ');
  for (const Stmt &t : block) {
    std::string v = "v" + std::to_string(t.var);
    switch (t.kind) {
    case Stmt::Assign:
      s += pad + v + " = " + show(*t.a) + "\n";
      break;
    case Stmt::Emit:
      s += pad + "emit " + show(*t.a) + "\n";
      break;
    case Stmt::If:
      s += pad + "if " + show(*t.a) + ":\n" + show(t.first, indent + 1);
      s += t.second.empty() ? "" : pad + "else:\n" + show(t.second, indent + 1);
      break;
    case Stmt::For:
      s += pad + "for " + v + " in range(" + show(*t.a) + ", " + show(*t.b) + " & 7, " + std::to_string(t.step) +
           "):\n" + show(t.first, indent + 1);
      break;
    case Stmt::While:
      s += pad + "while(5) " + show(*t.a) + ":\n" + show(t.first, indent + 1);
      break;
    case Stmt::Break:
      s += pad + "break\n";
      break;
    case Stmt::Continue:
      s += pad + "continue\n";
      break;
    case Stmt::Return:
      s += pad + "return " + show(*t.a) + "\n";
      break;
    case Stmt::Call:
      s += pad + v + " = call:\n" + show(t.first, indent + 1) + pad + "  return " + show(*t.a) + "\n";
      break;
    }
  }
  return s;
}
} // namespace

TEST(ControlFuzz, BothSinksAgreeWithADirectRun) {
  int ran = 0;
  for (unsigned seed = 0; seed < 600 && !::testing::Test::HasFailure(); ++seed) {
    Block program = Generator(seed).block(3, false, false);
    for (int32_t input : {-1, 2, 6}) {
      Direct direct;
      direct.input = input;
      if (direct.run(program) == Direct::OutOfSteps) {
        continue;
      }
      ++ran;
      SCOPED_TRACE("seed " + std::to_string(seed) + ", x = " + std::to_string(input) + "\n" + show(program, 0));
      auto kernel = [&](Builder &b, std::vector<Value> &a) {
        Through through(b, a);
        through.run(program);
        through.finish();
      };
      try {
        Outcome o = runBoth(kernel, {zeros<int32_t>(i32, numSlots), zeros<int32_t>(i32, numVars),
                                     scalar(i32, static_cast<uint32_t>(input))});
        EXPECT_EQ(o.args[0].as<int32_t>(), direct.out);
        EXPECT_EQ(o.args[1].as<int32_t>(), std::vector<int32_t>(direct.vars, direct.vars + numVars));
      } catch (const Error &e) {
        ADD_FAILURE() << e.what();
      }
    }
  }
  EXPECT_GT(ran, 1000);
}
