// builder.h: the builder as C++, inline over builder_c.h. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Value is a counted handle, DType an element type, Operand "a value or a plain number", Builder the calls. Errors are
// thrown as pavage::Error, from inline code only. The meaning of every call is told in builder_c.h.
//
//   pavage::Builder b;
//   auto args = b.kernelBegin("add", {{"x", pavage::ptr(pavage::f32)}, {"n", pavage::i32}});
//   auto i = b.programId(0) * 64 + b.arange(0, 64);       // operators need b as the current builder (Builder::Scope)
#ifndef PAVAGE_BUILDER_H
#define PAVAGE_BUILDER_H

#include <pavage/value.h>

#include <initializer_list>

namespace pavage {

// ---- The builder ----------------------------------------------------------------------------------------------------

class Builder {
public:
  using Ints = std::span<const int64_t>;
  using Values = std::span<const Value>;

  Builder() : b_(pv_builder_create()), owned_(true) {}
  // A view of a builder that belongs to somebody else.
  explicit Builder(pv_builder *b) : b_(b), owned_(false) {}
  Builder(const Builder &) = delete;
  Builder &operator=(const Builder &) = delete;
  ~Builder() {
    if (owned_) {
      pv_builder_destroy(b_);
    }
  }
  pv_builder *get() const { return b_; }

  // The builder that operators on values use, per thread; scopes nest.
  class Scope {
  public:
    explicit Scope(Builder &b) : saved_(std::exchange(current_(), &b)) {}
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;
    ~Scope() { current_() = saved_; }

  private:
    Builder *saved_;
  };
  static Builder &current() {
    if (!current_()) {
      throw Error(100, "expected a kernel that is being traced on this thread, got none");
    }
    return *current_();
  }

  // Places and errors.
  void setLocation(const char *file, int line, int column = 0) { pv_set_location(b_, file, line, column); }
  [[noreturn]] void fail(int number, const std::string &text) {
    pv_fail(b_, number, text.c_str());
    detail::raise(b_);
  }

  // Kernels: record.
  std::vector<Value> kernelBegin(const std::string &name, std::span<const Param> params, const char *file = "",
                                 int line = 0) {
    std::vector<pv_param> raw = rawParams(params);
    std::vector<pv_value *> args(raw.size() + 1);
    check(pv_kernel_begin(b_, name.c_str(), file, line, raw.data(), raw.size(), args.data()));
    return adopt(args.data(), raw.size());
  }
  std::vector<Value> kernelBegin(const std::string &name, std::initializer_list<Param> params, const char *file = "",
                                 int line = 0) {
    return kernelBegin(name, std::span<const Param>(params.begin(), params.size()), file, line);
  }
  void hint(const std::string &name, int64_t value) { check(pv_kernel_hint(b_, name.c_str(), value)); }
  void hint(const std::string &name, const std::string &value) {
    check(pv_kernel_hint_text(b_, name.c_str(), value.c_str()));
  }
  Module kernelEnd() {
    pv_module *m = nullptr;
    check(pv_kernel_end(b_, &m));
    return Module(m);
  }
  void abandon() { pv_kernel_abandon(b_); }

  // Kernels: eager.
  void eagerBegin(const std::string &name, std::span<const Param> params, std::span<const pv_arg> args,
                  const int64_t (&grid)[3], const char *file = "", int line = 0, pv_print_fn print = nullptr,
                  void *context = nullptr) {
    std::vector<pv_param> raw = rawParams(params);
    check(pv_eager_begin(b_, name.c_str(), file, line, raw.data(), raw.size(), args.data(), grid, print, context));
    eagerParams_ = raw.size();
  }
  std::vector<Value> eagerProgram(const int64_t (&id)[3]) {
    std::vector<pv_value *> args(eagerParams_ + 1);
    check(pv_eager_program(b_, id, args.data()));
    return adopt(args.data(), eagerParams_);
  }
  void eagerEnd() { check(pv_eager_end(b_)); }
  bool isEager() const { return pv_is_eager(b_) != 0; }
  template <typename T> std::vector<T> read(const Value &v) {
    std::vector<T> r(pv_value_nbytes(v.get()) / sizeof(T));
    check(pv_value_read(b_, v.get(), r.data(), r.size() * sizeof(T)));
    return r;
  }
  std::string text(const Value &v, size_t maxItems = 0) {
    const char *s = pv_value_text(b_, v.get(), maxItems);
    return s ? s : "";
  }

