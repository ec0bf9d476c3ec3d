// The builder: state and all operations of one pv_builder. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations take and give Refs. A null Ref (or false) means that an error was recorded: callers hand it on. Nothing
// here knows which sink is open, but Kernel.cpp (record) and Eager.cpp: the eager sink lets an API call record its ops
// in a scratch block and evaluates that block by Interp before the call returns.
#ifndef PAVAGE_FRONTEND_BUILDER_SESSION_H
#define PAVAGE_FRONTEND_BUILDER_SESSION_H

#include "dialect/Tile/Interp/Interp.h"
#include "frontend/builder/Frames.h"
#include "frontend/builder/Module.h"
#include "frontend/builder/Types.h"
#include "mlir/IR/Builders.h"
#include "runtime/Errors/Errors.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Twine.h"

namespace pavage::builder {

using errors::Code;

/// Two operands in one dtype and shape.
struct Operands {
  Ref x, y;
  explicit operator bool() const { return x && y; }
};

/// Failure of whatever is being computed; the error itself is in the session. Not for optionals: `std::optional<bool>`
/// would take it for a value.
struct Failed {
  template <typename T>
    requires std::is_same_v<T, bool> || std::is_same_v<T, Ref> || std::is_same_v<T, DType> ||
             std::is_same_v<T, Operands> || std::is_pointer_v<T>
  operator T() const {
    return T();
  }
};

class Session {
public:
  Session();
  ~Session();

  //===--- Errors and places (Session.cpp) ---===//
  Failed fail(Code code, const llvm::Twine &text);
  Failed fail(unsigned number, const llvm::Twine &text);
  void note(const llvm::Twine &text, const Position &at);
  void clearError() { error = {}; }
  bool hasError() const { return static_cast<bool>(error); }
  mlir::Location loc();
  mlir::Location locOf(const Position &at);

  //===--- Values (Session.cpp) ---===//
  Ref tile(mlir::Value ir, DType dtype);
  Ref constant(DType dtype, const Number &number, llvm::ArrayRef<int64_t> shape = {});
  Ref constantInt(DType dtype, Wide value) { return constant(dtype, {false, value, 0}); }
  Ref constantFloat(DType dtype, double value) { return constant(dtype, {true, 0, value}); }
  /// The value where it may be used, as a scalar or tile; literals become scalars.
  Ref toTensor(const Ref &x);
  /// As toTensor, all the way down: what a variable keeps.
  Ref materialize(const Ref &x);
  /// Whether x is a number or tile that may be used here; else an error that names `what`.
  bool checkNumber(const Ref &x, const llvm::Twine &what);
  bool checkScope(const Ref &x);
  bool checkOpen();
  /// A tile of rank at least 1.
  bool checkTile(const Ref &x, const llvm::Twine &what);
  /// Axis made non-negative.
  std::optional<int64_t> axisOf(const Ref &x, int64_t axis, const llvm::Twine &what);
  bool checkShape(llvm::ArrayRef<int64_t> shape, const llvm::Twine &what);
  /// Ops with effects on memory may not stand in combine functions.
  bool checkEffects(const llvm::Twine &what);

  //===--- Promotion and casts (Promote.cpp, Cast.cpp) ---===//
  DType promote(pv_binary_op op, const Ref &x, const Ref &y);
  Ref convertOperand(const Ref &x, DType dtype);
  Operands arithmetic(pv_binary_op op, const Ref &x, const Ref &y);
  Operands broadcastPair(const Ref &x, const Ref &y);
  Ref cast(const Ref &x, DType dtype, llvm::StringRef rounding = "");
  Ref bitcast(const Ref &x, DType dtype);
  Ref toBool(const Ref &x);

