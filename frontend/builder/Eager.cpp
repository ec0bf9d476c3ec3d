// The eager sink: every call is evaluated by Interp before it returns. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// A call records its ops in the scratch block, as in the record sink. `flush` then evaluates them in order, gives each
// new value an operand-free op of its own that stands for it from then on, and empties the block. Combine functions are
// recorded until they end. Loops and ifs run natively: the host asks the builder where to go.
#include "dialect/Tile/TileOps.h"
#include "frontend/builder/Session.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>

using namespace mlir;
using namespace pavage;
using namespace pavage::builder;

//===----------------------------------------------------------------------===//
// Begin and end
//===----------------------------------------------------------------------===//

bool Session::eagerBegin(StringRef name, StringRef file, int line, ArrayRef<pv_param> params, ArrayRef<pv_arg> args,
                         const int64_t *grid, pv_print_fn print, void *printContext) {
  if (!frames.empty() || interp) {
    return fail(Code::BadControl, "expected the open kernel to end before '" + name + "' begins");
  }
  here = {file.str(), static_cast<unsigned>(std::max(line, 0)), 0};
  if (params.size() != args.size()) {
    return fail(Code::WrongCount,
                "expected " + Twine(params.size()) + " arguments of '" + name + "', got " + Twine(args.size()));
  }
  if (!owned) {
    owned = std::make_unique<OwnedContext>();
  }
  ir = OpBuilder(owned->context);
  tile::InterpOptions options;
  for (int axis = 0; axis < 3; ++axis) {
    if (grid[axis] < 1 || grid[axis] > int64_t(maxOf(i32))) {
      return fail(Code::BadShape, "expected grid sizes of at least 1 within int32, got " + Twine(grid[axis]));
    }
    options.grid[axis] = static_cast<int32_t>(grid[axis]);
  }
  eagerParams.assign(params.begin(), params.end());
  eagerSlots.clear();
  for (auto [p, a] : llvm::zip(params, args)) {
    DType d(p.dtype);
    if (!isKnown(d) || (d.isPointer() && !a.array)) {
      return fail(Code::BadParameter, "expected a known dtype, and an array for a pointer, for parameter '" +
                                          Twine(p.name ? p.name : "") + "', got none");
    }
    if (!d.isPointer()) {
      eagerSlots.push_back(a.bits);
      continue;
    }
    const pv_array &array = *a.array;
    eagerSlots.push_back(reinterpret_cast<uint64_t>(array.data));
    if (array.rank == 0 && array.num_elements < 0) {
      options.checkBounds = false;
      continue;
    }
    tile::ArrayRecord record;
    record.base = reinterpret_cast<uint64_t>(array.data);
    record.itemSize = d.pointee().bytes();
    record.name = p.name ? p.name : "";
    record.readOnly = array.read_only != 0;
    for (size_t i = 0; i < array.rank; ++i) {
      record.shape.push_back(array.shape[i]);
      record.strides.push_back(array.strides[i] * record.itemSize);
    }
    if (array.rank == 0) {
      record.shape.push_back(array.num_elements);
      record.strides.push_back(record.itemSize);
    }
    options.arrays.push_back(std::move(record));
  }
  if (print) {
    options.print = [print, printContext](StringRef text) { print(printContext, text.str().c_str()); };
  }
  interp = std::make_unique<tile::Interp>(std::move(options));
  return true;
}

bool Session::eagerProgram(const int64_t *id, Refs &args) {
  if (!interp) {
    return fail(Code::NoKernelOpen, "expected an open eager run, got none");
  }
  std::unique_ptr<tile::Interp> kept = std::move(interp);
  abandon();
  interp = std::move(kept);
  openCalls = {0};
  std::array<int32_t, 3> program;
  for (int axis = 0; axis < 3; ++axis) {
    if (id[axis] < 0 || id[axis] >= interp->options().grid[axis]) {
      return fail(Code::BadShape,
                  "expected a program within the grid, got " + Twine(id[axis]) + " on axis " + Twine(axis));
    }
    program[axis] = static_cast<int32_t>(id[axis]);
  }
  interp->setProgram(program);
  push(Frame::Kernel);
  for (auto [p, slot] : llvm::zip(eagerParams, eagerSlots)) {
    DType d(p.dtype);
    tile::Datum datum;
    datum.type = irType(&context(), d);
    datum.bytes.resize(d.bytes());
    datum.setBits(0, d.bits() < 64 ? slot & ((uint64_t(1) << d.bits()) - 1) : slot);
    Ref r(new pv_value(PV_KIND_TILE, d));
    r->region = top().serial;
    r->session = this;
    eagerValues.insert(r.get());
    harvest(r.get(), std::move(datum));
    args.push_back(r);
  }
  return true;
}

