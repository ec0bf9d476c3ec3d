// Linear layouts as maps. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Layout/Layout.h"

#include <bit>
#include <cassert>
#include <numeric>

namespace pavage::layout {

const char *nameOf(Place place) {
  static constexpr const char *names[] = {"register", "lane", "warp", "block", "offset", "row", "column"};
  return names[static_cast<int>(place)];
}

int bitsFor(int64_t extent) { return std::bit_width(static_cast<uint64_t>(extent - 1)); }

Layout::Layout(std::vector<int64_t> extents, Bases images) : sizes(std::move(extents)), bases(std::move(images)) {
  for (int64_t size : sizes) {
    bits.push_back(bitsFor(size));
  }
  assert(totalBits() <= 63 && "a tile of at most 2^63 places");
  Vectors &registers = bases[static_cast<int>(Place::Register)];
  std::erase(registers, Vector(0));
}

Layout Layout::identity(Place place, std::vector<int64_t> extents) {
  int total = 0;
  for (int64_t extent : extents) {
    total += bitsFor(extent);
  }
  Bases bases;
  for (int i = 0; i < total; ++i) {
    bases[static_cast<int>(place)].push_back(Vector(1) << i);
  }
  return Layout(std::move(extents), std::move(bases));
}

int Layout::totalBits() const { return std::accumulate(bits.begin(), bits.end(), 0); }

int Layout::shiftOf(int axis) const { return std::accumulate(bits.begin() + axis + 1, bits.end(), 0); }

Vectors Layout::allImages() const {
  Vectors all;
  for (const Vectors &images : bases) {
    all.insert(all.end(), images.begin(), images.end());
  }
  return all;
}

Vector Layout::pack(const Coordinates &coordinates) const {
  Vector packed = 0;
  for (int axis = 0; axis < rank(); ++axis) {
    packed |= static_cast<Vector>(coordinates[axis]) << shiftOf(axis);
  }
  return packed;
}

Coordinates Layout::unpack(Vector packed) const {
  Coordinates coordinates;
  for (int axis = 0; axis < rank(); ++axis) {
    coordinates.push_back(static_cast<int64_t>((packed >> shiftOf(axis)) & ((Vector(1) << bits[axis]) - 1)));
  }
  return coordinates;
}

bool Layout::inside(Vector packed) const {
  Coordinates coordinates = unpack(packed);
  for (int axis = 0; axis < rank(); ++axis) {
    if (coordinates[axis] >= sizes[axis]) {
      return false;
    }
  }
  return true;
}

Vector Layout::packedAt(const Where &where) const {
  Vector sum = 0;
  for (int place = 0; place < kNumPlaces; ++place) {
    Vector known = (Vector(1) << bases[place].size()) - 1;
    sum ^= multiply(bases[place], where[place] & known);
  }
  return sum;
}

Coordinates Layout::at(const Where &where) const { return unpack(packedAt(where)); }

bool Layout::isSurjective() const { return layout::rank(allImages()) == totalBits(); }

bool Layout::isInjective() const { return kernelOf(allImages()).empty(); }

uint32_t Layout::copies(Place place) const {
  Vectors before;
  uint32_t mask = 0;
  for (int p = 0; p <= static_cast<int>(place); ++p) {
    for (size_t bit = 0; bit < bases[p].size(); ++bit) {
      if (extend(before, {bases[p][bit]}).empty()) {
        mask |= p == static_cast<int>(place) ? 1u << bit : 0;
      }
      before.push_back(bases[p][bit]);
    }
  }
  return mask;
}

std::optional<Where> Layout::find(Vector packed) const {
  std::optional<Vector> x = solve(allImages(), packed);
  if (!x) {
    return std::nullopt;
  }
  Where where{};
  for (int place = 0; place < kNumPlaces; ++place) {
    where[place] = static_cast<uint32_t>(*x & ((Vector(1) << bases[place].size()) - 1));
    *x >>= bases[place].size();
  }
  return where;
}

Layout Layout::operator*(const Layout &other) const {
  assert(rank() == other.rank() && "factors have one rank");
  std::vector<int64_t> product;
  for (int axis = 0; axis < rank(); ++axis) {
    // The inner factor fills its bits wholly, so its rounded extent counts.
    product.push_back((int64_t(1) << bits[axis]) * other.sizes[axis]);
  }
  Layout shape(product, {});
  auto move = [&](const Layout &from, Vector image, bool outer) {
    Coordinates coordinates = from.unpack(image);
    for (int axis = 0; axis < rank(); ++axis) {
      coordinates[axis] <<= outer ? bits[axis] : 0;
    }
    return shape.pack(coordinates);
  };
  Bases images;
  for (int place = 0; place < kNumPlaces; ++place) {
    for (Vector image : bases[place]) {
      images[place].push_back(move(*this, image, false));
    }
    for (Vector image : other.bases[place]) {
      images[place].push_back(move(other, image, true));
    }
  }
  return Layout(std::move(product), std::move(images));
}

std::optional<Layout> Layout::divide(const Layout &tile) const {
  if (rank() != tile.rank()) {
    return std::nullopt;
  }
  std::vector<int64_t> quotient;
  for (int axis = 0; axis < rank(); ++axis) {
    int64_t inner = int64_t(1) << tile.bits[axis];
    if (bits[axis] < tile.bits[axis] || sizes[axis] % inner != 0) {
      return std::nullopt;
    }
    quotient.push_back(sizes[axis] / inner);
  }
  Layout shape(quotient, {});
  Bases images;
  for (int place = 0; place < kNumPlaces; ++place) {
    if (bases[place].size() < tile.bases[place].size()) {
      return std::nullopt;
    }
    for (size_t i = tile.bases[place].size(); i < bases[place].size(); ++i) {
      Coordinates coordinates = unpack(bases[place][i]);
      for (int axis = 0; axis < rank(); ++axis) {
        coordinates[axis] >>= tile.bits[axis];
      }
      images[place].push_back(shape.pack(coordinates));
    }
  }
  Layout candidate(std::move(quotient), std::move(images));
  return tile * candidate == *this ? std::optional<Layout>(candidate) : std::nullopt;
}

Layout Layout::slice(int axis) const {
  std::vector<int64_t> extents = sizes;
  extents.erase(extents.begin() + axis);
  Layout shape(extents, {});
  Bases images;
  for (int place = 0; place < kNumPlaces; ++place) {
    for (Vector image : bases[place]) {
      Coordinates coordinates = unpack(image);
      coordinates.erase(coordinates.begin() + axis);
      images[place].push_back(shape.pack(coordinates));
    }
  }
  return Layout(std::move(extents), std::move(images));
}

Layout Layout::transpose(const std::vector<int> &order) const {
  std::vector<int64_t> extents;
  for (int axis : order) {
    extents.push_back(sizes[axis]);
  }
  Layout shape(extents, {});
  Bases images;
  for (int place = 0; place < kNumPlaces; ++place) {
    for (Vector image : bases[place]) {
      Coordinates from = unpack(image), to;
      for (int axis : order) {
        to.push_back(from[axis]);
      }
      images[place].push_back(shape.pack(to));
    }
  }
  return Layout(std::move(extents), std::move(images));
}

Layout Layout::reshape(std::vector<int64_t> extents) const {
  // Packed coordinates of powers of two are row-major numbers, so nothing moves.
  Layout result(std::move(extents), bases);
  assert(result.totalBits() == totalBits() && "shapes of powers of two with one number of elements");
  return result;
}

Layout Layout::expand(int axis) const {
  std::vector<int64_t> extents = sizes;
  extents.insert(extents.begin() + axis, 1);
  return Layout(std::move(extents), bases);
}

Layout Layout::restrict(const std::vector<Place> &places) const {
  Bases images;
  for (Place place : places) {
    images[static_cast<int>(place)] = basis(place);
  }
  return Layout(sizes, std::move(images));
}

std::string Layout::print() const {
  std::string text;
  for (int place = 0; place < kNumPlaces; ++place) {
    for (size_t bit = 0; bit < bases[place].size(); ++bit) {
      text += std::string(nameOf(static_cast<Place>(place))) + " " + std::to_string(1u << bit) + " -> (";
      Coordinates coordinates = unpack(bases[place][bit]);
      for (size_t axis = 0; axis < coordinates.size(); ++axis) {
        text += (axis ? ", " : "") + std::to_string(coordinates[axis]);
      }
      text += ")\n";
    }
  }
  return text;
}

} // namespace pavage::layout
