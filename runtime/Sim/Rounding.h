// Arithmetic with a chosen rounding mode. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/Sim/Types.h"

namespace pavage::sim {

enum class RoundedOp : u8 { Add, Sub, Mul, Fma, Div, Rcp, Sqrt };

/// Mode: 'n' nearest even, 'z' towards zero, 'm' down, 'p' up.
float rounded(RoundedOp op, char mode, float a, float b, float c);
double rounded(RoundedOp op, char mode, double a, double b, double c);

/// f64 or i64/u64 to f32 or f64 in a mode, and a number to an integral one.
float narrow(double x, char mode);
float fromSigned32(i64 x, char mode);
float fromUnsigned32(u64 x, char mode);
double fromSigned64(i64 x, char mode);
double fromUnsigned64(u64 x, char mode);
double integral(double x, char mode);

} // namespace pavage::sim
