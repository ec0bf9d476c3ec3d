// What the Eval files share: values, findings, the table of handlers. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// Each op has one handler. It gets its operands' data, makes its results with `define` and returns false after an error
// finding. Elementwise handlers take any number of lanes: inside a combine region scalar ops run on all positions of a
// reduction at once (see EvalReduce.cpp).
#ifndef PAVAGE_DIALECT_TILE_INTERP_STATE_H
#define PAVAGE_DIALECT_TILE_INTERP_STATE_H

#include "dialect/Tile/Interp/ElementDtype.h"
#include "dialect/Tile/Interp/Interp.h"
#include "runtime/Artifact/CheckAccess.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <deque>

namespace pavage::tile {

using Data = llvm::ArrayRef<const Datum *>;
using Handler = bool (*)(Interp::State &state, mlir::Operation *op, Data operands);

struct HandlerEntry {
  Handler handler = nullptr;
  bool isElementwise = false; ///< takes any number of lanes
};

class HandlerTable {
public:
  template <class Op> void add(Handler handler) { entries[mlir::TypeID::get<Op>()] = {handler, false}; }
  template <class Op> void addElementwise(Handler handler) { entries[mlir::TypeID::get<Op>()] = {handler, true}; }
  /// Values of this type are handles: no numbers, but eight bytes that handlers give a meaning.
  template <class T> void addHandle() { handles.insert(mlir::TypeID::get<T>()); }
  HandlerEntry find(mlir::Operation *op) const;
  bool isHandle(mlir::Type type) const { return handles.contains(type.getTypeID()); }
  static const HandlerTable &get();

  /// Ops of other dialects. No thread may be evaluating.
  using Extension = void (*)(HandlerTable &);
  static void extend(Extension add);

private:
  HandlerTable();
  static HandlerTable &instance();
  llvm::DenseMap<mlir::TypeID, HandlerEntry> entries;
  llvm::DenseSet<mlir::TypeID> handles;
};

void addArithHandlers(HandlerTable &table);
void addArithCastHandlers(HandlerTable &table);
void addArithFloatHandlers(HandlerTable &table);
void addContractHandlers(HandlerTable &table);
void addControlHandlers(HandlerTable &table);
void addMathHandlers(HandlerTable &table);
void addMemoryHandlers(HandlerTable &table);
void addProgramHandlers(HandlerTable &table);
void addReduceHandlers(HandlerTable &table);
void addShapeHandlers(HandlerTable &table);
void addTileArithHandlers(HandlerTable &table);

/// Element size of a datum of this type.
int64_t elementBytes(mlir::Type type);

/// The largest datum, in bytes.
inline constexpr int64_t maxDatumBytes = int64_t(1) << 32;

/// The argument that a pointer was derived from sits above its address, in bits that are zero in every address of a
/// process. Other bit patterns there (integers cast to pointers and back) are left as they are; the few that look like
/// an argument's mark are refused at the cast.
inline constexpr unsigned addressBits = 48;
inline constexpr uint64_t originMark = 0x7A00;
inline constexpr uint64_t maxOrigins = 0xFF;
/// Number of the array a pointer was derived from, from 1; 0 = unknown.
inline uint64_t originOf(uint64_t pointer) {
  uint64_t above = pointer >> addressBits;
  return above > originMark && above <= originMark + maxOrigins ? above - originMark : 0;
}
inline uint64_t plainAddress(uint64_t pointer) {
  return originOf(pointer) ? pointer & ((uint64_t(1) << addressBits) - 1) : pointer;
}
inline uint64_t withOrigin(uint64_t address, uint64_t origin) {
  return origin <= maxOrigins ? address | (originMark + origin) << addressBits : address;
}

struct Interp::State {
  explicit State(InterpOptions options);

  // ---- Values
  Datum *find(mlir::Value value) const { return values.lookup(value); }
  /// The slot of a value, for a new datum of this many elements with unspecified contents and no poison.
  Datum &define(mlir::Value value, int64_t lanes);
  /// As many elements as the value's type says.
  Datum &define(mlir::Value value);
  /// Elements of a datum of this type; -1 when there is no such datum or it is too large.
  int64_t lanesOf(mlir::Type type);
  void set(mlir::Value value, Datum datum);
  void forget(mlir::Value value);

