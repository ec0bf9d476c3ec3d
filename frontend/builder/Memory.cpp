// Loads, stores and atomics through pointers. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Tile/TileOps.h"
#include "frontend/builder/MemoryWords.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace pavage;
using namespace pavage::builder;

//===----------------------------------------------------------------------===//
// Words for hints
//===----------------------------------------------------------------------===//

static StringRef orEmpty(const char *text) { return text ? text : ""; }

std::optional<tile::Cache> builder::parseCache(Session &s, StringRef text, bool isLoad) {
  using tile::Cache;
  auto cache = llvm::StringSwitch<std::optional<Cache>>(text)
                   .Case("", Cache::None)
                   .Case(".cg", Cache::CG)
                   .Case(".cs", Cache::CS)
                   .Case(".ca", isLoad ? std::optional(Cache::CA) : std::nullopt)
                   .Case(".cv", isLoad ? std::optional(Cache::CV) : std::nullopt)
                   .Case(".wb", isLoad ? std::nullopt : std::optional(Cache::WB))
                   .Case(".wt", isLoad ? std::nullopt : std::optional(Cache::WT))
                   .Default(std::nullopt);
  if (!cache) {
    s.fail(Code::BadAccessOption,
           Twine("expected a cache modifier of ") +
               (isLoad ? "'.ca', '.cg', '.cs', '.cv' for a load" : "'.wb', '.cg', '.cs', '.wt' for a store") +
               ", got '" + text + "'");
  }
  return cache;
}

std::optional<tile::Eviction> builder::parseEviction(Session &s, StringRef text) {
  using tile::Eviction;
  auto eviction = llvm::StringSwitch<std::optional<Eviction>>(text)
                      .Cases({"", "evict_normal"}, Eviction::Normal)
                      .Case("evict_first", Eviction::First)
                      .Case("evict_last", Eviction::Last)
                      .Default(std::nullopt);
  if (!eviction) {
    s.fail(Code::BadAccessOption,
           "expected an eviction policy of 'evict_first', 'evict_last', 'evict_normal', got '" + text + "'");
  }
  return eviction;
}

