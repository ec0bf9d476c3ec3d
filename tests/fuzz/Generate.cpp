// Random programs: types, arithmetic, shapes. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/fuzz/Generate.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "tests/fuzz/Generator.h"
#include <algorithm>
#include <cstring>

using namespace mlir;
using namespace pavage::tile;

namespace pavage::fuzz {

Generator::Generator(MLIRContext &context, uint64_t seed, const GenerateOptions &options)
    : context(context), dice(seed), options(options), builder(UnknownLoc::get(&context), &context) {
  Builder &b = builder;
  elements = {b.getI1Type(),
              b.getI8Type(),
              b.getI16Type(),
              b.getI32Type(),
              b.getI64Type(),
              b.getF16Type(),
              b.getBF16Type(),
              Float8E4M3FNType::get(&context),
              b.getF32Type(),
              b.getF64Type(),
              b.getI32Type(),
              b.getF32Type(),
              Float8E5M2Type::get(&context)};
}

// ---- Types and values ----

Type Generator::randomElement() { return dice.pick(elements); }

Shape Generator::randomShape() {
  static const std::vector<int64_t> extents = {1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 31, 32, 33, 64, 65, 100, 128, 200, 256};
  for (;;) {
    Shape shape(1 + dice.below(dice.chance(70) ? 2 : 4));
    int64_t total = 1;
    for (int64_t &extent : shape) {
      extent = dice.pick(extents);
      total *= extent;
    }
    if (total <= options.maxElements) {
      return shape;
    }
  }
}

/// A shape with the given number of elements.
Shape Generator::shapeOfSize(int64_t total) {
  Shape shape;
  while (total > 1 && shape.size() < 3 && dice.chance(60)) {
    std::vector<int64_t> divisors;
    for (int64_t d = 1; d <= total && d <= 512; ++d) {
      if (total % d == 0) {
        divisors.push_back(d);
      }
    }
    int64_t d = dice.pick(divisors);
    shape.push_back(d);
    total /= d;
  }
  shape.insert(shape.begin() + dice.below(shape.size() + 1), total);
  return shape;
}

Value Generator::constant(Type element, int64_t value) {
  if (isa<FloatType>(element)) {
    return arith::ConstantOp::create(builder, builder.getFloatAttr(element, static_cast<double>(value)));
  }
  unsigned width = element.getIntOrFloatBitWidth();
  return arith::ConstantOp::create(
      builder, builder.getIntegerAttr(element, llvm::APInt(width, static_cast<uint64_t>(value), false, true)));
}

Value Generator::splat(Value scalar, const Shape &shape) {
  return shape.empty() ? scalar : Value(SplatOp::create(builder, tileOrScalar(shape, scalar.getType()), scalar));
}

Value Generator::value(Type type) {
  if (Value found = pool.find(dice, [&](Value v) { return v.getType() == type; })) {
    return found;
  }
  Type element = elementTypeOf(type);
  Shape shape(shapeOf(type));
  if (shape.empty()) {
    return constant(element, dice.below(11) - 5);
  }
  switch (dice.below(4)) {
  case 0:
    return splat(constant(element, dice.below(9) - 3), shape);
  default: {
    Value loaded = load(shape, element);
    pool.add(loaded);
    return loaded;
  }
  }
}

Value Generator::anyTile() {
  Value found = pool.find(
      dice, [](Value v) { return isa<RankedTensorType>(v.getType()) && !isa<PtrType>(elementTypeOf(v.getType())); });
  return found && dice.chance(85) ? found : value(tileOrScalar(randomShape(), randomElement()));
}

Value Generator::mask(const Shape &shape) {
  Value found = pool.find(dice, [&](Value v) { return v.getType() == tileOrScalar(shape, builder.getI1Type()); });
  if (found) {
    return found;
  }
  Value a = value(tileOrScalar(shape, builder.getI32Type()));
  Value b = splat(constant(builder.getI32Type(), dice.below(200) - 50), shape);
  return arith::CmpIOp::create(builder, dice.chance(50) ? arith::CmpIPredicate::slt : arith::CmpIPredicate::uge, a, b);
}

// ---- Arithmetic ----

void Generator::binary() {
  Value a = anyTile();
  Type type = a.getType(), element = elementTypeOf(type);
  if (isa<Float8E4M3FNType, Float8E5M2Type>(element)) { // the language computes with f8 only after a cast
    return cast();
  }
  Value b = dice.chance(20) ? splat(constant(element, dice.below(9) - 4), Shape(shapeOf(type))) : value(type);
  if (isa<FloatType>(element)) {
    Value r;
    switch (dice.below(9)) {
    case 0:
      r = arith::AddFOp::create(builder, a, b);
      break;
    case 1:
      r = arith::SubFOp::create(builder, a, b);
      break;
    case 2:
      r = arith::MulFOp::create(builder, a, b);
      break;
    case 3:
      r = arith::DivFOp::create(builder, a, b);
      break;
    case 4:
      r = arith::MaxNumFOp::create(builder, a, b);
      break;
    case 5:
      r = arith::MinNumFOp::create(builder, a, b);
      break;
    case 6:
      r = arith::MaximumFOp::create(builder, a, b);
      break;
    case 7:
      r = arith::MinimumFOp::create(builder, a, b);
      break;
    default:
      r = element.isF32() || element.isF64() ? Value(math::FmaOp::create(builder, a, b, value(type)))
                                             : Value(arith::AddFOp::create(builder, b, a));
      break;
    }
    return pool.add(r);
  }
  Value r;
  switch (dice.below(element.isInteger(1) ? 3 : 15)) {
  case 0:
    r = arith::AndIOp::create(builder, a, b);
    break;
  case 1:
    r = arith::OrIOp::create(builder, a, b);
    break;
  case 2:
    r = arith::XOrIOp::create(builder, a, b);
    break;
  case 3:
    r = arith::AddIOp::create(builder, a, b);
    break;
  case 4:
    r = arith::SubIOp::create(builder, a, b);
    break;
  case 5:
    r = arith::MulIOp::create(builder, a, b);
    break;
  case 6:
    r = arith::MaxSIOp::create(builder, a, b);
    break;
  case 7:
    r = arith::MinSIOp::create(builder, a, b);
    break;
  case 8:
    r = arith::MaxUIOp::create(builder, a, b);
    break;
  case 9:
    r = arith::MinUIOp::create(builder, a, b);
    break;
  case 10:
    r = DivOp::create(builder, a, b, dice.chance(50));
    break;
  case 11:
    r = RemOp::create(builder, a, b, dice.chance(50));
    break;
  case 12:
    r = ShlOp::create(builder, a, b);
    break;
  case 13:
    r = ShrOp::create(builder, a, b, dice.chance(50));
    break;
  default:
    r = dice.chance(50) ? arith::MulUIExtendedOp::create(builder, a, b).getHigh()
                        : arith::MulSIExtendedOp::create(builder, a, b).getHigh();
    break;
  }
  pool.add(r);
}

void Generator::unary() {
  Value a = anyTile();
  Type element = elementTypeOf(a.getType());
  if (isa<Float8E4M3FNType, Float8E5M2Type>(element)) {
    return cast();
  }
  if (dice.chance(25)) {
    Shape shape(shapeOf(a.getType()));
    return pool.add(arith::SelectOp::create(builder, mask(shape), a, value(a.getType())));
  }
  Value r;
  if (isa<FloatType>(element)) {
    bool wide = element.isF32() || element.isF64();
    switch (dice.below(wide ? 8 : 2)) {
    case 0:
      r = arith::NegFOp::create(builder, a);
      break;
    case 1:
      r = math::AbsFOp::create(builder, a);
      break;
    case 2:
      r = math::FloorOp::create(builder, a);
      break;
    case 3:
      r = math::CeilOp::create(builder, a);
      break;
    case 4:
      r = math::SqrtOp::create(builder, a);
      break;
    case 5:
      r = math::TruncOp::create(builder, a);
      break;
    case 6:
      r = math::RoundEvenOp::create(builder, a);
      break;
    default:
      r = math::RoundOp::create(builder, a);
      break;
    }
  } else if (element.isInteger(1)) {
    r = arith::XOrIOp::create(builder, a, splat(constant(element, 1), Shape(shapeOf(a.getType()))));
  } else {
    switch (dice.below(4)) {
    case 0:
      r = math::AbsIOp::create(builder, a);
      break;
    case 1:
      r = math::CtPopOp::create(builder, a);
      break;
    case 2:
      r = math::CountLeadingZerosOp::create(builder, a);
      break;
    default:
      r = math::CountTrailingZerosOp::create(builder, a);
      break;
    }
  }
  pool.add(r);
}

void Generator::cast() {
  Value a = anyTile();
  Type from = elementTypeOf(a.getType()), to = randomElement();
  bool floats = isa<FloatType>(from) && isa<FloatType>(to);
  Rounding rounding = floats && dice.chance(20) ? Rounding::TowardZero : Rounding::Nearest;
  pool.add(CastOp::create(builder, withElementType(a.getType(), to), a, rounding, dice.chance(50)));
}

void Generator::compare() {
  Value a = anyTile();
  Type element = elementTypeOf(a.getType());
  if (isa<Float8E4M3FNType, Float8E5M2Type>(element)) {
    return cast();
  }
  Value b = value(a.getType());
  if (isa<FloatType>(element)) {
    return pool.add(arith::CmpFOp::create(builder, static_cast<arith::CmpFPredicate>(dice.below(16)), a, b));
  }
  pool.add(arith::CmpIOp::create(builder, static_cast<arith::CmpIPredicate>(dice.below(10)), a, b));
}

// ---- Shapes ----

void Generator::shapeChange() {
  Value a = anyTile();
  auto type = cast_or_null<RankedTensorType>(a.getType());
  Shape shape(type.getShape());
  Type element = type.getElementType();
  int64_t rank = shape.size(), total = type.getNumElements();
  auto tile = [&](const Shape &s) { return tileOrScalar(s, element); };
  switch (dice.below(10)) {
  case 0: {
    Shape s = shapeOfSize(total);
    return pool.add(ReshapeOp::create(builder, tile(s), a));
  }
  case 1: {
    std::vector<int32_t> order(rank);
    for (int64_t i = 0; i < rank; ++i) {
      order[i] = i;
    }
    for (int64_t i = rank - 1; i > 0; --i) {
      std::swap(order[i], order[dice.below(i + 1)]);
    }
    Shape s;
    for (int32_t axis : order) {
      s.push_back(shape[axis]);
    }
    return pool.add(TransOp::create(builder, tile(s), a, order));
  }
  case 2: {
    int64_t axis = dice.below(rank + 1);
    Shape s = shape;
    s.insert(s.begin() + axis, 1);
    Value expanded = ExpandDimsOp::create(builder, tile(s), a, axis);
    int64_t most = options.maxElements / total;
    if (most >= 1) {
      s[axis] = 1 + dice.below(std::min<int64_t>(most, 40));
      return pool.add(BroadcastOp::create(builder, tile(s), expanded));
    }
    return pool.add(expanded);
  }
  case 3: {
    if (total * 2 > options.maxElements || rank > 3) {
      return;
    }
    Shape s = shape;
    s.push_back(2);
    return pool.add(JoinOp::create(builder, tile(s), a, value(type)));
  }
  case 4: {
    if (shape.back() != 2) {
      return;
    }
    Shape s(shape.begin(), shape.end() - 1);
    auto split = SplitOp::create(builder, tile(s), tile(s), a);
    pool.add(split.getLhs());
    return pool.add(split.getRhs());
  }
  case 5: {
    int64_t axis = dice.below(rank);
    if (total * 2 > options.maxElements) {
      return;
    }
    Shape s = shape;
    s[axis] *= 2;
    return pool.add(CatOp::create(builder, tile(s), a, value(type), axis));
  }
  case 6: {
    Shape s;
    std::vector<int64_t> starts, strides;
    for (int64_t extent : shape) {
      int64_t start = dice.below(extent), stride = 1 + dice.below(3);
      if (dice.chance(20)) {
        stride = -stride;
      }
      int64_t room = stride > 0 ? (extent - 1 - start) / stride : start / -stride;
      starts.push_back(start);
      strides.push_back(stride);
      s.push_back(1 + dice.below(room + 1));
    }
    return pool.add(SliceOp::create(builder, tile(s), a, starts, strides));
  }
  case 7: {
    int64_t axis = dice.below(rank);
    Shape s = shape;
    s[axis] = 1 + dice.below(std::max<int64_t>(1, std::min<int64_t>(40, options.maxElements * shape[axis] / total)));
    Value index = value(tileOrScalar(s, builder.getI32Type()));
    // Half of them inside, the rest anywhere: an index outside gives 0.
    if (dice.chance(70)) {
      index = RemOp::create(builder, index, splat(constant(builder.getI32Type(), shape[axis]), s), false);
    }
    return pool.add(GatherOp::create(builder, tile(s), a, index, axis));
  }
  case 8: {
    Shape s = randomShape();
    Value scalar = value(element);
    return pool.add(splat(scalar, s));
  }
  default:
    if (total == 1) {
      return pool.add(UnsplatOp::create(builder, element, a));
    }
    return pool.add(IotaOp::create(
        builder, tileOrScalar({1 + dice.below(300)}, dice.chance(70) ? builder.getI32Type() : builder.getI64Type()),
        dice.below(50) - 10));
  }
}

// ---- Entry ----

void Generator::step(int depth) {
  int64_t roll = dice.below(100);
  if (roll < 24) {
    binary();
  } else if (roll < 34) {
    unary();
  } else if (roll < 42) {
    cast();
  } else if (roll < 47) {
    compare();
  } else if (roll < 63) {
    shapeChange();
  } else if (roll < 72) {
    reduceOrScan();
  } else if (roll < 76) {
    dot();
  } else if (roll < 80) {
    sortLike();
  } else if (roll < 88) {
    store();
  } else if (roll < 91) {
    blockAccess();
  } else if (roll < 93) {
    atomic();
  } else if (roll < 94) {
    transcendental();
  } else if (depth < 2) {
    control(depth);
  }
}

Program Generator::run() {
  Program program;
  program.module = ModuleOp::create(builder.getLoc());
  builder.setInsertionPointToEnd(program.module->getBody());
  grid = dice.chance(60) ? 1 : 1 + dice.below(4);
  auto kernel = func::FuncOp::create(builder, "fuzz", builder.getFunctionType({}, {}));
  kernel->setAttr(kKernelAttr, builder.getUnitAttr());
  entry = kernel.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  Value pid = ProgramIdOp::create(builder, builder.getI32Type(), builder.getI32IntegerAttr(0));
  regionStart = arith::MulIOp::create(builder, pid, constant(builder.getI32Type(), kRegion));
  pool.add(pid);
  for (Type type : {Type(builder.getI32Type()), Type(builder.getI64Type()), Type(builder.getF32Type())}) {
    arguments.push_back({Argument::Scalar, type, 0});
    pool.add(entry->addArgument(type, builder.getLoc()));
  }
  for (int64_t i = 0, n = 1 + dice.below(options.ops); i < n; ++i) {
    step(0);
  }
  finish();
  func::ReturnOp::create(builder);
  kernel.setFunctionType(builder.getFunctionType(entry->getArgumentTypes(), {}));
  program.arguments = arguments;
  program.grid = grid;
  return program;
}

Program generate(MLIRContext &context, uint64_t seed, const GenerateOptions &options) {
  return Generator(context, seed, options).run();
}

std::vector<uint8_t> fill(const Argument &argument, std::mt19937_64 &rng) {
  int64_t width = bytesInMemory(argument.element), count = std::max<int64_t>(1, argument.elements);
  std::vector<uint8_t> bytes(count * width);
  bool isFloat = isa<FloatType>(argument.element);
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits = rng();
    if (argument.element.isInteger(1)) {
      bits &= 1;
    } else if (isFloat && bits % 16 < 10) { // small numbers with few digits
      double number = (static_cast<double>(rng() % 257) - 128) / (rng() % 2 ? 1 : 8);
      const llvm::fltSemantics &semantics = cast<FloatType>(argument.element).getFloatSemantics();
      llvm::APFloat value(number);
      bool lossy;
      value.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &lossy);
      bits = value.bitcastToAPInt().getZExtValue();
    } else if (!isFloat && bits % 16 < 11) {
      bits = rng() % 201 - 100;
    } else if (!isFloat && bits % 16 < 13) { // extremes of the type
      bits = (uint64_t(1) << (8 * width - 1)) - rng() % 3;
    }
    std::memcpy(&bytes[i * width], &bits, width);
  }
  return bytes;
}

} // namespace pavage::fuzz
