// Moves through shared memory, carried out on numbers. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Layout/SharedMove.h"

#include "dialect/Layout/Constructors.h"
#include "dialect/Layout/Convert.h"
#include "tests/unit/dialect/Layout/RandomLayout.h"
#include <bit>
#include <gtest/gtest.h>
#include <map>

using namespace pavage::layout;

namespace {

constexpr Vector kNowhere = ~Vector(0);

/// Calls `visit(register, offset)` for each register that a thread moves in a round, as the instructions do.
template <typename Visit>
void carryOut(const SharedMove &move, uint32_t lane, uint32_t warp, uint32_t round, int bytes, Visit visit) {
  uint32_t flipped = 0;
  for (const Flip &flip : move.flips) {
    if ((std::popcount(lane & flip.lanes) + std::popcount(warp & flip.warps)) % 2) {
      flipped ^= flip.registers;
    }
  }
  auto threadPart = [&](uint32_t l) { return multiply(move.laneOffsets, l) ^ multiply(move.warpOffsets, warp); };
  Vector threadRound = multiply(move.laneRounds, lane) ^ multiply(move.warpRounds, warp);
  for (const SharedMove::Access &access : move.accesses) {
    if ((access.round ^ threadRound) != round) {
      continue;
    }
    auto address = [&](uint32_t l) {
      Vector x = access.offset;
      return (threadPart(l) ^ (x & move.threadBits)) + (x & ~Vector(move.threadBits));
    };
    if (move.kind == SharedMove::Kind::Vector) {
      ASSERT_EQ(address(lane) % move.width, 0u) << "aligned";
      for (int i = 0; i < move.width; ++i) {
        visit(access.registers[i] ^ flipped, address(lane) + i);
      }
      continue;
    }
    int perWord = 4 / bytes;
    for (int matrix = 0; matrix < move.width; ++matrix) {
      for (int j = 0; j < perWord; ++j) {
        uint32_t row, column;
        if (move.kind == SharedMove::Kind::Matrix) {
          row = lane >> 2, column = (lane & 3) * perWord + j;
        } else {
          row = 2 * (lane & 3) + j, column = lane >> 2;
        }
        Vector rowAddress = address(8 * matrix + row);
        ASSERT_EQ(rowAddress * bytes % 16, 0u) << "a row of 16 bytes is aligned";
        visit(access.registers[matrix * perWord + j], rowAddress + column);
      }
    }
  }
}

void checkTrip(const Layout &from, const Layout &to, int bytes, const SharedTrip &trip, int warps) {
  std::map<std::array<uint32_t, 3>, Vector> held;
  for (uint32_t round = 0; round < static_cast<uint32_t>(trip.rounds.count()); ++round) {
    std::vector<Vector> memory(trip.bytes / bytes, kNowhere);
    for (uint32_t warp = 0; warp < static_cast<uint32_t>(warps); ++warp) {
      for (uint32_t lane = 0; lane < 32; ++lane) {
        if ((lane & trip.write.laneCopies) || (warp & trip.write.warpCopies)) {
          continue;
        }
        carryOut(trip.write, lane, warp, round, bytes, [&](uint32_t reg, Vector offset) {
          Vector element = from.packedAt({reg, lane, warp, 0, 0, 0, 0});
          ASSERT_LT(offset, memory.size());
          ASSERT_TRUE(memory[offset] == kNowhere || memory[offset] == element);
          memory[offset] = element;
        });
      }
    }
    for (uint32_t warp = 0; warp < static_cast<uint32_t>(warps); ++warp) {
      for (uint32_t lane = 0; lane < 32; ++lane) {
        carryOut(trip.read, lane, warp, round, bytes, [&](uint32_t reg, Vector offset) {
          ASSERT_LT(offset, memory.size());
          ASSERT_TRUE((held.emplace(std::array<uint32_t, 3>{reg, lane, warp}, memory[offset]).second))
              << "in one round only";
        });
      }
    }
  }
  for (uint32_t warp = 0; warp < static_cast<uint32_t>(warps); ++warp) {
    for (uint32_t lane = 0; lane < 32; ++lane) {
      for (uint32_t reg = 0; reg < 1u << to.numBits(Place::Register); ++reg) {
        auto found = held.find({reg, lane, warp});
        ASSERT_NE(found, held.end());
        ASSERT_EQ(found->second, to.packedAt({reg, lane, warp, 0, 0, 0, 0})) << from.print() << "to\n" << to.print();
      }
    }
  }
}

} // namespace

