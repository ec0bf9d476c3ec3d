// Tensor-core products. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp's part of the product is a grid of instructions. Which registers make the fragments of one instruction follows
// from its coordinates alone: with g = lane / 4, t = lane % 4 and e elements in a register of 32 bits (one of f64),
//
//     A (m x k)   register r, element j: row g + 8 (r & 1), column t e + j + 4 e (r >> 1); m = 8 has no r & 1
//     B (k x n)   register r, element j: row t e + j + 4 e r, column g
//     C (m x n)   register v: row g + 8 (v >> 1), column 2 t + (v & 1)
//
// Where K is smaller than the instruction's, or padded, both operands are zero. Places beyond M and N are computed and
// dropped. The grid is walked along K outside, and in serpentines inside, so that neighbours share an operand.
#include "compiler/Gpu/Lower/Exchange.h"
#include "compiler/Gpu/Lower/Families.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using pavage::layout::Layout;
using pavage::layout::Place;
using pavage::layout::Vector;
using Predicate = LLVM::ICmpPredicate;

namespace pavage::gpu {

namespace {
/// Where fragments and tiles of the grid lie: a batch, row and column, in elements.
struct Corner {
  int64_t batch, row, column;
};

/// One operand and its fragments.
class Operand {
public:
  Operand(Emitter &e, Value value, int kAxis, bool isTf32)
      : e(e), registers(Registers::of(e, value)), attribute(tilegpu::layoutOf(value.getType())),
        layout(attribute.getLayout()), kAxis(layout.rank() - 2 + kAxis), isTf32(isTf32) {
    bits = 8 * Emitter::bytesOf(registers.element);
    perRegister = std::max<int64_t>(1, 32 / bits);
    // Lanes count along K with their two lowest bits; copies there stand for places beyond K.
    for (int bit = 0; bit < 2; ++bit) {
      isCopy |= layout.basis(Place::Lane)[bit] == 0 ? 1u << bit : 0;
    }
  }

  /// The elements from a corner on, along K, that one register of an instruction holds.
  Value fragment(Corner corner);

  Emitter &e;
  int64_t bits, perRegister;

private:
  /// Register of a place that registers alone count, if the layout has it.
  std::optional<unsigned> registerAt(Corner corner, int64_t k) const;
  Value element(std::optional<unsigned> reg, Type type);

  Registers registers;
  tilegpu::LayoutAttr attribute;
  Layout layout;
  int kAxis;
  bool isTf32;
  uint32_t isCopy = 0;
  llvm::DenseMap<unsigned, Value> known; ///< by the first register
};
} // namespace

std::optional<unsigned> Operand::registerAt(Corner corner, int64_t k) const {
  layout::Coordinates coordinates;
  if (layout.rank() == 3) {
    coordinates.push_back(corner.batch);
  }
  coordinates.push_back(corner.row);
  coordinates.push_back(corner.column);
  coordinates[kAxis] += k;
  for (int axis = 0; axis < layout.rank(); ++axis) {
    if (coordinates[axis] >> layout.axisBits(axis) != 0) {
      return std::nullopt;
    }
  }
  std::optional<Vector> reg = layout::solve(layout.basis(Place::Register), layout.pack(coordinates));
  return reg ? std::optional<unsigned>(static_cast<unsigned>(*reg)) : std::nullopt;
}

Value Operand::element(std::optional<unsigned> reg, Type type) {
  if (!reg) {
    return e.zero(type);
  }
  Value value = registers.get(*reg);
  Value isReal;
  int64_t extent = layout.extents()[kAxis];
  if (!llvm::isPowerOf2_64(extent)) {
    isReal = e.compare(Predicate::ult, e.coordinate(attribute, kAxis, *reg), e.i32(extent));
  }
  if (isCopy != 0) {
    isReal = e.both(isReal, e.compare(Predicate::eq, e.bitAnd(e.lane, e.i32(isCopy)), e.i32(0)));
  }
  return isReal ? e.select(isReal, value, e.zero(value.getType())) : value;
}

Value Operand::fragment(Corner corner) {
  SmallVector<std::optional<unsigned>> held;
  for (int64_t k = 0; k < perRegister; ++k) {
    held.push_back(registerAt(corner, k));
  }
  bool isWhole = llvm::all_of(held, [](std::optional<unsigned> reg) { return reg.has_value(); });
  if (Value made = isWhole ? known.lookup(*held.front()) : Value()) {
    return made;
  }
  Type type = e.registerType(registers.element), word = e.b.getIntegerType(static_cast<unsigned>(bits * perRegister));
  bool isMasked = isCopy != 0 || !llvm::isPowerOf2_64(layout.extents()[kAxis]);
  Value result;
  if (isWhole && !isMasked && perRegister > 1) {
    SmallVector<uint32_t> all;
    for (std::optional<unsigned> reg : held) {
      all.push_back(*reg);
    }
    result = registers.bits(all);
  } else {
    Values elements;
    for (std::optional<unsigned> reg : held) {
      elements.push_back(element(reg, type));
    }
    if (isTf32) {
      result = NVVM::ConvertFloatToTF32Op::create(
          e.b, e.loc, e.b.getI32Type(), elements.front(),
          NVVM::FPRoundingModeAttr::get(e.b.getContext(), NVVM::FPRoundingMode::RNA));
    } else if (perRegister == 1) {
      result = isa<IntegerType>(type) || bits == 64 ? elements.front() : e.bitcast(elements.front(), word);
    } else {
      result = e.bitcast(e.vectorOf(elements), word);
    }
  }
  if (isWhole) {
    known[*held.front()] = result;
  }
  return result;
}

namespace {
class Product {
public:
  Product(Emitter &e, tilegpu::MmaOp op)
      : e(e), op(op), a(e, op.getA(), 1, op.getTf32()), b(e, op.getB(), 0, op.getTf32()),
        accType(cast<RankedTensorType>(op.getType())), layout(tilegpu::layoutOf(accType).getLayout()),
        m(op.getShape()[0]), n(op.getShape()[1]), k(op.getShape()[2]) {}

