// Decides which tiles live in memory, and where. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: a tile is inline (computed a vector at a time by whatever uses it) or buffered; each buffer gets an offset in
// the thread's scratch memory such that two buffers overlap only when their lives do not.
//
//   %e = math.exp %x : tensor<1024xf32>    ->    %e = math.exp %x {tile.buffers = array<i64: 4096>} : ...
//
// Needs: normal form. Leaves: `tile.buffers`, `tile.temps`, `tile.scratch_bytes`; Lower makes no such choice again.
// Why here: it must see the whole kernel, before anything is spelled out as loops.
// Does not: fuse loops of different roots, or choose how a dot is blocked.
#include "compiler/Cpu/Plan/Plan.h"
#include "compiler/Cpu/Schedule/Passes.h"

#include "compiler/Support/Diagnostics.h"
#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

#define DEBUG_TYPE "pavage-cpu-plan-buffers"

namespace pavage::cpu {
#define GEN_PASS_DEF_PLANBUFFERSPASS
#include "compiler/Cpu/Schedule/Passes.h.inc"
} // namespace pavage::cpu

using namespace mlir;
using namespace pavage;
using namespace pavage::cpu;

namespace {

// --- Cost or choice --------------------------------------------------------------------------------------------------

// In units of one vector instruction. A buffer costs a store and a load per vector, and its room in the first cache.
constexpr int64_t loadCost = 5;
constexpr int64_t divisionCost = 4;
constexpr int64_t functionCost = 16;
/// Up to here a tile is computed again for each of its users.
constexpr int64_t cheapTwice = 6;
/// Up to here it is computed again in each row of a loop nest that repeats it.
constexpr int64_t cheapPerRow = 3;
/// Up to here it is computed again inside of a region.
constexpr int64_t cheapInRegion = 16;

int64_t costOf(Operation *op) {
  if (isa<tile::LoadOp, tile::BlockLoadOp, tile::GatherOp>(op)) {
    return loadCost;
  }
  if (isa<arith::DivFOp, tile::DivOp, tile::RemOp, math::SqrtOp, math::RsqrtOp>(op)) {
    return divisionCost;
  }
  if (isa<math::AbsFOp, math::AbsIOp, math::FloorOp, math::CeilOp, math::FmaOp, math::CopySignOp>(op)) {
    return 1;
  }
  if (isa<math::MathDialect>(op->getDialect()) || isa<arith::RemFOp>(op)) {
    return functionCost;
  }
  bool isFree = isa<arith::ConstantOp, ub::PoisonOp, tile::IotaOp, tile::SplatOp, tile::ExpandDimsOp, tile::BroadcastOp,
                    tile::HintOp, tile::BitcastOp, arith::BitcastOp>(op);
  return isFree ? 0 : 1;
}

// --- Consumers -------------------------------------------------------------------------------------------------------

/// An op in a tile's own block at which the tile is needed.
struct Consumer {
  Operation *root; ///< a root, an op with regions, or the definition of a buffered inline tile
  bool isInRegion; ///< used in a region of `root`
  bool isRepeated; ///< read again in each row of the consumer's loops

  bool operator==(const Consumer &other) const {
    return root == other.root && isInRegion == other.isInRegion && isRepeated == other.isRepeated;
  }
};

class Planner {
public:
  explicit Planner(func::FuncOp kernel) : kernel(kernel) { number(kernel); }

  void decide() {
    for (Block &block : kernel.getBody()) {
      decide(block);
    }
  }

  bool isBuffered(Value value) const { return buffered.contains(value); }
  int64_t first(Operation *op) const { return positions.lookup(op).first; }
  int64_t last(Operation *op) const { return positions.lookup(op).second; }
  const SmallVector<Consumer> &consumersOf(Value value) { return consumers[value]; }

