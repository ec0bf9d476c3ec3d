// Scalar types of PTX. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>

namespace pavage::sim {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using i8 = int8_t;
using i16 = int16_t;
using i32 = int32_t;
using i64 = int64_t;

// PAVAGE_PTX_TYPE(enumerator, spelling, bits)
#define PAVAGE_PTX_TYPES(T)                                                                                            \
  T(None, "", 0)                                                                                                       \
  T(Pred, "pred", 1)                                                                                                   \
  T(B1, "b1", 1)                                                                                                       \
  T(U4, "u4", 4)                                                                                                       \
  T(S4, "s4", 4)                                                                                                       \
  T(B8, "b8", 8)                                                                                                       \
  T(U8, "u8", 8)                                                                                                       \
  T(S8, "s8", 8)                                                                                                       \
  T(B16, "b16", 16)                                                                                                    \
  T(U16, "u16", 16)                                                                                                    \
  T(S16, "s16", 16)                                                                                                    \
  T(B32, "b32", 32)                                                                                                    \
  T(U32, "u32", 32)                                                                                                    \
  T(S32, "s32", 32)                                                                                                    \
  T(B64, "b64", 64)                                                                                                    \
  T(U64, "u64", 64)                                                                                                    \
  T(S64, "s64", 64)                                                                                                    \
  T(B128, "b128", 128)                                                                                                 \
  T(F16, "f16", 16)                                                                                                    \
  T(F16x2, "f16x2", 32)                                                                                                \
  T(BF16, "bf16", 16)                                                                                                  \
  T(BF16x2, "bf16x2", 32)                                                                                              \
  T(F32, "f32", 32)                                                                                                    \
  T(F64, "f64", 64)                                                                                                    \
  T(TF32, "tf32", 32)                                                                                                  \
  T(E4M3, "e4m3", 8)                                                                                                   \
  T(E5M2, "e5m2", 8)                                                                                                   \
  T(E4M3x2, "e4m3x2", 16)                                                                                              \
  T(E5M2x2, "e5m2x2", 16)                                                                                              \
  T(U16x2, "u16x2", 32)                                                                                                \
  T(S16x2, "s16x2", 32)

enum class Ty : u8 {
#define PAVAGE_ROW(name, text, bits) name,
  PAVAGE_PTX_TYPES(PAVAGE_ROW)
#undef PAVAGE_ROW
};

struct TypeInfo {
  std::string_view name;
  u32 bits;
};

constexpr TypeInfo typeTable[] = {
#define PAVAGE_ROW(name, text, bits) {text, bits},
    PAVAGE_PTX_TYPES(PAVAGE_ROW)
#undef PAVAGE_ROW
};

constexpr std::string_view typeName(Ty type) { return typeTable[static_cast<u8>(type)].name; }
constexpr u32 typeBits(Ty type) { return typeTable[static_cast<u8>(type)].bits; }
constexpr u32 typeBytes(Ty type) { return (typeBits(type) + 7) / 8; }

constexpr bool isSigned(Ty type) {
  return type == Ty::S8 || type == Ty::S16 || type == Ty::S32 || type == Ty::S64 || type == Ty::S4 || type == Ty::S16x2;
}
constexpr bool isFloat(Ty type) { return type >= Ty::F16 && type <= Ty::E5M2x2; }

/// The type with this spelling (no dot); None when there is none.
constexpr Ty parseType(std::string_view text) {
  for (u8 i = 1; i < sizeof(typeTable) / sizeof(typeTable[0]); ++i) {
    if (typeTable[i].name == text) {
      return static_cast<Ty>(i);
    }
  }
  return Ty::None;
}

enum class Space : u8 { Generic, Global, Shared, Local, Const, Param };

constexpr std::string_view spaceName(Space space) {
  constexpr std::string_view names[] = {"generic", "global", "shared", "local", "const", "param"};
  return names[static_cast<u8>(space)];
}

} // namespace pavage::sim
