// Moving a tile between registers and shared memory: instruction, width, address. SPDX-License-Identifier: Apache-2.0
// WITH LLVM-exception
//
// Shared memory is a layout from offsets to elements; inverted, it gives the offset of any element, linear in register,
// lane and warp. So an address is the exclusive or of a part that the thread knows (computed once) and a part that each
// access knows (a constant):
//
//     offset = threadPart ^ accessPart = (threadPart ^ (accessPart & threadBits)) + (accessPart & ~threadBits)
//
// Where the constant touches bits that no thread sets, it is an immediate; accesses that share the rest share the sum.
//
// Whether ldmatrix or stmatrix fits is a question about offsets, too: in the 8 x 8 matrix of 16-bit elements, a lane
// holds 4 neighbouring bytes of a row of 16, its two lowest bits say which, the others choose the row (transposed: the
// other way round, for 16-bit elements). What addresses the rows is free.
#ifndef PAVAGE_DIALECT_LAYOUT_SHAREDMOVE_H
#define PAVAGE_DIALECT_LAYOUT_SHAREDMOVE_H

#include "dialect/Layout/Shuffle.h"
#include <optional>

namespace pavage::layout {

/// A tile too large for its scratch goes through it in rounds, each with the elements of one value of some coordinate
/// bits.
struct Rounds {
  Vector bits = 0; ///< mask of packed coordinate bits
  int count() const;
  /// The value of the round's bits in an element, and the element's other bits.
  uint32_t of(Vector packed) const;
  Vector rest(Vector packed) const;
};

/// How the threads of a program reach the registers of a layout in shared memory.
struct SharedMove {
  enum class Kind : uint8_t {
    Vector,          ///< `width` elements of a lane at once
    Matrix,          ///< ldmatrix or stmatrix of `width` matrices
    MatrixTransposed ///< the same with .trans
  };
  struct Access {
    uint32_t offset;                 ///< constant part of the address, in elements
    std::vector<uint32_t> registers; ///< in ascending order in memory; of matrices, in the instruction's order
    uint32_t round = 0;              ///< the access belongs to round `round` ^ the thread's part
  };

  Kind kind = Kind::Vector;
  int width = 1;
  /// Exchanges of registers before a write and after a read, for threads that keep a run in another order.
  std::vector<Flip> flips;
  Vectors laneOffsets, warpOffsets; ///< thread part of the address for each bit, in elements
  uint32_t threadBits = 0;          ///< offset bits that they touch
  Vectors laneRounds, warpRounds;   ///< thread part of the round
  std::vector<Access> accesses;
  uint32_t laneCopies = 0, warpCopies = 0; ///< threads with any of these bits set hold copies
  int passes = 0;                          ///< over the banks, of all accesses of a warp
  int extraPasses = 0;                     ///< of them, beyond the least; 0 = free of bank conflicts
};

/// The move of least cost. `hasMatrix`: ldmatrix (or stmatrix) may be used. `shared` maps offsets to packed
/// coordinates without the bits of `rounds`.
SharedMove planMove(const Layout &registers, const Layout &shared, int elementBytes, bool hasMatrix,
                    Rounds rounds = {});

/// The move by accesses of `width` elements in the lowest registers, in their order, or nothing where these are not
/// contiguous and aligned.
std::optional<SharedMove> planRuns(const Layout &registers, const Layout &shared, int elementBytes, int width);

/// Which instructions and accesses a layout of shared memory must suit.
struct SharedUse {
  bool canStoreMatrix = false; ///< the target has stmatrix
  bool canLoadMatrix = false;  ///< the target has ldmatrix
  /// An asynchronous copy of so many elements in the writer's lowest registers, contiguous in global memory, must be
  /// contiguous in shared memory too; 1 = the writer stores registers.
  int writerRun = 1;
};
/// The layout of shared memory in which the moves of a writer and a reader cost least together: without bank conflicts
/// where that is possible, in rows of 16 bytes where ldmatrix or stmatrix gain by it.
Layout chooseShared(const Layout &writer, const Layout &reader, int elementBytes, SharedUse use);

/// A change of layout through scratch memory.
struct SharedTrip {
  Rounds rounds;
  Layout shared; ///< one axis: the elements of a round
  SharedMove write, read;
  int64_t bytes = 0; ///< of scratch
};
/// `limit`: bytes that the scratch may take, a power of two.
SharedTrip planTrip(const Layout &from, const Layout &to, int elementBytes, int64_t limit, SharedUse use);

} // namespace pavage::layout

#endif // PAVAGE_DIALECT_LAYOUT_SHAREDMOVE_H