  /// Where a buffered inline tile is computed at the latest; before its definition when nothing needs it.
  int64_t computedAt(Operation *op) {
    int64_t result = INT64_MAX;
    for (Value value : op->getResults()) {
      for (const Consumer &consumer : consumers[value]) {
        result = std::min(result, isLazy(consumer.root) ? computedAt(consumer.root) : first(consumer.root));
      }
    }
    return result;
  }

  /// The last position at which a tile's buffer is read.
  int64_t lastUse(Value value) {
    int64_t result = -1;
    for (const Consumer &consumer : consumers[value]) {
      int64_t at = isLazy(consumer.root) ? computedAt(consumer.root)
                   : consumer.isInRegion ? last(consumer.root)
                                         : first(consumer.root);
      result = std::max(result, at == INT64_MAX ? first(consumer.root) : at);
    }
    return result;
  }

  /// A tile that keeps the coordinates from `value` to `leaf`, with nothing of `leaf` read elsewhere below it.
  bool readsOnlyAtIdentity(Value value, Value leaf) {
    bool result = true;
    visitCone(value, [&](Value current, bool identity) {
      result &= identity || current != leaf;
      return current == value || !isBuffered(current);
    });
    return result;
  }

private:
  void number(Operation *op) {
    int64_t start = counter++;
    for (Region &region : op->getRegions()) {
      for (Block &block : region) {
        for (Operation &inner : block) {
          number(&inner);
          if (writesMemory(&inner) && inner.getNumRegions() == 0) {
            writes.push_back(&inner);
          }
        }
      }
    }
    positions[op] = {start, counter++};
  }

  bool isLazy(Operation *op) const {
    return isInlineable(op) && llvm::any_of(op->getResults(), [&](Value value) { return isBuffered(value); });
  }

  /// Backwards, so that all users of a tile are decided before it.
  void decide(Block &block) {
    for (Operation &op : llvm::reverse(block)) {
      if (!isa<tile::ReduceOp, tile::ScanOp>(op)) {
        for (Region &region : op.getRegions()) {
          for (Block &inner : region) {
            decide(inner);
          }
        }
      }
      for (Value result : op.getResults()) {
        if (isTile(result)) {
          collectConsumers(result, block);
        }
      }
      bool keep = llvm::any_of(op.getResults(), [&](Value value) { return isTile(value) && mustBuffer(&op, value); });
      for (Value result : op.getResults()) {
        if (isTile(result) && (keep || (!isInlineable(&op) && needsRoom(&op, result)))) {
          buffered.insert(result);
        }
      }
    }
    for (Value argument : block.getArguments()) {
      if (isTile(argument)) {
        collectConsumers(argument, block);
        buffered.insert(argument);
      }
    }
  }

  static bool needsRoom(Operation *op, Value result) {
    return !isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op) || !result.use_empty();
  }

