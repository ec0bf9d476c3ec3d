// Moving registers: within a lane, between lanes, through shared memory. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// The plans come from dialect/Layout (Shuffle.h, SharedMove.h); here they become instructions. Registers travel as they
// look in memory, in words of 32 bits where several short elements fit.
#ifndef PAVAGE_COMPILER_GPU_LOWER_EXCHANGE_H
#define PAVAGE_COMPILER_GPU_LOWER_EXCHANGE_H

#include "compiler/Gpu/Lower/Emitter.h"
#include "compiler/Gpu/Plan/Axis.h"
#include "compiler/Gpu/Plan/Scratch.h"
#include "dialect/Layout/SharedMove.h"
#include "dialect/Layout/Shuffle.h"

namespace pavage::gpu {

/// Registers of a tile, as words and one by one.
class Registers {
public:
  Registers(Emitter &e, mlir::Type element, Values words, unsigned perWord)
      : e(e), element(element), perWord(perWord), words(std::move(words)) {}
  /// Of a bound value.
  static Registers of(Emitter &e, mlir::Value value);
  /// Single elements.
  static Registers of(Emitter &e, mlir::Type element, Values elements) { return {e, element, std::move(elements), 1}; }

  unsigned size() const { return static_cast<unsigned>(words.size()) * perWord; }
  mlir::Value get(unsigned reg);
  /// Elements as one integer, the first in the lowest bits.
  mlir::Value bits(llvm::ArrayRef<uint32_t> registers);

  Emitter &e;
  mlir::Type element;
  unsigned perWord;
  Values words;

private:
  Values single;
};

/// Registers that are filled in some order, then taken as words.
class Gathered {
public:
  Gathered(Emitter &e, mlir::Type element, unsigned size, unsigned perWord)
      : e(e), element(element), perWord(perWord), whole(size / perWord), single(size) {}
  /// The reverse of Registers::bits.
  void put(llvm::ArrayRef<uint32_t> registers, mlir::Value bits);
  Values words();
  Values elements();

private:
  Emitter &e;
  mlir::Type element;
  unsigned perWord;
  Values whole, single;
};

/// Elements as integers of their size in memory, and back.
mlir::Value toBits(Emitter &e, mlir::Value value, mlir::Type element);
mlir::Value fromBits(Emitter &e, mlir::Value bits, mlir::Type element);

/// Whether lane & lanes and warp & warps have an odd number of ones together. i1, made at the kernel's entry.
mlir::Value isOdd(Emitter &e, uint32_t lanes, uint32_t warps);
/// Conditional exchanges of registers.
Values flip(Emitter &e, Values registers, llvm::ArrayRef<layout::Flip> flips);

/// A value of any register type from another lane: `offset` is xored to the own number, or is the lane's number.
mlir::Value shuffleXor(Emitter &e, mlir::Value value, uint32_t offset);
mlir::Value shuffleFrom(Emitter &e, mlir::Value value, mlir::Value lane);
/// The registers in a layout that differs within warps only; as words of the result.
Values shuffle(Emitter &e, Registers &source, const layout::Layout &from, const layout::Layout &to,
               unsigned resultPerWord);

/// Constant and thread parts of addresses in shared memory; `base` is where offset 0 lies. `moving` (bytes, i32, or
/// null) is xored to the thread's part; `threadBits` of the move cover it.
class SharedAddress {
public:
  SharedAddress(Emitter &e, const layout::SharedMove &move, int64_t elementBytes, mlir::Value base,
                mlir::Value moving = {});
  mlir::Value at(uint32_t offset);

private:
  Emitter &e;
  int64_t bytes;
  mlir::Value base, thread;
  uint32_t threadBits;
  llvm::DenseMap<uint32_t, mlir::Value> starts;
};

/// Stores what belongs to a round, by threads where `mask` (null: all) holds.
void writeShared(Emitter &e, Registers &source, const layout::SharedMove &move, mlir::Value base, mlir::Value mask,
                 uint32_t round = 0);

/// Loads rounds one after the other.
class SharedReader {
public:
  SharedReader(Emitter &e, const layout::SharedMove &move, mlir::Type element, mlir::Value base,
               mlir::Value moving = {});
  void read(uint32_t round = 0);
  /// All registers, as words.
  Values finish(unsigned size, unsigned perWord);

private:
  Values load(const layout::SharedMove::Access &access);

  Emitter &e;
  const layout::SharedMove &move;
  mlir::Type element;
  SharedAddress address;
  llvm::SmallVector<Values> pieces; ///< of each access
};

/// One tile on a trip through scratch memory that starts at `offset`.
struct Trip {
  Registers source;
  layout::SharedTrip plan;
  int64_t offset;
  mlir::Value isFirst;    ///< the thread is no copy of another; null = always
  unsigned size, perWord; ///< of the result
};
/// The results' words. One barrier serves all trips, two for each further round.
llvm::SmallVector<Values> travel(Emitter &e, llvm::MutableArrayRef<Trip> trips);

/// What the target can do with 8 x 8 matrices.
layout::SharedUse sharedUse(const Emitter &e);
/// isFirstCopy of a layout that is no attribute.
mlir::Value isFirstOf(Emitter &e, const layout::Layout &layout);

/// Values that warps exchange along an axis: `sources[i]` of `elements[i]` has one value per register of
/// exchange.writer; the results have one per register of exchange.reader.
llvm::SmallVector<Values> exchangeWarps(Emitter &e, const WarpExchange &exchange, llvm::ArrayRef<mlir::Type> elements,
                                        llvm::ArrayRef<Values> sources, int64_t &offset);

} // namespace pavage::gpu

#endif // PAVAGE_COMPILER_GPU_LOWER_EXCHANGE_H