  // Variables.
  Variable declare(const std::string &name, int flags = PV_VAR_PLAIN) {
    return Variable(pv_var_declare(b_, name.c_str(), flags));
  }
  void drop(Variable v) { pv_var_release(b_, v.get()); }
  void assign(Variable v, const Operand &x) { check(pv_var_assign(b_, v.get(), x.get())); }
  Value read(Variable v) {
    return out([&](pv_value **o) { return pv_var_read(b_, v.get(), o); });
  }
  void unassign(Variable v) { check(pv_var_unassign(b_, v.get())); }
  bool isReadable(Variable v) { return pv_var_is_readable(b_, v.get()) != 0; }

  // Control flow.
  bool ifBegin(const Operand &cond) {
    int enter = 0;
    check(pv_if_begin(b_, cond.get(), &enter));
    return enter != 0;
  }
  bool elseBegin() {
    int enter = 0;
    check(pv_else(b_, &enter));
    return enter != 0;
  }
  void ifEnd() { check(pv_if_end(b_)); }
  template <typename Then> void if_(const Operand &cond, Then &&then) {
    if (ifBegin(cond)) {
      then();
    }
    ifEnd();
  }
  template <typename Then, typename Else> void if_(const Operand &cond, Then &&then, Else &&otherwise) {
    if (ifBegin(cond)) {
      then();
    }
    if (elseBegin()) {
      otherwise();
    }
    ifEnd();
  }
  void forBegin(const Operand &lo, const Operand &hi, const Operand &step = {},
                const pv_loop_options *options = nullptr) {
    check(pv_for_begin(b_, lo.get(), hi.get(), step.get(), options));
  }
  void whileBegin() { check(pv_while_begin(b_)); }
  bool whileCondition(const Operand &cond) {
    int enter = 0;
    check(pv_while_condition(b_, cond.get(), &enter));
    return enter != 0;
  }
  bool loopNext() {
    int go = 0;
    check(pv_loop_next(b_, &go));
    return go != 0;
  }
  Value forIndex() {
    return out([&](pv_value **o) { return pv_for_index(b_, o); });
  }
  void loopEnd() { check(pv_loop_end(b_)); }
  template <typename Body> void for_(const Operand &lo, const Operand &hi, const Operand &step, Body &&body) {
    forBegin(lo, hi, step);
    while (loopNext()) {
      body(forIndex());
    }
    loopEnd();
  }
  template <typename Cond, typename Body> void while_(Cond &&cond, Body &&body) {
    whileBegin();
    while (loopNext()) {
      if (whileCondition(cond())) {
        body();
      }
    }
    loopEnd();
  }
  void break_() { check(pv_break(b_)); }
  void continue_() { check(pv_continue(b_)); }
  void return_(const Operand &value = {}) { check(pv_return(b_, value.get())); }
  void callBegin(const std::string &callee) { check(pv_call_begin(b_, callee.c_str())); }
  Value callEnd() {
    return out([&](pv_value **o) { return pv_call_end(b_, o); });
  }
  bool isDead() const { return pv_is_dead(b_) != 0; }

