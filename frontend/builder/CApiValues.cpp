// The C interface: builders, errors, places, values, kernels. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/builder/CApi.h"
#include "llvm/ADT/APInt.h"
#include <cstring>

using namespace pavage;
using namespace pavage::builder;

//===----------------------------------------------------------------------===//
// Builders and errors
//===----------------------------------------------------------------------===//

namespace {
struct ThreadError {
  errors::Error error;
  std::vector<pv_note> notes;
};
} // namespace

static ThreadError &threadError() {
  static thread_local ThreadError instance;
  return instance;
}

int builder::failOnThread(errors::Error error) {
  threadError().error = std::move(error);
  return static_cast<int>(threadError().error.number());
}

void builder::succeedOnThread() { threadError().error = {}; }

int builder::numberOfError(Session &s) {
  if (!s.hasError()) {
    s.fail(Code::Internal, "expected a reason for a failed call, got none");
  }
  return static_cast<int>(s.error.number());
}

static void describeError(const errors::Error &error, std::vector<pv_note> &notes, pv_error_info *out) {
  notes.clear();
  auto file = [](const Position &at) { return at.file.empty() ? nullptr : at.file.c_str(); };
  for (const errors::Note &n : error.notes()) {
    notes.push_back({n.text.c_str(), file(n.at), static_cast<int>(n.at.line), static_cast<int>(n.at.column)});
  }
  const Position &at = error.at();
  *out = {static_cast<int>(error.number()), error.text().c_str(), file(at),    static_cast<int>(at.line),
          static_cast<int>(at.column),      notes.size(),         notes.data()};
}