  LogicalResult run();

private:
  Corner cornerOf(Vector image) const {
    layout::Coordinates at = layout.unpack(image);
    int rank = layout.rank();
    return {rank == 3 ? at[0] : 0, at[rank - 2], at[rank - 1]};
  }
  FailureOr<Values> multiply(ArrayRef<Value> left, ArrayRef<Value> right, ArrayRef<Value> sums);
  /// Registers of the accumulator of the instruction at a corner; nothing where M has fewer rows.
  SmallVector<std::optional<unsigned>> accumulatorAt(Corner corner) const;

  Emitter &e;
  tilegpu::MmaOp op;
  Operand a, b;
  RankedTensorType accType;
  Layout layout;
  int64_t m, n, k;
};
} // namespace

SmallVector<std::optional<unsigned>> Product::accumulatorAt(Corner corner) const {
  SmallVector<std::optional<unsigned>> result;
  for (int64_t v = 0; v < m * n / 32; ++v) {
    layout::Coordinates at;
    if (layout.rank() == 3) {
      at.push_back(corner.batch);
    }
    at.push_back(corner.row + 8 * (v >> 1));
    at.push_back(corner.column + (v & 1));
    bool isHeld = true;
    for (int axis = 0; axis < layout.rank(); ++axis) {
      isHeld &= at[axis] >> layout.axisBits(axis) == 0;
    }
    std::optional<Vector> reg = isHeld ? layout::solve(layout.basis(Place::Register), layout.pack(at)) : std::nullopt;
    result.push_back(reg ? std::optional(static_cast<unsigned>(*reg)) : std::nullopt);
  }
  return result;
}

/// PTX's name of an operand's type, and NVVM's.
static std::optional<NVVM::MMATypes> mmaType(Type element, bool isTf32, bool isUnsigned) {
  return isTf32                 ? std::optional(NVVM::MMATypes::tf32)
         : element.isF16()      ? std::optional(NVVM::MMATypes::f16)
         : element.isBF16()     ? std::optional(NVVM::MMATypes::bf16)
         : element.isF64()      ? std::optional(NVVM::MMATypes::f64)
         : element.isInteger(8) ? std::optional(isUnsigned ? NVVM::MMATypes::u8 : NVVM::MMATypes::s8)
                                : std::nullopt;
}

FailureOr<Values> Product::multiply(ArrayRef<Value> left, ArrayRef<Value> right, ArrayRef<Value> sums) {
  Type element = tile::elementTypeOf(op.getA().getType()), other = tile::elementTypeOf(op.getB().getType());
  Type sum = accType.getElementType();
  bool isHalf = sum.isF16();
  Type part = isHalf ? Type(VectorType::get({2}, sum)) : sum;
  Values partial; // f16 sums travel in pairs
  for (size_t v = 0; v < sums.size(); v += isHalf ? 2 : 1) {
    partial.push_back(isHalf ? e.vectorOf(sums.slice(v, 2)) : sums[v]);
  }
  Type result = LLVM::LLVMStructType::getLiteral(e.b.getContext(), SmallVector<Type>(partial.size(), part));
  Value made;
  auto fp8 = [](Type type) -> StringRef {
    return isa<Float8E4M3FNType>(type) ? "e4m3" : isa<Float8E5M2Type>(type) ? "e5m2" : "";
  };
  std::string size = ("m" + Twine(m) + "n" + Twine(n) + "k" + Twine(k)).str();
  Values all(left);
  llvm::append_range(all, right);
  llvm::append_range(all, partial);
  if (!fp8(element).empty() && !fp8(other).empty()) {
    StringRef of = isHalf ? "f16" : "f32";
    std::string name =
        ("llvm.nvvm.mma." + size + ".row.col." + of + "." + fp8(element) + "." + fp8(other) + "." + of).str();
    made = e.intrinsic(name, result, all);
  } else if (element.isF64() && m == 16) {
    made = e.intrinsic("llvm.nvvm.mma." + size + ".row.col.f64", result, all);
  } else {
    std::optional<NVVM::MMATypes> types[2] = {mmaType(element, op.getTf32(), op.getAUnsigned()),
                                              mmaType(other, op.getTf32(), op.getBUnsigned())};
    if (!types[0] || !types[1]) {
      return e.unsupported(op, "has operands that tensor cores do not take");
    }
    Values words[2] = {Values(left), Values(right)};
    if (element.isF16()) {
      for (Values &list : words) {
        for (Value &word : list) {
          word = e.bitcast(word, VectorType::get({2}, element));
        }
      }
    }
    auto overflow = element.isInteger(8) ? std::optional(NVVM::MMAIntOverflow::wrapped) : std::nullopt;
    made = NVVM::MmaOp::create(e.b, e.loc, result, words[0], words[1], partial, {m, n, k}, std::nullopt, overflow,
                               std::array<NVVM::MMATypes, 2>{*types[0], *types[1]},
                               std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row, NVVM::MMALayout::col});
  }
  Values products;
  for (size_t index = 0; index < partial.size(); ++index) {
    Value one = LLVM::ExtractValueOp::create(e.b, e.loc, made, index);
    if (isHalf) {
      products.push_back(e.extract(one, 0));
      products.push_back(e.extract(one, 1));
    } else {
      products.push_back(one);
    }
  }
  return products;
}