  //===--- Elementwise (Elementwise.cpp, Math.cpp, Power.cpp) ---===//
  Ref binary(pv_binary_op op, const Ref &x, const Ref &y);
  Ref unary(pv_unary_op op, const Ref &x);
  Ref where(const Ref &condition, const Ref &x, const Ref &y);
  Ref fma(const Ref &x, const Ref &y, const Ref &z);
  Ref clamp(const Ref &x, const Ref &lo, const Ref &hi, bool propagateNan);
  Ref softmax(const Ref &x, std::optional<int64_t> dim);
  Ref power(const Ref &x, const Ref &y);
  Ref add(const Ref &x, const Ref &y) { return x && y ? binary(PV_ADD, x, y) : Ref(); }
  Ref sub(const Ref &x, const Ref &y) { return x && y ? binary(PV_SUB, x, y) : Ref(); }
  Ref mul(const Ref &x, const Ref &y) { return x && y ? binary(PV_MUL, x, y) : Ref(); }
  Ref both(const Ref &x, const Ref &y) { return x && y ? binary(PV_AND, x, y) : Ref(); }

  //===--- Creation and shape (Shape.cpp, Index.cpp) ---===//
  Ref arange(int64_t start, int64_t end);
  Ref full(llvm::ArrayRef<int64_t> shape, const Ref &value, DType dtype);
  Ref expandDims(const Ref &x, llvm::ArrayRef<int64_t> axes);
  Ref squeeze(const Ref &x, int64_t axis);
  /// Equal ranks or a scalar; axes of extent 1 are repeated.
  Ref broadcastTo(const Ref &x, llvm::ArrayRef<int64_t> shape, const llvm::Twine &what = "a value");
  Ref reshape(const Ref &x, llvm::ArrayRef<int64_t> shape);
  Ref trans(const Ref &x, std::optional<llvm::ArrayRef<int64_t>> order);
  Ref join(const Ref &x, const Ref &y);
  Operands split(const Ref &x);
  Ref interleave(const Ref &x, const Ref &y);
  Ref cat(const Ref &x, const Ref &y, int64_t axis);
  Ref gather(const Ref &x, const Ref &index, int64_t axis);
  Ref flip(const Ref &x, std::optional<int64_t> axis);
  Operands swizzle2d(const Ref &i, const Ref &j, const Ref &sizeI, const Ref &sizeJ, const Ref &sizeG);
  Ref index(const Ref &x, llvm::ArrayRef<pv_index_item> items);
  Ref slice(const Ref &x, llvm::ArrayRef<int64_t> offsets, llvm::ArrayRef<int64_t> strides,
            llvm::ArrayRef<int64_t> shape);

  //===--- Memory (Memory.cpp, Blocks.cpp) ---===//
  Ref load(const Ref &pointer, const pv_access &access);
  bool store(const Ref &pointer, const Ref &value, const pv_access &access);
  Ref atomic(pv_atomic_op op, const Ref &pointer, const Ref &value, const Ref &mask, llvm::StringRef order,
             llvm::StringRef scope);
  Ref atomicCas(const Ref &pointer, const Ref &compare, const Ref &value, llvm::StringRef order, llvm::StringRef scope);
  Ref blockPointer(const Ref &base, const Refs &shape, const Refs &strides, const Refs &offsets,
                   llvm::ArrayRef<int64_t> block, const int64_t *order);
  Ref advance(const Ref &pointer, const Refs &offsets);
  Ref descriptor(const Ref &base, const Refs &shape, const Refs &strides, llvm::ArrayRef<int64_t> block,
                 llvm::StringRef padding);
  Ref descriptorLoad(const Ref &desc, const Refs &offsets);
  bool descriptorStore(const Ref &desc, const Refs &offsets, const Ref &value);
  Ref descriptorGather(const Ref &desc, const Ref &rows, const Ref &column);
  bool descriptorScatter(const Ref &desc, const Ref &value, const Ref &rows, const Ref &column);
  bool descriptorAtomic(pv_atomic_op op, const Ref &desc, const Refs &offsets, const Ref &value);
  Ref part(const Ref &aggregate, pv_part part, size_t axis);