extern "C" {

int pv_abi_version(void) { return PV_ABI_VERSION; }

pv_builder *pv_builder_create(void) { return new pv_builder; }
void pv_builder_destroy(pv_builder *b) { delete b; }

void pv_error(const pv_builder *given, pv_error_info *out) {
  if (!given) {
    return describeError(threadError().error, threadError().notes, out);
  }
  auto *b = const_cast<pv_builder *>(given);
  describeError(b->error, b->notesOut, out);
}

int pv_fail(pv_builder *b, int number, const char *message) {
  if (!b) {
    return failOnThread(errors::Error(static_cast<unsigned>(number), text(message).str()));
  }
  b->fail(static_cast<unsigned>(number), text(message));
  return number;
}

void pv_add_note(pv_builder *b, const char *message, const char *file, int line, int column) {
  errors::Error &error = b ? b->error : threadError().error;
  error = std::move(error).withNote(text(message).str(),
                                    {text(file).str(), static_cast<unsigned>(line), static_cast<unsigned>(column)});
}

void pv_set_location(pv_builder *b, const char *file, int line, int column) {
  if (b->here.file != text(file)) {
    b->here.file = text(file).str();
  }
  b->here.line = static_cast<unsigned>(std::max(line, 0));
  b->here.column = static_cast<unsigned>(std::max(column, 0));
}

void pv_get_location(const pv_builder *b, const char **file, int *line, int *column) {
  *file = b->here.file.c_str();
  *line = static_cast<int>(b->here.line);
  *column = static_cast<int>(b->here.column);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

pv_value *pv_retain(pv_value *v) {
  v->retain();
  return v;
}

void pv_release(pv_value *v) {
  if (v) {
    v->release();
  }
}

pv_kind pv_value_kind(const pv_value *v) { return v->kind; }
pv_dtype pv_value_dtype(const pv_value *v) { return v->dtype.code; }
size_t pv_value_rank(const pv_value *v) { return v->shape.size(); }
const int64_t *pv_value_shape(const pv_value *v) { return v->shape.data(); }
int64_t pv_value_numel(const pv_value *v) { return v->numElements(); }

const char *pv_value_type_text(const pv_value *v) {
  v->typeText = describe(*v);
  return v->typeText.c_str();
}

int pv_value_constant_int(const pv_value *v, int64_t *out) {
  if (!v->isNumberLike() || !v->number || v->number->isFloat) {
    return 0;
  }
  *out = static_cast<int64_t>(v->number->integer);
  return 1;
}

int pv_value_constant_float(const pv_value *v, double *out) {
  if (!v->isNumberLike() || !v->number) {
    return 0;
  }
  *out = v->number->asDouble();
  return 1;
}

static pv_value *owned(const Ref &value) {
  pv_value *out;
  give(value, &out);
  return out;
}

pv_value *pv_literal_bool(int value) { return owned(literalBool(value != 0)); }
pv_value *pv_literal_int(int64_t value) { return owned(literalInt(value)); }
pv_value *pv_literal_uint(uint64_t value) { return owned(literalInt(value)); }
pv_value *pv_literal_float(double value) { return owned(literalFloat(value)); }

int pv_literal_integer(pv_builder *b, const char *decimal, pv_value **out) {
  return callForValue(b, out, [&](Session &s) -> Ref {
    llvm::StringRef digits = text(decimal);
    bool isNegative = digits.consume_front("-");
    llvm::APInt value;
    if (digits.empty() || digits.getAsInteger(10, value)) {
      return s.fail(Code::BuilderMisuse, "expected decimal digits, got '" + text(decimal) + "'");
    }
    Wide limit = Wide(1) << 64;
    Wide number = value.getActiveBits() > 64 ? limit : Wide(value.getZExtValue());
    number = isNegative ? -number : number;
    if (number >= limit || number < -(Wide(1) << 63)) {
      return s.fail(Code::LiteralOutOfRange, "expected an integer of at most 64 bits, got " + text(decimal));
    }
    return literalInt(number);
  });
}

pv_value *pv_tuple(pv_value *const *items, size_t count) { return owned(makeTuple(refs(items, count))); }
size_t pv_tuple_size(const pv_value *v) { return v->kind == PV_KIND_TUPLE ? v->items.size() : 0; }

pv_value *pv_tuple_item(const pv_value *v, size_t i) {
  return v->kind == PV_KIND_TUPLE && i < v->items.size() ? owned(v->items[i]) : nullptr;
}

pv_value *pv_opaque(uint64_t id, const char *name, void (*drop)(void *, uint64_t), void *context) {
  Ref r(new pv_value(PV_KIND_OPAQUE));
  r->id = id;
  r->name = text(name).str();
  r->drop = drop;
  r->dropContext = context;
  return owned(r);
}

uint64_t pv_opaque_id(const pv_value *v) { return v->id; }

size_t pv_value_nbytes(const pv_value *v) {
  return v->isNumberLike() ? static_cast<size_t>(v->numElements()) * v->dtype.bytes() : 0;
}

int pv_value_read(pv_builder *b, const pv_value *v, void *out, size_t nbytes) {
  return call(b, [&](Session &s) -> bool {
    std::string bytes;
    if (!s.readElements(v, bytes)) {
      return false;
    }
    if (bytes.size() != nbytes) {
      return s.fail(Code::WrongCount,
                    "expected room for " + llvm::Twine(bytes.size()) + " bytes, got " + llvm::Twine(nbytes));
    }
    std::memcpy(out, bytes.data(), nbytes);
    return true;
  });
}

const char *pv_value_text(pv_builder *b, const pv_value *v, size_t maxItems) {
  b->scratchText = b->textOf(v, maxItems);
  return b->scratchText.c_str();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

int pv_kernel_begin(pv_builder *b, const char *name, const char *file, int line, const pv_param *params, size_t count,
                    pv_value **args) {
  return callForMany(b, args, [&](Session &s, Refs &outs) {
    return s.kernelBegin(text(name), text(file), line, {params, count}, outs);
  });
}

int pv_kernel_hint(pv_builder *b, const char *name, int64_t value) {
  return call(
      b, [&](Session &s) { return s.checkOpen() && s.kernelHint(text(name), s.builder().getI64IntegerAttr(value)); });
}

int pv_kernel_hint_text(pv_builder *b, const char *name, const char *value) {
  return call(
      b, [&](Session &s) { return s.checkOpen() && s.kernelHint(text(name), s.builder().getStringAttr(text(value))); });
}

int pv_kernel_end(pv_builder *b, pv_module **out) {
  return call(b, [&](Session &s) {
    pv_module *m = s.kernelEnd();
    if (m) {
      *out = m;
    }
    return m != nullptr;
  });
}

void pv_kernel_abandon(pv_builder *b) { b->abandon(); }

int pv_eager_begin(pv_builder *b, const char *name, const char *file, int line, const pv_param *params, size_t count,
                   const pv_arg *args, const int64_t grid[3], pv_print_fn print, void *context) {
  return call(b, [&](Session &s) {
    return s.eagerBegin(text(name), text(file), line, {params, count}, {args, count}, grid, print, context);
  });
}

int pv_eager_program(pv_builder *b, const int64_t id[3], pv_value **args) {
  return callForMany(b, args, [&](Session &s, Refs &outs) { return s.eagerProgram(id, outs); });
}

int pv_eager_end(pv_builder *b) {
  return call(b, [](Session &s) { return s.eagerEnd(); });
}

int pv_is_eager(const pv_builder *b) { return b->isEager(); }

} // extern "C"
