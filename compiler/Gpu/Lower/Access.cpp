// Loads and stores of global memory. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule says how many registers one access moves (`tilegpu.vector`): such a *run* is contiguous, aligned, and on
// or off as one. Neighbouring runs with one mask share a branch. A branch around a plain access is what ptxas turns
// into a predicate, and unlike a masked load it leaves the address alone.
#include "compiler/Gpu/Lower/Families.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using pavage::layout::Place;
using pavage::tilegpu::LayoutAttr;
using Predicate = LLVM::ICmpPredicate;

namespace pavage::gpu {

static unsigned widthOf(Operation *op) {
  auto vector = op->getAttrOfType<IntegerAttr>(tilegpu::kVectorAttr);
  return vector ? vector.getInt() : 1;
}

// --- runs ------------------------------------------------------------------------------------------------------------

/// Whether the thread is the first of all, for what a program does once.
static Value isFirstThread(Emitter &e) { return e.compare(Predicate::eq, e.tid, e.i32(0)); }

SmallVector<Run> Emitter::pointerRuns(Value pointers, Value mask, LayoutAttr layout, unsigned vector, bool once) {
  Values addresses = elements(pointers), masks = mask ? elements(mask) : Values();
  Value first = !once ? Value() : layout ? isFirstCopy(layout) : isFirstThread(*this);
  SmallVector<Run> runs;
  for (unsigned reg = 0; reg < addresses.size(); reg += vector) {
    Run run{reg, vector, addresses[reg], both(first, mask ? masks[reg] : Value())};
    if (layout) {
      run.mask = both(run.mask, isInside(layout, reg));
    }
    runs.push_back(run);
  }
  return runs;
}

/// What an axis of a box adds to addresses and masks, by the constant part of a coordinate.
namespace {
struct Axis {
  Value index;  ///< of register 0 in the array. i64
  Value stride; ///< elements. i64
  Value extent; ///< i64; null = not checked
};
} // namespace

SmallVector<Run> Emitter::blockRuns(Value base, Type element, ValueRange offsets, ValueRange strides,
                                    ValueRange extents, ArrayRef<int32_t> checked, LayoutAttr attribute,
                                    unsigned vector, bool once) {
  const layout::Layout layout = layoutOf(attribute);
  unsigned rank = layout.rank();
  // Whether register bits and thread bits of an axis overlap: then its coordinate is no sum.
  SmallVector<Axis> axes(rank);
  SmallVector<bool> isSum(rank, true);
  Value start = base;
  Type inMemory = memoryType(element);
  for (unsigned axis = 0; axis < rank; ++axis) {
    int64_t moving = 0, fixed = 0;
    for (Place place : {Place::Register, Place::Lane, Place::Warp}) {
      for (layout::Vector image : layout.basis(place)) {
        (place == Place::Register ? fixed : moving) |= layout.unpack(image)[axis];
      }
    }
    isSum[axis] = (moving & fixed) == 0;
    Value thread = isSum[axis] ? resize(threadCoordinate(attribute, axis), 64, /*isSigned=*/false) : i64(0);
    axes[axis] = {add(offsets[axis], thread), strides[axis], Value()};
    if (llvm::is_contained(checked, static_cast<int32_t>(axis))) {
      axes[axis].extent = extents[axis];
    }
    start = gep(start, inMemory, mul(axes[axis].index, strides[axis]));
  }
  Value first = once ? isFirstCopy(attribute) : Value();

  // Parts repeat from register to register: keep them by axis and constant.
  llvm::DenseMap<std::pair<unsigned, int64_t>, Value> steps, insides;
  auto partOf = [&](unsigned axis, unsigned reg, int64_t fixed) -> Value {
    return isSum[axis] ? i64(fixed) : resize(coordinate(attribute, axis, reg), 64, /*isSigned=*/false);
  };
  SmallVector<Run> runs;
  for (unsigned reg = 0; reg < 1u << layout.numBits(Place::Register); reg += vector) {
    Run run{reg, vector, start, first};
    layout::Coordinates fixed = layout.at({reg});
    for (unsigned axis = 0; axis < rank; ++axis) {
      Value &step = steps[{axis, fixed[axis]}];
      if (!step) {
        step = mul(partOf(axis, reg, fixed[axis]), axes[axis].stride);
      }
      run.address = gep(run.address, inMemory, step);
      int64_t extent = attribute.getExtents()[axis];
      if (!axes[axis].extent && llvm::isPowerOf2_64(extent)) {
        continue;
      }
      Value &inside = insides[{axis, fixed[axis]}];
      if (!inside) {
        Value part = partOf(axis, reg, fixed[axis]);
        // Negative indices are large unsigned ones; an extent below zero has no elements.
        if (axes[axis].extent) {
          Value index = add(axes[axis].index, part);
          inside = both(compare(Predicate::slt, index, axes[axis].extent), compare(Predicate::sge, index, i64(0)));
        }
        if (!llvm::isPowerOf2_64(extent)) {
          inside = both(inside, compare(Predicate::ult, coordinate(attribute, axis, reg), i32(extent)));
        }
      }
      run.mask = both(run.mask, inside);
    }
    runs.push_back(run);
  }
  return runs;
}

SmallVector<Run> Emitter::runsOf(Operation *op, bool once) {
  unsigned vector = widthOf(op);
  auto ofBlock = [&](auto block, Type tile) {
    return blockRuns(scalar(block.getBase()), block.getBase().getType().getPointee(), flatten(block.getOffsets()),
                     flatten(block.getStrides()), flatten(block.getExtents()), block.getChecked(),
                     tilegpu::layoutOf(tile), vector, once);
  };
  if (auto load = dyn_cast<tile::BlockLoadOp>(op)) {
    return ofBlock(load, load.getType());
  }
  if (auto store = dyn_cast<tile::BlockStoreOp>(op)) {
    return ofBlock(store, store.getValue().getType());
  }
  Value pointers, mask;
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    pointers = load.getPtr(), mask = load.getMask();
  } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
    pointers = store.getPtr(), mask = store.getMask();
  } else if (auto atomic = dyn_cast<tile::AtomicRMWOp>(op)) {
    pointers = atomic.getPtr(), mask = atomic.getMask();
  } else {
    pointers = cast<tile::AtomicCASOp>(op).getPtr();
  }
  return pointerRuns(pointers, mask, tilegpu::layoutOf(pointers.getType()), vector, once);
}

