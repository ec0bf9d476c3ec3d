// Arithmetic with a chosen rounding mode. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's rounding mode is switched around one operation on volatile operands, so that the compiler neither folds
// nor moves it.
#include "runtime/Sim/Rounding.h"

#include <cfenv>
#include <cmath>

namespace pavage::sim {

namespace {

class Mode {
public:
  explicit Mode(char mode) : before(std::fegetround()) {
    std::fesetround(mode == 'z' ? FE_TOWARDZERO : mode == 'm' ? FE_DOWNWARD : mode == 'p' ? FE_UPWARD : FE_TONEAREST);
  }
  ~Mode() { std::fesetround(before); }

private:
  int before;
};

template <class T> T compute(RoundedOp op, T a, T b, T c) {
  volatile T x = a, y = b, z = c;
  volatile T result = 0;
  switch (op) {
  case RoundedOp::Add:
    result = x + y;
    break;
  case RoundedOp::Sub:
    result = x - y;
    break;
  case RoundedOp::Mul:
    result = x * y;
    break;
  case RoundedOp::Fma:
    result = std::fma(x, y, z);
    break;
  case RoundedOp::Div:
    result = x / y;
    break;
  case RoundedOp::Rcp:
    result = T(1) / x;
    break;
  case RoundedOp::Sqrt:
    result = std::sqrt(x);
    break;
  }
  return result;
}

template <class To, class From> To convert(From x, char mode) {
  Mode guard(mode);
  volatile From v = x;
  volatile To result = static_cast<To>(v);
  return result;
}

} // namespace

float rounded(RoundedOp op, char mode, float a, float b, float c) {
  Mode guard(mode);
  return compute(op, a, b, c);
}
double rounded(RoundedOp op, char mode, double a, double b, double c) {
  Mode guard(mode);
  return compute(op, a, b, c);
}

float narrow(double x, char mode) { return convert<float>(x, mode); }
float fromSigned32(i64 x, char mode) { return convert<float>(x, mode); }
float fromUnsigned32(u64 x, char mode) { return convert<float>(x, mode); }
double fromSigned64(i64 x, char mode) { return convert<double>(x, mode); }
double fromUnsigned64(u64 x, char mode) { return convert<double>(x, mode); }

double integral(double x, char mode) {
  switch (mode) {
  case 'z':
    return std::trunc(x);
  case 'm':
    return std::floor(x);
  case 'p':
    return std::ceil(x);
  default:
    return std::nearbyint(x);
  }
}

} // namespace pavage::sim
