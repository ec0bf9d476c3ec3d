// How the lanes of a warp exchange data: a change of layout as flips, shuffles and flips. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
// One shuffle lets every lane receive one 32-bit word from a lane of its choice, and every lane offers one word. The
// plan finds, by linear algebra, which of its registers each lane fills in one shuffle so that a lane is never asked
// for two different words, and so that as many shuffles as possible would read the own lane and can be left out.
//
// Example. Registers a0 a1 and lane bit 1 change places (a transposition of 2 x 2): lane 0 wants (a0, a0 of lane 1),
// lane 1 wants (a1 of lane 0, a1).
//
//     flip   registers 0 <-> 1 where lane & 1      lane 1 holds (a1, a0)
//     step   register 0 stays                      lane 0: a0       lane 1: a1
//     step   register 1 from lane ^ 1              lane 0: a0 of 1  lane 1: a1 of 0
//     flip   registers 0 <-> 1 where lane & 1      lane 1: (a1 of 0, a1)
//
// Two registers cost one shuffle. A flip is a conditional exchange of registers: two selects for a pair.
#ifndef PAVAGE_DIALECT_LAYOUT_SHUFFLE_H
#define PAVAGE_DIALECT_LAYOUT_SHUFFLE_H

#include "dialect/Layout/Layout.h"

namespace pavage::layout {

/// Register r trades places with register r ^ `registers` in the threads where lane & `lanes` and warp & `warps`
/// together have an odd number of ones.
struct Flip {
  uint32_t registers, lanes, warps;
};

/// Register r becomes register r ^ x, x the sum of the images of the thread's bits.
std::vector<Flip> flipsOf(const Vectors &ofLanes, const Vectors &ofWarps);

struct ShufflePlan {
  /// One word on its way, or a word that stays.
  struct Step {
    std::vector<uint32_t> send;    ///< registers of the sender, after its flips, in one word, the lowest bits first
    std::vector<uint32_t> receive; ///< slots of the receiver, before its flips, that they fill
    uint32_t laneFlip = 0;         ///< the word comes from lane sourceLane ^ laneFlip
    bool isLocal = false;          ///< it comes from the own lane
  };

  std::vector<Flip> sendFlips;
  std::vector<Step> steps;
  std::vector<Flip> receiveFlips;
  /// The source lane of step 0: the sum of the images of the lane's and the warp's bits.
  Vectors laneImages, warpImages;
  /// Every lane reads at lane ^ laneFlip: a butterfly.
  bool isButterfly = false;
  /// Slots of the receiver; those beyond the registers of `to` are dropped in the end.
  int slotBits = 0;
  /// Elements ride in the words that hold them already, and flips exchange whole words of `perWord` elements.
  bool keepsWords = false;
  int perWord = 1;

  int numShuffles() const;
};

/// A plan for classify(from, to) <= Shuffle; words hold 32 / elementBits elements (one for wider elements, which take
/// several shuffles a step).
ShufflePlan planShuffle(const Layout &from, const Layout &to, int elementBits);

} // namespace pavage::layout

#endif // PAVAGE_DIALECT_LAYOUT_SHUFFLE_H
