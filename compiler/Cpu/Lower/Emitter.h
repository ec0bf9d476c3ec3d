// Turns one kernel on tiles into loops over vectors. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Roots (stores, reductions, dots, ...) run where they stand. Each opens a *nest*: a loop per axis, the innermost in
// steps of W lanes. Inside, the tiles that the root reads are evaluated at *coordinates*, one per axis, each a scalar
// plus a multiple of the lane number. Shape ops only change coordinates. What is the same in all lanes stays a scalar,
// and what does not depend on an inner loop is emitted before it.
//
//   tile.store %p, %sum ...        ->   scf.for %i = 0 to 1024 step 16 {
//                                         %x = masked load of 16 lanes from %x_base + 4 * %i
//                                         ... %s = arith.addf %x, %y : vector<16xf32> ... masked store
//
// A tile with a buffer is computed once: along the way in the first nest that runs over all of it (a *tee*), else in a
// nest of its own.
#ifndef PAVAGE_COMPILER_CPU_LOWER_EMITTER_H
#define PAVAGE_COMPILER_CPU_LOWER_EMITTER_H

#include "compiler/Cpu/Lower/Ops.h"
#include "compiler/Cpu/Plan/Plan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace pavage::cpu {

/// Where along one axis: `base + offset + lane * l` in lane l, or `vec[l]`.
struct Coord {
  mlir::Value base; ///< i64; null = 0
  int64_t offset = 0;
  int64_t lane = 0;
  mlir::Value vec;    ///< i64 lanes; replaces the rest
  unsigned level = 0; ///< the number of loops inside which it is known

  bool operator==(const Coord &other) const {
    return base == other.base && offset == other.offset && lane == other.lane && vec == other.vec;
  }
};
using Coords = llvm::ArrayRef<Coord>;

/// The values of a tile's element in all lanes.
struct Lanes {
  enum Kind { None, Uniform, Affine, Vector };
  Kind kind = None;
  mlir::Value value;   ///< uniform: the scalar; affine: lane 0's; vector: all
  int64_t step = 0;    ///< affine: from lane to lane
  mlir::Value guard;   ///< i1: the description is wrong for these lanes; evaluate exactly instead
  mlir::Value allTrue; ///< of an i1: a cheap scalar that implies that all lanes are true

  explicit operator bool() const { return kind != None; }
  bool isUniform() const { return kind == Uniform && !guard; }
};

/// A tile in scratch memory.
struct Buffer {
  int64_t offset = -1;
  mlir::Type element;
  BufferShape shape;
  llvm::SmallVector<int64_t> extents;
};

/// Loops over a shape, the place in them, and what was evaluated there.
struct Nest {
  using Key = std::vector<const void *>;

  llvm::SmallVector<int64_t> shape;
  int axis = -1; ///< along which lanes lie
  int64_t lanes = 1;
  llvm::SmallVector<Coord> coords;                        ///< of the current element
  mlir::Value tail;                                       ///< i1 lanes that lie inside the shape; null = all
  llvm::SmallVector<mlir::OpBuilder::InsertPoint> levels; ///< level k: before loop k, the last one: innermost
  mlir::OpBuilder::InsertPoint after;
  std::map<Key, Lanes> cache;
  bool isPinned = false; ///< emit at the current place, not at the outermost possible level
  llvm::DenseSet<mlir::Value> tees;
  bool masksTees = false; ///< lanes outside the shape may lie outside the buffers
};

class Emitter {
public:
  Emitter(mlir::OpBuilder &builder, const target::CpuTarget &target, bool check)
      : b(builder), target(target), check(check) {}

  /// Replaces the kernel by its lowered form.
  mlir::LogicalResult emitKernel(mlir::func::FuncOp kernel);

private:
  // --- LowerTiles.cpp ---
  struct LaunchFields {
    mlir::Value slots, launch, scratch, scratchAddress, context, cancel, grid[3];
    mlir::Value program, pid[3];
  };
  mlir::func::FuncOp createFunction(mlir::func::FuncOp kernel);
  mlir::Value loadLaunchField(mlir::Type type, int64_t offset);
  void bindArguments(mlir::func::FuncOp kernel);
  /// Ends the kernel with this number when it is not 0.
  void exitIf(mlir::Value error);
  void pollCancel();
  unsigned addSite(llvm::StringRef kind, llvm::StringRef text, mlir::Location loc, mlir::Type type = {},
                   bool hex = false, bool isSigned = true);
  mlir::Value callLaunch(int64_t fieldOffset, llvm::ArrayRef<mlir::Value> arguments, bool hasResult);

