// Membership of an address in a strided array. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Artifact/CheckAccess.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace pavage::artifact {

using Wide = __int128;

/// Far above any address, and sums of some hundred of them still fit: keeps senseless extents from overflowing.
static constexpr Wide hugeSpan = Wide(1) << 100;

static Wide floorDiv(Wide a, Wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

static Wide commonDivisor(Wide a, Wide b) {
  while (b != 0) {
    a = std::exchange(b, a % b);
  }
  return a;
}

/// The strides of an array, row-major ones where it gives none.
static std::vector<int64_t> stridesOf(const PavageArray &array) {
  std::vector<int64_t> strides(array.ndim > 0 ? array.ndim : 0);
  uint64_t dense = array.itemsize;
  for (size_t axis = strides.size(); axis-- > 0;) {
    strides[axis] = array.strides ? array.strides[axis] : static_cast<int64_t>(dense);
    dense *= static_cast<uint64_t>(array.shape[axis]);
  }
  return strides;
}

AddressRange addressRange(const PavageArray &array) {
  // A record of 64 axes at most is on the launch path of each front end: no allocation here.
  uint64_t low = array.base, high = array.base, dense = array.itemsize;
  for (int32_t axis = array.ndim; axis-- > 0;) {
    int64_t extent = array.shape[axis];
    if (extent <= 0) {
      return {array.base, array.base};
    }
    uint64_t stride = array.strides ? static_cast<uint64_t>(array.strides[axis]) : dense;
    uint64_t reach = stride * static_cast<uint64_t>(extent - 1);
    (static_cast<int64_t>(stride) < 0 ? low : high) += reach;
    dense *= static_cast<uint64_t>(extent);
  }
  return {low, high + array.itemsize};
}

ArrayBounds::ArrayBounds(const PavageArray &array)
    : base(array.base), itemsize(array.itemsize), shape(array.shape, array.shape + std::max(array.ndim, 0)),
      strides(stridesOf(array)) {
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] <= 0) {
      isEmpty = true;
    }
    if (shape[i] <= 1 || strides[i] == 0) {
      continue;
    }
    Wide stride = strides[i];
    if (stride < 0) {
      least = std::max(least + stride * (shape[i] - 1), -hugeSpan);
      stride = -stride;
    }
    axes.push_back({shape[i], stride});
  }
  std::sort(axes.begin(), axes.end(), [](const Axis &a, const Axis &b) { return a.stride > b.stride; });

  // Join axes from the inside out: (n, s) around (m, s) reaches like n + m - 1 steps, (n, m * s) around (m, s) like n *
  // m.
  std::vector<Axis> joined;
  for (size_t i = axes.size(); i-- > 0;) {
    const Axis &axis = axes[i];
    if (!joined.empty() && joined.back().stride == axis.stride) {
      joined.back().extent += axis.extent - 1;
    } else if (!joined.empty() && axis.stride <= hugeSpan / joined.back().extent &&
               joined.back().stride * joined.back().extent == axis.stride) {
      joined.back().extent = std::min(joined.back().extent * axis.extent, hugeSpan);
    } else {
      joined.push_back(axis);
    }
  }
  axes.assign(joined.rbegin(), joined.rend());

  span.assign(axes.size() + 1, 0);
  step.assign(axes.size() + 1, 0);
  for (size_t i = axes.size(); i-- > 0;) {
    Wide reach = axes[i].extent - 1 > hugeSpan / axes[i].stride ? hugeSpan : (axes[i].extent - 1) * axes[i].stride;
    span[i] = std::min(span[i + 1] + reach, hugeSpan);
    step[i] = commonDivisor(axes[i].stride, step[i + 1]);
  }
}

bool ArrayBounds::search(size_t axis, Wide offset, unsigned &budget) const {
  if (offset < 0 || offset > span[axis]) {
    return false;
  }
  if (axis == axes.size()) {
    return true;
  }
  if (offset % step[axis] != 0) {
    return false;
  }
  Wide stride = axes[axis].stride;
  Wide last = std::min(offset / stride, axes[axis].extent - 1);
  Wide first = std::max<Wide>(0, -floorDiv(span[axis + 1] - offset, stride));
  for (Wide index = last; index >= first; --index) {
    if (budget == 0 || --budget == 0 || search(axis + 1, offset - index * stride, budget)) {
      return true;
    }
  }
  return false;
}