/// Calls `body` once for each stretch of runs with one mask.
static void forStretches(ArrayRef<Run> runs, llvm::function_ref<void(ArrayRef<Run>)> body) {
  for (size_t first = 0; first < runs.size();) {
    size_t end = first + 1;
    while (end < runs.size() && runs[end].mask == runs[first].mask) {
      ++end;
    }
    body(runs.slice(first, end - first));
    first = end;
  }
}

// --- accesses --------------------------------------------------------------------------------------------------------
//
// One access moves at most 16 bytes (more becomes a loop of bytes in LLVM), as words of 32 bits or as whole elements.

namespace {
/// How a run of elements looks to one instruction.
struct Shape {
  Type piece;      ///< an element in memory, or i32 for several short ones
  unsigned pieces; ///< per run
  unsigned lanes;  ///< elements per piece
};
} // namespace

static Shape shapeOf(Emitter &e, Type element, unsigned count) {
  Type inMemory = e.memoryType(element);
  unsigned lanes = std::max<unsigned>(1, std::min<unsigned>(count, 4 / Emitter::bytesOf(element)));
  if (lanes * Emitter::bytesOf(element) != 4 || Emitter::bytesOf(element) == 4) {
    return {inMemory, count, 1};
  }
  return {e.b.getI32Type(), count / lanes, lanes};
}

static StringRef cacheSuffix(Operation *op, bool isLoad) {
  auto cache = tile::Cache::None;
  if (auto attribute = op->getAttrOfType<tile::CacheAttr>("cache")) {
    cache = attribute.getValue();
  }
  switch (cache) {
  case tile::Cache::CA:
    return isLoad ? ".ca" : "";
  case tile::Cache::CG:
    return ".cg";
  case tile::Cache::CS:
    return ".cs";
  case tile::Cache::CV:
    return isLoad ? ".cv" : "";
  case tile::Cache::WB:
    return isLoad ? "" : ".wb";
  case tile::Cache::WT:
    return isLoad ? "" : ".wt";
  case tile::Cache::None:
    return "";
  }
  llvm_unreachable("all caches are listed");
}