  // --- Block.cpp ---
  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emitOp(mlir::Operation *op);
  mlir::LogicalResult emitScalarOp(mlir::Operation *op);
  mlir::LogicalResult unsupported(mlir::Operation *op);
  void emitUnsplat(mlir::Operation *op, mlir::Value tile, mlir::Value scalar);
  void emitAssert(mlir::Operation *op);
  void emitPrint(mlir::Operation *op);

  // --- Regions.cpp ---
  mlir::LogicalResult emitFor(mlir::Operation *op);
  mlir::scf::ForOp openRounds(mlir::Value from, mlir::Value to, mlir::Value step, mlir::ValueRange carried);
  /// Rounds of a loop as an unsigned i64, in all lanes if the bounds are vectors.
  mlir::Value tripCount(mlir::Value lower, mlir::Value upper, mlir::Value step, bool isUnsigned);
  mlir::LogicalResult emitWhile(mlir::Operation *op);
  mlir::LogicalResult emitIf(mlir::Operation *op);
  /// Brings tiles into buffers and returns the scalars among `values`, mapped.
  llvm::SmallVector<mlir::Value> assignAll(mlir::ValueRange values, llvm::ArrayRef<Buffer> targets,
                                           llvm::ArrayRef<int64_t> temps);
  void assign(mlir::Value tile, const Buffer &target);
  void copyBytes(mlir::Value to, mlir::Value from, mlir::Value bytes);
  void bindBlockArguments(mlir::ValueRange arguments, llvm::ArrayRef<Buffer> places, mlir::ValueRange carried);
  void bindResults(mlir::Operation *op, mlir::ValueRange carried);

  // --- Nests.cpp ---
  Ops ops() { return Ops{b, loc, target}; }
  mlir::Value i64(int64_t value) { return ops().constant(b.getI64Type(), value); }
  mlir::Value scalar(mlir::Value value) { return scalars.lookup(value); }
  Buffer bufferAt(mlir::Value tile, int64_t offset);
  Buffer bufferAt(mlir::Type tile, int64_t offset);
  std::optional<int64_t> plannedOffset(mlir::Value tile) const;
  bool isBuffered(mlir::Value tile) const { return buffers.contains(tile) || plannedOffset(tile).has_value(); }
  bool isReady(mlir::Value tile) const { return ready.contains(tile); }
  /// Byte offsets of the op's temps, -1 where it needs none.
  llvm::ArrayRef<int64_t> tempsOf(mlir::Operation *op) const;

  mlir::scf::ForOp openLoop(int64_t extent, int64_t step, mlir::ValueRange carried = {});
  Nest openNest(llvm::ArrayRef<int64_t> shape, bool isScalar = false);
  void enterLoop(Nest &nest, mlir::scf::ForOp loop);
  void descend(Nest &nest, mlir::scf::ForOp loop);
  void ascend(Nest &nest, mlir::scf::ForOp loop);
  void setTail(Nest &nest, int64_t extent);
  void closeNest(Nest &nest);
  void runNest(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<mlir::Value> reads, llvm::function_ref<void(Nest &)> body,
               bool isScalar = false);
  /// Computes what the nest must find ready and marks what it will compute along the way.
  void prepare(Nest &nest, mlir::Value value, bool identity = true);
  llvm::DenseSet<mlir::Value> prepare(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<mlir::Value> values);
  /// Computes a buffered inline tile now.
  void compute(mlir::Value tile);
  void computeCat(mlir::Value tile);
  /// Before `op`: what it needs across regions, and loads of memory that it may write.
  void settle(mlir::Operation *op);

