// What lowering a kernel to the threads of a GPU means, in one class. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// The emitter walks a scheduled kernel once and writes what *one thread* does, as ops of the LLVM and NVVM dialects. A
// tile of 2^r registers becomes 2^r LLVM values, in register order; a scalar becomes one. 16-bit elements travel in
// pairs as vector<2xT> and 8-bit ones in fours as vector<4xi8>, *words* of one machine register, so that no loop takes
// them apart; `elements` gives them singly.
//
// Files by question: Block.cpp and Control.cpp which op goes where, Thread.cpp where a thread stands in a tile,
// Access.cpp global memory, Ring.cpp shared memory, and a file per family of ops, each of which has its entry point in
// Families.h and uses only what is public here.
#ifndef PAVAGE_COMPILER_GPU_LOWER_EMITTER_H
#define PAVAGE_COMPILER_GPU_LOWER_EMITTER_H

#include "compiler/Target/GpuTarget.h"
#include "dialect/TileGPU/TileGPU.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace pavage::gpu {

using Values = llvm::SmallVector<mlir::Value>;

/// Registers of a tile that one access of global memory moves.
struct Run {
  unsigned first = 0;  ///< register
  unsigned count = 1;  ///< registers, a power of two
  mlir::Value address; ///< of the first, !llvm.ptr<1>
  mlir::Value mask;    ///< i1; null = always
};

class Emitter {
public:
  Emitter(mlir::ModuleOp module, const target::GpuTarget &target, int numWarps);

  /// Replaces the kernel by an llvm.func. Errors are reported on the way.
  mlir::LogicalResult emitKernel(mlir::func::FuncOp kernel);

  // --- the surroundings ---
  mlir::OpBuilder b;
  mlir::Location loc;
  mlir::ModuleOp module;
  const target::GpuTarget &target;
  const int numWarps;
  int numThreads() const { return 32 * numWarps; }

  // --- types (Types.cpp) ---
  /// Of an element or scalar in a register: f8 as i8, pointers as !llvm.ptr<1>, index as i64.
  mlir::Type registerType(mlir::Type element) const;
  /// Of an element in memory: as in a register, but i1 as i8 and pointers as i64.
  mlir::Type memoryType(mlir::Type element) const;
  /// Bytes of an element in memory.
  static int64_t bytesOf(mlir::Type element) { return tile::bytesInMemory(element); }
  /// Registers of a tile, by its layout; 1 for a scalar.
  static unsigned numRegisters(mlir::Type type);
  /// Elements that travel together in a word.
  static unsigned perWord(mlir::Type type);
  /// Of a word of a tile.
  mlir::Type wordType(mlir::Type type) const;

  // --- values of the kernel (Types.cpp) ---
  mlir::Value scalar(mlir::Value value) const;
  llvm::ArrayRef<mlir::Value> words(mlir::Value value) const;
  /// The registers of a tile one by one, or a scalar.
  Values elements(mlir::Value value);
  void bindWords(mlir::Value value, Values words);
  void bindElements(mlir::Value value, llvm::ArrayRef<mlir::Value> elements);
  void bindScalar(mlir::Value value, mlir::Value lowered) { bindWords(value, {lowered}); }
  /// Words of elements of a type and back: what bindElements and elements do.
  Values pack(llvm::ArrayRef<mlir::Value> elements, unsigned perWord);
  Values unpack(llvm::ArrayRef<mlir::Value> words, unsigned perWord);
  /// Register to memory representation of one element, and back.
  mlir::Value toMemory(mlir::Value value, mlir::Type element);
  mlir::Value fromMemory(mlir::Value value, mlir::Type element);