  // Elementwise.
  Value unary(pv_unary_op op, const Operand &x) {
    return out([&](pv_value **o) { return pv_unary(b_, op, x.get(), o); });
  }
  Value binary(pv_binary_op op, const Operand &x, const Operand &y) {
    return out([&](pv_value **o) { return pv_binary(b_, op, x.get(), y.get(), o); });
  }
  Value where(const Operand &cond, const Operand &x, const Operand &y) {
    return out([&](pv_value **o) { return pv_where(b_, cond.get(), x.get(), y.get(), o); });
  }
  Value fma(const Operand &x, const Operand &y, const Operand &z) {
    return out([&](pv_value **o) { return pv_fma(b_, x.get(), y.get(), z.get(), o); });
  }
  Value clamp(const Operand &x, const Operand &lo, const Operand &hi, bool propagateNan = false) {
    return out([&](pv_value **o) { return pv_clamp(b_, x.get(), lo.get(), hi.get(), propagateNan, o); });
  }
  Value softmax(const Operand &x, std::optional<int64_t> dim = {}, bool keepDims = false, bool ieee = false) {
    return out([&](pv_value **o) { return pv_softmax(b_, x.get(), opt(dim), keepDims, ieee, o); });
  }
  Value cast(const Operand &x, DType dtype, const char *rounding = nullptr) {
    return out([&](pv_value **o) { return pv_cast(b_, x.get(), dtype.code, rounding, o); });
  }
  Value bitcast(const Operand &x, DType dtype) {
    return out([&](pv_value **o) { return pv_bitcast(b_, x.get(), dtype.code, o); });
  }
  Value toTensor(const Operand &x) {
    return out([&](pv_value **o) { return pv_to_tensor(b_, x.get(), o); });
  }
  Value toBool(const Operand &x) {
    return out([&](pv_value **o) { return pv_to_bool(b_, x.get(), o); });
  }
  DType promote(pv_binary_op op, const Operand &x, const Operand &y) {
    pv_dtype d = PV_NONE;
    check(pv_promote(b_, op, x.get(), y.get(), &d));
    return DType(d);
  }

  // Creation and shape.
  Value programId(int axis) {
    return out([&](pv_value **o) { return pv_program_id(b_, axis, o); });
  }
  Value numPrograms(int axis) {
    return out([&](pv_value **o) { return pv_num_programs(b_, axis, o); });
  }
  Value arange(int64_t start, int64_t end) {
    return out([&](pv_value **o) { return pv_arange(b_, start, end, o); });
  }
  Value full(Ints shape, const Operand &value, DType dtype = {}) {
    return out([&](pv_value **o) { return pv_full(b_, shape.data(), shape.size(), value.get(), dtype.code, o); });
  }
  Value full(std::initializer_list<int64_t> shape, const Operand &value, DType dtype = {}) {
    return full(ints(shape), value, dtype);
  }
  Value zeros(std::initializer_list<int64_t> shape, DType dtype) { return full(ints(shape), 0, dtype); }
  Value zerosLike(const Operand &x) {
    return out([&](pv_value **o) { return pv_zeros_like(b_, x.get(), o); });
  }
  Value expandDims(const Operand &x, Ints axes) {
    return out([&](pv_value **o) { return pv_expand_dims(b_, x.get(), axes.data(), axes.size(), o); });
  }
  Value expandDims(const Operand &x, std::initializer_list<int64_t> axes) { return expandDims(x, ints(axes)); }
  Value squeeze(const Operand &x, int64_t axis) {
    return out([&](pv_value **o) { return pv_squeeze(b_, x.get(), axis, o); });
  }
  std::pair<Value, Value> broadcast(const Operand &x, const Operand &y) {
    return out2([&](pv_value **o, pv_value **p) { return pv_broadcast(b_, x.get(), y.get(), o, p); });
  }
  Value broadcastTo(const Operand &x, Ints shape) {
    return out([&](pv_value **o) { return pv_broadcast_to(b_, x.get(), shape.data(), shape.size(), o); });
  }
  Value broadcastTo(const Operand &x, std::initializer_list<int64_t> shape) { return broadcastTo(x, ints(shape)); }
  Value reshape(const Operand &x, Ints shape) {
    return out([&](pv_value **o) { return pv_reshape(b_, x.get(), shape.data(), shape.size(), o); });
  }
  Value reshape(const Operand &x, std::initializer_list<int64_t> shape) { return reshape(x, ints(shape)); }
  Value trans(const Operand &x) {
    return out([&](pv_value **o) { return pv_trans(b_, x.get(), nullptr, 0, o); });
  }
  Value permute(const Operand &x, Ints order) {
    return out([&](pv_value **o) { return pv_trans(b_, x.get(), order.data(), order.size(), o); });
  }
  Value permute(const Operand &x, std::initializer_list<int64_t> order) { return permute(x, ints(order)); }
  Value join(const Operand &x, const Operand &y) {
    return out([&](pv_value **o) { return pv_join(b_, x.get(), y.get(), o); });
  }
  std::pair<Value, Value> split(const Operand &x) {
    return out2([&](pv_value **o, pv_value **p) { return pv_split(b_, x.get(), o, p); });
  }
  Value interleave(const Operand &x, const Operand &y) {
    return out([&](pv_value **o) { return pv_interleave(b_, x.get(), y.get(), o); });
  }
  Value cat(const Operand &x, const Operand &y, int64_t axis = 0) {
    return out([&](pv_value **o) { return pv_cat(b_, x.get(), y.get(), axis, o); });
  }
  Value gather(const Operand &x, const Operand &index, int64_t axis) {
    return out([&](pv_value **o) { return pv_gather(b_, x.get(), index.get(), axis, o); });
  }
  Value flip(const Operand &x, std::optional<int64_t> axis = {}) {
    return out([&](pv_value **o) { return pv_flip(b_, x.get(), opt(axis), o); });
  }
  std::pair<Value, Value> swizzle2d(const Operand &i, const Operand &j, const Operand &sizeI, const Operand &sizeJ,
                                    const Operand &sizeG) {
    return out2([&](pv_value **o, pv_value **p) {
      return pv_swizzle2d(b_, i.get(), j.get(), sizeI.get(), sizeJ.get(), sizeG.get(), o, p);
    });
  }
  Value index(const Operand &x, std::span<const pv_index_item> items) {
    return out([&](pv_value **o) { return pv_index(b_, x.get(), items.data(), items.size(), o); });
  }