bool Session::eagerEnd() {
  if (!interp) {
    return fail(Code::NoKernelOpen, "expected an open eager run, got none");
  }
  abandon();
  return true;
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

/// Gives a value an op of its own, without operands, and binds the datum to it.
void Session::harvest(pv_value *value, tile::Datum datum) {
  OperationState state(UnknownLoc::get(&context()), UnrealizedConversionCastOp::getOperationName());
  state.addTypes(datum.type);
  Operation *op = Operation::create(state);
  if (datum.numElements() == 1 && !value->dtype.isPointer() && !datum.isPoison(0)) {
    value->number = numberOf(value->dtype, datum.bits(0));
  }
  interp->bind(op->getResult(0), std::move(datum));
  value->ir = op->getResult(0);
  value->isHarvested = true;
}

void Session::dropEager(pv_value *value) {
  eagerValues.erase(value);
  llvm::erase(pending, value);
  if (value->isHarvested) {
    interp->forget(value->ir);
    value->ir.getDefiningOp()->destroy();
  }
}

static Position positionOf(Location location) {
  Position at;
  location->walk([&](Location inner) {
    if (auto file = dyn_cast<FileLineColLoc>(inner)) {
      at = {file.getFilename().str(), file.getLine(), file.getColumn()};
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return at;
}

/// Turns the finding that stopped Interp into the session's error.
bool Session::failFromFindings() {
  ArrayRef<tile::Finding> findings = interp->findings();
  auto it = llvm::find_if(llvm::reverse(findings), [](const tile::Finding &f) { return f.isError; });
  if (it == findings.rend()) {
    return fail(Code::Internal, "expected a finding of Interp, got none");
  }
  Code code;
  switch (it->kind) {
  case tile::FindingKind::OutOfBounds:
    code = Code::OutOfBounds;
    break;
  case tile::FindingKind::ReadOnlyWrite:
    code = Code::ReadOnlyWritten;
    break;
  case tile::FindingKind::PoisonUse:
    code = Code::PoisonUsed;
    break;
  case tile::FindingKind::AssertFailed:
    code = Code::AssertFailed;
    break;
  case tile::FindingKind::AssumeFailed:
    code = Code::AssumptionFailed;
    break;
  case tile::FindingKind::Unsupported:
    code = Code::NotInterpretable;
    break;
  case tile::FindingKind::Limit:
    code = Code::OpLimit;
    break;
  default:
    code = Code::Internal;
  }
  fail(code, it->text);
  Position at = positionOf(it->location);
  if (at.line) {
    error = std::move(error).withPosition(at);
  }
  return false;
}

bool Session::flush() {
  if (!isNative() || frames.empty()) {
    return true;
  }
  Block &block = *frames.front()->block;
  bool isFine = true;
  for (Operation &op : block) {
    if (!isDeadNative) {
      isFine = interp->evaluate(&op);
      if (!isFine) {
        break;
      }
      continue;
    }
    // A program that has left computes zeros and touches nothing.
    for (mlir::Value result : op.getResults()) {
      tile::Datum datum;
      datum.type = result.getType();
      int64_t n = 1;
      for (int64_t extent : tile::shapeOf(datum.type)) {
        n *= extent;
      }
      datum.bytes.assign(n * tile::bytesInMemory(tile::elementTypeOf(datum.type)), 0);
      interp->bind(result, std::move(datum));
    }
  }
  std::vector<pv_value *> fresh = std::move(pending);
  pending.clear();
  for (pv_value *value : fresh) {
    const tile::Datum *datum = isFine && value->ir ? interp->lookup(value->ir) : nullptr;
    if (datum) {
      harvest(value, *datum);
    } else {
      // A value of a combine function, or of a call that failed.
      eagerValues.erase(value);
      value->session = nullptr;
      value->ir = {};
    }
  }
  for (Operation &op : block) {
    for (mlir::Value result : op.getResults()) {
      interp->forget(result);
    }
  }
  while (!block.empty()) {
    block.back().erase();
  }
  return isFine || failFromFindings();
}

//===----------------------------------------------------------------------===//
// Native control flow
//===----------------------------------------------------------------------===//

bool Session::scalarTruth(const Ref &condition, bool &out) {
  if (!condition->number) {
    return fail(Code::NotReadable, "expected a condition with a value, got " + describe(*condition));
  }
  out = condition->number->isFloat ? condition->number->real != 0 : condition->number->integer != 0;
  return true;
}

bool Session::scalarInteger(const Ref &x, Wide &out) {
  if (!x->number) {
    return fail(Code::NotReadable, "expected a bound with a value, got " + describe(*x));
  }
  out = x->number->integer;
  return true;
}

bool Session::nativeLoopNext(int *go) {
  if (native.empty() || native.back().kind == NativeFrame::If || native.back().kind == NativeFrame::Call) {
    return fail(Code::BadControl, "expected an open loop, got none");
  }
  NativeFrame &frame = native.back();
  int self = static_cast<int>(native.size()) - 1;
  *go = 0;
  if (isDeadNative) {
    if (deadUntil != self) {
      return true; // what has left lies around this loop
    }
    isDeadNative = false;
    deadVars.clear();
    if (!deadByContinue) {
      return true;
    }
  }
  if (frame.kind == NativeFrame::While) {
    *go = frame.goOn;
    return true;
  }
  frame.next += frame.isFirst ? 0 : frame.step;
  frame.isFirst = false;
  *go = frame.step > 0 ? frame.next < frame.last : frame.step < 0 && frame.next > frame.last;
  frame.index = *go ? constantInt(frame.indexType, frame.next) : Ref();
  return true;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

const tile::Datum *Session::datumOf(const pv_value *value) const {
  return interp && value->isHarvested ? interp->lookup(value->ir) : nullptr;
}

/// The elements of a value, row-major: of an evaluated one, a literal, or a constant of the record sink.
bool Session::readElements(const pv_value *value, std::string &bytes) {
  if (const tile::Datum *datum = datumOf(value)) {
    for (int64_t i = 0, n = datum->numElements(); i < n; ++i) {
      if (datum->isPoison(i)) {
        return fail(Code::PoisonUsed, "expected a value that was given, got none in element " + Twine(i));
      }
    }
    bytes.assign(datum->bytes.begin(), datum->bytes.end());
    return true;
  }
  bool isConstant = value->isNumberLike() && value->number && !value->dtype.isPointer();
  if (!isConstant) {
    return fail(Code::NotReadable, "expected a value that is known while the kernel is built, got " + describe(*value));
  }
  Number n = convert(value->dtype, *value->number);
  APInt bits(64, static_cast<uint64_t>(n.integer));
  if (value->dtype.isFloat()) {
    bits = bitsOf(value->dtype, n);
  }
  uint64_t word = bits.getZExtValue();
  size_t size = value->dtype.bytes();
  for (int64_t i = 0, count = value->numElements(); i < count; ++i) {
    bytes.append(reinterpret_cast<const char *>(&word), size);
  }
  return true;
}

static std::string elementText(DType d, StringRef bytes) {
  uint64_t word = 0;
  std::memcpy(&word, bytes.data(), bytes.size());
  if (d.isPointer()) {
    return "0x" + llvm::utohexstr(word, /*LowerCase=*/true);
  }
  if (d.isBool()) {
    return word ? "True" : "False";
  }
  if (d.isInteger()) {
    APInt bits(d.bits(), word, /*isSigned=*/false, /*implicitTrunc=*/true);
    return llvm::toString(bits, 10, d.isSigned());
  }
  return toString(numberOf(d, word).real);
}

std::string Session::textOf(const pv_value *value, size_t maxItems) {
  std::string bytes;
  if (!value->isNumberLike() || !(datumOf(value) || value->number) || !readElements(value, bytes)) {
    return describe(*value);
  }
  size_t most = maxItems ? maxItems : 6, size = value->dtype.bytes();
  size_t next = 0;
  // Nested brackets; long axes show their two ends.
  auto print = [&](auto &self, size_t axis) -> std::string {
    if (axis == value->shape.size()) {
      return elementText(value->dtype, StringRef(bytes).substr(size * next++, size));
    }
    size_t extent = value->shape[axis], inner = 1;
    for (size_t i = axis + 1; i < value->shape.size(); ++i) {
      inner *= value->shape[i];
    }
    std::string s = "[";
    for (size_t i = 0; i < extent; ++i) {
      if (extent > most && i == (most + 1) / 2) {
        size_t left = extent - most;
        s += ", ...";
        next += left * inner;
        i += left - 1;
        continue;
      }
      s += (i ? ", " : "") + self(self, axis + 1);
    }
    return s + "]";
  };
  return print(print, 0);
}