  // --- Evaluate.cpp ---
  Lanes eval(mlir::Value value, Coords coords, bool exact = true);
  Lanes evalOp(mlir::Value value, Coords coords, bool exact);
  Lanes evalElementwise(mlir::Operation *op, unsigned result, Coords coords);
  Lanes evalGather(mlir::Operation *op, Coords coords);
  Lanes evalJoin(mlir::Operation *op, Coords coords);
  /// The value as a vector of the nest's lanes (a scalar in a scalar nest).
  mlir::Value vectorOf(const Lanes &lanes);
  mlir::Value evalVector(mlir::Value value, Coords coords) { return vectorOf(eval(value, coords)); }
  mlir::Value laneNumbers(mlir::Type element);
  static Lanes uniform(mlir::Value value) { return {Lanes::Uniform, value, 0, {}, value}; }
  static Lanes vector(mlir::Value value) { return {Lanes::Vector, value, 0, {}, {}}; }
  Lanes lanesFrom(mlir::Value value) { return lanesOf(value.getType()) != 0 ? vector(value) : uniform(value); }

  // --- Coordinates.cpp ---
  mlir::Value coordScalar(const Coord &coord);
  mlir::Value coordVector(const Coord &coord);
  Coord coordFrom(const Lanes &lanes, unsigned level);
  llvm::SmallVector<Coord> reshapeCoords(llvm::ArrayRef<int64_t> to, llvm::ArrayRef<int64_t> from, Coords coords);
  llvm::SmallVector<Coord> splitLinear(llvm::ArrayRef<int64_t> extents, Coord linear);
  /// Sum of coordinates times strides.
  Coord linearize(Coords coords, llvm::ArrayRef<int64_t> strides);
  /// To before loop `level` of the nest, where values that depend on no inner loop belong.
  void moveTo(unsigned level);
  Coord scale(const Coord &coord, int64_t factor);
  Coord sum(const Coord &a, const Coord &b);

  // --- Affine.cpp ---
  /// A description of the value as base plus steps; none when the op has no such form.
  Lanes evalAffine(mlir::Operation *op, Coords coords, bool exact);
  Lanes extendAffine(Lanes lanes, bool isSigned, bool exact);
  Lanes addAffine(const Lanes &a, const Lanes &b, bool subtract);
  Lanes scaleAffine(const Lanes &a, int64_t factor);
  Lanes remainderAffine(mlir::Operation *op, Coords coords, bool isSigned, bool remainder);
  Lanes compareLanes(mlir::Operation *op, Coords coords);

  // --- Access.cpp ---
  struct Access {
    mlir::Operation *op;
    mlir::Type element;           ///< as in the IR
    Lanes pointer;                ///< i64 addresses
    std::function<Lanes()> exact; ///< evaluates the addresses without a guard
    Lanes mask;                   ///< may be none
  };
  Lanes load(const Access &access, Lanes other);
  void store(const Access &access, const Lanes &value);
  Lanes evalLoad(mlir::Operation *op, Coords coords, bool exact);
  Access accessOf(mlir::Operation *op, Coords coords);
  Access blockAccessOf(mlir::Operation *op, Coords coords);
  mlir::Value lanesInside(mlir::Value first, mlir::Value limit);
  void checkAccess(const Access &access, const Lanes &pointer, bool isWrite);
  /// Both sides of a choice by a scalar; the results come back.
  mlir::Value branch(mlir::Value condition, mlir::Type result, llvm::function_ref<mlir::Value()> then,
                     llvm::function_ref<mlir::Value()> otherwise);
  void when(mlir::Value condition, llvm::function_ref<void()> then, llvm::function_ref<void()> otherwise = {});
  mlir::Value pointerFrom(mlir::Value address);
  mlir::Value contiguousLoad(mlir::Type memory, mlir::Value address, mlir::Value mask, mlir::Value allTrue,
                             mlir::Value otherwise);
  mlir::Value gather(mlir::Type memory, mlir::Value addresses, mlir::Value mask, mlir::Value otherwise);
  void contiguousStore(mlir::Value value, mlir::Value address, mlir::Value mask, mlir::Value allTrue);
  void scatter(mlir::Value value, mlir::Value addresses, mlir::Value mask);
  mlir::Value laneSlot(unsigned index);
  mlir::Value laneElement(mlir::Value slot, mlir::Type element, mlir::Value lane);
  void forActiveLanes(mlir::Value mask, llvm::function_ref<void(mlir::Value)> body);
  mlir::Value loadLanes(mlir::Type memory, mlir::Value address, mlir::Value mask, mlir::Value otherwise);
  void storeLanes(mlir::Value value, mlir::Value address, mlir::Value mask);
  Lanes loadBuffer(const Buffer &buffer, Coords coords);
  void storeBuffer(const Buffer &buffer, Coords coords, const Lanes &value, mlir::Value mask = {});
  Coord bufferIndex(const Buffer &buffer, Coords coords);
  mlir::Value bufferAddress(int64_t offset);
  mlir::Value elementPointer(const Buffer &buffer, const Coord &index);
  mlir::Type memoryType(mlir::Type element);
  mlir::Value toMemory(mlir::Value value, mlir::Type element);
  mlir::Value fromMemory(mlir::Value value, mlir::Type element);
  mlir::Value constantAddress(mlir::Operation *constant);

