// Branches and loops. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structured control flow becomes blocks whose arguments are the words of what is carried. Conditions and bounds are
// scalars, the same in all threads, so all threads of a program take one way.
//
//   scf.for lb to ub step s     cond_br lb < ub, body(lb, init), exit(init)
//                               body(i, carried): ...; cond_br ub - i > s, body(i + s, yielded), exit(yielded)
//
// The distance is compared, not the next index, which could wrap.
#include "compiler/Gpu/Lower/Emitter.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using Predicate = LLVM::ICmpPredicate;

namespace pavage::gpu {

Block *Emitter::newBlock(TypeRange arguments) {
  Block *here = b.getInsertionBlock();
  Block *block = new Block;
  here->getParent()->getBlocks().insertAfter(here->getIterator(), block);
  for (Type type : arguments) {
    block->addArgument(type, loc);
  }
  return block;
}

/// Our loops are as long as they should be: LLVM's unroller would only make them longer.
static LLVM::LoopAnnotationAttr keepRolled(OpBuilder &b) {
  MLIRContext *context = b.getContext();
  auto unroll = LLVM::LoopUnrollAttr::get(context, /*disable=*/b.getBoolAttr(true), {}, {}, {}, {}, {}, {});
  return LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
}

static void branch(Emitter &e, Value condition, Block *yes, ValueRange yesValues, Block *no, ValueRange noValues,
                   bool isLatch = false) {
  auto op = LLVM::CondBrOp::create(e.b, e.loc, condition, yes, yesValues, no, noValues);
  if (isLatch) {
    op.setLoopAnnotationAttr(keepRolled(e.b));
  }
}

void Emitter::when(Value condition, llvm::function_ref<void()> body) {
  if (!condition) {
    return body();
  }
  Block *after = newBlock();
  Block *then = newBlock();
  branch(*this, condition, then, {}, after, {});
  b.setInsertionPointToStart(then);
  body();
  LLVM::BrOp::create(b, loc, ValueRange(), after);
  b.setInsertionPointToStart(after);
}

Values Emitter::choose(Value condition, llvm::function_ref<Values()> then, ValueRange otherwise) {
  if (!condition) {
    return then();
  }
  Block *after = newBlock(otherwise.getTypes());
  Block *inside = newBlock();
  branch(*this, condition, inside, {}, after, otherwise);
  b.setInsertionPointToStart(inside);
  Values chosen = then();
  LLVM::BrOp::create(b, loc, chosen, after);
  b.setInsertionPointToStart(after);
  return Values(after->getArguments());
}

Values Emitter::repeat(Value count, ValueRange initial, llvm::function_ref<Values(Value, ValueRange)> body) {
  SmallVector<Type> types{b.getI32Type()};
  llvm::append_range(types, initial.getTypes());
  Block *after = newBlock(initial.getTypes());
  Block *loop = newBlock(types);
  Values first{i32(0)};
  llvm::append_range(first, initial);
  LLVM::BrOp::create(b, loc, first, loop);
  b.setInsertionPointToStart(loop);
  Values next = body(loop->getArgument(0), loop->getArguments().drop_front());
  Value round = add(loop->getArgument(0), i32(1));
  Values values{round};
  llvm::append_range(values, next);
  branch(*this, compare(Predicate::ult, round, count), loop, values, after, next, /*isLatch=*/true);
  b.setInsertionPointToStart(after);
  return Values(after->getArguments());
}

void Emitter::barrier() {
  if (numWarps == 1) {
    NVVM::SyncWarpOp::create(b, loc, i32(-1));
    return;
  }
  NVVM::Barrier0Op::create(b, loc);
}

FailureOr<Values> Emitter::combine(Region &region, ValueRange left, ValueRange right) {
  Block &block = region.front();
  unsigned count = left.size();
  for (auto [index, argument] : llvm::enumerate(block.getArguments())) {
    bindScalar(argument, index < count ? left[index] : right[index - count]);
  }
  if (failed(emitBlock(block))) {
    return failure();
  }
  Values results;
  for (Value yielded : block.getTerminator()->getOperands()) {
    results.push_back(scalar(yielded));
  }
  return results;
}

// --- scf -------------------------------------------------------------------------------------------------------------

static bool isOne(Value value) { return matchPattern(value, m_One()); }

LogicalResult Emitter::emitFor(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  Value lower = scalar(loop.getLowerBound()), upper = scalar(loop.getUpperBound()), step = scalar(loop.getStep());
  Values initial = flatten(loop.getInitArgs());
  SmallVector<Type> carried = flatTypes(loop.getInitArgs().getTypes()), types{lower.getType()};
  llvm::append_range(types, carried);
  Block *after = newBlock(carried);
  Block *body = newBlock(types);
  Values first{lower};
  llvm::append_range(first, initial);
  bool isUnsigned = loop.getUnsignedCmp();
  branch(*this, compare(isUnsigned ? Predicate::ult : Predicate::slt, lower, upper), body, first, after, initial);

  b.setInsertionPointToStart(body);
  Value index = body->getArgument(0);
  bindScalar(loop.getInductionVar(), index);
  bindFlat(loop.getRegionIterArgs(), body->getArguments().drop_front());
  if (failed(emitBlock(*loop.getBody()))) {
    return failure();
  }
  loc = op->getLoc();
  Values yielded = flatten(loop.getBody()->getTerminator()->getOperands());
  Value next = add(index, step);
  // A step of one cannot jump over the end.
  Value more = isOne(step) ? compare(isUnsigned ? Predicate::ult : Predicate::slt, next, upper)
                           : compare(Predicate::ugt, sub(upper, index), step);
  Values values{next};
  llvm::append_range(values, yielded);
  branch(*this, more, body, values, after, yielded, /*isLatch=*/true);
  b.setInsertionPointToStart(after);
  bindFlat(loop.getResults(), after->getArguments());
  return success();
}

LogicalResult Emitter::emitWhile(Operation *op) {
  auto loop = cast<scf::WhileOp>(op);
  Block *after = newBlock(flatTypes(loop.getResultTypes()));
  Block *body = newBlock(flatTypes(ValueRange(loop.getAfterArguments()).getTypes()));
  Block *head = newBlock(flatTypes(ValueRange(loop.getBeforeArguments()).getTypes()));
  LLVM::BrOp::create(b, loc, flatten(loop.getInits()), head);

  b.setInsertionPointToStart(head);
  bindFlat(loop.getBeforeArguments(), head->getArguments());
  if (failed(emitBlock(*loop.getBeforeBody()))) {
    return failure();
  }
  scf::ConditionOp condition = loop.getConditionOp();
  Values passed = flatten(condition.getArgs());
  branch(*this, scalar(condition.getCondition()), body, passed, after, passed, /*isLatch=*/true);

  b.setInsertionPointToStart(body);
  bindFlat(loop.getAfterArguments(), body->getArguments());
  if (failed(emitBlock(*loop.getAfterBody()))) {
    return failure();
  }
  LLVM::BrOp::create(b, loc, flatten(loop.getYieldOp().getResults()), head);
  b.setInsertionPointToStart(after);
  bindFlat(loop.getResults(), after->getArguments());
  return success();
}

LogicalResult Emitter::emitIf(Operation *op) {
  auto branches = cast<scf::IfOp>(op);
  Block *after = newBlock(flatTypes(branches.getResultTypes()));
  Block *otherwise = branches.elseBlock() ? newBlock() : after;
  Block *then = newBlock();
  branch(*this, scalar(branches.getCondition()), then, {}, otherwise, {});
  for (auto [target, source] : {std::pair(then, branches.thenBlock()), std::pair(otherwise, branches.elseBlock())}) {
    if (!source) {
      continue;
    }
    b.setInsertionPointToStart(target);
    if (failed(emitBlock(*source))) {
      return failure();
    }
    LLVM::BrOp::create(b, op->getLoc(), flatten(source->getTerminator()->getOperands()), after);
  }
  b.setInsertionPointToStart(after);
  bindFlat(branches.getResults(), after->getArguments());
  return success();
}

} // namespace pavage::gpu
