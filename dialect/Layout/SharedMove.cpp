// Planning moves between registers and shared memory. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Layout/SharedMove.h"

#include "dialect/Layout/Constructors.h"
#include "dialect/Layout/Convert.h"
#include <algorithm>
#include <bit>
#include <cassert>

namespace pavage::layout {

int Rounds::count() const { return 1 << std::popcount(bits); }

/// The bits of x under a mask, moved together (what pext does).
static Vector gather(Vector x, Vector mask) {
  Vector result = 0;
  for (int at = 0; mask != 0; mask &= mask - 1, ++at) {
    result |= (x >> std::countr_zero(mask) & 1) << at;
  }
  return result;
}

uint32_t Rounds::of(Vector packed) const { return static_cast<uint32_t>(gather(packed, bits)); }
Vector Rounds::rest(Vector packed) const { return bits == 0 ? packed : gather(packed, ~bits); }

namespace {

/// The elements of one round, as a layout with one axis. Register bits are the combinations that stay in a round.
Layout oneRound(const Layout &layout, Rounds rounds) {
  if (rounds.bits == 0) {
    return layout;
  }
  Vectors parts;
  for (Vector image : layout.basis(Place::Register)) {
    parts.push_back(rounds.of(image));
  }
  Layout::Bases bases;
  for (Vector combination : kernelOf(parts)) {
    bases[static_cast<int>(Place::Register)].push_back(
        rounds.rest(multiply(layout.basis(Place::Register), combination)));
  }
  for (Place place : {Place::Lane, Place::Warp}) {
    for (Vector image : layout.basis(place)) {
      bases[static_cast<int>(place)].push_back(rounds.rest(image));
    }
  }
  int bits = layout.totalBits() - std::popcount(rounds.bits);
  return Layout({int64_t(1) << bits}, std::move(bases));
}

class Mover {
public:
  Mover(const Layout &registers, const Layout &shared, int elementBytes, Rounds rounds)
      : shared(shared), bytes(elementBytes), rounds(rounds) {
    auto take = [&](Place place, Vectors &offsets, Vectors &parts) {
      for (Vector image : registers.basis(place)) {
        offsets.push_back(*solve(shared.basis(Place::Offset), rounds.rest(image)));
        parts.push_back(rounds.of(image));
      }
    };
    take(Place::Register, registerOffsets, registerRounds);
    take(Place::Lane, lanes, laneRounds);
    take(Place::Warp, warps, warpRounds);
    laneCopies = registers.copies(Place::Lane);
    warpCopies = registers.copies(Place::Warp);
  }

  SharedMove vectors(const Layout &registers) const {
    SharedAccess access = accessShared(oneRound(registers, rounds), shared, bytes);
    Vectors run = runOf(std::countr_zero(static_cast<unsigned>(access.width)));
    // Low bits of a thread's offset are an order of the run; the address has none.
    Vectors aligned[2], ordered[2];
    for (int side : {0, 1}) {
      for (Vector offset : side == 0 ? lanes : warps) {
        aligned[side].push_back(offset & ~Vector(access.width - 1));
        ordered[side].push_back(multiply(run, offset & Vector(access.width - 1)));
      }
    }
    SharedMove move = start(SharedMove::Kind::Vector, access.width, aligned[0], aligned[1]);
    move.flips = flipsOf(ordered[0], ordered[1]);
    addAccesses(move, run, access.width - 1);
    int count = static_cast<int>(move.accesses.size());
    move.passes = access.passes * count;
    move.extraPasses = access.extraPasses * count;
    return move;
  }

  std::optional<SharedMove> runs(int width) const {
    Vector low = width - 1;
    Vectors run;
    for (int bit = 0; 1 << bit < width; ++bit) {
      run.push_back(Vector(1) << bit);
    }
    auto isAligned = [&](Vector offset) { return (offset & low) == 0; };
    if (registerOffsets.size() < run.size() || !std::equal(run.begin(), run.end(), registerOffsets.begin()) ||
        !std::all_of(registerOffsets.begin() + run.size(), registerOffsets.end(), isAligned) ||
        !std::all_of(lanes.begin(), lanes.end(), isAligned) || !std::all_of(warps.begin(), warps.end(), isAligned)) {
      return std::nullopt;
    }
    SharedMove move = start(SharedMove::Kind::Vector, width, lanes, warps);
    addAccesses(move, run, static_cast<uint32_t>(low));
    return move;
  }