  //===--- Contraction, reduction (Contract.cpp, ScaledDot.cpp, Reduce.cpp, Map.cpp, Order.cpp) ---===//
  Ref dot(const Ref &x, const Ref &y, const pv_dot_options &options);
  Ref dotScaled(const pv_scaled &lhs, const pv_scaled &rhs, const Ref &acc, bool fastMath, DType outDType);
  Ref reduce(pv_reduce_op op, const Ref &x, std::optional<int64_t> axis, bool keepDims, DType dtype);
  Operands reduceWithIndex(pv_reduce_op op, const Ref &x, std::optional<int64_t> axis, bool tieBreakLeft,
                           bool keepDims);
  Ref cumulate(pv_reduce_op op, const Ref &x, int64_t axis, bool reverse, DType dtype);
  bool combineBegin(llvm::ArrayRef<Ref> xs, std::optional<int64_t> axis, bool isScan, bool reverse, bool keepDims,
                    Refs &args);
  bool combineEnd(llvm::ArrayRef<Ref> results, bool isScan, Refs &outs);
  bool mapBegin(llvm::ArrayRef<Ref> xs, int64_t pack, Refs &args);
  bool mapEnd(llvm::ArrayRef<Ref> results, Refs &outs);
  Ref sort(const Ref &x, std::optional<int64_t> axis, bool descending);
  Ref topk(const Ref &x, int64_t k, std::optional<int64_t> axis, bool descending);
  Ref histogram(const Ref &x, int64_t bins, const Ref &mask);

  //===--- Random numbers (Random.cpp) ---===//
  bool philox(const Ref &seed, llvm::ArrayRef<Ref> counters, int rounds, Refs &outs);
  bool philoxImpl(llvm::ArrayRef<Ref> counters, llvm::ArrayRef<Ref> keys, int rounds, Refs &outs);
  bool random4(pv_random_kind kind, const Ref &seed, const Ref &offset, int rounds, Refs &outs);
  Ref random(pv_random_kind kind, const Ref &seed, const Ref &offset, int rounds);
  Ref uniform(const Ref &x);
  Operands normal(const Ref &u1, const Ref &u2);

  //===--- Programs, hints, debugging (Program.cpp) ---===//
  Ref programId(int axis, bool isCount);
  Ref hint(pv_hint hint, const Ref &x, llvm::ArrayRef<int64_t> values);
  bool assume(const Ref &condition);
  bool deviceAssert(const Ref &condition, llvm::StringRef message, const Ref &mask);
  bool devicePrint(llvm::StringRef prefix, llvm::ArrayRef<Ref> values, bool hex);
  bool barrier();
  bool inlineAsm(llvm::StringRef text, llvm::StringRef constraints, llvm::ArrayRef<Ref> args,
                 llvm::ArrayRef<DType> dtypes, bool isPure, int pack, Refs &outs);

  //===--- Variables (Variables.cpp) ---===//
  pv_variable *declare(llvm::StringRef name, int flags);
  void release(pv_variable *var);
  bool assign(pv_variable *var, const Ref &value);
  Ref read(pv_variable *var);
  bool unassign(pv_variable *var);
  bool isReadable(pv_variable *var);

  //===--- Control flow (Control.cpp, Loops.cpp) ---===//
  /// A tile of one element as a scalar, so that it can be a condition; anything else as it is.
  Ref scalarOfOne(const Ref &x);
  bool ifBegin(const Ref &condition, int *enter);
  bool elseBegin(int *enter);
  bool ifEnd();
  bool forBegin(const Ref &lo, const Ref &hi, const Ref &step, const pv_loop_options &options);
  Ref forIndex();
  bool whileBegin();
  bool whileCondition(const Ref &condition, int *enter);
  bool loopNext(int *go);
  bool loopEnd();
  bool leaveLoop(bool isBreak);
  bool callBegin(llvm::StringRef callee);
  bool returnValue(const Ref &value);
  bool callEnd(Ref &out);
  bool isDead() const;