  /// Each consumer once: an op may be reached on as many ways as `x * x` has operands, to the power of its depth.
  void collectConsumers(Value value, Block &block) {
    SmallVector<Consumer> result;
    auto add = [&](Consumer consumer) {
      if (!llvm::is_contained(result, consumer)) {
        result.push_back(consumer);
      }
    };
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner(), *ancestor = block.findAncestorOpInBlock(*user);
      bool isInRegion = ancestor != user;
      if (!isInlineable(user)) {
        add({ancestor, isInRegion, false});
        continue;
      }
      bool repeats = isRepeating(use);
      if (isLazy(user)) {
        add({ancestor, isInRegion, repeats});
        continue;
      }
      for (Value inner : user->getResults()) {
        for (const Consumer &consumer : consumers[inner]) {
          Operation *root = block.findAncestorOpInBlock(*consumer.root);
          add({root, isInRegion || consumer.isInRegion || root != consumer.root, repeats || consumer.isRepeated});
        }
      }
    }
    consumers[value] = std::move(result);
  }

  /// A broadcast of an outer axis makes each row compute the operand again.
  static bool isRepeating(OpOperand &use) {
    auto broadcast = dyn_cast<tile::BroadcastOp>(use.getOwner());
    if (!broadcast) {
      return false;
    }
    ArrayRef<int64_t> from = tile::shapeOf(broadcast.getSrc().getType()), to = tile::shapeOf(broadcast.getType());
    bool repeats = false;
    for (size_t axis = 0; axis < from.size(); ++axis) {
      repeats |= from[axis] != to[axis];
      if (repeats && from[axis] > 1) {
        return true;
      }
    }
    return false;
  }

  int64_t inlineCost(Value value) {
    int64_t result = 0;
    visitCone(value, [&](Value current, bool) {
      Operation *op = current.getDefiningOp();
      bool isLeaf = current != value && (isBuffered(current) || !isInlineable(op));
      result += isLeaf || !isInlineable(op) ? 1 : costOf(op);
      return !isLeaf;
    });
    return result;
  }

  bool readsMemory(Value value) {
    bool result = false;
    visitCone(value, [&](Value current, bool) {
      if (current != value && isBuffered(current)) {
        return false;
      }
      result |= isa_and_nonnull<tile::LoadOp, tile::BlockLoadOp>(current.getDefiningOp());
      return true;
    });
    return result;
  }

  bool mustBuffer(Operation *op, Value value) {
    const SmallVector<Consumer> &users = consumers[value];
    if (!isInlineable(op)) {
      return needsRoom(op, value);
    }
    if (users.empty()) {
      return false;
    }
    if (isa<tile::CatOp>(op) || llvm::any_of(value.getUses(), needsBuffer)) {
      return true;
    }
    if (isa<tile::LoadOp, tile::BlockLoadOp>(op) && mayBeOverwritten(op, users)) {
      return true;
    }
    int64_t cost = inlineCost(value);
    llvm::SmallPtrSet<Operation *, 4> roots;
    for (const Consumer &user : users) {
      roots.insert(user.root);
      if (user.isInRegion && (cost > cheapInRegion || readsMemory(value))) {
        return true;
      }
      if (user.isRepeated && cost > cheapPerRow) {
        return true;
      }
    }
    return roots.size() > 1 && cost > cheapTwice;
  }

  // --- Legality ---

  /// Something between the load and a consumer, or a consumer itself, may write what the load reads.
  bool mayBeOverwritten(Operation *load, const SmallVector<Consumer> &users) {
    for (const Consumer &user : users) {
      for (Operation *write : writes) {
        int64_t at = first(write);
        if (at > first(load) && at < first(user.root) && mayConflict(load, write)) {
          return true;
        }
      }
      // A loop's first value is computed before the loop runs; a tile used inside of it is not.
      bool isWrite = user.isInRegion ? mayConflict(load, user.root)
                                     : user.root->getNumRegions() == 0 && mayConflict(load, user.root);
      if (isWrite && (user.isInRegion || !mayFuse(load, user.root))) {
        return true;
      }
    }
    return false;
  }

  func::FuncOp kernel;
  int64_t counter = 0;
  DenseMap<Operation *, std::pair<int64_t, int64_t>> positions;
  SmallVector<Operation *> writes;
  llvm::DenseSet<Value> buffered;
  DenseMap<Value, SmallVector<Consumer>> consumers;
};

// --- Placement -------------------------------------------------------------------------------------------------------

/// A piece of scratch memory with the positions between which it is in use, ends included.
struct Piece {
  int64_t start, end, bytes, offset = -1;
};

class Placement {
public:
  explicit Placement(Planner &planner) : planner(planner) {}

  void place(func::FuncOp kernel) {
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { addPieces(op); });
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { joinPieces(op); });
    assignOffsets();
    kernel.walk([&](Operation *op) { annotate(op); });
    auto i64 = IntegerType::get(kernel.getContext(), 64);
    kernel->setAttr(scratchBytesAttr, IntegerAttr::get(i64, total + scratchSlack));
  }