  // Memory.
  Value load(const Operand &pointer, const Access &access = {}) {
    pv_access a = access.raw();
    return out([&](pv_value **o) { return pv_load(b_, pointer.get(), &a, o); });
  }
  void store(const Operand &pointer, const Operand &value, const Access &access = {}) {
    pv_access a = access.raw();
    check(pv_store(b_, pointer.get(), value.get(), &a));
  }
  Value atomic(pv_atomic_op op, const Operand &pointer, const Operand &value, const Operand &mask = {},
               const char *sem = nullptr, const char *scope = nullptr) {
    return out([&](pv_value **o) { return pv_atomic(b_, op, pointer.get(), value.get(), mask.get(), sem, scope, o); });
  }
  Value atomicCas(const Operand &pointer, const Operand &cmp, const Operand &value, const char *sem = nullptr,
                  const char *scope = nullptr) {
    return out([&](pv_value **o) { return pv_atomic_cas(b_, pointer.get(), cmp.get(), value.get(), sem, scope, o); });
  }
  Value makeBlockPtr(const Operand &base, Values shape, Values strides, Values offsets, Ints block, Ints order = {}) {
    std::vector<pv_value *> s = sized(shape, block.size(), "shape"), t = sized(strides, block.size(), "strides");
    std::vector<pv_value *> f = sized(offsets, block.size(), "offsets");
    if (!order.empty() && order.size() != block.size()) {
      fail(131, "expected " + std::to_string(block.size()) + " axes in order, got " + std::to_string(order.size()));
    }
    return out([&](pv_value **o) {
      return pv_make_block_ptr(b_, base.get(), s.data(), t.data(), f.data(), block.data(),
                               order.empty() ? nullptr : order.data(), block.size(), o);
    });
  }
  Value advance(const Operand &blockPtr, Values offsets) {
    std::vector<pv_value *> f = detail::handles(offsets);
    return out([&](pv_value **o) { return pv_advance(b_, blockPtr.get(), f.data(), f.size(), o); });
  }
  Value makeDescriptor(const Operand &base, Values shape, Values strides, Ints block, const char *padding = nullptr) {
    std::vector<pv_value *> s = sized(shape, block.size(), "shape"), t = sized(strides, block.size(), "strides");
    return out([&](pv_value **o) {
      return pv_make_descriptor(b_, base.get(), s.data(), t.data(), block.data(), block.size(), padding, o);
    });
  }
  Value descriptorLoad(const Operand &desc, Values offsets) {
    std::vector<pv_value *> f = detail::handles(offsets);
    return out([&](pv_value **o) { return pv_descriptor_load(b_, desc.get(), f.data(), f.size(), o); });
  }
  void descriptorStore(const Operand &desc, Values offsets, const Operand &value) {
    std::vector<pv_value *> f = detail::handles(offsets);
    check(pv_descriptor_store(b_, desc.get(), f.data(), f.size(), value.get()));
  }
  Value descriptorGather(const Operand &desc, const Operand &rows, const Operand &column) {
    return out([&](pv_value **o) { return pv_descriptor_gather(b_, desc.get(), rows.get(), column.get(), o); });
  }
  void descriptorScatter(const Operand &desc, const Operand &value, const Operand &rows, const Operand &column) {
    check(pv_descriptor_scatter(b_, desc.get(), value.get(), rows.get(), column.get()));
  }
  void descriptorAtomic(pv_atomic_op op, const Operand &desc, Values offsets, const Operand &value) {
    std::vector<pv_value *> f = detail::handles(offsets);
    check(pv_descriptor_atomic(b_, op, desc.get(), f.data(), f.size(), value.get()));
  }
  Value part(const Operand &v, pv_part which, size_t axis = 0) {
    return out([&](pv_value **o) { return pv_aggregate_part(b_, v.get(), which, axis, o); });
  }