  // ---- Evaluation
  bool evaluate(mlir::Operation *op);
  bool evaluate(mlir::Operation *op, HandlerEntry entry);
  /// Runs a block; the terminator's operands come back.
  bool evaluateBlock(mlir::Block &block, llvm::SmallVectorImpl<Datum> &yielded);
  /// Binds the block's arguments and runs it.
  bool evaluateRegion(mlir::Region &region, llvm::SmallVectorImpl<Datum> &arguments,
                      llvm::SmallVectorImpl<Datum> &yielded);

  // ---- Findings
  /// Notes a finding; returns false for an error, which handlers pass on.
  bool report(FindingKind kind, mlir::Operation *op, const llvm::Twine &text);
  bool unsupported(mlir::Operation *op, const llvm::Twine &why = "is not supported");
  /// True when the first lane of a condition and the like may be used; else the finding "use of poison".
  bool usable(mlir::Operation *op, const Datum &datum, int64_t lane, llvm::StringRef what);

  /// What the handlers of another dialect remember while a program runs; made at first use.
  template <class T> T &memoryOf() {
    std::shared_ptr<void> &memory = memories[mlir::TypeID::get<T>()];
    if (!memory) {
      memory = std::make_shared<T>();
    }
    return *static_cast<T *>(memory.get());
  }

  InterpOptions options;
  llvm::DenseMap<mlir::TypeID, std::shared_ptr<void>> memories;
  std::vector<artifact::ArrayBounds> bounds; ///< of options.arrays
  std::array<int32_t, 3> program{0, 0, 0};
  std::vector<Finding> findings;
  std::vector<Datum> returned;
  int callDepth = 0;

  struct Step {
    mlir::Operation *op;
    HandlerEntry entry;
    llvm::SmallVector<mlir::Value, 2> dying; ///< last used here
  };
  using Plan = std::vector<Step>;
  /// How a block runs; kept while the IR stays as it is.
  llvm::DenseMap<mlir::Block *, std::unique_ptr<Plan>> plans;

private:
  const Plan &planOf(mlir::Block &block);
  bool spend(mlir::Operation *op);

  llvm::DenseMap<mlir::Value, Datum *> values;
  llvm::DenseMap<mlir::Type, int64_t> lanes; ///< what lanesOf found
  std::deque<Datum> slots;                   ///< stable addresses
  std::vector<Datum *> freeSlots;
  uint64_t evaluated = 0;
  llvm::DenseSet<std::pair<mlir::Operation *, int>> reported;
};

/// result[i] = mask[i] ? *pointers[i] : other or 0, checked; a null mask is on everywhere.
bool loadLanes(Interp::State &state, mlir::Operation *op, Datum &result, const uint64_t *pointers, const uint8_t *mask,
               const Datum *other);

/// A box of a strided array by its operands, as in tile.block_load.
struct BlockOperands {
  mlir::Value base;
  mlir::ValueRange offsets, strides, extents;
  llvm::ArrayRef<int32_t> checked;
};
/// The pointers of a block, row-major over `tile`, and which of them lie inside.
bool addressBlock(Interp::State &state, mlir::Operation *op, const BlockOperands &block, mlir::Type tile,
                  std::vector<uint64_t> &pointers, std::vector<uint8_t> &inside);
/// Whether the address and mask operands may be used; a null mask is on everywhere.
bool usableAccess(Interp::State &state, mlir::Operation *op, const Datum &pointer, const Datum *mask);

/// tile.dot on data: lhs, rhs, acc.
void evalProduct(Datum &result, Data in, bool lhsUnsigned, bool rhsUnsigned);

/// Lanes of an elementwise result: the operands', where a single lane serves all.
int64_t commonLanes(Data operands);

/// The result is poison where an operand is.
void spreadPoison(Datum &result, int64_t lanes, Data operands);

/// A result of the operands' lanes, poison where they are.
Datum &defineElementwise(Interp::State &state, mlir::Operation *op, Data operands, unsigned result = 0);

} // namespace pavage::tile

#endif // PAVAGE_DIALECT_TILE_INTERP_STATE_H