private:
  void addPieces(Operation *op) {
    for (OpResult result : op->getResults()) {
      if (planner.isBuffered(result)) {
        pieceOf[result] = addPiece(planner.first(op), std::max(planner.last(op), planner.lastUse(result)),
                                   bufferBytes(result.getType()));
      }
    }
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [argument, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults())) {
        if (isTile(argument)) {
          pieceOf[argument] = pieceOf.lookup(result);
        }
      }
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      for (Value argument : loop.getBeforeArguments()) {
        if (isTile(argument)) {
          pieceOf[argument] = addPiece(planner.first(op), planner.last(op), bufferBytes(argument.getType()));
        }
      }
      for (auto [argument, result] : llvm::zip(loop.getAfterArguments(), loop.getResults())) {
        if (isTile(argument)) {
          pieceOf[argument] = pieceOf.lookup(result);
        }
      }
    }
    SmallVector<int64_t> sizes = tempBytes(op, [&](Value value) { return planner.isBuffered(value); });
    if (isa<scf::YieldOp>(op)) {
      sizes = yieldTemps(op);
    }
    for (int64_t bytes : sizes) {
      temps[op].push_back(bytes == 0 ? -1 : addPiece(planner.first(op), planner.last(op), bytes));
    }
  }

  /// Room for the yielded tiles that cannot be written to their loop argument at once, because the value of another
  /// one, or of another place of the same one, is still to be read there.
  SmallVector<int64_t> yieldTemps(Operation *yield) {
    SmallVector<int64_t> result(yield->getNumOperands(), 0);
    auto loop = dyn_cast<scf::ForOp>(yield->getParentOp());
    if (!loop) {
      return result; // other ops keep their arguments apart from their results
    }
    for (auto [index, value] : llvm::enumerate(yield->getOperands())) {
      if (!isTile(value) || value == loop.getRegionIterArg(index)) {
        continue;
      }
      bool isDirect = planner.readsOnlyAtIdentity(value, loop.getRegionIterArg(index));
      for (auto [other, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
        if (other != index && isTile(argument) && yield->getOperand(other) != argument) {
          visitCone(value, [&](Value current, bool) {
            isDirect &= current != argument;
            return current == value || !planner.isBuffered(current);
          });
        }
      }
      // A buffered value is computed before the yield, and then read at its own places only.
      bool isComputed = planner.isBuffered(value) && value.getDefiningOp();
      result[index] = isDirect || isComputed ? 0 : bufferBytes(value.getType());
    }
    return result;
  }

  int64_t addPiece(int64_t start, int64_t end, int64_t bytes) {
    pieces.push_back({start, end, bytes});
    return static_cast<int64_t>(pieces.size()) - 1;
  }

  /// An accumulator that nothing reads later becomes the result of its dot; so does a loop argument that is one.
  void joinPieces(Operation *op) {
    auto dot = dyn_cast<tile::DotOp>(op);
    if (!dot || planner.lastUse(dot.getAcc()) > planner.first(dot)) {
      return;
    }
    Value acc = dot.getAcc(), result = dot.getResult();
    auto joinUnlessRead = [&](Value to) { // the product's operands may lie there as well
      int64_t piece = pieceOf[to];
      auto liesThere = [&](Value value) { return pieceOf.contains(value) && pieceOf.lookup(value) == piece; };
      if (!liesThere(dot.getLhs()) && !liesThere(dot.getRhs())) {
        join(pieceOf[result], piece);
      }
    };
    auto argument = dyn_cast<BlockArgument>(acc);
    if (!argument) {
      // The accumulator may be computed from a loop argument, place by place.
      visitCone(acc, [&](Value current, bool) {
        if (auto found = dyn_cast<BlockArgument>(current);
            found && found.getType() == result.getType() && !argument && planner.readsOnlyAtIdentity(acc, found)) {
          argument = found;
        }
        return current == acc || !planner.isBuffered(current);
      });
      if (planner.isBuffered(acc)) {
        if (acc.getType() == result.getType()) {
          joinUnlessRead(acc);
        }
        return;
      }
    }
    auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
    if (!loop || dot->getParentOp() != loop || planner.lastUse(argument) > planner.first(dot)) {
      return;
    }
    Value yielded = loop.getYieldedValues()[argument.getArgNumber() - 1];
    if (yielded == result) {
      joinUnlessRead(argument);
    }
  }

  void join(int64_t from, int64_t to) {
    Piece &piece = pieces[to];
    piece.start = std::min(piece.start, pieces[from].start);
    piece.end = std::max(piece.end, pieces[from].end);
    for (auto &entry : pieceOf) {
      entry.second = entry.second == from ? to : entry.second;
    }
    pieces[from].bytes = 0;
  }

  /// First fit, in order of the beginning.
  void assignOffsets() {
    SmallVector<Piece *> order;
    for (Piece &piece : pieces) {
      order.push_back(&piece);
    }
    llvm::sort(order, [](Piece *a, Piece *b) { return std::tie(a->start, a) < std::tie(b->start, b); });
    SmallVector<Piece *> placed;
    for (Piece *piece : order) {
      if (piece->bytes == 0) {
        continue;
      }
      SmallVector<Piece *> rivals;
      for (Piece *other : placed) {
        if (other->start <= piece->end && piece->start <= other->end) {
          rivals.push_back(other);
        }
      }
      llvm::sort(rivals, [](Piece *a, Piece *b) { return a->offset < b->offset; });
      int64_t offset = 0;
      for (Piece *rival : rivals) {
        if (offset + piece->bytes <= rival->offset) {
          break;
        }
        offset = std::max(offset, rival->offset + rival->bytes);
      }
      piece->offset = offset;
      placed.push_back(piece);
      total = std::max(total, offset + piece->bytes);
    }
  }

  int64_t offsetOf(Value value) {
    auto found = pieceOf.find(value);
    return found == pieceOf.end() ? -1 : pieces[found->second].offset;
  }

  void annotate(Operation *op) {
    Builder builder(op->getContext());
    auto offsets = [&](ValueRange values) {
      SmallVector<int64_t> result;
      for (Value value : values) {
        result.push_back(offsetOf(value));
      }
      return result;
    };
    SmallVector<int64_t> results = offsets(op->getResults());
    if (llvm::any_of(results, [](int64_t offset) { return offset >= 0; })) {
      op->setAttr(buffersAttr, builder.getDenseI64ArrayAttr(results));
    }
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      op->setAttr(beforeBuffersAttr, builder.getDenseI64ArrayAttr(offsets(loop.getBeforeArguments())));
    }
    auto found = temps.find(op);
    if (found != temps.end() && !found->second.empty()) {
      SmallVector<int64_t> result;
      for (int64_t piece : found->second) {
        result.push_back(piece < 0 ? -1 : pieces[piece].offset);
      }
      op->setAttr(tempsAttr, builder.getDenseI64ArrayAttr(result));
    }
  }

  Planner &planner;
  SmallVector<Piece> pieces;
  DenseMap<Value, int64_t> pieceOf;
  DenseMap<Operation *, SmallVector<int64_t>> temps;
  int64_t total = 0;
};

// --- Pass ------------------------------------------------------------------------------------------------------------

struct PlanBuffers : cpu::impl::PlanBuffersPassBase<PlanBuffers> {
  using PlanBuffersPassBase::PlanBuffersPassBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    Planner planner(kernel);
    planner.decide();
    Placement(planner).place(kernel);
    kernel.walk([&](Operation *op) {
      for (Value result : op->getResults()) {
        if (isTile(result)) {
          ++(planner.isBuffered(result) ? numBuffered : numInline);
        }
      }
    });
  }
};

} // namespace