static StringRef evictionSuffix(Operation *op) {
  auto attribute = op->getAttrOfType<tile::EvictionAttr>("eviction");
  auto eviction = attribute ? attribute.getValue() : tile::Eviction::Normal;
  return eviction == tile::Eviction::First  ? ".L1::evict_first"
         : eviction == tile::Eviction::Last ? ".L1::evict_last"
                                            : "";
}

/// An integer type of a piece as PTX and the register constraints name it.
static std::pair<std::string, std::string> spelling(Type piece) {
  unsigned width = piece.getIntOrFloatBitWidth();
  std::string constraint = width == 64 ? "l" : width == 32 ? "r" : "h";
  return {".b" + std::to_string(width), constraint};
}

static Value loadPieces(Emitter &e, Operation *op, Value address, const Shape &shape, Type element) {
  Type whole = shape.pieces == 1 ? shape.piece : Type(VectorType::get({shape.pieces}, shape.piece));
  int64_t bytes = shape.pieces * shape.lanes * Emitter::bytesOf(element);
  bool isVolatile = op->hasAttr("is_volatile");
  std::string hints = (cacheSuffix(op, true) + evictionSuffix(op)).str();
  if (hints.empty() || isVolatile) {
    return LLVM::LoadOp::create(e.b, e.loc, whole, address, bytes, isVolatile);
  }
  // LLVM has no word for hints.
  unsigned width = shape.piece.getIntOrFloatBitWidth();
  Type bits = e.b.getIntegerType(std::max(16u, width));
  auto [type, constraint] = spelling(shape.piece);
  std::string vector = shape.pieces == 1 ? "" : ".v" + std::to_string(shape.pieces), targets, constraints;
  for (unsigned piece = 0; piece < shape.pieces; ++piece) {
    targets += (piece ? ", $" : "$") + std::to_string(piece);
    constraints += "=" + constraint + ",";
  }
  targets = shape.pieces == 1 ? targets : "{" + targets + "}";
  std::string text = "ld.global" + hints + vector + type + " " + targets + ", [$" + std::to_string(shape.pieces) + "];";
  SmallVector<Type> types(shape.pieces, bits);
  Type result = shape.pieces == 1 ? bits : Type(LLVM::LLVMStructType::getLiteral(e.b.getContext(), types));
  Value loaded = e.assembler(text, constraints + "l,~{memory}", result, address, /*hasEffects=*/true);
  Values pieces;
  for (unsigned piece = 0; piece < shape.pieces; ++piece) {
    Value one = shape.pieces == 1 ? loaded : LLVM::ExtractValueOp::create(e.b, e.loc, loaded, piece);
    pieces.push_back(e.bitcast(e.resize(one, width, false), shape.piece));
  }
  return shape.pieces == 1 ? pieces.front() : e.vectorOf(pieces);
}

static void storePieces(Emitter &e, Operation *op, Value address, Value value, const Shape &shape, Type element) {
  int64_t bytes = shape.pieces * shape.lanes * Emitter::bytesOf(element);
  std::string hints = (cacheSuffix(op, false) + evictionSuffix(op)).str();
  if (hints.empty()) {
    LLVM::StoreOp::create(e.b, e.loc, value, address, bytes);
    return;
  }
  unsigned width = shape.piece.getIntOrFloatBitWidth();
  auto [type, constraint] = spelling(shape.piece);
  std::string vector = shape.pieces == 1 ? "" : ".v" + std::to_string(shape.pieces), sources, constraints = "l";
  Values operands{address};
  for (unsigned piece = 0; piece < shape.pieces; ++piece) {
    Value one = shape.pieces == 1 ? value : e.extract(value, piece);
    operands.push_back(e.resize(e.bitcast(one, e.b.getIntegerType(width)), std::max(16u, width), false));
    sources += (piece ? ", $" : "$") + std::to_string(piece + 1);
    constraints += "," + constraint;
  }
  sources = shape.pieces == 1 ? sources : "{" + sources + "}";
  e.assembler("st.global" + hints + vector + type + " [$0], " + sources + ";", constraints + ",~{memory}", Type(),
              operands, /*hasEffects=*/true);
}

