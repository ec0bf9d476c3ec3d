// How the C interface calls the session. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_FRONTEND_BUILDER_CAPI_H
#define PAVAGE_FRONTEND_BUILDER_CAPI_H

#include "frontend/builder/Session.h"
#include "frontend/builder/ThreadError.h"

namespace pavage::builder {

/// The number of the error a call ends with.
int numberOfError(Session &s);

/// Runs `body` on a builder, evaluates what it recorded, and hands the values out.
template <typename BodyT> int call(pv_builder *b, BodyT body) {
  if (!b) {
    return failOnThread(errors::Error(Code::BuilderMisuse, "expected a builder, got null"));
  }
  b->clearError();
  if (!body(*b) || !b->flush()) {
    return numberOfError(*b);
  }
  return 0;
}

inline void give(const Ref &value, pv_value **out) {
  if (value) {
    value->retain();
  }
  *out = value.get();
}

/// For calls with one value as result.
template <typename BodyT> int callForValue(pv_builder *b, pv_value **out, BodyT body) {
  Ref value;
  int status = call(b, [&](Session &s) {
    value = body(s);
    return static_cast<bool>(value);
  });
  if (status == 0) {
    give(value, out);
  }
  return status;
}

/// For calls with two values; either pointer may be null.
template <typename BodyT> int callForTwo(pv_builder *b, pv_value **first, pv_value **second, BodyT body) {
  Operands values;
  int status = call(b, [&](Session &s) {
    values = body(s);
    return static_cast<bool>(values);
  });
  if (status == 0) {
    if (first) {
      give(values.x, first);
    }
    if (second) {
      give(values.y, second);
    }
  }
  return status;
}

/// For calls with a list of values.
template <typename BodyT> int callForMany(pv_builder *b, pv_value **outs, BodyT body) {
  Refs values;
  int status = call(b, [&](Session &s) { return body(s, values); });
  for (size_t i = 0; status == 0 && i < values.size(); ++i) {
    give(values[i], outs + i);
  }
  return status;
}

inline Refs refs(pv_value *const *values, size_t count) { return Refs(values, values + count); }
inline llvm::StringRef text(const char *s) { return s ? s : ""; }
inline std::optional<int64_t> optional(const int64_t *value) {
  return value ? std::optional<int64_t>(*value) : std::nullopt;
}

} // namespace pavage::builder

#endif // PAVAGE_FRONTEND_BUILDER_CAPI_H
