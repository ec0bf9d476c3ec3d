// Executable meaning of Tile IR: the judge of passes, back ends and the fuzzer, and the eager sink of the builder.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A `Datum` is the value of one SSA value: the raw little-endian elements of a tile in row-major order (i1 as a byte 0
// or 1, pointers and index as 8 bytes), and which of them are poison. An `Interp` evaluates ops one by one;
// `runProgram` runs one program of a kernel, `runGrid` all of them in ascending order. Real host memory is read and
// written, after the address has been found inside a registered array.
//
// A pointer knows the argument that it was derived from (in its upper 16 bits, which user addresses leave free), so an
// access beyond its own array is found even where another array lies. `Datum::bits` gives the plain address.
#ifndef PAVAGE_DIALECT_TILE_INTERP_INTERP_H
#define PAVAGE_DIALECT_TILE_INTERP_INTERP_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Types.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mlir {
class Block;
class Operation;
namespace func {
class FuncOp;
} // namespace func
} // namespace mlir

namespace pavage::tile {

/// The value of one SSA value.
struct Datum {
  mlir::Type type;             ///< as in the IR: scalar or tile
  std::vector<uint8_t> bytes;  ///< elements, row-major
  std::vector<uint8_t> poison; ///< empty = none, else a byte per element

  Datum() = default;
  /// All elements zero.
  explicit Datum(mlir::Type type);
  /// A scalar of the given bit pattern.
  static Datum scalar(mlir::Type type, uint64_t bits);

  /// Takes over the value of a constant of this type; false for an attribute of another kind.
  bool read(mlir::Attribute value);

  int64_t numElements() const;
  bool isPoison(int64_t element) const { return !poison.empty() && poison[element] != 0; }
  /// Element as a zero-extended bit pattern of its width; of a pointer, the address.
  uint64_t bits(int64_t element) const;
  void setBits(int64_t element, uint64_t value);
  /// Float element as a double, which is exact.
  double number(int64_t element) const;
};

/// An array that the launch handed over: accesses are legal at its logical elements only.
struct ArrayRecord {
  uint64_t base = 0;    ///< address of the element with all indices 0
  int64_t itemSize = 1; ///< bytes
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<int64_t> strides; ///< bytes; may be negative or 0; empty = row-major without gaps
  std::string name;                   ///< parameter name, for reports
  bool readOnly = false;
  int32_t argument = -1;  ///< index of the kernel argument it was passed for; -1: any pointer may reach it
  bool anyExtent = false; ///< nothing is known about its size: accesses through it are taken as given
};

/// What a run reports. The first error stops it; the others are collected, once for each op.
enum class FindingKind {
  OutOfBounds,
  ReadOnlyWrite,
  PoisonUse,
  DuplicateStore, ///< not an error
  GatherIndex,    ///< not an error
  AssumeFailed,
  AssertFailed,
  Unsupported,
  Limit,
  Cancelled
};
llvm::StringRef stringifyFindingKind(FindingKind kind);

struct Finding {
  FindingKind kind;
  bool isError; ///< stops the grid
  mlir::Location location;
  std::string text;
  std::array<int32_t, 3> program{0, 0, 0};
};

struct InterpOptions {
  std::array<int32_t, 3> grid{1, 1, 1};
  std::vector<ArrayRecord> arrays;
  bool checkBounds = true;                    ///< false: any address is taken as given (eager runs on unknown memory)
  uint64_t maxOps = UINT64_MAX;               ///< budget of evaluated ops, then a `Limit` finding
  std::function<void(llvm::StringRef)> print; ///< default: stdout
  std::function<bool()> cancelled;            ///< polled between programs and every some thousand ops
};

class Interp {
public:
  explicit Interp(InterpOptions options);
  ~Interp();

  /// Which program the next ops belong to.
  void setProgram(std::array<int32_t, 3> program);
  /// Binds a value, e.g. a kernel argument. A pointer that is argument n of a function is known to point into the
  /// array with `argument == n`.
  void bind(mlir::Value value, Datum datum);
  /// The datum of an evaluated value; null when it has none. Valid until the value is forgotten or evaluated again.
  const Datum *lookup(mlir::Value value) const;
  void forget(mlir::Value value);

  /// Evaluates one op, regions and all, whose operands are bound; false after an error finding.
  bool evaluate(mlir::Operation *op);
  /// Evaluates the ops of a block in order up to its terminator, whose operands come back. Values die after their last
  /// use in the block.
  bool evaluateBlock(mlir::Block &block, llvm::SmallVectorImpl<Datum> &yielded);

  /// Runs one program, or the whole grid, of a kernel with the given arguments; false after an error finding.
  bool runProgram(mlir::func::FuncOp kernel, llvm::ArrayRef<Datum> args, std::array<int32_t, 3> program);
  bool runGrid(mlir::func::FuncOp kernel, llvm::ArrayRef<Datum> args);
  /// What the function's return gave in the last program that ran.
  llvm::ArrayRef<Datum> returned() const;

  llvm::ArrayRef<Finding> findings() const;
  void clearFindings();
  const InterpOptions &options() const;

  struct State;

private:
  std::unique_ptr<State> state;
};

} // namespace pavage::tile

#endif // PAVAGE_DIALECT_TILE_INTERP_INTERP_H