  // --- roots ---
  mlir::LogicalResult emitStore(mlir::Operation *op);
  mlir::LogicalResult emitReduce(mlir::Operation *op);
  bool isLarge(llvm::ArrayRef<mlir::Value> values);
  void reduceAlongLanes(mlir::Operation *op);
  void reduceAcrossLanes(mlir::Operation *op);
  mlir::LogicalResult emitScan(mlir::Operation *op);
  mlir::LogicalResult emitDot(mlir::Operation *op);
  mlir::LogicalResult emitSort(mlir::Operation *op);
  mlir::LogicalResult emitHistogram(mlir::Operation *op);
  mlir::LogicalResult emitAtomic(mlir::Operation *op);
  mlir::Value atomicLane(mlir::Operation *op, mlir::Value address, llvm::ArrayRef<mlir::Value> operands);
  void defineTile(mlir::Value tile);

  // --- Combine.cpp ---
  struct CombineLanes {
    mlir::IRMapping mapping; ///< values of the region, lowered: vectors, or scalars that are the same in all lanes
    int64_t lanes = 0;
    bool hasLoops = false; ///< else no lane can hang, and it does not matter which take part
  };
  /// `active`: the lanes in which both sides have values of the tile; null = all. The others may give anything.
  llvm::SmallVector<mlir::Value> combine(mlir::Region &region, mlir::ValueRange left, mlir::ValueRange right,
                                         mlir::Value active);
  mlir::Value both(mlir::Value active, mlir::Value condition);
  mlir::LogicalResult combineBlock(mlir::Block &block, CombineLanes &at, mlir::Value active);
  mlir::LogicalResult combineOp(mlir::Operation *op, CombineLanes &at, mlir::Value active);
  mlir::LogicalResult combineIf(mlir::scf::IfOp branch, CombineLanes &at, mlir::Value active);
  mlir::LogicalResult combineFor(mlir::scf::ForOp loop, CombineLanes &at, mlir::Value active);
  mlir::LogicalResult combineWhile(mlir::scf::WhileOp loop, CombineLanes &at, mlir::Value active);
  mlir::Value combineValue(const CombineLanes &at, mlir::Value value);
  llvm::SmallVector<mlir::Value> combineVectors(const CombineLanes &at, mlir::ValueRange values);

  mlir::OpBuilder &b;
  mlir::Location loc = mlir::UnknownLoc::get(b.getContext());
  const target::CpuTarget &target;
  bool check;
  mlir::ModuleOp module;
  LaunchFields fields;
  mlir::IRMapping scalars;
  llvm::DenseMap<mlir::Value, Buffer> buffers;
  llvm::DenseSet<mlir::Value> ready;
  llvm::SmallVector<mlir::Value> pending; ///< buffered inline tiles not computed yet, in program order
  llvm::SmallVector<mlir::Attribute> sites;
  llvm::DenseMap<mlir::Operation *, mlir::Value> constants;
  llvm::DenseMap<mlir::Operation *, unsigned> accessSites;
  mlir::Value laneSlots[3];
  unsigned numConstants = 0;
  mlir::Operation *failedOp = nullptr; ///< inline op without a lowering, found while evaluating
  Nest *nest = nullptr;
};

} // namespace pavage::cpu

#endif // PAVAGE_COMPILER_CPU_LOWER_EMITTER_H