  // Contraction, reduction, scan, order.
  Value dot(const Operand &x, const Operand &y, const DotOptions &options = {}) {
    pv_dot_options d{};
    d.acc = options.acc.get();
    d.input_precision = options.inputPrecision.c_str();
    d.has_allow_tf32 = options.allowTf32.has_value();
    d.allow_tf32 = options.allowTf32.value_or(false);
    d.has_max_num_imprecise_acc = options.maxNumImpreciseAcc.has_value();
    d.max_num_imprecise_acc = options.maxNumImpreciseAcc.value_or(0);
    d.out_dtype = options.outDType.code;
    return out([&](pv_value **o) { return pv_dot(b_, x.get(), y.get(), &d, o); });
  }
  Value dotScaled(const ScaledSide &lhs, const ScaledSide &rhs, const Operand &acc = {}, bool fastMath = false,
                  DType outDType = {}) {
    pv_scaled l = lhs.raw(), r = rhs.raw();
    return out([&](pv_value **o) { return pv_dot_scaled(b_, &l, &r, acc.get(), fastMath, outDType.code, o); });
  }
  Value reduce(pv_reduce_op op, const Operand &x, std::optional<int64_t> axis = {}, bool keepDims = false,
               DType dtype = {}) {
    return out([&](pv_value **o) { return pv_reduce(b_, op, x.get(), opt(axis), keepDims, dtype.code, o); });
  }
  std::pair<Value, Value> reduceWithIndex(pv_reduce_op op, const Operand &x, std::optional<int64_t> axis,
                                          bool tieBreakLeft = true, bool keepDims = false) {
    return out2([&](pv_value **o, pv_value **p) {
      return pv_reduce_with_index(b_, op, x.get(), opt(axis), tieBreakLeft, keepDims, o, p);
    });
  }
  Value cumulate(pv_reduce_op op, const Operand &x, int64_t axis, bool reverse = false, DType dtype = {}) {
    return out([&](pv_value **o) { return pv_cumulate(b_, op, x.get(), axis, reverse, dtype.code, o); });
  }
  // combine: takes 2n scalars (left sides, then right sides), gives n.
  template <typename Combine>
  std::vector<Value> reduce(Values xs, std::optional<int64_t> axis, Combine &&combine, bool keepDims = false) {
    std::vector<pv_value *> x = detail::handles(xs), args(2 * xs.size() + 1), outs(xs.size() + 1);
    check(pv_reduce_begin(b_, x.data(), x.size(), opt(axis), keepDims, args.data()));
    std::vector<Value> results = combine(adopt(args.data(), 2 * xs.size()));
    std::vector<pv_value *> r = sized(results, xs.size(), "results of the combine function");
    check(pv_reduce_end(b_, r.data(), r.size(), outs.data()));
    return adopt(outs.data(), xs.size());
  }
  template <typename Combine>
  std::vector<Value> scan(Values xs, int64_t axis, Combine &&combine, bool reverse = false) {
    std::vector<pv_value *> x = detail::handles(xs), args(2 * xs.size() + 1), outs(xs.size() + 1);
    check(pv_scan_begin(b_, x.data(), x.size(), axis, reverse, args.data()));
    std::vector<Value> results = combine(adopt(args.data(), 2 * xs.size()));
    std::vector<pv_value *> r = sized(results, xs.size(), "results of the combine function");
    check(pv_scan_end(b_, r.data(), r.size(), outs.data()));
    return adopt(outs.data(), xs.size());
  }
  // f: takes pack scalars per tile, gives pack scalars per result.
  template <typename F> std::vector<Value> map(Values xs, F &&f, int64_t pack = 1) {
    // begin says what is wrong with the pack; until then it must not size anything.
    size_t each = pack > 0 && pack <= (int64_t(1) << 20) ? static_cast<size_t>(pack) : 0;
    std::vector<pv_value *> x = detail::handles(xs), args(each * xs.size() + 1);
    check(pv_map_begin(b_, x.data(), x.size(), pack, args.data()));
    std::vector<Value> results = f(adopt(args.data(), each * xs.size()));
    std::vector<pv_value *> r = detail::handles(results), outs(results.size() + 1);
    check(pv_map_end(b_, r.data(), r.size(), outs.data()));
    return adopt(outs.data(), results.size() / each);
  }
  Value sort(const Operand &x, std::optional<int64_t> axis = {}, bool descending = false) {
    return out([&](pv_value **o) { return pv_sort(b_, x.get(), opt(axis), descending, o); });
  }
  Value topk(const Operand &x, int64_t k, std::optional<int64_t> axis = {}, bool descending = true) {
    return out([&](pv_value **o) { return pv_topk(b_, x.get(), k, opt(axis), descending, o); });
  }
  Value histogram(const Operand &x, int64_t bins, const Operand &mask = {}) {
    return out([&](pv_value **o) { return pv_histogram(b_, x.get(), bins, mask.get(), o); });
  }