  //===--- Sinks (Kernel.cpp, Eager.cpp) ---===//
  bool kernelBegin(llvm::StringRef name, llvm::StringRef file, int line, llvm::ArrayRef<pv_param> params, Refs &args);
  bool kernelHint(llvm::StringRef name, mlir::Attribute value);
  pv_module *kernelEnd();
  void abandon();
  bool eagerBegin(llvm::StringRef name, llvm::StringRef file, int line, llvm::ArrayRef<pv_param> params,
                  llvm::ArrayRef<pv_arg> args, const int64_t *grid, pv_print_fn print, void *context);
  bool eagerProgram(const int64_t *id, Refs &args);
  bool eagerEnd();
  bool isEager() const { return interp != nullptr; }
  /// Evaluates what the API call has recorded.
  bool flush();
  void dropEager(pv_value *value);
  const tile::Datum *datumOf(const pv_value *value) const;
  bool readElements(const pv_value *value, std::string &bytes);
  std::string textOf(const pv_value *value, size_t maxItems);

  mlir::MLIRContext &context() { return *owned->context; }
  mlir::OpBuilder &builder() { return ir; }

  errors::Error error;
  std::string scratchText; // what the last const char * result points to
  Position here;
  std::vector<pv_note> notesOut; // what pv_error hands out

private:
  template <typename OpT, typename... Args> OpT create(Args &&...args) {
    return OpT::create(ir, loc(), std::forward<Args>(args)...);
  }
  mlir::Value splat(mlir::Value scalar, llvm::ArrayRef<int64_t> shape);
  Ref asTileOf(const Ref &x, llvm::ArrayRef<int64_t> shape);

  // Elementwise helpers.
  Ref compare(pv_binary_op op, const Ref &x, const Ref &y);
  Ref pointerAdd(const Ref &pointer, const Ref &offset, bool negate);
  Ref divide(pv_binary_op op, const Ref &x, const Ref &y);
  Ref arithmeticOp(pv_binary_op op, const Ref &x, const Ref &y);
  Ref extremum(pv_binary_op op, const Ref &x, const Ref &y);
  /// Runs f on operands cast to float32 where the dtype is too small to compute in, and casts the result back.
  Ref inFloat32(const Ref &x, llvm::function_ref<mlir::Value(mlir::Value)> f);
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);

  // Memory helpers.
  bool accessMask(const Ref &pointer, const Ref &mask, mlir::Value &out);
  Ref blockValue(const Ref &x, DType pointee, llvm::ArrayRef<int64_t> shape);
  Ref blockAccess(const Ref &block, const Refs *offsets, const pv_access &access, const Ref *value);
  Ref descriptorPointers(const Ref &desc, llvm::ArrayRef<Ref> indices, Ref &mask);
  bool descriptorRows(const Ref &desc, const Ref &rows, const Ref &column, Refs &indices);
  std::optional<Refs> wideList(const Refs &values, const llvm::Twine &what);

  // Reduction helpers.
  Ref foldAxis(const Ref &x, int64_t axis, bool isScan, bool reverse,
               llvm::function_ref<Ref(const Ref &, const Ref &)> combine);
  Ref finishReduced(const Ref &x, size_t rank, int64_t axis, bool keepDims, bool flattened);
  /// Ends the function that the frame holds; null after an error.
  std::unique_ptr<Frame> combineClose(size_t index, mlir::ValueRange yielded);

