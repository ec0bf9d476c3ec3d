// value.h: values, operands, variables and modules of the builder, as C++. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#ifndef PAVAGE_VALUE_H
#define PAVAGE_VALUE_H

#include <pavage/dtype.h>
#include <pavage/error.h>

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace pavage {

class Value {
public:
  Value() = default;
  // Takes over one count.
  static Value adopt(pv_value *v) {
    Value r;
    r.v_ = v;
    return r;
  }
  static Value share(pv_value *v) { return adopt(v ? pv_retain(v) : nullptr); }
  Value(const Value &o) : v_(o.v_ ? pv_retain(o.v_) : nullptr) {}
  Value(Value &&o) noexcept : v_(std::exchange(o.v_, nullptr)) {}
  Value &operator=(Value o) noexcept {
    std::swap(v_, o.v_);
    return *this;
  }
  ~Value() {
    if (v_) {
      pv_release(v_);
    }
  }

  explicit operator bool() const { return v_ != nullptr; } // whether there is a value at all
  pv_value *get() const { return v_; }
  pv_value *release() { return std::exchange(v_, nullptr); }

  pv_kind kind() const { return pv_value_kind(v_); }
  bool isLiteral() const { return kind() >= PV_KIND_LITERAL_BOOL && kind() <= PV_KIND_LITERAL_FLOAT; }
  DType dtype() const { return DType(pv_value_dtype(v_)); }
  size_t rank() const { return pv_value_rank(v_); }
  std::vector<int64_t> shape() const {
    const int64_t *s = pv_value_shape(v_);
    return std::vector<int64_t>(s, s + rank());
  }
  int64_t numel() const { return pv_value_numel(v_); }
  std::string typeText() const { return pv_value_type_text(v_); }
  std::optional<int64_t> constantInt() const {
    int64_t x;
    return pv_value_constant_int(v_, &x) ? std::optional<int64_t>(x) : std::nullopt;
  }
  std::optional<double> constantFloat() const {
    double x;
    return pv_value_constant_float(v_, &x) ? std::optional<double>(x) : std::nullopt;
  }
  size_t tupleSize() const { return pv_tuple_size(v_); }
  Value item(size_t i) const { return adopt(pv_tuple_item(v_, i)); }

  static Value literal(bool x) { return adopt(pv_literal_bool(x)); }
  template <std::signed_integral T> static Value literal(T x) { return adopt(pv_literal_int(x)); }
  template <std::unsigned_integral T>
    requires(!std::same_as<T, bool>)
  static Value literal(T x) {
    return adopt(pv_literal_uint(x));
  }
  template <std::floating_point T> static Value literal(T x) { return adopt(pv_literal_float(static_cast<double>(x))); }
  static Value tuple(std::span<const Value> items);

private:
  pv_value *v_ = nullptr;
};

namespace detail {
inline std::vector<pv_value *> handles(std::span<const Value> values) {
  std::vector<pv_value *> r;
  r.reserve(values.size());
  for (const Value &v : values) {
    r.push_back(v.get());
  }
  return r;
}
} // namespace detail

inline Value Value::tuple(std::span<const Value> items) {
  std::vector<pv_value *> h = detail::handles(items);
  return adopt(pv_tuple(h.data(), h.size()));
}

// A value or a plain number: what an argument of an operation may be.
class Operand {
public:
  Operand() = default; // absent
  Operand(Value v) : v_(std::move(v)) {}
  template <typename T>
    requires std::is_arithmetic_v<T>
  Operand(T x) : v_(Value::literal(x)) {}
  pv_value *get() const { return v_.get(); }
  const Value &value() const { return v_; }
  explicit operator bool() const { return static_cast<bool>(v_); }

private:
  Value v_;
};

class Variable {
public:
  Variable() = default;
  explicit Variable(pv_variable *v) : v_(v) {}
  pv_variable *get() const { return v_; }
  explicit operator bool() const { return v_ != nullptr; }

private:
  pv_variable *v_ = nullptr;
};

struct Param {
  std::string name;
  DType dtype;
  int64_t divisibility = 0;
  int64_t memory = 0;
};

// A recorded kernel.
class Module {
public:
  Module() = default;
  explicit Module(pv_module *m) : m_(m) {}
  Module(Module &&o) noexcept : m_(std::exchange(o.m_, nullptr)) {}
  Module &operator=(Module &&o) noexcept {
    std::swap(m_, o.m_);
    return *this;
  }
  ~Module() {
    if (m_) {
      pv_module_destroy(m_);
    }
  }
  explicit operator bool() const { return m_ != nullptr; }
  pv_module *get() const { return m_; }
  pv_module *release() { return std::exchange(m_, nullptr); }
  std::string kernel() const { return pv_module_kernel(m_); }
  std::string text(bool withLocations = false) const {
    char *s = pv_module_text(m_, withLocations);
    std::string r = s ? s : "";
    pv_string_free(s);
    return r;
  }

private:
  pv_module *m_ = nullptr;
};

namespace detail {
[[noreturn]] inline void raise(const pv_builder *b) {
  pv_error_info e;
  pv_error(b, &e);
  std::vector<Error::Note> notes;
  for (size_t i = 0; i < e.num_notes; ++i) {
    const pv_note &n = e.notes[i];
    notes.push_back({n.text, {n.file ? n.file : "", n.line, n.column}});
  }
  throw Error(e.number, e.text ? e.text : "", {e.file ? e.file : "", e.line, e.column}, std::move(notes));
}
} // namespace detail

// Options of loads and stores; see pv_access.
struct Access {
  Operand mask = {}, other = {};
  std::vector<int64_t> boundaryCheck = {};
  std::string padding = {}, cache = {}, eviction = {};
  bool isVolatile = false;

  pv_access raw() const {
    pv_access a{};
    a.mask = mask.get();
    a.other = other.get();
    a.boundary_check = boundaryCheck.data();
    a.num_boundary_check = boundaryCheck.size();
    a.padding = padding.c_str();
    a.cache = cache.c_str();
    a.eviction = eviction.c_str();
    a.is_volatile = isVolatile;
    return a;
  }
};

// One side of dotScaled; see pv_scaled.
struct ScaledSide {
  Value elements, scale = {};
  std::string format;
  bool packsOuter = false;

  pv_scaled raw() const { return {elements.get(), scale.get(), format.c_str(), packsOuter}; }
};

struct DotOptions {
  Value acc = {};
  std::string inputPrecision = {};
  std::optional<bool> allowTf32 = {};
  std::optional<int64_t> maxNumImpreciseAcc = {};
  DType outDType = {};
};

} // namespace pavage

#endif // PAVAGE_VALUE_H
