// Element types: names, IR types, constants. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/builder/Types.h"

#include "dialect/Tile/TileTypes.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;
using namespace pavage;
using namespace pavage::builder;

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

namespace {
struct Facts {
  const char *name, *signature, *pointer, *constPointer;
  int bits;
};
} // namespace

static constexpr Facts facts[PV_LAST_DTYPE + 1] = {
#define DTYPE(NAME, SIGNATURE, BITS) {NAME, SIGNATURE, "pointer<" NAME ">", "pointer<const " NAME ">", BITS}
    {"none", "", "none", "none", 0},
    DTYPE("int1", "i1", 1),
    DTYPE("int8", "i8", 8),
    DTYPE("int16", "i16", 16),
    DTYPE("int32", "i32", 32),
    DTYPE("int64", "i64", 64),
    DTYPE("uint8", "u8", 8),
    DTYPE("uint16", "u16", 16),
    DTYPE("uint32", "u32", 32),
    DTYPE("uint64", "u64", 64),
    DTYPE("float8e4nv", "fp8e4nv", 8),
    DTYPE("float8e5", "fp8e5", 8),
    DTYPE("float16", "fp16", 16),
    DTYPE("bfloat16", "bf16", 16),
    DTYPE("float32", "fp32", 32),
    DTYPE("float64", "fp64", 64),
#undef DTYPE
};

bool builder::isKnown(DType dtype) {
  pv_dtype scalar = dtype.code & PV_SCALAR_MASK;
  bool isScalar = scalar != PV_NONE && scalar <= PV_LAST_DTYPE;
  return isScalar && (dtype.code & ~(PV_SCALAR_MASK | PV_POINTER | PV_CONST)) == 0 &&
         (!dtype.isConst() || dtype.isPointer());
}

NumberKind builder::numberKind(DType dtype) {
  return dtype.isBool() ? NumberKind::Bool : dtype.isInteger() ? NumberKind::Int : NumberKind::Float;
}

DType builder::promoteIntegers(DType x, DType y) {
  if (x.isSigned() == y.isSigned()) {
    return x.bits() > y.bits() ? x : y;
  }
  DType s = x.isSigned() ? x : y, u = x.isSigned() ? y : x;
  return u.bits() >= s.bits() ? u : s;
}

Wide builder::minOf(DType dtype) { return dtype.isSigned() ? -(Wide(1) << (dtype.bits() - 1)) : Wide(0); }
Wide builder::maxOf(DType dtype) { return (Wide(1) << (dtype.bits() - (dtype.isSigned() ? 1 : 0))) - 1; }

//===----------------------------------------------------------------------===//
// IR types
//===----------------------------------------------------------------------===//

Type builder::irType(MLIRContext *context, DType dtype) {
  if (dtype.isPointer()) {
    return tile::PtrType::get(irType(context, dtype.pointee()));
  }
  switch (dtype.code) {
  case PV_FLOAT8E4NV:
    return Float8E4M3FNType::get(context);
  case PV_FLOAT8E5:
    return Float8E5M2Type::get(context);
  case PV_FLOAT16:
    return Float16Type::get(context);
  case PV_BFLOAT16:
    return BFloat16Type::get(context);
  case PV_FLOAT32:
    return Float32Type::get(context);
  case PV_FLOAT64:
    return Float64Type::get(context);
  default:
    return IntegerType::get(context, dtype.bits());
  }
}

Type builder::irType(MLIRContext *context, DType dtype, ArrayRef<int64_t> shape) {
  return tile::tileOrScalar(shape, irType(context, dtype));
}

