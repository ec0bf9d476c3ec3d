// Matrix products: blocks of the result in registers, k ascending. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
//   C = acc                                        (in the type of computation, in scratch memory)
//   for i in steps of MR, j in steps of NR:        MR, NR: facts of the target
//     c[MR] = load C[i.., j..j+NR]                 vectors of NR lanes
//     for k: b = B[k, j..j+NR]; c[r] = fma(splat(A[i+r, k]), b, c[r])
//     store c
//
// Each element sums over k in ascending order, whatever the blocking, so all levels agree to the bit. Rows and columns
// left over by the blocking get a smaller block, chosen at compile time.
#include "compiler/Cpu/Lower/Emitter.h"

#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace pavage::cpu {

namespace {
/// One product of matrices, the batch axis stripped.
struct Product {
  int64_t m, n, k;                   ///< n with the padding of the rows, whose columns do no harm
  int64_t strideA, strideB, strideC; ///< between rows, in elements
  Value a, b, c;                     ///< pointers to the first elements
  Type element;
};

class BlockedProduct {
public:
  BlockedProduct(Ops ops, Product product) : o(ops), p(product) {}

  void emit() {
    int64_t rows = std::min(o.target.dotRows, p.m), columns = std::min(o.target.dotColumns, p.n);
    overRows(rows, [&](Value i, int64_t count) {
      overColumns(columns, [&](Value j, int64_t width) { block(i, j, count, width); });
    });
  }

private:
  Value number(int64_t value) { return o.constant(o.i(64), value); }

  /// Runs `body` in a loop over whole blocks and for the rest, at once or in powers of two.
  void over(int64_t extent, int64_t step, bool inPowers, llvm::function_ref<void(Value, int64_t)> body) {
    int64_t whole = extent / step * step;
    if (whole == step) {
      body(number(0), step);
    } else if (whole > 0) {
      auto loop = scf::ForOp::create(o.b, o.loc, number(0), number(whole), number(step));
      OpBuilder::InsertionGuard guard(o.b);
      o.b.setInsertionPoint(loop.getBody()->getTerminator());
      body(loop.getInductionVar(), step);
    }
    while (whole < extent) {
      int64_t rest = extent - whole, part = inPowers ? static_cast<int64_t>(llvm::bit_floor(uint64_t(rest))) : rest;
      body(number(whole), part);
      whole += part;
    }
  }
  void overRows(int64_t rows, llvm::function_ref<void(Value, int64_t)> body) { over(p.m, rows, false, body); }
  void overColumns(int64_t columns, llvm::function_ref<void(Value, int64_t)> body) { over(p.n, columns, true, body); }

  Value at(Value base, Value row, int64_t stride, Value column) {
    Value index = o.mul(row, static_cast<uint64_t>(stride));
    index = column ? o.add(index, column) : index;
    return LLVM::GEPOp::create(o.b, o.loc, base.getType(), p.element, base, ArrayRef<LLVM::GEPArg>{index});
  }

  Value multiplyAdd(Value a, Value x, Value c) {
    if (isa<FloatType>(p.element)) {
      return o.fma(o.splat(a, lanesOf(x.getType())), x, c);
    }
    return o.add(c, o.mul(o.splat(a, lanesOf(x.getType())), x));
  }