  // --- arithmetic that folds constants (Builders.cpp) ---
  mlir::Value constant(mlir::Type type, int64_t value);
  mlir::Value i32(int64_t value) { return constant(b.getI32Type(), value); }
  mlir::Value i64(int64_t value) { return constant(b.getI64Type(), value); }
  mlir::Value boolean(bool value) { return constant(b.getI1Type(), value); }
  mlir::Value zero(mlir::Type type);
  mlir::Value add(mlir::Value a, mlir::Value c);
  mlir::Value sub(mlir::Value a, mlir::Value c);
  mlir::Value mul(mlir::Value a, mlir::Value c);
  mlir::Value bitAnd(mlir::Value a, mlir::Value c);
  mlir::Value bitOr(mlir::Value a, mlir::Value c);
  mlir::Value bitXor(mlir::Value a, mlir::Value c);
  mlir::Value shl(mlir::Value a, int64_t amount);
  mlir::Value lshr(mlir::Value a, int64_t amount);
  mlir::Value compare(mlir::LLVM::ICmpPredicate predicate, mlir::Value a, mlir::Value c);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value c);
  /// Integers to another width.
  mlir::Value resize(mlir::Value value, unsigned width, bool isSigned);
  mlir::Value bitcast(mlir::Value value, mlir::Type type);
  /// Both masks, either of which may be null for "always".
  mlir::Value both(mlir::Value a, mlir::Value c);
  mlir::Value extract(mlir::Value vector, unsigned lane);
  mlir::Value vectorOf(llvm::ArrayRef<mlir::Value> elements);
  mlir::Value gep(mlir::Value pointer, mlir::Type element, mlir::Value index);
  mlir::Value gepBytes(mlir::Value pointer, int64_t bytes);
  /// An intrinsic by name, e.g. "llvm.nvvm.lg2.approx.f".
  mlir::Value intrinsic(llvm::StringRef name, mlir::Type result, mlir::ValueRange operands);
  /// Inline assembler; `hasEffects` keeps it even when unused. Several results come as an LLVM struct.
  mlir::Value assembler(llvm::StringRef text, llvm::StringRef constraints, mlir::Type result, mlir::ValueRange operands,
                        bool hasEffects);

  // --- where a thread stands (Thread.cpp) ---
  /// Numbers of the thread in the program, of the lane in its warp, of the warp. i32.
  mlir::Value tid, lane, warp;
  /// The linear map of lane and warp bits that sends bit i to images[i]; made once, at the kernel's entry. i32.
  mlir::Value mapThread(llvm::ArrayRef<layout::Vector> laneImages, llvm::ArrayRef<layout::Vector> warpImages);
  /// Coordinate on an axis of register 0 of this thread. i32.
  mlir::Value threadCoordinate(tilegpu::LayoutAttr layout, unsigned axis);
  /// Coordinate on an axis of a register of this thread. i32.
  mlir::Value coordinate(tilegpu::LayoutAttr layout, unsigned axis, unsigned reg);
  /// Whether this thread is the first of those that hold its elements; null = always.
  mlir::Value isFirstCopy(tilegpu::LayoutAttr layout);
  /// Whether a register of this thread lies within the extents; null = always.
  mlir::Value isInside(tilegpu::LayoutAttr layout, unsigned reg);

  // --- control (Control.cpp) ---
  /// Runs `body` where the condition holds; a null condition always does.
  void when(mlir::Value condition, llvm::function_ref<void()> body);
  /// The values that `then` gives where the condition holds, else `otherwise`.
  Values choose(mlir::Value condition, llvm::function_ref<Values()> then, mlir::ValueRange otherwise);
  /// A loop of `count` > 0 rounds (i32), not unrolled; `body` gets the round's number and the carried values.
  Values repeat(mlir::Value count, mlir::ValueRange initial,
                llvm::function_ref<Values(mlir::Value round, mlir::ValueRange carried)> body);
  /// The scalar region of a reduce or scan, on one pair of tuples.
  mlir::FailureOr<Values> combine(mlir::Region &region, mlir::ValueRange left, mlir::ValueRange right);
  /// All threads of the program meet and see each other's shared memory.
  void barrier();

  // --- shared memory ---
  /// Address in shared memory, in bytes from its start. !llvm.ptr<3>.
  mlir::Value shared(int64_t bytes);
  /// Where an op's scratch begins; the schedule gave it room.
  int64_t scratchOffset(mlir::Operation *op);

  // --- global memory (Access.cpp) ---
  /// Addresses and masks of a load, store, atomic or block access; copies and padding are masked off where `once`.
  llvm::SmallVector<Run> runsOf(mlir::Operation *access, bool once);
  /// The same for an array given by its parts, each i64, for threads that hold it by `layout`.
  llvm::SmallVector<Run> blockRuns(mlir::Value base, mlir::Type element, mlir::ValueRange offsets,
                                   mlir::ValueRange strides, mlir::ValueRange extents, llvm::ArrayRef<int32_t> checked,
                                   tilegpu::LayoutAttr layout, unsigned vector, bool once);
  llvm::SmallVector<Run> pointerRuns(mlir::Value pointers, mlir::Value mask, tilegpu::LayoutAttr layout,
                                     unsigned vector, bool once);

  // --- dispatch (Block.cpp) ---
  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emitOp(mlir::Operation *op);
  /// Error: the op has no lowering, and why.
  mlir::LogicalResult unsupported(mlir::Operation *op, const llvm::Twine &why = "");

private:
  mlir::LLVM::LLVMFuncOp createFunction(mlir::func::FuncOp kernel);
  mlir::LogicalResult emitElementwise(mlir::Operation *op);
  mlir::LogicalResult emitConstant(mlir::Operation *op);
  mlir::LogicalResult emitFor(mlir::Operation *op);
  mlir::LogicalResult emitWhile(mlir::Operation *op);
  mlir::LogicalResult emitIf(mlir::Operation *op);
  Values flatten(mlir::ValueRange values);
  void bindFlat(mlir::ValueRange values, mlir::ValueRange flat);
  llvm::SmallVector<mlir::Type> flatTypes(mlir::TypeRange types);
  mlir::Block *newBlock(mlir::TypeRange arguments = {});

  mlir::LLVM::LLVMFuncOp function;
  mlir::Block *entry = nullptr; ///< what every block may use is made at its end
  llvm::DenseMap<mlir::Value, Values> bound;
  llvm::DenseMap<std::pair<mlir::Attribute, unsigned>, mlir::Value> threadCoordinates;
  llvm::DenseMap<mlir::Attribute, layout::Layout> layouts;
  const layout::Layout &layoutOf(tilegpu::LayoutAttr attribute);
  mlir::Value sharedBase;
  unsigned numConstants = 0;
};

} // namespace pavage::gpu

#endif // PAVAGE_COMPILER_GPU_LOWER_EMITTER_H