  // Frames (Variables.cpp, Control.cpp, Loops.cpp).
  struct Merge;
  struct Carried;
  Frame &top() { return *frames.back(); }
  Frame &push(Frame::Kind kind);
  std::unique_ptr<Frame> pop();
  /// Ops go to the end of the innermost block.
  void resume();
  size_t blockIndex() const;
  size_t scopeIndex() const;
  std::optional<size_t> loopIndex() const;
  size_t explicitTop(llvm::ArrayRef<Frame::Kind> kinds, bool &found) const;
  bool isInDead(size_t above) const;
  bool isGone(const pv_variable *var) const;
  pv_variable *declareHidden(llvm::StringRef name, pv_variable::Kind kind);
  std::optional<VarState> find(pv_variable *var, size_t frame);
  void set(pv_variable *var, VarState state);
  void set(pv_variable *var, const Ref &value);
  Failed failRead(const pv_variable *var, const std::optional<VarState> &state);
  VarState &addLoopArg(Frame &frame, pv_variable *var, const VarState &incoming);
  void replaceArgs(Frame &frame, const Ref &args, const Ref &values);
  void replaceArg(mlir::BlockArgument arg, const Ref &value);
  void forgetArgs(Frame &frame);
  Failed failTypeChange(const pv_variable *var, const LoopArg &arg, const VarState &state);
  mlir::Value poisonIn(mlir::Block *block, mlir::Type type);
  mlir::Value boolean(bool value);
  End closeImplicit(size_t floor);
  End closeOne(std::unique_ptr<Frame> frame, End end);
  End mergeArms(std::unique_ptr<Frame> thenArm, std::unique_ptr<Frame> elseArm);
  std::unique_ptr<Frame> emptyArm(const Frame &thenArm, End end);
  bool endFor(std::unique_ptr<Frame> frame);
  bool endForWithExits(std::unique_ptr<Frame> frame, llvm::ArrayRef<Carried> carried);
  bool collectCarried(Frame &frame, llvm::SmallVectorImpl<Carried> &carried);
  bool endWhile(std::unique_ptr<Frame> condition, std::unique_ptr<Frame> body);
  bool endWhileWithExits(std::unique_ptr<Frame> condition, std::unique_ptr<Frame> body);
  mlir::Value stopFlag(Frame &loop);
  VarState problemAfterLoop(const std::optional<VarState> &before, const VarState &inside);
  bool counterOf(Frame &frame, const Ref &lo, const Ref &hi, const Ref &step);
  mlir::Value tripCount(const Ref &lo, const Ref &hi, const Ref &step);
  void guardReturned(Frame &loop);
  std::vector<errors::Note> callNotes() const;

  // The native control flow of the eager sink.
  bool isNative() const { return interp && combineDepth == 0; }
  bool scalarTruth(const Ref &condition, bool &out);
  bool scalarInteger(const Ref &x, Wide &out);
  bool nativeLoopNext(int *go);
  void harvest(pv_value *value, tile::Datum datum);
  bool failFromFindings();

  std::unique_ptr<OwnedContext> owned;
  mlir::OpBuilder ir;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::Operation *kernel = nullptr;
  std::vector<std::unique_ptr<Frame>> frames;
  llvm::DenseSet<unsigned> openRegions;
  unsigned nextSerial = 1;
  unsigned combineDepth = 0;
  unsigned nextCall = 1;
  llvm::SmallVector<unsigned> openCalls;
  std::vector<std::unique_ptr<pv_variable>> variables;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Ref, 2>> placeholders;
  struct CallSite {
    std::string callee;
    Position at;
  };
  std::vector<CallSite> calls;

  // Eager.
  std::unique_ptr<tile::Interp> interp;
  llvm::DenseSet<pv_value *> eagerValues;
  std::vector<pv_value *> pending;
  std::vector<NativeFrame> native;
  llvm::MapVector<pv_variable *, VarState> deadVars;
  int deadUntil = -1; // native frame whose end revives the program; the kernel is -1 with isDeadNative
  bool isDeadNative = false;
  bool deadByContinue = false;
  std::vector<pv_param> eagerParams;
  std::vector<uint64_t> eagerSlots;
};

} // namespace pavage::builder

struct pv_builder : pavage::builder::Session {};

#endif // PAVAGE_FRONTEND_BUILDER_SESSION_H