  void block(Value i, Value j, int64_t rows, int64_t width) {
    Type type = width == 1 ? p.element : Type(VectorType::get({width}, p.element));
    unsigned bytes = p.element.getIntOrFloatBitWidth() / 8;
    SmallVector<Value> sums;
    for (int64_t row = 0; row < rows; ++row) {
      Value place = at(p.c, o.add(i, static_cast<uint64_t>(row)), p.strideC, j);
      sums.push_back(LLVM::LoadOp::create(o.b, o.loc, type, place, bytes));
    }
    auto loop = scf::ForOp::create(o.b, o.loc, number(0), number(p.k), number(1), sums);
    {
      OpBuilder::InsertionGuard guard(o.b);
      o.b.setInsertionPointToEnd(loop.getBody());
      Value k = loop.getInductionVar();
      Value right = LLVM::LoadOp::create(o.b, o.loc, type, at(p.b, k, p.strideB, j), bytes);
      SmallVector<Value> next;
      for (int64_t row = 0; row < rows; ++row) {
        Value place = at(p.a, o.add(i, static_cast<uint64_t>(row)), p.strideA, k);
        Value left = LLVM::LoadOp::create(o.b, o.loc, p.element, place, bytes);
        next.push_back(multiplyAdd(left, right, loop.getRegionIterArg(row)));
      }
      scf::YieldOp::create(o.b, o.loc, next);
    }
    for (int64_t row = 0; row < rows; ++row) {
      Value place = at(p.c, o.add(i, static_cast<uint64_t>(row)), p.strideC, j);
      LLVM::StoreOp::create(o.b, o.loc, loop.getResult(row), place, bytes);
    }
  }

  Ops o;
  Product p;
};
} // namespace

LogicalResult Emitter::emitDot(Operation *op) {
  auto dot = cast<tile::DotOp>(op);
  Type computed = dotType(dot.getAcc().getType());
  ArrayRef<int64_t> temps = tempsOf(op);
  Buffer result = bufferAt(dot.getResult(), *plannedOffset(dot.getResult()));

  // An operand as it is, or converted into memory of this op.
  auto operand = [&](Value value, int64_t temp, bool isUnsigned) {
    if (temp < 0) {
      compute(value);
      return buffers[value];
    }
    Buffer buffer = bufferAt(tile::withElementType(value.getType(), computed), temp);
    runNest(buffer.extents, {value}, [&](Nest &current) {
      Lanes lanes = eval(value, current.coords);
      Value number = lanes.isUniform() ? lanes.value : vectorOf(lanes);
      number = ops().cast(number, tile::elementTypeOf(value.getType()), computed, !isUnsigned, false);
      storeBuffer(buffer, current.coords, lanesFrom(number));
    });
    return buffer;
  };
  Buffer left = operand(dot.getLhs(), temps[0], dot.getLhsUnsigned());
  Buffer right = operand(dot.getRhs(), temps[1], dot.getRhsUnsigned());
  Buffer sum = result;
  if (temps[2] >= 0) {
    sum = bufferAt(tile::withElementType(dot.getType(), computed), temps[2]);
    runNest(sum.extents, {dot.getAcc()}, [&](Nest &current) {
      Lanes lanes = eval(dot.getAcc(), current.coords);
      Value number = ops().cast(lanes.value, result.element, computed, true, false);
      storeBuffer(sum, current.coords, lanesFrom(number));
    });
  } else {
    assign(dot.getAcc(), result);
  }

  bool isBatched = result.extents.size() == 3;
  auto emitProduct = [&](Value batch) {
    auto pointer = [&](const Buffer &buffer) {
      Coord index = batch ? scale({batch, 0, 0, {}, 0}, buffer.shape.strides[0]) : Coord();
      return elementPointer(buffer, index);
    };
    size_t last = result.extents.size() - 1;
    int64_t columns = result.extents[last];
    if (static_cast<int>(last) == vectorAxis(result.extents)) {
      columns = bufferShape({columns}).elements;
    }
    Product product{result.extents[last - 1],
                    columns,
                    left.extents[last],
                    left.shape.strides[last - 1],
                    right.shape.strides[last - 1],
                    sum.shape.strides[last - 1],
                    pointer(left),
                    pointer(right),
                    pointer(sum),
                    computed};
    BlockedProduct(ops(), product).emit();
  };
  if (isBatched && result.extents[0] > 1) {
    scf::ForOp loop = openLoop(result.extents[0], 1);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    emitProduct(loop.getInductionVar());
  } else {
    emitProduct({});
  }
  if (temps[2] >= 0) {
    runNest(result.extents, {}, [&](Nest &current) {
      Lanes lanes = loadBuffer(sum, current.coords);
      storeBuffer(result, current.coords, lanesFrom(ops().cast(lanes.value, computed, result.element, true, false)));
    });
  }
  return success();
}

} // namespace pavage::cpu
