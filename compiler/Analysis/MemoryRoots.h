// Which kernel arguments a pointer may derive from. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   %q = tile.addptr %p, %i      roots of %q = roots of %p
//   %r = arith.select %c, %p, %q roots of both
//   %s = tile.load %pp           a pointer out of memory: any
//   %t = tile.bitcast %i         a pointer out of an integer: any
#ifndef PAVAGE_COMPILER_ANALYSIS_MEMORYROOTS_H
#define PAVAGE_COMPILER_ANALYSIS_MEMORYROOTS_H

#include "compiler/Analysis/Forward.h"
#include "llvm/ADT/SmallBitVector.h"
#include <optional>

namespace pavage::analysis {

/// A set of argument numbers, or any memory at all.
struct RootSet {
  bool isAny = false;
  llvm::SmallBitVector arguments; ///< meaningless when isAny

  /// The only argument, if there is exactly one.
  std::optional<unsigned> single() const;
  bool contains(unsigned argument) const;
  bool overlaps(const RootSet &other) const;

  static RootSet join(const RootSet &a, const RootSet &b);
  bool operator==(const RootSet &other) const;
};

class MemoryRoots : public Forward<MemoryRoots, RootSet> {
public:
  explicit MemoryRoots(mlir::func::FuncOp function);

  /// Whether the function may load, or store or do atomics, through what argument `index` points to.
  bool isRead(unsigned index) const { return isPointerArgument(index) && read.contains(index); }
  bool isWritten(unsigned index) const { return isPointerArgument(index) && written.contains(index); }

private:
  friend class Forward<MemoryRoots, RootSet>;
  bool isPointerArgument(unsigned index) const;
  RootSet unknown(mlir::Value value) const;
  RootSet argument(mlir::BlockArgument argument) const;
  llvm::SmallVector<RootSet> transfer(mlir::Operation *op, llvm::ArrayRef<RootSet> operands) const;

  mlir::func::FuncOp function;
  RootSet read;
  RootSet written;
};

} // namespace pavage::analysis

#endif // PAVAGE_COMPILER_ANALYSIS_MEMORYROOTS_H
