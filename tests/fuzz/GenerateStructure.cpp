// Random programs: reductions, contraction, sorting, control flow. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tests/fuzz/Generator.h"

using namespace mlir;
using namespace pavage::tile;

namespace pavage::fuzz {

Value Generator::combine(Type element, int64_t kind, Value a, Value b) {
  if (isa<FloatType>(element)) {
    switch (kind % 4) {
    case 0:
      return arith::AddFOp::create(builder, a, b);
    case 1:
      return arith::MaxNumFOp::create(builder, a, b);
    case 2:
      return arith::MinNumFOp::create(builder, a, b);
    default:
      return arith::MulFOp::create(builder, a, b);
    }
  }
  if (element.isInteger(1)) {
    return kind % 2 ? Value(arith::AndIOp::create(builder, a, b)) : Value(arith::XOrIOp::create(builder, a, b));
  }
  switch (kind % 8) {
  case 0:
    return arith::AddIOp::create(builder, a, b);
  case 1:
    return arith::MaxSIOp::create(builder, a, b);
  case 2:
    return arith::MinUIOp::create(builder, a, b);
  case 3:
    return arith::MulIOp::create(builder, a, b);
  case 4:
    return arith::AndIOp::create(builder, a, b);
  case 5:
    return arith::OrIOp::create(builder, a, b);
  case 6:
    return arith::XOrIOp::create(builder, a, b);
  default: { // not a function that anyone recognises: a + b + (a & b)
    Value sum = arith::AddIOp::create(builder, a, b);
    return arith::AddIOp::create(builder, sum, Value(arith::AndIOp::create(builder, a, b)));
  }
  }
}

void Generator::reduceOrScan() {
  Value source = anyTile();
  auto type = cast<RankedTensorType>(source.getType());
  if (isa<Float8E4M3FNType, Float8E5M2Type>(type.getElementType())) {
    return;
  }
  SmallVector<Value> sources{source};
  bool pairs = dice.chance(25);
  if (pairs) {
    sources.push_back(value(withElementType(type, builder.getI32Type())));
  }
  int64_t axis = dice.below(type.getRank()), kind = dice.below(8);
  bool scan = dice.chance(40);
  SmallVector<int64_t> shape(type.getShape());
  if (!scan) {
    shape.erase(shape.begin() + axis);
  }
  SmallVector<Type> results, scalars;
  for (Value s : sources) {
    scalars.push_back(elementTypeOf(s.getType()));
    results.push_back(tileOrScalar(shape, scalars.back()));
  }
  Operation *op = scan ? ScanOp::create(builder, results, sources, axis, dice.chance(40)).getOperation()
                       : ReduceOp::create(builder, results, sources, axis).getOperation();
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> both(scalars);
  both.append(scalars);
  Block *block = builder.createBlock(&op->getRegion(0), {}, both, SmallVector<Location>(both.size(), builder.getLoc()));
  SmallVector<Value> yielded;
  if (pairs && type.getElementType().isIntOrFloat() && !type.getElementType().isInteger(1)) {
    // The larger element with its companion; on a tie the smaller companion.
    Value a = block->getArgument(0), ai = block->getArgument(1), b = block->getArgument(2), bi = block->getArgument(3);
    bool isFloat = isa<FloatType>(a.getType());
    Value greater = isFloat ? Value(arith::CmpFOp::create(builder, arith::CmpFPredicate::OGT, a, b))
                            : Value(arith::CmpIOp::create(builder, arith::CmpIPredicate::sgt, a, b));
    Value equal = isFloat ? Value(arith::CmpFOp::create(builder, arith::CmpFPredicate::OEQ, a, b))
                          : Value(arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, a, b));
    Value less = arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, ai, bi);
    Value left = arith::OrIOp::create(builder, greater, Value(arith::AndIOp::create(builder, equal, less)));
    yielded = {arith::SelectOp::create(builder, left, a, b), arith::SelectOp::create(builder, left, ai, bi)};
  } else {
    for (size_t i = 0; i < sources.size(); ++i) {
      yielded.push_back(combine(scalars[i], kind + i, block->getArgument(i), block->getArgument(i + sources.size())));
    }
  }
  YieldOp::create(builder, yielded);
  for (Value result : op->getResults()) {
    pool.add(result);
  }
}

