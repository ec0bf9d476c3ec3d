// Ops of the LLVM dialect, folded while they are made. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Most index arithmetic meets a constant; what folds here is never built, translated and folded again by LLVM.
#include "compiler/Gpu/Lower/Emitter.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace pavage::gpu {

static std::optional<APInt> constantOf(Value value) {
  APInt result;
  return matchPattern(value, m_ConstantInt(&result)) ? std::optional(result) : std::nullopt;
}

static Value constantLike(Emitter &e, Value like, const APInt &value) {
  return LLVM::ConstantOp::create(e.b, e.loc, like.getType(), e.b.getIntegerAttr(like.getType(), value));
}

Value Emitter::constant(Type type, int64_t value) {
  return LLVM::ConstantOp::create(b, loc, type,
                                  b.getIntegerAttr(type, APInt(type.getIntOrFloatBitWidth(), value,
                                                               /*isSigned=*/true, /*implicitTrunc=*/true)));
}

Value Emitter::zero(Type type) { return LLVM::ZeroOp::create(b, loc, type); }

Value Emitter::add(Value a, Value c) {
  std::optional<APInt> x = constantOf(a), y = constantOf(c);
  if (x && y) {
    return constantLike(*this, a, *x + *y);
  }
  if (x && x->isZero()) {
    return c;
  }
  return y && y->isZero() ? a : LLVM::AddOp::create(b, loc, a, c);
}

Value Emitter::sub(Value a, Value c) {
  std::optional<APInt> x = constantOf(a), y = constantOf(c);
  if (x && y) {
    return constantLike(*this, a, *x - *y);
  }
  return y && y->isZero() ? a : LLVM::SubOp::create(b, loc, a, c);
}

Value Emitter::mul(Value a, Value c) {
  std::optional<APInt> x = constantOf(a), y = constantOf(c);
  if (x && y) {
    return constantLike(*this, a, *x * *y);
  }
  if (x && !y) {
    std::swap(a, c);
    std::swap(x, y);
  }
  if (!y) {
    return LLVM::MulOp::create(b, loc, a, c);
  }
  if (y->isZero()) {
    return c;
  }
  if (y->isPowerOf2()) {
    return shl(a, y->logBase2());
  }
  return LLVM::MulOp::create(b, loc, a, c);
}

Value Emitter::bitAnd(Value a, Value c) {
  std::optional<APInt> x = constantOf(a), y = constantOf(c);
  if (x && y) {
    return constantLike(*this, a, *x & *y);
  }
  if ((y && y->isZero()) || (x && x->isAllOnes())) {
    return c;
  }
  if ((x && x->isZero()) || (y && y->isAllOnes())) {
    return a;
  }
  return LLVM::AndOp::create(b, loc, a, c);
}

Value Emitter::bitOr(Value a, Value c) {
  std::optional<APInt> x = constantOf(a), y = constantOf(c);
  if (x && y) {
    return constantLike(*this, a, *x | *y);
  }
  if (x && x->isZero()) {
    return c;
  }
  return y && y->isZero() ? a : LLVM::OrOp::create(b, loc, a, c);
}

Value Emitter::bitXor(Value a, Value c) {
  std::optional<APInt> x = constantOf(a), y = constantOf(c);
  if (x && y) {
    return constantLike(*this, a, *x ^ *y);
  }
  if (x && x->isZero()) {
    return c;
  }
  return y && y->isZero() ? a : LLVM::XOrOp::create(b, loc, a, c);
}

Value Emitter::shl(Value a, int64_t amount) {
  if (amount == 0) {
    return a;
  }
  if (std::optional<APInt> x = constantOf(a)) {
    return constantLike(*this, a, x->shl(amount));
  }
  return LLVM::ShlOp::create(b, loc, a, constant(a.getType(), amount));
}

Value Emitter::lshr(Value a, int64_t amount) {
  if (amount == 0) {
    return a;
  }
  if (std::optional<APInt> x = constantOf(a)) {
    return constantLike(*this, a, x->lshr(amount));
  }
  return LLVM::LShrOp::create(b, loc, a, constant(a.getType(), amount));
}

Value Emitter::compare(LLVM::ICmpPredicate predicate, Value a, Value c) {
  return LLVM::ICmpOp::create(b, loc, predicate, a, c);
}

