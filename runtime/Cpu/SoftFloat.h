// Conversions of narrow floats that compilers leave to a library. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// Names and calling convention are those of compiler-rt and libgcc. A half or bfloat travels in the low 16 bits of an
// SSE register, as the x86-64 ABI says for _Float16 and __bf16; not every compiler that builds Pavage has these types,
// so a float with those bits (and zeros above) stands for it. Rounding is to nearest, ties to even; NaN stays NaN, made
// quiet, with the top of its payload.
#ifndef PAVAGE_RUNTIME_CPU_SOFTFLOAT_H
#define PAVAGE_RUNTIME_CPU_SOFTFLOAT_H

#include <cstdint>

namespace pavage::cpu {

uint16_t roundToHalf(double value);
uint16_t roundToBfloat(double value);

// A NaN must not go through `double`: that would lose nothing of a float's payload, but conversions of signalling NaN
// raise flags. So float has its own entry points.
uint16_t roundToHalf(float value);
uint16_t roundToBfloat(float value);
float extendHalf(uint16_t bits);
float extendBfloat(uint16_t bits);

} // namespace pavage::cpu

#endif // PAVAGE_RUNTIME_CPU_SOFTFLOAT_H