  /// Matrices whose rows lie in 16 contiguous bytes each; nothing where the layouts do not allow them.
  std::optional<SharedMove> matrices(bool isTransposed) const {
    if (bytes > 4 || (isTransposed && bytes != 2) || lanes.size() != 5) {
      return std::nullopt;
    }
    int inWord = 2 - std::countr_zero(static_cast<unsigned>(bytes)); // register bits within a word
    int inRow = inWord + 2;                                          // offset bits within a row
    if (static_cast<int>(registerOffsets.size()) < inWord) {
      return std::nullopt;
    }
    Vectors columns, rows; // offsets of the bits that count in a row, and of those that choose it
    if (isTransposed) {
      columns = {lanes[2], lanes[3], lanes[4]};
      rows = {registerOffsets[0], lanes[0], lanes[1]};
    } else {
      columns.assign(registerOffsets.begin(), registerOffsets.begin() + inWord);
      columns.insert(columns.end(), {lanes[0], lanes[1]});
      rows = {lanes[2], lanes[3], lanes[4]};
    }
    for (int bit = 0; bit < inRow; ++bit) {
      if (columns[bit] != Vector(1) << bit) {
        return std::nullopt;
      }
    }
    Vectors others = rows;
    others.insert(others.end(), registerOffsets.begin() + inWord, registerOffsets.end());
    others.insert(others.end(), warps.begin(), warps.end());
    for (Vector offset : others) {
      if ((offset & ((Vector(1) << inRow) - 1)) != 0) {
        return std::nullopt;
      }
    }
    // Lanes 0 to 7 address the rows of the first matrix, and so on; the next register bits count matrices.
    int more = std::min<int>(2, static_cast<int>(registerOffsets.size()) - inWord);
    Vectors addresses = rows;
    Vectors run;
    for (int bit = 0; bit < inWord + more; ++bit) {
      run.push_back(Vector(1) << bit);
      if (bit >= inWord) {
        addresses.push_back(registerOffsets[bit]);
      }
    }
    addresses.resize(5, 0);
    for (const Vectors *parts : {&laneRounds, &registerRounds}) {
      size_t checked = parts == &laneRounds ? 5 : run.size();
      for (size_t bit = 0; bit < std::min(checked, parts->size()); ++bit) {
        if ((*parts)[bit] != 0) {
          return std::nullopt;
        }
      }
    }
    SharedMove move = start(isTransposed ? SharedMove::Kind::MatrixTransposed : SharedMove::Kind::Matrix, 1 << more,
                            addresses, warps);
    addAccesses(move, run, 0);
    // The eight rows of a matrix are one pass where they lie in different groups of four banks.
    Vectors groups;
    for (Vector row : rows) {
      groups.push_back(row * bytes / 16 & 7);
    }
    int each = 1 << (rank(rows) - rank(groups));
    int count = static_cast<int>(move.accesses.size()) << more;
    move.passes = each * count;
    move.extraPasses = (each - 1) * count;
    return move;
  }

private:
  SharedMove start(SharedMove::Kind kind, int width, const Vectors &laneOffsets, const Vectors &warpOffsets) const {
    SharedMove move;
    move.kind = kind;
    move.width = width;
    move.laneOffsets = laneOffsets;
    move.warpOffsets = warpOffsets;
    move.laneRounds = laneRounds;
    move.warpRounds = warpRounds;
    move.laneCopies = laneCopies;
    move.warpCopies = warpCopies;
    for (const Vectors *offsets : {&laneOffsets, &warpOffsets}) {
      for (Vector offset : *offsets) {
        move.threadBits |= static_cast<uint32_t>(offset);
      }
    }
    return move;
  }

  /// Register combinations that stand for offsets 1, 2, 4 .. in one round.
  Vectors runOf(int count) const {
    Vectors images;
    int shift = 32;
    for (size_t bit = 0; bit < registerOffsets.size(); ++bit) {
      images.push_back(registerOffsets[bit] | registerRounds[bit] << shift);
    }
    Vectors run;
    for (int bit = 0; bit < count; ++bit) {
      run.push_back(*solve(images, Vector(1) << bit));
    }
    return run;
  }

  /// One access for each class of registers modulo `run`; its address is that of the member without bits of `low`.
  void addAccesses(SharedMove &move, const Vectors &run, uint32_t low) const {
    size_t count = size_t(1) << registerOffsets.size();
    std::vector<bool> done(count, false);
    for (uint32_t reg = 0; reg < count; ++reg) {
      Vector offset = multiply(registerOffsets, reg);
      if (done[reg] || (offset & low) != 0) {
        continue;
      }
      SharedMove::Access access{static_cast<uint32_t>(offset), {}, 0};
      access.round = static_cast<uint32_t>(multiply(registerRounds, reg));
      for (uint32_t member = 0; member < 1u << run.size(); ++member) {
        uint32_t other = reg ^ static_cast<uint32_t>(multiply(run, member));
        done[other] = true;
        access.registers.push_back(other);
      }
      move.accesses.push_back(std::move(access));
    }
  }