std::optional<bool> builder::parsePadding(Session &s, StringRef text, DType element) {
  if (text.empty() || text == "zero") {
    return false;
  }
  if (text != "nan") {
    s.fail(Code::BadAccessOption, "expected a padding of 'zero' or 'nan', got '" + text + "'");
    return std::nullopt;
  }
  if (!element.isFloat()) {
    s.fail(Code::BadAccessOption, "expected floats for the padding 'nan', got " + element.name());
    return std::nullopt;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// The mask as int1 in the pointer's shape; none gives a null value.
bool Session::accessMask(const Ref &pointer, const Ref &mask, mlir::Value &out) {
  out = {};
  if (!mask) {
    return true;
  }
  if (!checkNumber(mask, "a mask")) {
    return false;
  }
  if (mask->dtype.isFloat() || mask->dtype.isPointer()) {
    return fail(Code::BadMask, "expected a mask of int1, got " + describe(*mask));
  }
  bool fits = mask->shape.empty() || mask->shape.size() == pointer->shape.size();
  for (size_t i = 0; fits && i < mask->shape.size(); ++i) {
    fits = mask->shape[i] == 1 || mask->shape[i] == pointer->shape[i];
  }
  if (!fits) {
    return fail(Code::BadMask,
                "expected a mask of shape " + toString(pointer->shape) + ", the pointer's, got " + describe(*mask));
  }
  Ref truth = toBool(mask);
  truth = truth ? asTileOf(truth, pointer->shape) : Ref();
  out = truth ? truth->ir : mlir::Value();
  return static_cast<bool>(truth);
}

static bool checkPointer(Session &s, const Ref &pointer, const Twine &what) {
  if (!s.checkNumber(pointer, "the pointer of a " + what)) {
    return false;
  }
  return pointer->dtype.isPointer() ||
         s.fail(Code::ExpectedPointer, "expected a pointer for a " + what + ", got " + describe(*pointer));
}

static bool checkPlain(Session &s, const pv_access &access) {
  return (access.num_boundary_check == 0 && orEmpty(access.padding).empty()) ||
         s.fail(Code::BadBlockAccess, "expected a block pointer where boundary_check or padding_option is given, got a "
                                      "pointer; use a mask");
}

/// A value in the pointer's shape and pointee type.
Ref Session::blockValue(const Ref &x, DType pointee, ArrayRef<int64_t> shape) {
  if (!checkNumber(x, "the value to store")) {
    return {};
  }
  Ref v = cast(x, pointee);
  return v ? broadcastTo(v, shape, "the value to store") : Ref();
}

Ref Session::load(const Ref &pointer, const pv_access &access) {
  if (pointer && pointer->kind == PV_KIND_BLOCK_POINTER) {
    return blockAccess(pointer, nullptr, access, nullptr);
  }
  if (!checkEffects("a load") || !checkPointer(*this, pointer, "load") || !checkPlain(*this, access)) {
    return {};
  }
  auto cache = parseCache(*this, orEmpty(access.cache), true);
  auto eviction = cache ? parseEviction(*this, orEmpty(access.eviction)) : std::nullopt;
  mlir::Value mask;
  if (!eviction || !accessMask(pointer, access.mask, mask)) {
    return {};
  }
  DType element = pointer->dtype.pointee();
  Ref other;
  if (access.other) {
    if (!mask) {
      return fail(Code::OtherWithoutMask, "expected a mask where other is given, got none");
    }
    other = checkNumber(access.other, "other") ? cast(access.other, element) : Ref();
    other = other ? broadcastTo(other, pointer->shape, "other") : Ref();
    if (!other) {
      return {};
    }
  }
  Type type = irType(&context(), element, pointer->shape);
  return tile(create<tile::LoadOp>(type, pointer->ir, mask, other ? other->ir : mlir::Value(), *cache, *eviction,
                                   access.is_volatile != 0),
              element);
}

bool Session::store(const Ref &pointer, const Ref &value, const pv_access &access) {
  if (pointer && pointer->kind == PV_KIND_BLOCK_POINTER) {
    return static_cast<bool>(blockAccess(pointer, nullptr, access, &value));
  }
  if (!checkEffects("a store") || !checkPointer(*this, pointer, "store") || !checkPlain(*this, access)) {
    return false;
  }
  if (pointer->dtype.isConst()) {
    return fail(Code::ConstStore, "expected a pointer that may be written, got " + describe(*pointer));
  }
  auto cache = parseCache(*this, orEmpty(access.cache), false);
  auto eviction = cache ? parseEviction(*this, orEmpty(access.eviction)) : std::nullopt;
  mlir::Value mask;
  if (!eviction || !accessMask(pointer, access.mask, mask)) {
    return false;
  }
  Ref v = blockValue(value, pointer->dtype.pointee(), pointer->shape);
  if (!v) {
    return false;
  }
  create<tile::StoreOp>(pointer->ir, v->ir, mask, *cache, *eviction);
  return true;
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

static std::optional<tile::MemOrder> parseOrder(Session &s, StringRef text) {
  using tile::MemOrder;
  auto order = llvm::StringSwitch<std::optional<MemOrder>>(text)
                   .Cases({"", "acq_rel"}, MemOrder::AcqRel)
                   .Case("acquire", MemOrder::Acquire)
                   .Case("release", MemOrder::Release)
                   .Case("relaxed", MemOrder::Relaxed)
                   .Default(std::nullopt);
  if (!order) {
    s.fail(Code::BadAtomicOption, "expected sem of 'acquire', 'release', 'acq_rel', 'relaxed', got '" + text + "'");
  }
  return order;
}

static std::optional<tile::MemScope> parseScope(Session &s, StringRef text) {
  using tile::MemScope;
  auto scope = llvm::StringSwitch<std::optional<MemScope>>(text)
                   .Cases({"", "gpu"}, MemScope::Gpu)
                   .Case("cta", MemScope::Cta)
                   .Case("sys", MemScope::Sys)
                   .Default(std::nullopt);
  if (!scope) {
    s.fail(Code::BadAtomicOption, "expected scope of 'gpu', 'cta', 'sys', got '" + text + "'");
  }
  return scope;
}

std::optional<tile::AtomicKind> builder::atomicKind(pv_atomic_op op, DType d) {
  using tile::AtomicKind;
  bool isInt = d.isInteger() && d.bits() >= 32, isFloat = d == f32 || d == f64;
  switch (op) {
  case PV_ATOMIC_ADD:
    return isInt                              ? std::optional(AtomicKind::AddI)
           : isFloat || d == f16 || d == bf16 ? std::optional(AtomicKind::AddF)
                                              : std::nullopt;
  case PV_ATOMIC_MAX:
    return isFloat  ? std::optional(AtomicKind::MaxF)
           : !isInt ? std::nullopt
                    : std::optional(d.isSigned() ? AtomicKind::MaxS : AtomicKind::MaxU);
  case PV_ATOMIC_MIN:
    return isFloat  ? std::optional(AtomicKind::MinF)
           : !isInt ? std::nullopt
                    : std::optional(d.isSigned() ? AtomicKind::MinS : AtomicKind::MinU);
  case PV_ATOMIC_AND:
    return isInt ? std::optional(AtomicKind::And) : std::nullopt;
  case PV_ATOMIC_OR:
    return isInt ? std::optional(AtomicKind::Or) : std::nullopt;
  case PV_ATOMIC_XOR:
    return isInt ? std::optional(AtomicKind::Xor) : std::nullopt;
  case PV_ATOMIC_XCHG:
    return isInt || isFloat ? std::optional(AtomicKind::Xchg) : std::nullopt;
  }
  return std::nullopt;
}

StringRef builder::atomicName(pv_atomic_op op) {
  static constexpr StringRef names[] = {"", "add", "max", "min", "and", "or", "xor", "xchg"};
  return op >= PV_ATOMIC_ADD && op <= PV_ATOMIC_XCHG ? names[op] : "?";
}

Ref Session::atomic(pv_atomic_op op, const Ref &pointer, const Ref &value, const Ref &mask, StringRef sem,
                    StringRef scopeText) {
  std::string what = ("atomic_" + atomicName(op)).str();
  if (!checkEffects("an " + what) || !checkPointer(*this, pointer, what)) {
    return {};
  }
  DType element = pointer->dtype.pointee();
  if (pointer->dtype.isConst()) {
    return fail(Code::ConstStore, "expected a pointer that may be written, got " + describe(*pointer));
  }
  auto kind = atomicKind(op, element);
  if (!kind) {
    return fail(Code::BadAtomic, "expected elements that " + what +
                                     " knows (integers of 32 or 64 bits, float32, float64; float16 and bfloat16 for "
                                     "add), got " +
                                     element.name());
  }
  auto order = parseOrder(*this, sem);
  auto scope = order ? parseScope(*this, scopeText) : std::nullopt;
  mlir::Value maskIr;
  if (!scope || !accessMask(pointer, mask, maskIr)) {
    return {};
  }
  Ref v = blockValue(value, element, pointer->shape);
  if (!v) {
    return {};
  }
  return tile(create<tile::AtomicRMWOp>(v->ir.getType(), *kind, pointer->ir, v->ir, maskIr, *order, *scope), element);
}

Ref Session::atomicCas(const Ref &pointer, const Ref &compare, const Ref &value, StringRef sem, StringRef scopeText) {
  if (!checkEffects("an atomic_cas") || !checkPointer(*this, pointer, "atomic_cas")) {
    return {};
  }
  DType element = pointer->dtype.pointee();
  if (pointer->dtype.isConst()) {
    return fail(Code::ConstStore, "expected a pointer that may be written, got " + describe(*pointer));
  }
  if (element.bits() < 16) {
    return fail(Code::BadAtomic, "expected elements of 16, 32 or 64 bits for atomic_cas, got " + element.name());
  }
  auto order = parseOrder(*this, sem);
  auto scope = order ? parseScope(*this, scopeText) : std::nullopt;
  Ref c = scope ? blockValue(compare, element, pointer->shape) : Ref();
  Ref v = c ? blockValue(value, element, pointer->shape) : Ref();
  if (!v) {
    return {};
  }
  return tile(create<tile::AtomicCASOp>(pointer->ir, c->ir, v->ir, *order, *scope), element);
}
