// The table of callable functions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Cpu/Symbols.h"

#include "runtime/Cpu/SoftFloat.h"

#include <bit>
#include <cstring>
#include <math.h> // the C names, not overloaded ones

namespace pavage::cpu {

static float carry(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits)); }
static uint16_t carried(float value) { return static_cast<uint16_t>(std::bit_cast<uint32_t>(value)); }

static float truncSfHf(float value) { return carry(roundToHalf(value)); }
static float truncDfHf(double value) { return carry(roundToHalf(value)); }
static float truncSfBf(float value) { return carry(roundToBfloat(value)); }
static float truncDfBf(double value) { return carry(roundToBfloat(value)); }
static float extendHfSf(float value) { return extendHalf(carried(value)); }
static double extendHfDf(float value) { return extendHalf(carried(value)); }
static float extendBfSf(float value) { return extendBfloat(carried(value)); }
static double extendBfDf(float value) { return extendBfloat(carried(value)); }
// The older names pass the bits in an integer register.
static uint16_t gnuNarrow(float value) { return roundToHalf(value); }
static float gnuWiden(uint16_t bits) { return extendHalf(bits); }

namespace {
struct Symbol {
  std::string_view name;
  void *address;
};
} // namespace

// The template arguments choose among the overloads that C++ adds to libm's names.
template <typename Function> static void *address(Function *function) { return reinterpret_cast<void *>(function); }
#define PAVAGE_ONE(T) T
#define PAVAGE_TWO(T) T, T
#define PAVAGE_THREE(T) T, T, T
#define PAVAGE_WITH_INT(T) T, int
#define PAVAGE_WITH_POINTER(T) T, int *
#define PAVAGE_DOUBLE(name, types) {#name, address<double(types(double))>(&::name)}
#define PAVAGE_FLOAT(name, types) {#name "f", address<float(types(float))>(&::name##f)}
#define PAVAGE_LIBM(name, types) PAVAGE_DOUBLE(name, types), PAVAGE_FLOAT(name, types)

// clang-format off
static const Symbol symbols[] = {
    {"memcpy", reinterpret_cast<void *>(&::memcpy)},
    {"memmove", reinterpret_cast<void *>(&::memmove)},
    {"memset", reinterpret_cast<void *>(&::memset)},
    {"memcmp", reinterpret_cast<void *>(&::memcmp)},
    PAVAGE_LIBM(acos, PAVAGE_ONE),
    PAVAGE_LIBM(acosh, PAVAGE_ONE),
    PAVAGE_LIBM(asin, PAVAGE_ONE),
    PAVAGE_LIBM(asinh, PAVAGE_ONE),
    PAVAGE_LIBM(atan, PAVAGE_ONE),
    PAVAGE_LIBM(atan2, PAVAGE_TWO),
    PAVAGE_LIBM(atanh, PAVAGE_ONE),
    PAVAGE_LIBM(cbrt, PAVAGE_ONE),
    PAVAGE_LIBM(ceil, PAVAGE_ONE),
    PAVAGE_LIBM(copysign, PAVAGE_TWO),
    PAVAGE_LIBM(cos, PAVAGE_ONE),
    PAVAGE_LIBM(cosh, PAVAGE_ONE),
    PAVAGE_LIBM(erf, PAVAGE_ONE),
    PAVAGE_LIBM(erfc, PAVAGE_ONE),
    PAVAGE_LIBM(exp, PAVAGE_ONE),
    PAVAGE_LIBM(exp2, PAVAGE_ONE),
    PAVAGE_LIBM(expm1, PAVAGE_ONE),
    PAVAGE_LIBM(fabs, PAVAGE_ONE),
    PAVAGE_LIBM(floor, PAVAGE_ONE),
    PAVAGE_LIBM(fma, PAVAGE_THREE),
    PAVAGE_LIBM(fmax, PAVAGE_TWO),
    PAVAGE_LIBM(fmin, PAVAGE_TWO),
    PAVAGE_LIBM(fmod, PAVAGE_TWO),
    PAVAGE_LIBM(frexp, PAVAGE_WITH_POINTER),
    PAVAGE_LIBM(hypot, PAVAGE_TWO),
    PAVAGE_LIBM(ldexp, PAVAGE_WITH_INT),
    PAVAGE_LIBM(lgamma, PAVAGE_ONE),
    PAVAGE_LIBM(log, PAVAGE_ONE),
    PAVAGE_LIBM(log10, PAVAGE_ONE),
    PAVAGE_LIBM(log1p, PAVAGE_ONE),
    PAVAGE_LIBM(log2, PAVAGE_ONE),
    PAVAGE_LIBM(nearbyint, PAVAGE_ONE),
    PAVAGE_LIBM(nextafter, PAVAGE_TWO),
    PAVAGE_LIBM(pow, PAVAGE_TWO),
    PAVAGE_LIBM(remainder, PAVAGE_TWO),
    PAVAGE_LIBM(rint, PAVAGE_ONE),
    PAVAGE_LIBM(round, PAVAGE_ONE),
    PAVAGE_LIBM(roundeven, PAVAGE_ONE),
    PAVAGE_LIBM(scalbn, PAVAGE_WITH_INT),
    PAVAGE_LIBM(sin, PAVAGE_ONE),
    PAVAGE_LIBM(sinh, PAVAGE_ONE),
    PAVAGE_LIBM(sqrt, PAVAGE_ONE),
    PAVAGE_LIBM(tan, PAVAGE_ONE),
    PAVAGE_LIBM(tanh, PAVAGE_ONE),
    PAVAGE_LIBM(tgamma, PAVAGE_ONE),
    PAVAGE_LIBM(trunc, PAVAGE_ONE),
    {"__truncsfhf2", reinterpret_cast<void *>(&truncSfHf)},
    {"__truncdfhf2", reinterpret_cast<void *>(&truncDfHf)},
    {"__truncsfbf2", reinterpret_cast<void *>(&truncSfBf)},
    {"__truncdfbf2", reinterpret_cast<void *>(&truncDfBf)},
    {"__extendhfsf2", reinterpret_cast<void *>(&extendHfSf)},
    {"__extendhfdf2", reinterpret_cast<void *>(&extendHfDf)},
    {"__extendbfsf2", reinterpret_cast<void *>(&extendBfSf)},
    {"__extendbfdf2", reinterpret_cast<void *>(&extendBfDf)},
    {"__gnu_f2h_ieee", reinterpret_cast<void *>(&gnuNarrow)},
    {"__gnu_h2f_ieee", reinterpret_cast<void *>(&gnuWiden)},
};
// clang-format on

void *findSymbol(std::string_view name) {
  for (const Symbol &symbol : symbols) {
    if (symbol.name == name) {
      return symbol.address;
    }
  }
  return nullptr;
}

std::vector<std::string_view> symbolNames() {
  std::vector<std::string_view> names;
  for (const Symbol &symbol : symbols) {
    names.push_back(symbol.name);
  }
  return names;
}

} // namespace pavage::cpu