void Generator::dot() {
  struct Row {
    Type in, out;
  };
  Builder &b = builder;
  const std::vector<Row> rows = {{b.getF32Type(), b.getF32Type()},
                                 {b.getF16Type(), b.getF32Type()},
                                 {b.getF16Type(), b.getF16Type()},
                                 {b.getBF16Type(), b.getF32Type()},
                                 {b.getI8Type(), b.getI32Type()},
                                 {b.getF64Type(), b.getF64Type()},
                                 {Float8E5M2Type::get(&context), b.getF32Type()}};
  Row row = dice.pick(rows);
  int64_t m = 1 + dice.below(20), k = 1 + dice.below(24), n = 1 + dice.below(40);
  auto shaped = [&](int64_t x, int64_t y, bool batch) { return batch ? Shape{3, x, y} : Shape{x, y}; };
  bool batch = dice.chance(15);
  Value lhs = value(tileOrScalar(shaped(m, k, batch), row.in)), rhs = value(tileOrScalar(shaped(k, n, batch), row.in));
  Value acc = value(tileOrScalar(shaped(m, n, batch), row.out));
  auto op = DotOp::create(builder, acc.getType(), lhs, rhs, acc, Precision::Default, IntegerAttr(),
                          row.in.isInteger(8) && dice.chance(30), row.in.isInteger(8) && dice.chance(30));
  pool.add(op);
}

void Generator::sortLike() {
  if (dice.chance(30)) {
    Value source = value(tileOrScalar({1 + dice.below(300)}, builder.getI32Type()));
    Value keep = dice.chance(50) ? mask(Shape(shapeOf(source.getType()))) : Value();
    return pool.add(
        HistogramOp::create(builder, tileOrScalar({1 + dice.below(70)}, builder.getI32Type()), source, keep));
  }
  Value source = anyTile();
  if (isa<Float8E4M3FNType, Float8E5M2Type>(elementTypeOf(source.getType()))) {
    return;
  }
  pool.add(SortOp::create(builder, source, dice.chance(50), dice.chance(50)));
}

void Generator::control(int depth) {
  int64_t carriedCount = dice.below(3);
  SmallVector<Value> inits;
  for (int64_t i = 0; i < carriedCount; ++i) {
    inits.push_back(dice.chance(75) ? anyTile() : value(builder.getI32Type()));
  }
  SmallVector<Type> types = llvm::map_to_vector(inits, [](Value v) { return v.getType(); });
  int64_t bodyOps = 1 + dice.below(5);
  auto body = [&](SmallVector<Value> &yielded) {
    for (int64_t i = 0; i < bodyOps; ++i) {
      step(depth + 1);
    }
    for (Type type : types) {
      yielded.push_back(value(type));
    }
  };
  size_t mark = pool.mark();
  OpBuilder::InsertionGuard guard(builder);
  Operation *op = nullptr;
  if (dice.chance(40)) {
    Value condition = arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, value(builder.getI32Type()),
                                            constant(builder.getI32Type(), dice.below(9) - 3));
    auto branch = scf::IfOp::create(builder, types, condition, true);
    for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
      if (!block->empty()) { // an if without results comes with its terminators
        block->back().erase();
      }
      builder.setInsertionPointToEnd(block);
      SmallVector<Value> yielded;
      body(yielded);
      scf::YieldOp::create(builder, yielded);
      pool.release(mark);
    }
    op = branch;
  } else {
    Type i32 = builder.getI32Type();
    static const std::vector<int64_t> trips = {0, 1, 2, 3, 5};
    Value low = constant(i32, dice.below(4)), step = constant(i32, 1 + dice.below(3));
    Value high = dice.chance(70) ? constant(i32, dice.pick(trips)) : value(i32);
    high = arith::MinSIOp::create(builder, high, constant(i32, 7));
    auto loop = scf::ForOp::create(builder, low, high, step, inits);
    if (inits.empty()) { // a loop that carries nothing comes with its terminator
      loop.getBody()->back().erase();
    }
    builder.setInsertionPointToEnd(loop.getBody());
    pool.add(loop.getInductionVar());
    for (Value carried : loop.getRegionIterArgs()) {
      pool.add(carried);
    }
    SmallVector<Value> yielded;
    body(yielded);
    scf::YieldOp::create(builder, yielded);
    pool.release(mark);
    op = loop;
  }
  for (Value result : op->getResults()) {
    pool.add(result);
  }
}

} // namespace pavage::fuzz