Value Emitter::select(Value condition, Value a, Value c) {
  if (a == c) {
    return a;
  }
  if (std::optional<APInt> x = constantOf(condition)) {
    return x->isZero() ? c : a;
  }
  return LLVM::SelectOp::create(b, loc, condition, a, c);
}

Value Emitter::resize(Value value, unsigned width, bool isSigned) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  Type type = b.getIntegerType(width);
  if (from == width) {
    return value;
  }
  if (std::optional<APInt> x = constantOf(value)) {
    APInt resized = isSigned ? x->sextOrTrunc(width) : x->zextOrTrunc(width);
    return LLVM::ConstantOp::create(b, loc, type, b.getIntegerAttr(type, resized));
  }
  if (from > width) {
    return LLVM::TruncOp::create(b, loc, type, value);
  }
  return isSigned ? Value(LLVM::SExtOp::create(b, loc, type, value)) : LLVM::ZExtOp::create(b, loc, type, value);
}

Value Emitter::bitcast(Value value, Type type) {
  return value.getType() == type ? value : LLVM::BitcastOp::create(b, loc, type, value);
}

Value Emitter::both(Value a, Value c) {
  if (!a || !c) {
    return a ? a : c;
  }
  return bitAnd(a, c);
}

Value Emitter::extract(Value vector, unsigned lane) {
  // Straight from the insertion, if there was one: fewer ops to translate.
  for (Value from = vector; auto insert = from.getDefiningOp<LLVM::InsertElementOp>(); from = insert.getVector()) {
    std::optional<APInt> at = constantOf(insert.getPosition());
    if (!at) {
      break;
    }
    if (*at == lane) {
      return insert.getValue();
    }
  }
  return LLVM::ExtractElementOp::create(b, loc, vector, i32(lane));
}

Value Emitter::vectorOf(ArrayRef<Value> elements) {
  // All lanes of one vector in order are that vector.
  if (auto first = elements.front().getDefiningOp<LLVM::ExtractElementOp>()) {
    Value whole = first.getVector();
    bool isWhole = cast<VectorType>(whole.getType()).getNumElements() == static_cast<int64_t>(elements.size());
    for (auto [lane, element] : llvm::enumerate(elements)) {
      auto from = element.getDefiningOp<LLVM::ExtractElementOp>();
      isWhole &= from && from.getVector() == whole && constantOf(from.getPosition()) &&
                 *constantOf(from.getPosition()) == lane;
    }
    if (isWhole) {
      return whole;
    }
  }
  Type type = VectorType::get({static_cast<int64_t>(elements.size())}, elements.front().getType());
  Value vector = LLVM::PoisonOp::create(b, loc, type);
  for (auto [lane, element] : llvm::enumerate(elements)) {
    vector = LLVM::InsertElementOp::create(b, loc, vector, element, i32(lane));
  }
  return vector;
}

Value Emitter::gep(Value pointer, Type element, Value index) {
  std::optional<APInt> x = constantOf(index);
  if (x && x->isZero()) {
    return pointer;
  }
  if (x && x->isSignedIntN(32)) {
    return LLVM::GEPOp::create(b, loc, pointer.getType(), element, pointer,
                               ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(x->getSExtValue())});
  }
  return LLVM::GEPOp::create(b, loc, pointer.getType(), element, pointer, ArrayRef<LLVM::GEPArg>{index});
}

Value Emitter::gepBytes(Value pointer, int64_t bytes) { return gep(pointer, b.getI8Type(), i64(bytes)); }

Value Emitter::intrinsic(StringRef name, Type result, ValueRange operands) {
  auto call = LLVM::CallIntrinsicOp::create(b, loc, result, b.getStringAttr(name), operands);
  return call.getResults();
}

Value Emitter::assembler(StringRef text, StringRef constraints, Type result, ValueRange operands, bool hasEffects) {
  auto dialect = LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT);
  auto asmOp = LLVM::InlineAsmOp::create(b, loc, result ? TypeRange(result) : TypeRange(), operands, text, constraints,
                                         hasEffects, /*is_align_stack=*/false, LLVM::TailCallKind::None, dialect,
                                         /*operand_attrs=*/ArrayAttr());
  return result ? asmOp.getRes() : Value();
}

} // namespace pavage::gpu