  const Layout &shared;
  int bytes;
  Rounds rounds;
  Vectors registerOffsets, registerRounds, lanes, laneRounds, warps, warpRounds;
  uint32_t laneCopies, warpCopies;
};

} // namespace

SharedMove planMove(const Layout &registers, const Layout &shared, int elementBytes, bool hasMatrix, Rounds rounds) {
  Mover mover(registers, shared, elementBytes, rounds);
  SharedMove best = mover.vectors(registers);
  for (bool isTransposed : {false, true}) {
    std::optional<SharedMove> move = hasMatrix ? mover.matrices(isTransposed) : std::nullopt;
    if (move && move->passes + move->accesses.size() < best.passes + best.accesses.size()) {
      best = std::move(*move);
    }
  }
  return best;
}

std::optional<SharedMove> planRuns(const Layout &registers, const Layout &shared, int elementBytes, int width) {
  return Mover(registers, shared, elementBytes, {}).runs(width);
}

/// Offset bits of the 16-byte rows that a matrix instruction needs on its side, in order, and the bits that choose
/// rows.
static bool matrixRows(const Layout &layout, int elementBytes, bool isTransposed, Vectors &columns, Vectors &rows) {
  const Vectors &registers = layout.basis(Place::Register), &lanes = layout.basis(Place::Lane);
  int inWord = elementBytes > 4 ? -1 : 2 - std::countr_zero(static_cast<unsigned>(elementBytes));
  if (inWord < 0 || (isTransposed && inWord != 1) || lanes.size() != 5 || static_cast<int>(registers.size()) < inWord) {
    return false;
  }
  columns.assign(registers.begin(), registers.begin() + inWord);
  columns.insert(columns.end(), {lanes[0], lanes[1]});
  rows = {lanes[2], lanes[3], lanes[4]};
  if (isTransposed) {
    std::swap(columns, rows);
  }
  return rank(columns) == static_cast<int>(columns.size());
}

Layout chooseShared(const Layout &writer, const Layout &reader, int elementBytes, SharedUse use) {
  use.canStoreMatrix &= writer.copies(Place::Lane) == 0; // stmatrix cannot leave lanes out
  const Vectors &writerLanes = writer.basis(Place::Lane), &readerLanes = reader.basis(Place::Lane);
  const Vectors &registers = writer.basis(Place::Register);
  int runBits = std::countr_zero(static_cast<unsigned>(use.writerRun));
  Vectors writerRun(registers.begin(), registers.begin() + runBits);
  Layout best;
  size_t bestCost = SIZE_MAX;
  auto consider = [&](const Layout &shared) {
    if (!std::equal(writerRun.begin(), writerRun.end(), shared.basis(Place::Offset).begin())) {
      return;
    }
    SharedMove write = planMove(writer, shared, elementBytes, use.canStoreMatrix);
    SharedMove read = planMove(reader, shared, elementBytes, use.canLoadMatrix);
    size_t cost = write.passes + write.accesses.size() + read.passes + read.accesses.size();
    if (cost < bestCost) {
      bestCost = cost;
      best = shared;
    }
  };
  auto considerRun = [&](const Vectors &writerPhase, const Vectors &readerPhase, const Vectors &run) {
    consider(sharedSwizzled(writerPhase, readerPhase, run, writer.extents(), elementBytes));
  };
  if (runBits > 0) {
    considerRun(writerLanes, readerLanes, writerRun);
  } else {
    consider(sharedSwizzled(writer, reader, elementBytes));
  }
  for (bool isTransposed : {false, true}) {
    Vectors columns, rows;
    if (use.canLoadMatrix && matrixRows(reader, elementBytes, isTransposed, columns, rows)) {
      considerRun(writerLanes, rows, columns);
    }
    if (use.canStoreMatrix && matrixRows(writer, elementBytes, isTransposed, columns, rows)) {
      considerRun(rows, readerLanes, columns);
    }
  }
  return best;
}

/// Coordinate bits to split by: first those that only registers count in both layouts, for then every thread takes part
/// in every round.
static Rounds chooseRounds(const Layout &from, const Layout &to, int elementBytes, int64_t limit) {
  auto touchedByThreads = [](const Layout &layout) {
    Vector touched = 0;
    for (Place place : {Place::Lane, Place::Warp}) {
      for (Vector image : layout.basis(place)) {
        touched |= image;
      }
    }
    return touched;
  };
  Vector writers = touchedByThreads(from), readers = touchedByThreads(to);
  Rounds rounds;
  int bits = from.totalBits();
  while ((int64_t(elementBytes) << (bits - std::popcount(rounds.bits))) > limit) {
    Vector best = 0;
    int bestCost = 4;
    for (int bit = bits - 1; bit >= 0; --bit) {
      Vector mask = Vector(1) << bit;
      int cost = ((writers & mask) != 0) * 2 + ((readers & mask) != 0);
      if ((rounds.bits & mask) == 0 && cost < bestCost) {
        best = mask;
        bestCost = cost;
      }
    }
    rounds.bits |= best;
  }
  return rounds;
}

SharedTrip planTrip(const Layout &from, const Layout &to, int elementBytes, int64_t limit, SharedUse use) {
  SharedTrip trip;
  use.canStoreMatrix &= from.copies(Place::Lane) == 0;
  trip.rounds = chooseRounds(from, to, elementBytes, limit);
  trip.shared = chooseShared(oneRound(from, trip.rounds), oneRound(to, trip.rounds), elementBytes, use);
  trip.write = planMove(from, trip.shared, elementBytes, use.canStoreMatrix, trip.rounds);
  trip.read = planMove(to, trip.shared, elementBytes, use.canLoadMatrix, trip.rounds);
  trip.bytes = int64_t(elementBytes) << trip.shared.totalBits();
  return trip;
}

} // namespace pavage::layout