  // Random numbers.
  std::vector<Value> philox(const Operand &seed, const Operand (&c)[4], int rounds = 10) {
    pv_value *counters[4] = {c[0].get(), c[1].get(), c[2].get(), c[3].get()}, *outs[4];
    check(pv_philox(b_, seed.get(), counters, rounds, outs));
    return adopt(outs, 4);
  }
  std::vector<Value> philoxImpl(const Operand (&c)[4], const Operand (&k)[2], int rounds = 10) {
    pv_value *counters[4] = {c[0].get(), c[1].get(), c[2].get(), c[3].get()}, *outs[4];
    pv_value *keys[2] = {k[0].get(), k[1].get()};
    check(pv_philox_impl(b_, counters, keys, rounds, outs));
    return adopt(outs, 4);
  }
  Value random(pv_random_kind kind, const Operand &seed, const Operand &offset, int rounds = 10) {
    return out([&](pv_value **o) { return pv_random(b_, kind, seed.get(), offset.get(), rounds, o); });
  }
  std::vector<Value> random4(pv_random_kind kind, const Operand &seed, const Operand &offset, int rounds = 10) {
    pv_value *outs[4];
    check(pv_random4(b_, kind, seed.get(), offset.get(), rounds, outs));
    return adopt(outs, 4);
  }
  Value uintToUniformFloat(const Operand &x) {
    return out([&](pv_value **o) { return pv_uint_to_uniform_float(b_, x.get(), o); });
  }
  std::pair<Value, Value> pairUniformToNormal(const Operand &u1, const Operand &u2) {
    return out2([&](pv_value **o, pv_value **p) { return pv_pair_uniform_to_normal(b_, u1.get(), u2.get(), o, p); });
  }

