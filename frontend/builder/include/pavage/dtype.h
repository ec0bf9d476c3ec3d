// dtype.h: element types of values, as C++. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_DTYPE_H
#define PAVAGE_DTYPE_H

#include <pavage/builder_c.h>

#include <string>

namespace pavage {

struct DType {
  pv_dtype code = PV_NONE;

  constexpr DType() = default;
  constexpr explicit DType(pv_dtype code) : code(code) {}
  constexpr explicit operator bool() const { return code != PV_NONE; }
  constexpr bool operator==(const DType &) const = default;

  constexpr bool isPointer() const { return (code & PV_POINTER) != 0; }
  constexpr bool isConst() const { return (code & PV_CONST) != 0; }
  constexpr DType pointee() const { return DType(isPointer() ? code & PV_SCALAR_MASK : 0); }
  constexpr bool isBool() const { return code == PV_INT1; }
  constexpr bool isUnsigned() const { return code >= PV_UINT8 && code <= PV_UINT64; }
  constexpr bool isSigned() const { return code >= PV_INT8 && code <= PV_INT64; }
  constexpr bool isInteger() const { return code >= PV_INT1 && code <= PV_UINT64; }
  constexpr bool isFp8() const { return code == PV_FLOAT8E4NV || code == PV_FLOAT8E5; }
  constexpr bool isFloat() const { return code >= PV_FLOAT8E4NV && code <= PV_FLOAT64; }
  int bits() const { return pv_dtype_bits(code); }
  int bytes() const { return pv_dtype_bytes(code); }
  std::string name() const { return pv_dtype_name(code); }
  static DType parse(const std::string &name) { return DType(pv_dtype_parse(name.c_str())); }
};

inline constexpr DType i1{PV_INT1}, i8{PV_INT8}, i16{PV_INT16}, i32{PV_INT32}, i64{PV_INT64};
inline constexpr DType u8{PV_UINT8}, u16{PV_UINT16}, u32{PV_UINT32}, u64{PV_UINT64};
inline constexpr DType f8e4nv{PV_FLOAT8E4NV}, f8e5{PV_FLOAT8E5};
inline constexpr DType f16{PV_FLOAT16}, bf16{PV_BFLOAT16}, f32{PV_FLOAT32}, f64{PV_FLOAT64};
constexpr DType ptr(DType pointee) { return DType(pointee.code | PV_POINTER); }
constexpr DType constPtr(DType pointee) { return DType(pointee.code | PV_POINTER | PV_CONST); }

} // namespace pavage

#endif // PAVAGE_DTYPE_H