/// Words or elements of the tile that a run's pieces hold, and back.
static Values elementsOf(Emitter &e, Value loaded, const Shape &shape, Type element) {
  Values elements;
  for (unsigned piece = 0; piece < shape.pieces; ++piece) {
    Value one = shape.pieces == 1 ? loaded : e.extract(loaded, piece);
    if (shape.lanes == 1) {
      elements.push_back(e.fromMemory(one, element));
      continue;
    }
    Value lanes = e.bitcast(one, VectorType::get({shape.lanes}, e.memoryType(element)));
    for (unsigned lane = 0; lane < shape.lanes; ++lane) {
      elements.push_back(e.fromMemory(e.extract(lanes, lane), element));
    }
  }
  return elements;
}

static Value piecesOf(Emitter &e, ArrayRef<Value> elements, const Shape &shape, Type element) {
  Values pieces;
  for (unsigned piece = 0; piece < shape.pieces; ++piece) {
    Values lanes;
    for (unsigned lane = 0; lane < shape.lanes; ++lane) {
      lanes.push_back(e.toMemory(elements[piece * shape.lanes + lane], element));
    }
    pieces.push_back(shape.lanes == 1 ? lanes.front() : e.bitcast(e.vectorOf(lanes), shape.piece));
  }
  return shape.pieces == 1 ? pieces.front() : e.vectorOf(pieces);
}

LogicalResult emitLoad(Emitter &e, Operation *op) {
  Type type = op->getResult(0).getType(), element = tile::elementTypeOf(type);
  unsigned perWord = Emitter::perWord(type);
  Value other;
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    other = load.getOther();
  } else {
    other = cast<tile::BlockLoadOp>(op).getOther();
  }
  Values words(Emitter::numRegisters(type) / perWord), shorts(Emitter::numRegisters(type));
  Values others = other ? e.elements(other) : Values{e.zero(e.registerType(element))};
  SmallVector<Run> runs = e.runsOf(op, /*once=*/false);
  forStretches(runs, [&](ArrayRef<Run> stretch) {
    // Whole words cross the branch; runs shorter than a word are joined after it.
    bool isWhole = stretch.front().count % perWord == 0;
    Shape shape = shapeOf(e, element, stretch.front().count);
    Values otherwise;
    for (const Run &run : stretch) {
      Values defaults;
      for (unsigned reg = run.first; reg < run.first + run.count; ++reg) {
        defaults.push_back(others[others.size() == 1 ? 0 : reg]);
      }
      llvm::append_range(otherwise, isWhole ? e.pack(defaults, perWord) : defaults);
    }
    Values loaded = e.choose(
        stretch.front().mask,
        [&] {
          Values all;
          for (const Run &run : stretch) {
            Values elements = elementsOf(e, loadPieces(e, op, run.address, shape, element), shape, element);
            llvm::append_range(all, isWhole ? e.pack(elements, perWord) : elements);
          }
          return all;
        },
        otherwise);
    unsigned first = stretch.front().first;
    if (isWhole) {
      llvm::copy(loaded, words.begin() + first / perWord);
      return;
    }
    llvm::copy(loaded, shorts.begin() + first);
  });
  for (unsigned reg = 0; reg < shorts.size(); reg += perWord) {
    if (shorts[reg]) {
      // All at once: a word that is filled piece by piece, branch by branch, has undefined parts on the way.
      words[reg / perWord] = e.vectorOf(ArrayRef(shorts).slice(reg, perWord));
    }
  }
  e.bindWords(op->getResult(0), words);
  return success();
}

LogicalResult emitStore(Emitter &e, Operation *op) {
  Value value = isa<tile::StoreOp>(op) ? cast<tile::StoreOp>(op).getValue() : cast<tile::BlockStoreOp>(op).getValue();
  Type element = tile::elementTypeOf(value.getType());
  Values elements = e.elements(value);
  SmallVector<Run> runs = e.runsOf(op, /*once=*/true);
  forStretches(runs, [&](ArrayRef<Run> stretch) {
    Shape shape = shapeOf(e, element, stretch.front().count);
    // What is stored is made outside of the branch, where it may be shared.
    Values pieces;
    for (const Run &run : stretch) {
      pieces.push_back(piecesOf(e, ArrayRef(elements).slice(run.first, run.count), shape, element));
    }
    e.when(stretch.front().mask, [&] {
      for (auto [run, piece] : llvm::zip(stretch, pieces)) {
        storePieces(e, op, run.address, piece, shape, element);
      }
    });
  });
  return success();
}

} // namespace pavage::gpu
