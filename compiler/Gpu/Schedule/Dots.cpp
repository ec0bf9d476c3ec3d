// Choosing tensor-core instructions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Gpu/Schedule/Dots.h"

#include "dialect/Layout/Layout.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;

namespace pavage::gpu {

namespace {
/// PTX's name of an element type as an operand.
StringRef operandName(Type type, bool tf32) {
  if (type.isF32()) {
    return tf32 ? "tf32" : "";
  }
  return isa<Float16Type>(type)        ? "f16"
         : isa<BFloat16Type>(type)     ? "bf16"
         : type.isF64()                ? "f64"
         : type.isInteger(8)           ? "s8"
         : isa<Float8E4M3FNType>(type) ? "e4m3"
         : isa<Float8E5M2Type>(type)   ? "e5m2"
                                       : "";
}

bool isFp8(Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); }

/// The instruction for these operands: of the native ones that with the largest k that K fills, else the smallest.
bool choose(DotPlan &plan, StringRef operand, StringRef acc, int64_t k, const target::GpuTarget &target) {
  for (const target::MmaInstruction &instruction : target.mmaFor(operand, acc)) {
    if (!instruction.isNative) {
      continue;
    }
    plan.isMma = true;
    plan.shape = {instruction.m, instruction.n, instruction.k};
    if (instruction.k <= k) {
      break;
    }
  }
  return plan.isMma;
}
} // namespace

std::string DotPlan::name() const {
  if (!isMma) {
    return "multiply-adds";
  }
  std::string text = "mma m" + std::to_string(shape[0]) + "n" + std::to_string(shape[1]) + "k" +
                     std::to_string(shape[2]) + " " + operandName(operand, tf32).str();
  return parts > 1 ? text + " x" + std::to_string(parts * (parts + 1) / 2) : text;
}

DotPlan planDot(Type lhsType, Type rhsType, Type accType, tile::Precision precision, const target::GpuTarget &target) {
  Type lhs = tile::elementTypeOf(lhsType), rhs = tile::elementTypeOf(rhsType);
  MLIRContext *context = lhs.getContext();
  int64_t k = tile::shapeOf(lhsType).back();
  DotPlan plan;
  plan.operand = lhs;
  plan.acc = lhs.isF64() ? lhs : lhs.isInteger() ? tile::elementTypeOf(accType) : Type(Float32Type::get(context));
  StringRef acc = lhs.isF64() ? "f64" : lhs.isInteger() ? "s32" : "f32";
  if (lhs.isF32()) {
    bool isBf16 = precision == tile::Precision::BF16x3 || precision == tile::Precision::BF16x6;
    if (precision == tile::Precision::IEEE) {
      plan.reason = "precision ieee";
      return plan;
    }
    plan.tf32 = !isBf16;
    plan.operand = isBf16 ? Type(BFloat16Type::get(context)) : lhs;
    plan.parts = precision == tile::Precision::BF16x6                                           ? 3
                 : precision == tile::Precision::BF16x3 || precision == tile::Precision::TF32x3 ? 2
                                                                                                : 1;
  }
  if (isFp8(lhs) && choose(plan, operandName(lhs, false), acc, k, target)) {
    return plan;
  }
  if (isFp8(lhs) || lhs != rhs) {
    plan.operand = Float16Type::get(context); // holds every fp8 number
  }
  if (!choose(plan, operandName(plan.operand, plan.tf32), acc, k, target)) {
    plan.reason = (target.name + " has no mma of " + operandName(plan.operand, true)).str();
  }
  return plan;
}

std::vector<std::vector<int64_t>> warpSplits(ArrayRef<int64_t> extents, int64_t k, int warps) {
  int rank = extents.size();
  std::vector<std::vector<int64_t>> result;
  // A batch goes to warps first: they need nothing from each other.
  int64_t batch = 1;
  while (rank == 3 && batch < warps && batch < extents[0]) {
    batch *= 2;
  }
  int64_t left = warps / batch;
  for (int64_t alongM = 1; alongM <= left; alongM *= 2) {
    std::vector<int64_t> split;
    if (rank == 3) {
      split.push_back(batch);
    }
    split.push_back(alongM);
    split.push_back(left / alongM);
    result.push_back(std::move(split));
  }
  return result;
}

double dotCost(const DotPlan &plan, ArrayRef<int64_t> extents, int64_t k, ArrayRef<int64_t> split) {
  int rank = extents.size();
  auto rounded = [](int64_t extent) { return double(int64_t(1) << layout::bitsFor(extent)); };
  double warps = 1;
  for (int64_t count : split) {
    warps *= double(count);
  }
  // What one warp computes; less than one instruction's worth costs as much as one.
  double m = std::max(rounded(extents[rank - 2]) / double(split[rank - 2]), double(plan.shape[0]));
  double n = std::max(rounded(extents[rank - 1]) / double(split[rank - 1]), double(plan.shape[1]));
  double batch = rank == 3 ? std::max(rounded(extents[0]) / double(split[0]), 1.0) : 1;
  double depth = std::max(rounded(k), double(plan.shape[2]));
  double bytes = plan.operand.getIntOrFloatBitWidth() / 8.0;
  double products = plan.parts * (plan.parts + 1) / 2;
  // 1024 multiply-adds of 16 bits in a cycle; each warp fetches its rows of A and columns of B.
  double tensor = warps * batch * m * n * depth * bytes / 2 / 1024 * products;
  double fetched = warps * batch * (m + n) * depth * bytes / 128;
  return std::max(tensor, fetched) + 0.25 * std::min(tensor, fetched);
}

} // namespace pavage::gpu