  // Hints, debugging, escape hatch.
  Value hint(pv_hint hint, const Operand &x, Ints values) {
    return out([&](pv_value **o) { return pv_hint_values(b_, hint, x.get(), values.data(), values.size(), o); });
  }
  void assume(const Operand &cond) { check(pv_assume(b_, cond.get())); }
  void deviceAssert(const Operand &cond, const std::string &message, const Operand &mask = {}) {
    check(pv_device_assert(b_, cond.get(), message.c_str(), mask.get()));
  }
  void devicePrint(const std::string &prefix, Values values, bool hex = false) {
    std::vector<pv_value *> v = detail::handles(values);
    check(pv_device_print(b_, prefix.c_str(), v.data(), v.size(), hex));
  }
  void debugBarrier() { check(pv_debug_barrier(b_)); }
  std::vector<Value> inlineAsm(const std::string &text, const std::string &constraints, Values args,
                               std::span<const DType> dtypes, bool isPure = true, int pack = 1) {
    std::vector<pv_value *> v = detail::handles(args), outs(dtypes.size() + 1);
    std::vector<pv_dtype> types;
    for (DType d : dtypes) {
      types.push_back(d.code);
    }
    check(pv_inline_asm(b_, text.c_str(), constraints.c_str(), v.data(), v.size(), types.data(), types.size(), isPure,
                        pack, outs.data()));
    return adopt(outs.data(), types.size());
  }

private:
  static Builder *&current_() {
    static thread_local Builder *current = nullptr;
    return current;
  }
  static Ints ints(std::initializer_list<int64_t> l) { return Ints(l.begin(), l.size()); }
  static const int64_t *opt(const std::optional<int64_t> &x) { return x ? &*x : nullptr; }
  static std::vector<pv_param> rawParams(std::span<const Param> params) {
    std::vector<pv_param> raw;
    for (const Param &p : params) {
      raw.push_back({p.name.c_str(), p.dtype.code, p.divisibility, p.memory});
    }
    return raw;
  }
  static std::vector<Value> adopt(pv_value **v, size_t n) {
    std::vector<Value> r;
    for (size_t i = 0; i < n; ++i) {
      r.push_back(Value::adopt(v[i]));
    }
    return r;
  }
  void check(int status) const {
    if (status) {
      detail::raise(b_);
    }
  }
  std::vector<pv_value *> sized(Values v, size_t n, const char *what) {
    if (v.size() != n) {
      fail(131, "expected " + std::to_string(n) + " " + what + ", got " + std::to_string(v.size()));
    }
    return detail::handles(v);
  }
  template <typename F> Value out(F &&f) {
    pv_value *o = nullptr;
    check(f(&o));
    return Value::adopt(o);
  }
  template <typename F> std::pair<Value, Value> out2(F &&f) {
    pv_value *o = nullptr, *p = nullptr;
    check(f(&o, &p));
    return {Value::adopt(o), Value::adopt(p)};
  }

  pv_builder *b_;
  bool owned_;
  size_t eagerParams_ = 0;
};

// ---- Operators on values, through the current builder ---------------------------------------------------------------

#define PAVAGE_BINARY(SYMBOL, OP)                                                                                      \
  inline Value operator SYMBOL(const Value &x, const Value &y) { return Builder::current().binary(OP, x, y); }         \
  template <typename T>                                                                                                \
    requires std::is_arithmetic_v<T>                                                                                   \
  Value operator SYMBOL(const Value &x, T y) {                                                                         \
    return Builder::current().binary(OP, x, y);                                                                        \
  }                                                                                                                    \
  template <typename T>                                                                                                \
    requires std::is_arithmetic_v<T>                                                                                   \
  Value operator SYMBOL(T x, const Value &y) {                                                                         \
    return Builder::current().binary(OP, x, y);                                                                        \
  }
PAVAGE_BINARY(+, PV_ADD)
PAVAGE_BINARY(-, PV_SUB)
PAVAGE_BINARY(*, PV_MUL)
PAVAGE_BINARY(/, PV_DIV)
PAVAGE_BINARY(%, PV_MOD)
PAVAGE_BINARY(&, PV_AND)
PAVAGE_BINARY(|, PV_OR)
PAVAGE_BINARY(^, PV_XOR)
PAVAGE_BINARY(<<, PV_SHL)
PAVAGE_BINARY(>>, PV_SHR)
PAVAGE_BINARY(==, PV_EQ)
PAVAGE_BINARY(!=, PV_NE)
PAVAGE_BINARY(<, PV_LT)
PAVAGE_BINARY(<=, PV_LE)
PAVAGE_BINARY(>, PV_GT)
PAVAGE_BINARY(>=, PV_GE)
#undef PAVAGE_BINARY
inline Value operator-(const Value &x) { return Builder::current().unary(PV_NEG, x); }
inline Value operator~(const Value &x) { return Builder::current().unary(PV_INVERT, x); }

} // namespace pavage

#endif // PAVAGE_BUILDER_H
