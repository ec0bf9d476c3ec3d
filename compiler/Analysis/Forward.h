// Facts that flow from definitions to uses through structured control flow. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// A State is a fact about one value, with `static State join(const State &, const State &)` (what holds of both) and
// ==. Derived says what ops and block arguments give:
//
//   State unknown(Value)                                     nothing is known of it
//   SmallVector<State> transfer(Operation *, ArrayRef<State> operands)   one per result
//   State argument(BlockArgument)                            of the function, and the index of an scf.for
//
// Loops are walked until nothing changes. States of carried values start from the initial ones and only lose facts, so
// every value that a walk meets has a state, and the walk ends when the lattice has no infinite descent.
#ifndef PAVAGE_COMPILER_ANALYSIS_FORWARD_H
#define PAVAGE_COMPILER_ANALYSIS_FORWARD_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace pavage::analysis {

template <typename Derived, typename State> class Forward {
public:
  /// The state of a value of the analysed function; values made later are unknown.
  State get(mlir::Value value) const {
    auto it = states.find(value);
    return it == states.end() ? static_cast<const Derived *>(this)->unknown(value) : it->second;
  }

protected:
  void run(mlir::func::FuncOp function) {
    do {
      changed = false;
      for (mlir::Block &block : function.getBody()) {
        for (mlir::BlockArgument argument : block.getArguments()) {
          // Blocks other than the first are reached by branches, which are not followed.
          meet(argument, block.isEntryBlock() ? self().argument(argument) : self().unknown(argument));
        }
        walk(block);
      }
    } while (changed);
  }

private:
  Derived &self() { return *static_cast<Derived *>(this); }

  void meet(mlir::Value value, const State &state) {
    auto [it, isNew] = states.try_emplace(value, state);
    if (isNew) {
      changed = true;
      return;
    }
    State joined = State::join(it->second, state);
    if (!(joined == it->second)) {
      it->second = std::move(joined);
      changed = true;
    }
  }

  void meet(mlir::ValueRange to, mlir::ValueRange from) {
    for (auto [target, source] : llvm::zip(to, from)) {
      meet(target, get(source));
    }
  }

  void forget(mlir::ValueRange values) {
    for (mlir::Value value : values) {
      meet(value, self().unknown(value));
    }
  }

  void walk(mlir::Block &block) {
    for (mlir::Operation &op : block) {
      visit(&op);
    }
  }

  void visit(mlir::Operation *op) {
    if (auto loop = llvm::dyn_cast<mlir::scf::ForOp>(op)) {
      meet(loop.getInductionVar(), self().argument(llvm::cast<mlir::BlockArgument>(loop.getInductionVar())));
      meet(loop.getRegionIterArgs(), loop.getInitArgs());
      walk(*loop.getBody());
      meet(loop.getRegionIterArgs(), loop.getBody()->getTerminator()->getOperands());
      meet(loop.getResults(), loop.getInitArgs());
      meet(loop.getResults(), loop.getBody()->getTerminator()->getOperands());
      return;
    }
    if (auto loop = llvm::dyn_cast<mlir::scf::WhileOp>(op)) {
      meet(loop.getBeforeArguments(), loop.getInits());
      walk(*loop.getBeforeBody());
      meet(loop.getAfterArguments(), loop.getConditionOp().getArgs());
      meet(loop.getResults(), loop.getConditionOp().getArgs());
      walk(*loop.getAfterBody());
      meet(loop.getBeforeArguments(), loop.getYieldOp().getResults());
      return;
    }
    if (auto branch = llvm::dyn_cast<mlir::scf::IfOp>(op)) {
      for (mlir::Region *region : branch.getRegions()) {
        if (!region->empty()) {
          walk(region->front());
          meet(branch.getResults(), region->front().getTerminator()->getOperands());
        }
      }
      return;
    }
    for (mlir::Region &region : op->getRegions()) {
      for (mlir::Block &block : region) {
        forget(block.getArguments());
        walk(block);
      }
    }
    if (op->getNumResults() == 0) {
      return;
    }
    llvm::SmallVector<State> operands;
    for (mlir::Value operand : op->getOperands()) {
      operands.push_back(get(operand));
    }
    llvm::SmallVector<State> results = self().transfer(op, operands);
    for (auto [result, state] : llvm::zip(op->getResults(), results)) {
      meet(result, state);
    }
  }

  llvm::DenseMap<mlir::Value, State> states;
  bool changed = false;
};

} // namespace pavage::analysis

#endif // PAVAGE_COMPILER_ANALYSIS_FORWARD_H