TEST(SharedMove, randomTripsMoveEveryElement) {
  Random random(31);
  int rounds = 0, wide = 0;
  for (int round = 0; round < 1500; ++round) {
    std::vector<int64_t> extents = randomExtents(random);
    Layout from = randomLayout(random, extents), to = randomLayout(random, extents);
    int bytes = 1 << round % 4;
    SharedTrip trip = planTrip(from, to, bytes, int64_t(64) << random() % 8, {true, true});
    checkTrip(from, to, bytes, trip, 4);
    if (HasFatalFailure()) {
      return;
    }
    rounds += trip.rounds.count() > 1;
    wide += trip.read.width > 1;
  }
  EXPECT_GT(rounds, 300);
  EXPECT_GT(wide, 30);
}

TEST(SharedMove, usualTripsMoveEveryElement) {
  std::vector<Layout> layouts = {
      blocked({64, 64}, {1, 8}, {4, 8}, {4, 1}, {1, 0}),
      blocked({64, 64}, {8, 1}, {8, 4}, {1, 4}, {0, 1}),
      mmaAccumulator({64, 64}, {2, 2}),
      mmaOperand(0, {64, 64}, 16, {2, 2}),
      mmaOperand(1, {64, 64}, 16, {2, 2}),
      mmaOperand(0, {64, 64}, 8, {4, 1}),
      mmaOperand(1, {64, 64}, 32, {2, 2}),
      mmaOperand(0, {64, 64}, 64, {2, 2}),
      blocked({64, 64}, {1, 1}, {32, 1}, {1, 4}, {0, 1}),
  };
  int matrices[3] = {};
  for (const Layout &from : layouts) {
    for (const Layout &to : layouts) {
      for (int bytes : {1, 2, 4, 8}) {
        for (int64_t limit : {1 << 20, 4096, 1024}) {
          SharedTrip trip = planTrip(from, to, bytes, limit, {true, true});
          ASSERT_LE(trip.bytes, limit);
          checkTrip(from, to, bytes, trip, 4);
          if (HasFatalFailure()) {
            return;
          }
          ++matrices[static_cast<int>(trip.read.kind)];
          ++matrices[static_cast<int>(trip.write.kind)];
        }
      }
    }
  }
  for (int count : matrices) {
    EXPECT_GT(count, 0) << "every kind of instruction was planned";
  }
}

TEST(SharedMove, operandsOfMmaComeByLdmatrix) {
  Layout global = blocked({128, 32}, {1, 8}, {8, 4}, {4, 1}, {1, 0});
  for (int side : {0, 1}) {
    for (std::vector<int> order : {std::vector<int>{1, 0}, std::vector<int>{0, 1}}) {
      // Operands as rows along K and as columns, for A = M x K and B = K x N.
      std::vector<int64_t> extents = side == 0 ? std::vector<int64_t>{128, 32} : std::vector<int64_t>{32, 128};
      std::vector<int64_t> perLane(2, 1), lanes(2, 1);
      perLane[order[0]] = 8;
      lanes[order[0]] = extents[order[0]] / 8;
      lanes[order[1]] = 32 / lanes[order[0]];
      std::vector<int64_t> warps(2, 1);
      warps[order[1]] = 4;
      Layout writer = blocked(extents, perLane, lanes, warps, order);
      Layout reader = mmaOperand(side, extents, 16, {2, 2});
      Layout shared = chooseShared(writer, reader, 2, {.canLoadMatrix = true, .writerRun = 8});
      SharedMove move = planMove(reader, shared, 2, true);
      bool isAlongK = order[0] == (side == 0 ? 1 : 0);
      EXPECT_EQ(move.kind, isAlongK ? SharedMove::Kind::Matrix : SharedMove::Kind::MatrixTransposed)
          << side << " along K: " << isAlongK;
      EXPECT_EQ(move.width, 4);
      EXPECT_EQ(move.extraPasses, 0);
      EXPECT_EQ(planMove(reader, shared, 2, false).kind, SharedMove::Kind::Vector) << "where there is no ldmatrix";
      SharedMove store = planMove(writer, shared, 2, false);
      EXPECT_EQ(store.width, 8);
      EXPECT_EQ(store.extraPasses, 0);
    }
  }
}

TEST(SharedMove, roundsSplitWhatOnlyRegistersCount) {
  Layout from = blocked({128, 128}, {1, 4}, {1, 32}, {4, 1}, {1, 0});
  Layout to = mmaAccumulator({128, 128}, {2, 2});
  SharedTrip trip = planTrip(from, to, 4, 32768, {});
  EXPECT_EQ(trip.rounds.count(), 2);
  EXPECT_EQ(trip.bytes, 32768);
  for (const SharedMove *move : {&trip.write, &trip.read}) {
    for (const Vectors *parts : {&move->laneRounds, &move->warpRounds}) {
      for (Vector part : *parts) {
        EXPECT_EQ(part, 0u) << "every thread takes part in every round";
      }
    }
  }
}
