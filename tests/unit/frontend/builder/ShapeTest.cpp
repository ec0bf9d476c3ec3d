// Shapes and indices: values in both sinks. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/frontend/builder/HarnessSupport.h"

#include <numeric>

using namespace pavage;
using namespace pavage::testing;

namespace {
/// What `make` gives, with its shape checked.
std::vector<int32_t> run(const std::function<Value(Builder &)> &make, std::vector<int64_t> shape) {
  int64_t n = std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
  auto kernel = [&](Builder &b, std::vector<Value> &a) {
    Value v = make(b);
    EXPECT_EQ(v.shape(), shape);
    put(b, a[0], v);
  };
  return runBoth(kernel, {zeros<int32_t>(i32, n)}).args[0].as<int32_t>();
}
using V = std::vector<int32_t>;

Value grid(Builder &b) { return b.reshape(b.arange(0, 6), {2, 3}); }

pv_index_item all() {
  pv_index_item i{};
  i.kind = PV_INDEX_ALL;
  return i;
}
pv_index_item newAxis() { return {}; }
pv_index_item at(const Value &v) {
  pv_index_item i{};
  i.kind = PV_INDEX_AT;
  i.at = v.get();
  return i;
}
pv_index_item slice(std::optional<int64_t> start, std::optional<int64_t> stop, std::optional<int64_t> step = {}) {
  pv_index_item i{};
  i.kind = PV_INDEX_SLICE;
  i.start = start.value_or(0);
  i.stop = stop.value_or(0);
  i.step = step.value_or(0);
  i.has_start = start.has_value();
  i.has_stop = stop.has_value();
  i.has_step = step.has_value();
  return i;
}
} // namespace

TEST(Shape, Creation) {
  EXPECT_EQ(run([](Builder &b) { return b.arange(-2, 3); }, {5}), (V{-2, -1, 0, 1, 2}));
  EXPECT_EQ(run([](Builder &b) { return b.full({2, 3}, 7, i32); }, {2, 3}), V(6, 7));
  EXPECT_EQ(run([](Builder &b) { return b.full({3}, b.reduce(PV_SUM, b.arange(0, 4)), i32); }, {3}), V(3, 6));
  EXPECT_EQ(run([](Builder &b) { return b.zerosLike(grid(b)); }, {2, 3}), V(6, 0));
  EXPECT_EQ(run([](Builder &b) { return b.arange(0, 1); }, {1}), V{0});
}

TEST(Shape, Axes) {
  EXPECT_EQ(run([](Builder &b) { return b.trans(grid(b)); }, {3, 2}), (V{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(run([](Builder &b) { return b.permute(b.reshape(b.arange(0, 12), {2, 3, 2}), {1, -1, 0}); }, {3, 2, 2}),
            (V{0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11}));
  EXPECT_EQ(run([](Builder &b) { return b.expandDims(b.arange(0, 3), {0, -1}); }, {1, 3, 1}), (V{0, 1, 2}));
  EXPECT_EQ(run([](Builder &b) { return b.squeeze(b.expandDims(grid(b), {1}), -2); }, {2, 3}), (V{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(run([](Builder &b) { return b.broadcastTo(b.expandDims(b.arange(0, 2), {1}), {2, 3}); }, {2, 3}),
            (V{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(run([](Builder &b) { return b.flip(grid(b)); }, {2, 3}), (V{2, 1, 0, 5, 4, 3}));
  EXPECT_EQ(run([](Builder &b) { return b.flip(grid(b), 0); }, {2, 3}), (V{3, 4, 5, 0, 1, 2}));
}

TEST(Shape, PartsAndWholes) {
  EXPECT_EQ(run([](Builder &b) { return b.join(b.arange(0, 3), b.arange(10, 13)); }, {3, 2}), (V{0, 10, 1, 11, 2, 12}));
  EXPECT_EQ(run([](Builder &b) { return b.interleave(b.arange(0, 3), b.arange(10, 13)); }, {6}),
            (V{0, 10, 1, 11, 2, 12}));
  EXPECT_EQ(run(
                [](Builder &b) {
                  auto [x, y] = b.split(b.reshape(b.arange(0, 6), {3, 2}));
                  return y - x * 10;
                },
                {3}),
            (V{1, -17, -35}));
  EXPECT_EQ(run([](Builder &b) { return b.cat(grid(b), b.full({1, 3}, 9, i32)); }, {3, 3}),
            (V{0, 1, 2, 3, 4, 5, 9, 9, 9}));
  EXPECT_EQ(run([](Builder &b) { return b.cat(grid(b), b.full({2, 1}, 9, i32), -1); }, {2, 4}),
            (V{0, 1, 2, 9, 3, 4, 5, 9}));
  EXPECT_EQ(run([](Builder &b) { return b.gather(grid(b), b.reshape(2 - b.arange(0, 4) % 3, {2, 2}), 1); }, {2, 2}),
            (V{2, 1, 3, 5}));
  EXPECT_EQ(run([](Builder &b) { return b.join(Value(b.programId(0)) + 4, 5); }, {2}), (V{4, 5}));
}

TEST(Shape, Indices) {
  auto with = [](std::vector<pv_index_item> items) { return [items](Builder &b) { return b.index(grid(b), items); }; };
  Value one = Value::literal(1), last = Value::literal(-1);
  EXPECT_EQ(run(with({all(), newAxis(), all()}), {2, 1, 3}), (V{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(run(with({at(one)}), {3}), (V{3, 4, 5}));
  EXPECT_EQ(run(with({all(), at(last)}), {2}), (V{2, 5}));
  EXPECT_EQ(run(with({at(one), at(last)}), {}), V{5});
  EXPECT_EQ(run(with({newAxis(), at(one), newAxis()}), {1, 1, 3}), (V{3, 4, 5}));
  EXPECT_EQ(run(with({all(), slice(1, {})}), {2, 2}), (V{1, 2, 4, 5}));
  EXPECT_EQ(run(with({all(), slice({}, {}, -1)}), {2, 3}), (V{2, 1, 0, 5, 4, 3}));
  EXPECT_EQ(run(with({slice(-1, {}), slice({}, {}, 2)}), {1, 2}), (V{3, 5}));
  EXPECT_EQ(run(with({}), {2, 3}), (V{0, 1, 2, 3, 4, 5}));
}

TEST(Shape, IndexKnownAtRunTimeOnly) {
  for (int32_t i : {0, 1}) {
    auto kernel = [](Builder &b, std::vector<Value> &a) {
      pv_index_item items[] = {at(a[1]), all()};
      put(b, a[0], b.index(grid(b), items));
    };
    Outcome o = runBoth(kernel, {zeros<int32_t>(i32, 3), scalar(i32, i)});
    EXPECT_EQ(o.args[0].as<int32_t>(), (V{i * 3, i * 3 + 1, i * 3 + 2}));
  }
}

TEST(Shape, Swizzle) {
  // 4 x 3 blocks in groups of 2 rows, column-major within a group.
  std::vector<int32_t> order;
  for (int32_t pid = 0; pid < 12; ++pid) {
    auto kernel = [](Builder &b, std::vector<Value> &a) {
      auto [i, j] = b.swizzle2d(b.binary(PV_FLOORDIV, a[1], 3), a[1] % 3, 4, 3, 2);
      b.store(a[0], i * 10 + j);
    };
    order.push_back(runBoth(kernel, {zeros<int32_t>(i32, 1), scalar(i32, pid)}).args[0].as<int32_t>()[0]);
  }
  EXPECT_EQ(order, (V{0, 10, 1, 11, 2, 12, 20, 30, 21, 31, 22, 32}));
}
