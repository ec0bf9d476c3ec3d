// Element types as artifacts and arguments name them. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_RUNTIME_ARTIFACT_DTYPE_H
#define PAVAGE_RUNTIME_ARTIFACT_DTYPE_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace pavage::artifact {

/// The values are part of the artifact format: append only.
enum class Dtype : uint8_t {
  None,
  I1,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  F8E4M3,
  F8E5M2,
  F16,
  BF16,
  F32,
  F64,
  Pointer,
};
inline constexpr unsigned dtypeCount = 17;

/// Bytes of an element in memory; i1 takes one, None none.
unsigned dtypeSize(Dtype dtype);

/// The name in signatures: "i32", "u8", "fp16", "bf16", "fp8e4nv", "fp8e5", "ptr"; "none".
std::string_view dtypeName(Dtype dtype);

/// The inverse of dtypeName.
std::optional<Dtype> parseDtype(std::string_view name);

bool isFloat(Dtype dtype);

/// The value of one float element at `bytes`, which is exact for every float dtype.
double loadFloat(Dtype dtype, const void *bytes);

} // namespace pavage::artifact

#endif // PAVAGE_RUNTIME_ARTIFACT_DTYPE_H