bool ArrayBounds::isElement(Wide offset) const {
  unsigned budget = 100000;
  return search(0, offset - least, budget);
}

bool ArrayBounds::contains(uint64_t address, int64_t bytes) const {
  if (bytes <= 0) {
    return true;
  }
  if (isEmpty || itemsize == 0) {
    return false;
  }
  Wide offset = Wide(address) - Wide(base);
  Wide end = offset + bytes;
  if (offset < least || end > least + span[0] + itemsize) {
    return false;
  }
  bool isDense = axes.empty() || (axes.size() == 1 && axes[0].stride <= itemsize);
  if (isDense) {
    return true;
  }
  while (offset < end) {
    // Aligned accesses find their element at once; a pointer cast to another type may enter one in its middle.
    Wide into = 0;
    while (into < itemsize && !isElement(offset - into)) {
      ++into;
    }
    if (into == itemsize) {
      return false;
    }
    offset += itemsize - into;
  }
  return true;
}

std::string ArrayBounds::describe(uint64_t address) const {
  Wide offset = Wide(address) - Wide(base);

  // Outer axes first, each index such that the rest is within reach of the inner axes, or as near as can be.
  std::vector<size_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  auto magnitude = [&](size_t axis) { return strides[axis] < 0 ? -Wide(strides[axis]) : Wide(strides[axis]); };
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return magnitude(a) != magnitude(b) ? magnitude(a) > magnitude(b) : a < b; });
  std::vector<int64_t> index(shape.size(), 0);
  Wide rest = offset;
  for (size_t at = 0; at < order.size(); ++at) {
    Wide stride = strides[order[at]];
    if (stride == 0) {
      continue;
    }
    Wide low = 0, high = 0;
    for (size_t inner = at + 1; inner < order.size(); ++inner) {
      Wide reach = Wide(strides[order[inner]]) * (std::max<int64_t>(shape[order[inner]], 1) - 1);
      (reach < 0 ? low : high) += reach;
    }
    // With index i the inner axes must make up for rest - i * stride, which they can in [low, high]. Take the greatest
    // such i inside the extent, else the nearest outside; if there is none, the one that leaves a rest just above low.
    Wide size = magnitude(order[at]);
    Wide least = stride > 0 ? -floorDiv(high - rest, size) : -floorDiv(rest - low, size);
    Wide most = stride > 0 ? floorDiv(rest - low, size) : floorDiv(high - rest, size);
    Wide last = std::max<int64_t>(shape[order[at]], 1) - 1;
    Wide chosen;
    if (least > most) {
      chosen = stride > 0 ? most : least;
    } else {
      chosen = least > last ? least : std::min(most, last);
    }
    chosen = std::clamp<Wide>(chosen, INT64_MIN, INT64_MAX);
    index[order[at]] = static_cast<int64_t>(chosen);
    rest -= chosen * stride;
  }

  auto list = [](const std::vector<int64_t> &values) {
    std::string text = "[";
    for (size_t i = 0; i < values.size(); ++i) {
      text += (i ? ", " : "") + std::to_string(values[i]);
    }
    return text + "]";
  };
  auto count = [](Wide bytes) {
    std::string digits = std::to_string(static_cast<unsigned long long>(std::min<Wide>(bytes, UINT64_MAX)));
    return digits + (bytes == 1 ? " byte" : " bytes");
  };
  std::string text = "index " + list(index) + " of shape " + list(shape);
  Wide end = least + span[0] + itemsize;
  if (isEmpty) {
    return text + ", which has no elements";
  }
  if (offset < least) {
    return text + ", " + count(least - offset) + " before its first element";
  }
  if (offset >= end) {
    return text + ", " + count(offset - end) + " past its end";
  }
  if (!isElement(offset)) {
    return text + ", in a gap between its elements";
  }
  return text;
}

} // namespace pavage::artifact