LogicalResult Product::run() {
  // The corners of the warp's instructions: register bits beyond those of one instruction.
  SmallVector<int64_t> batches{0}, rows{0}, columns{0};
  auto doubled = [](SmallVector<int64_t> &list, int64_t step) {
    for (size_t index = 0, count = list.size(); index < count; ++index) {
      list.push_back(list[index] + step);
    }
  };
  for (Vector image : layout.basis(Place::Register)) {
    Corner corner = cornerOf(image);
    if (corner.batch != 0) {
      doubled(batches, corner.batch);
    } else if (corner.row >= m) {
      doubled(rows, corner.row);
    } else if (corner.row == 8 && m == 8) {
      doubled(rows, corner.row);
    } else if (corner.column >= n) {
      doubled(columns, corner.column);
    }
  }
  llvm::sort(batches), llvm::sort(rows), llvm::sort(columns);
  int64_t extentK = cast<RankedTensorType>(op.getA().getType()).getShape().back();
  Values sums = e.elements(op.getAcc());
  int64_t each = 4 * a.perRegister; // of K, in one register of A or B across the four lanes
  for (int64_t batch : batches) {
    for (int64_t along = 0; along < extentK; along += k) {
      for (auto [rowNumber, row] : llvm::enumerate(rows)) {
        Values left;
        for (int64_t r = 0; r < (k / each) * (m / 8); ++r) {
          int64_t down = m == 8 ? 0 : 8 * (r & 1), right = each * (m == 8 ? r : r >> 1);
          left.push_back(a.fragment({batch, row + down, along + right}));
        }
        for (size_t step = 0; step < columns.size(); ++step) {
          int64_t column = columns[rowNumber % 2 == 0 ? step : columns.size() - 1 - step];
          Values right;
          for (int64_t r = 0; r < k / each; ++r) {
            right.push_back(b.fragment({batch, along + each * r, column}));
          }
          auto held = accumulatorAt({batch, row, column});
          Values before;
          for (std::optional<unsigned> reg : held) {
            before.push_back(reg ? sums[*reg] : e.zero(e.registerType(accType.getElementType())));
          }
          FailureOr<Values> after = multiply(left, right, before);
          if (failed(after)) {
            return failure();
          }
          for (auto [reg, value] : llvm::zip(held, *after)) {
            if (reg) {
              sums[*reg] = value;
            }
          }
        }
      }
    }
  }
  e.bindElements(op, sums);
  return success();
}

LogicalResult emitMma(Emitter &e, tilegpu::MmaOp op) { return Product(e, op).run(); }

} // namespace pavage::gpu
