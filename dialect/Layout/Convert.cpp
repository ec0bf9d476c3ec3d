// Classifying conversions and counting bank conflicts. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Layout/Convert.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace pavage::layout {

const char *nameOf(Conversion conversion) {
  static constexpr const char *names[] = {"nothing", "registers", "shuffle", "shared"};
  return names[static_cast<int>(conversion)];
}

/// Images of the kinds of places up to and including `last`.
static Vectors imagesUpTo(const Layout &layout, Place last) {
  Vectors images;
  for (int place = 0; place <= static_cast<int>(last); ++place) {
    const Vectors &basis = layout.basis(static_cast<Place>(place));
    images.insert(images.end(), basis.begin(), basis.end());
  }
  return images;
}

/// Whether every element that a place of `to` needs is held by `from` in places that differ only in kinds up to `last`.
/// Bits of the kinds beyond must have images that agree modulo what the inner kinds of `from` reach.
static bool staysWithin(const Layout &from, const Layout &to, Place last) {
  Vectors reach = imagesUpTo(from, last);
  for (Vector image : imagesUpTo(to, last)) {
    if (!contains(reach, image)) {
      return false;
    }
  }
  for (int place = static_cast<int>(last) + 1; place < kNumPlaces; ++place) {
    const Vectors &a = from.basis(static_cast<Place>(place)), &b = to.basis(static_cast<Place>(place));
    for (size_t bit = 0; bit < std::max(a.size(), b.size()); ++bit) {
      Vector difference = (bit < a.size() ? a[bit] : 0) ^ (bit < b.size() ? b[bit] : 0);
      if (!contains(reach, difference)) {
        return false;
      }
    }
  }
  return true;
}

Conversion classify(const Layout &from, const Layout &to) {
  assert(from.extents() == to.extents() && "layouts of one tile");
  if (from == to) {
    return Conversion::Nothing;
  }
  if (staysWithin(from, to, Place::Register)) {
    return Conversion::Registers;
  }
  if (staysWithin(from, to, Place::Lane)) {
    return Conversion::Shuffle;
  }
  return Conversion::Shared;
}

Where sourceOf(const Layout &from, const Layout &to, const Where &place) {
  Vector element = to.packedAt(place);
  // Inner kinds first: what they can reach from the place's own warp and lane needs no exchange.
  for (Place last : {Place::Register, Place::Lane, Place::Warp, Place::Block}) {
    Where fixed = place;
    for (int kind = 0; kind <= static_cast<int>(last); ++kind) {
      fixed[kind] = 0;
    }
    std::optional<Vector> x = solve(imagesUpTo(from, last), element ^ from.packedAt(fixed));
    if (!x) {
      continue;
    }
    for (int kind = 0; kind <= static_cast<int>(last); ++kind) {
      int bits = from.numBits(static_cast<Place>(kind));
      fixed[kind] = static_cast<uint32_t>(*x & ((Vector(1) << bits) - 1));
      *x >>= bits;
    }
    return fixed;
  }
  assert(false && "the element is nowhere in `from`");
  return place;
}

/// One access of `width` elements a lane.
static SharedAccess accessAt(const Layout &registers, const Layout &shared, int elementBytes, int width) {
  int lanes = 1 << registers.numBits(Place::Lane);
  int bytes = std::max(4, width * elementBytes);
  int perPhase = std::max(1, std::min(lanes, 128 / bytes)); // lanes that fill all banks once
  SharedAccess access{width, 0, 0};
  for (int start = 0; start < lanes; start += perPhase) {
    // Different words of one bank wait for each other; equal words are one access.
    std::vector<std::vector<uint64_t>> words(32);
    for (int lane = start; lane < start + perPhase; ++lane) {
      Where where{};
      where[static_cast<int>(Place::Lane)] = lane;
      std::optional<Where> at = shared.find(registers.packedAt(where));
      assert(at && "shared memory holds every element");
      uint64_t offset = (*at)[static_cast<int>(Place::Offset)] & ~uint64_t(width - 1);
      uint64_t first = offset * elementBytes / 4, count = std::max(1, width * elementBytes / 4);
      for (uint64_t word = first; word < first + count; ++word) {
        std::vector<uint64_t> &bank = words[word % 32];
        if (std::find(bank.begin(), bank.end(), word) == bank.end()) {
          bank.push_back(word);
        }
      }
    }
    size_t most = 1;
    for (const std::vector<uint64_t> &bank : words) {
      most = std::max(most, bank.size());
    }
    access.passes += static_cast<int>(most);
    access.extraPasses += static_cast<int>(most) - 1;
  }
  return access;
}

SharedAccess accessShared(const Layout &registers, const Layout &shared, int elementBytes) {
  SharedAccess best = accessAt(registers, shared, elementBytes, 1);
  int width = 1;
  for (Vector image : shared.basis(Place::Offset)) {
    width *= 2;
    if (width * elementBytes > 16 || !contains(registers.basis(Place::Register), image)) {
      break;
    }
    // As many passes for twice the elements is better; so are equal passes per element, with fewer instructions.
    SharedAccess wider = accessAt(registers, shared, elementBytes, width);
    if (wider.passes * best.width <= best.passes * wider.width) {
      best = wider;
    }
  }
  return best;
}

} // namespace pavage::layout
