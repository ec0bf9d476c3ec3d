// Linear layouts: who holds which element of a tile. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ## The idea
//
// A tile of 2^a x 2^b elements lives in hardware that counts in powers of two: registers of a lane, lanes of a warp,
// warps of a block, bytes of shared memory. Number the bits of all these places, and number the bits of an element's
// coordinates. Every layout that GPUs use is then a *linear map over F2* from the former to the latter: the element at
// place x xor y is the element at x xor the element at y. Such a map is known once the image of every single bit is
// known, its *basis*.
//
// Example 1. Eight elements over four lanes, two neighbours in each lane:
//
//     register 1 -> 1          place (register r, lane l) holds element r + 2 l
//     lane     1 -> 2
//     lane     2 -> 4
//
// Example 2. The same, dealt out like cards: element l + 4 r.
//
//     lane     1 -> 1
//     lane     2 -> 2
//     register 1 -> 4
//
// Example 3. A 2 x 4 tile in shared memory, the second row with its halves swapped so that a column touches two banks.
// Offsets 0..7 hold (0,0) (0,1) (0,2) (0,3) (1,2) (1,3) (1,0) (1,1):
//
//     offset 1 -> (0, 1)
//     offset 2 -> (0, 2)
//     offset 4 -> (1, 2)       a swizzle is nothing but a basis vector with bits in two axes
//
// Example 4. A lane bit whose image is zero changes nothing: two lanes hold the same element. That is broadcasting, and
// a slice along an axis is the layout with that axis' bits erased.
//
// ## What follows
//
// Questions about layouts are questions of linear algebra. *Do two layouts hold the same element in the same lane?*
// Compare images. *Where is element t?* Solve an equation. *How do I convert A to B?* The map inverse(A) . B takes a
// place in B to a place in A that holds its element: if it leaves lane and warp bits alone, only registers are renamed;
// if it leaves warp bits alone, lanes of a warp exchange data; else data goes through shared memory. *Is an access free
// of bank conflicts?* A rank.
//
// ## Conventions
//
// A coordinate tuple is packed into one `Vector`, the last axis in the lowest bits, each axis in as many bits as its
// extent rounded up to a power of two needs: for powers of two that is the row-major number of the element. Extents
// that are no powers of two are *padding*: places beyond are part of the map, and no op lets them reach memory, a
// reduction or a dot. A layout is kept in one form, so equal maps compare equal: a `Register` bit with a zero image
// (a lane that holds an element twice) is dropped.
#ifndef PAVAGE_DIALECT_LAYOUT_LAYOUT_H
#define PAVAGE_DIALECT_LAYOUT_LAYOUT_H

#include "dialect/Layout/F2.h"
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace pavage::layout {

/// A kind of place, from the innermost outwards.
enum class Place : uint8_t { Register, Lane, Warp, Block, Offset, Row, Column };
inline constexpr int kNumPlaces = 7;
const char *nameOf(Place place);

/// A place: a number of each kind.
using Where = std::array<uint32_t, kNumPlaces>;
/// Coordinates of an element.
using Coordinates = std::vector<int64_t>;

class Layout {
public:
  /// Images of the bits of each kind of place.
  using Bases = std::array<Vectors, kNumPlaces>;

  Layout() = default;
  /// Extents may be any positive numbers; images are packed coordinates.
  Layout(std::vector<int64_t> extents, Bases bases);

  /// The tile of `extents` in row-major order along one kind of place.
  static Layout identity(Place place, std::vector<int64_t> extents);

  const std::vector<int64_t> &extents() const { return sizes; }
  int rank() const { return static_cast<int>(sizes.size()); }
  /// Bits of axis `axis`, and of all axes together.
  int axisBits(int axis) const { return bits[axis]; }
  int totalBits() const;
  const Vectors &basis(Place place) const { return bases[static_cast<int>(place)]; }
  int numBits(Place place) const { return static_cast<int>(basis(place).size()); }
  /// All images, registers first.
  Vectors allImages() const;

  /// The element held at a place; bits of `where` beyond the layout's are ignored.
  Coordinates at(const Where &where) const;
  Vector packedAt(const Where &where) const;
  /// Packs and unpacks coordinates.
  Vector pack(const Coordinates &coordinates) const;
  Coordinates unpack(Vector packed) const;
  /// Whether packed coordinates lie inside the logical extents.
  bool inside(Vector packed) const;

  /// Every element is somewhere.
  bool isSurjective() const;
  /// No element is at two places.
  bool isInjective() const;
  /// Bits of `place` that hold only copies: with the bits before them in the order Register, Lane, Warp, Block, they
  /// reach no new element.
  uint32_t copies(Place place) const;

  /// A place that holds an element; the lowest-numbered by F2 elimination.
  std::optional<Where> find(Vector packed) const;

  /// this x other: the places of `other` follow those of `this`, and so do its axes' bits, axis by axis.
  Layout operator*(const Layout &other) const;
  /// The q with this == tile.operator*(q), if there is one.
  std::optional<Layout> divide(const Layout &tile) const;

  /// Same places, with an axis erased (Example 4).
  Layout slice(int axis) const;
  /// Same places, axes in another order: axis a of the result is axis order[a] of this.
  Layout transpose(const std::vector<int> &order) const;
  /// Same places, the elements' row-major number read in another shape of powers of two.
  Layout reshape(std::vector<int64_t> extents) const;
  /// The same elements with a new axis of extent 1.
  Layout expand(int axis) const;
  /// Only some kinds of places.
  Layout restrict(const std::vector<Place> &places) const;

  bool operator==(const Layout &other) const { return sizes == other.sizes && bases == other.bases; }

  /// One line per bit: `lane 4 -> (0, 2)`.
  std::string print() const;

private:
  int shiftOf(int axis) const;

  std::vector<int64_t> sizes;
  std::vector<int> bits;
  Bases bases;
};

/// Bits that count 0 .. extent - 1.
int bitsFor(int64_t extent);

} // namespace pavage::layout

#endif // PAVAGE_DIALECT_LAYOUT_LAYOUT_H