DType builder::dtypeOf(Type element, bool isSigned) {
  if (auto pointer = dyn_cast<tile::PtrType>(element)) {
    return ptr(dtypeOf(pointer.getPointee(), isSigned));
  }
  if (auto integer = dyn_cast<IntegerType>(element)) {
    switch (integer.getWidth()) {
    case 1:
      return i1;
    case 8:
      return isSigned ? i8 : u8;
    case 16:
      return isSigned ? i16 : u16;
    case 32:
      return isSigned ? i32 : u32;
    default:
      return isSigned ? i64 : u64;
    }
  }
  for (DType d : {f8e4nv, f8e5, f16, bf16, f32, f64}) {
    if (irType(element.getContext(), d) == element) {
      return d;
    }
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static APInt lowBits(unsigned bits, Wide value) {
  uint64_t words[2] = {static_cast<uint64_t>(value), static_cast<uint64_t>(value >> 64)};
  return APInt(128, words).trunc(bits);
}

static Wide saturate(DType dtype, double value) {
  if (std::isnan(value)) {
    return 0;
  }
  double below = static_cast<double>(minOf(dtype)), above = static_cast<double>(maxOf(dtype));
  if (value <= below) {
    return minOf(dtype);
  }
  return value >= above ? maxOf(dtype) : static_cast<Wide>(value);
}

static APFloat rounded(const llvm::fltSemantics &semantics, const Number &number) {
  APFloat value(semantics);
  bool lost;
  if (number.isFloat) {
    value = APFloat(number.real);
    value.convert(semantics, APFloat::rmNearestTiesToEven, &lost);
  } else {
    value.convertFromAPInt(lowBits(128, number.integer), /*IsSigned=*/true, APFloat::rmNearestTiesToEven);
  }
  bool isFp8 = APFloat::semanticsSizeInBits(semantics) == 8;
  if (isFp8 && !value.isFinite() && !(number.isFloat && std::isnan(number.real))) {
    return APFloat::getLargest(semantics, number.asDouble() < 0);
  }
  return value;
}

static const llvm::fltSemantics &semanticsOf(DType dtype) {
  switch (dtype.code) {
  case PV_FLOAT8E4NV:
    return APFloat::Float8E4M3FN();
  case PV_FLOAT8E5:
    return APFloat::Float8E5M2();
  case PV_FLOAT16:
    return APFloat::IEEEhalf();
  case PV_BFLOAT16:
    return APFloat::BFloat();
  case PV_FLOAT32:
    return APFloat::IEEEsingle();
  default:
    return APFloat::IEEEdouble();
  }
}

APInt builder::bitsOf(DType dtype, const Number &number) {
  return rounded(semanticsOf(dtype), number).bitcastToAPInt().zext(64);
}

Number builder::numberOf(DType dtype, uint64_t bits) {
  APInt element(dtype.bits(), bits, /*isSigned=*/false, /*implicitTrunc=*/true);
  if (!dtype.isFloat()) {
    return {false, dtype.isSigned() ? Wide(element.getSExtValue()) : Wide(element.getZExtValue()), 0};
  }
  APFloat value(semanticsOf(dtype), element);
  bool lost;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  return {true, 0, value.convertToDouble()};
}

Number builder::convert(DType dtype, const Number &number) {
  if (dtype.isFloat()) {
    APFloat value = rounded(semanticsOf(dtype), number);
    bool lost;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
    return {true, 0, value.convertToDouble()};
  }
  if (dtype.isBool()) {
    bool isTrue = number.isFloat ? number.real != 0 : number.integer != 0;
    return {false, isTrue, 0};
  }
  Wide integer = number.isFloat ? saturate(dtype, number.real) : number.integer;
  APInt bits = lowBits(dtype.bits(), integer);
  return {false, dtype.isSigned() ? Wide(bits.getSExtValue()) : Wide(bits.getZExtValue()), 0};
}

TypedAttr builder::constantAttr(MLIRContext *context, DType dtype, const Number &number) {
  Type type = irType(context, dtype);
  if (dtype.isFloat()) {
    return FloatAttr::get(type, rounded(semanticsOf(dtype), number));
  }
  return IntegerAttr::get(type, lowBits(dtype.bits(), convert(dtype, number).integer));
}

//===----------------------------------------------------------------------===//
// C interface
//===----------------------------------------------------------------------===//

extern "C" {

const char *pv_dtype_name(pv_dtype dtype) {
  if (!isKnown(DType(dtype))) {
    return "none";
  }
  const Facts &f = facts[dtype & PV_SCALAR_MASK];
  return dtype & PV_POINTER ? (dtype & PV_CONST ? f.constPointer : f.pointer) : f.name;
}

int pv_dtype_bits(pv_dtype dtype) {
  return !isKnown(DType(dtype)) ? 0 : dtype & PV_POINTER ? 64 : facts[dtype & PV_SCALAR_MASK].bits;
}

int pv_dtype_bytes(pv_dtype dtype) { return (pv_dtype_bits(dtype) + 7) / 8; }

pv_dtype pv_dtype_parse(const char *text) {
  if (!text) {
    return PV_NONE;
  }
  llvm::StringRef name(text);
  pv_dtype flags = 0;
  if (name.consume_front("pointer<") && name.consume_back(">")) {
    flags = PV_POINTER | (name.consume_front("const ") ? PV_CONST : 0);
  } else if (name.consume_front("*")) {
    flags = PV_POINTER | (name.consume_front("k") ? PV_CONST : 0);
  }
  for (pv_dtype d = 1; d <= PV_LAST_DTYPE; ++d) {
    if (name == facts[d].name || name == facts[d].signature) {
      return d | flags;
    }
  }
  pv_dtype other = llvm::StringSwitch<pv_dtype>(name)
                       .Cases({"f16", "half"}, PV_FLOAT16)
                       .Cases({"f32", "float"}, PV_FLOAT32)
                       .Cases({"f64", "double"}, PV_FLOAT64)
                       .Cases({"u1", "bool", "B"}, PV_INT1)
                       .Case("float8_e4m3fn", PV_FLOAT8E4NV)
                       .Case("float8_e5m2", PV_FLOAT8E5)
                       .Default(PV_NONE);
  return other ? other | flags : PV_NONE;
}

} // extern "C"
