// The interpreter's values, findings and entry points. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Tile/Interp/Interp.h"

#include "dialect/Tile/Interp/Lanes.h"
#include "dialect/Tile/Interp/State.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/raw_ostream.h"
#include <cfenv>

using namespace mlir;

namespace pavage::tile {

int64_t elementBytes(Type type) {
  type = elementTypeOf(type);
  return type.isIntOrFloat() || isa<PtrType>(type) ? bytesInMemory(type) : 8; // else an index or a handle
}

static int64_t elementCount(Type type) {
  int64_t count = 1;
  for (int64_t extent : shapeOf(type)) {
    count *= extent;
  }
  return count;
}

// ---- Datum

Datum::Datum(Type type) : type(type), bytes(elementCount(type) * elementBytes(type)) {}

Datum Datum::scalar(Type type, uint64_t bits) {
  Datum datum(type);
  datum.setBits(0, bits);
  return datum;
}

bool Datum::read(Attribute value) {
  auto bitsOf = [](Attribute element) -> uint64_t {
    if (auto number = dyn_cast<FloatAttr>(element)) {
      return number.getValue().bitcastToAPInt().getZExtValue();
    }
    return cast<IntegerAttr>(element).getValue().getZExtValue();
  };
  if (isa<FloatAttr, IntegerAttr>(value)) {
    setBits(0, bitsOf(value));
    return true;
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense || !dense.getElementType().isIntOrIndexOrFloat()) {
    return false;
  }
  if (dense.isSplat()) {
    uint64_t bits = bitsOf(dense.getSplatValue<Attribute>());
    withStorage(elementBytes(type),
                [&]<class T>(T) { std::fill_n(elements<T>(*this), numElements(), static_cast<T>(bits)); });
    return true;
  }
  if (dense.getElementType().isInteger(1)) {
    llvm::copy(dense.getValues<bool>(), bytes.begin());
    return true;
  }
  ArrayRef<char> raw = dense.getRawData();
  if (raw.size() != bytes.size()) {
    return false;
  }
  std::memcpy(bytes.data(), raw.data(), raw.size());
  return true;
}

int64_t Datum::numElements() const { return static_cast<int64_t>(bytes.size()) / elementBytes(type); }

uint64_t Datum::bits(int64_t element) const {
  uint64_t value = 0;
  int64_t size = elementBytes(type);
  std::memcpy(&value, bytes.data() + element * size, size);
  return isa<PtrType>(elementTypeOf(type)) ? plainAddress(value) : value;
}

void Datum::setBits(int64_t element, uint64_t value) {
  int64_t size = elementBytes(type);
  std::memcpy(bytes.data() + element * size, &value, size);
}

double Datum::number(int64_t element) const {
  double value = 0;
  withFloatKind(type, [&]<class K>(K) { value = K::load(elements<typename K::Storage>(*this)[element]); });
  return value;
}

// ---- Handlers

HandlerTable::HandlerTable() {
  addArithHandlers(*this);
  addArithCastHandlers(*this);
  addArithFloatHandlers(*this);
  addContractHandlers(*this);
  addControlHandlers(*this);
  addMathHandlers(*this);
  addMemoryHandlers(*this);
  addProgramHandlers(*this);
  addReduceHandlers(*this);
  addShapeHandlers(*this);
  addTileArithHandlers(*this);
}

HandlerTable &HandlerTable::instance() {
  static HandlerTable table;
  return table;
}

const HandlerTable &HandlerTable::get() { return instance(); }

void HandlerTable::extend(Extension add) { add(instance()); }

HandlerEntry HandlerTable::find(Operation *op) const { return entries.lookup(op->getName().getTypeID()); }

// ---- State

Interp::State::State(InterpOptions given) : options(std::move(given)) {
  for (ArrayRecord &record : options.arrays) {
    PavageArray array{record.base,
                      record.shape.data(),
                      record.strides.empty() ? nullptr : record.strides.data(),
                      static_cast<int32_t>(record.shape.size()),
                      static_cast<uint32_t>(record.itemSize),
                      0,
                      record.readOnly ? PAVAGE_ARRAY_READONLY : 0};
    bounds.emplace_back(array);
  }
}

Datum &Interp::State::define(Value value, int64_t lanes) {
  Datum *&slot = values[value];
  if (!slot) {
    if (freeSlots.empty()) {
      slot = &slots.emplace_back();
    } else {
      slot = freeSlots.back();
      freeSlots.pop_back();
    }
  }
  slot->type = value.getType();
  slot->bytes.resize(lanes * elementBytes(slot->type));
  slot->poison.clear();
  return *slot;
}

Datum &Interp::State::define(Value value) { return define(value, lanesOf(value.getType())); }

int64_t Interp::State::lanesOf(Type type) {
  auto [slot, isNew] = lanes.try_emplace(type, -1);
  if (!isNew) {
    return slot->second;
  }
  Type element = elementTypeOf(type);
  bool isKnown = isa<IndexType>(element) || HandlerTable::get().isHandle(element) || withKind(element, [](auto) {});
  if (auto tile = dyn_cast<RankedTensorType>(type)) {
    isKnown &= tile.getRank() > 0 && isTileShape(tile.getShape());
  }
  if (isKnown && elementCount(type) <= maxDatumBytes / elementBytes(type)) {
    slot->second = elementCount(type);
  }
  return slot->second;
}

void Interp::State::set(Value value, Datum datum) {
  Datum &slot = define(value, 0);
  slot.bytes = std::move(datum.bytes);
  slot.poison = std::move(datum.poison);
}

void Interp::State::forget(Value value) {
  auto it = values.find(value);
  if (it == values.end()) {
    return;
  }
  // Small buffers are worth keeping for the next value, large ones are memory.
  if (it->second->bytes.capacity() > 4096) {
    *it->second = Datum();
  }
  freeSlots.push_back(it->second);
  values.erase(it);
}

bool Interp::State::report(FindingKind kind, Operation *op, const Twine &text) {
  bool isError = kind != FindingKind::DuplicateStore && kind != FindingKind::GatherIndex;
  if (isError || reported.insert({op, static_cast<int>(kind)}).second) {
    findings.push_back({kind, isError, op->getLoc(), text.str(), program});
  }
  return !isError;
}

bool Interp::State::unsupported(Operation *op, const Twine &why) {
  return report(FindingKind::Unsupported, op, "'" + op->getName().getStringRef() + "' " + why);
}

bool Interp::State::usable(Operation *op, const Datum &datum, int64_t lane, StringRef what) {
  if (!datum.isPoison(lane)) {
    return true;
  }
  return report(FindingKind::PoisonUse, op,
                what + " has no value on this path" +
                    (datum.numElements() > 1 ? " (lane " + Twine(lane) + ")" : Twine()));
}

bool Interp::State::spend(Operation *op) {
  if (++evaluated > options.maxOps) {
    return report(FindingKind::Limit, op, "more than " + Twine(options.maxOps) + " operations");
  }
  if ((evaluated & 0xfff) == 0 && options.cancelled && options.cancelled()) {
    return report(FindingKind::Cancelled, op, "interrupted");
  }
  return true;
}

bool Interp::State::evaluate(Operation *op) { return evaluate(op, HandlerTable::get().find(op)); }

bool Interp::State::evaluate(Operation *op, HandlerEntry entry) {
  if (!spend(op)) {
    return false;
  }
  if (!entry.handler) {
    return unsupported(op);
  }
  for (Type type : op->getResultTypes()) {
    if (lanesOf(type) < 0) {
      std::string text;
      llvm::raw_string_ostream(text) << type;
      return unsupported(op,
                         "has a result of type " + Twine(text) + ", which is no number or tile, or too large a one");
    }
  }
  SmallVector<const Datum *, 4> operands;
  for (Value operand : op->getOperands()) {
    const Datum *datum = find(operand);
    if (!datum) {
      return unsupported(op, "uses a value that has not been evaluated");
    }
    operands.push_back(datum);
  }
  return entry.handler(*this, op, operands);
}

/// Works out once which handler each op has and which values end with it.
const Interp::State::Plan &Interp::State::planOf(Block &block) {
  std::unique_ptr<Plan> &plan = plans[&block];
  if (plan) {
    return *plan;
  }
  plan = std::make_unique<Plan>();
  llvm::DenseMap<Operation *, size_t> index;
  for (Operation &op : block) {
    index[&op] = plan->size();
    plan->push_back({&op, HandlerTable::get().find(&op), {}});
  }
  auto dieAfterLastUse = [&](Value value, size_t from) {
    size_t last = from;
    for (Operation *user : value.getUsers()) {
      if (Operation *here = block.findAncestorOpInBlock(*user)) {
        last = std::max(last, index.lookup(here));
      }
    }
    if (last + 1 < plan->size()) { // the terminator's operands are handed on
      (*plan)[last].dying.push_back(value);
    }
  };
  for (Operation &op : block.without_terminator()) {
    for (Value result : op.getResults()) {
      dieAfterLastUse(result, index.lookup(&op));
    }
  }
  return *plan;
}

bool Interp::State::evaluateBlock(Block &block, SmallVectorImpl<Datum> &yielded) {
  const Plan &plan = planOf(block);
  for (size_t i = 0; i + 1 < plan.size(); ++i) {
    const Step &step = plan[i];
    if (!evaluate(step.op, step.entry)) {
      return false;
    }
    for (Value value : step.dying) {
      forget(value);
    }
  }
  yielded.clear();
  Operation *terminator = block.getTerminator();
  if (!spend(terminator)) { // so that an endless loop without ops ends too
    return false;
  }
  for (OpOperand &operand : terminator->getOpOperands()) {
    Value value = operand.get();
    Datum *datum = find(value);
    if (!datum) {
      return unsupported(terminator, "uses a value that has not been evaluated");
    }
    bool again = llvm::is_contained(terminator->getOperands().drop_front(operand.getOperandNumber() + 1), value);
    bool isLocal = value.getParentBlock() == &block && !isa<BlockArgument>(value);
    if (isLocal && !again) {
      yielded.push_back(std::move(*datum));
      forget(value);
    } else {
      yielded.push_back(*datum);
    }
  }
  return true;
}

bool Interp::State::evaluateRegion(Region &region, SmallVectorImpl<Datum> &arguments, SmallVectorImpl<Datum> &yielded) {
  for (auto [argument, datum] : llvm::zip(region.getArguments(), arguments)) {
    set(argument, std::move(datum));
  }
  return evaluateBlock(region.front(), yielded);
}

// ---- Elementwise helpers

int64_t commonLanes(Data operands) {
  int64_t lanes = 1;
  for (const Datum *operand : operands) {
    lanes = std::max(lanes, operand->numElements());
  }
  return lanes;
}

void spreadPoison(Datum &result, int64_t lanes, Data operands) {
  for (const Datum *operand : operands) {
    if (operand->poison.empty()) {
      continue;
    }
    result.poison.resize(lanes);
    bool one = operand->poison.size() == 1;
    for (int64_t i = 0; i < lanes; ++i) {
      result.poison[i] |= operand->poison[one ? 0 : i];
    }
  }
}

Datum &defineElementwise(Interp::State &state, Operation *op, Data operands, unsigned result) {
  int64_t lanes = commonLanes(operands);
  Datum &datum = state.define(op->getResult(result), lanes);
  spreadPoison(datum, lanes, operands);
  return datum;
}

// ---- Interp

namespace {
/// Default rounding and no flush to zero while the interpreter computes, whatever the host program has set.
class FloatEnvironment {
public:
  FloatEnvironment() {
    std::fegetenv(&saved);
    std::fesetenv(FE_DFL_ENV);
  }
  ~FloatEnvironment() { std::fesetenv(&saved); }

private:
  std::fenv_t saved;
};
} // namespace

Interp::Interp(InterpOptions options) : state(std::make_unique<State>(std::move(options))) {}
Interp::~Interp() = default;

void Interp::setProgram(std::array<int32_t, 3> program) {
  state->program = program;
  state->memories.clear();
}

void Interp::bind(Value value, Datum datum) {
  datum.type = value.getType();
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && isa<PtrType>(datum.type)) {
    for (auto [index, record] : llvm::enumerate(state->options.arrays)) {
      if (record.argument == static_cast<int32_t>(argument.getArgNumber())) {
        datum.setBits(0, withOrigin(datum.bits(0), index + 1));
      }
    }
  }
  state->set(value, std::move(datum));
}

const Datum *Interp::lookup(Value value) const { return state->find(value); }
void Interp::forget(Value value) { state->forget(value); }

bool Interp::evaluate(Operation *op) {
  FloatEnvironment environment;
  state->plans.clear();
  return state->evaluate(op);
}

bool Interp::evaluateBlock(Block &block, SmallVectorImpl<Datum> &yielded) {
  FloatEnvironment environment;
  state->plans.clear();
  return state->evaluateBlock(block, yielded);
}

bool Interp::runProgram(func::FuncOp kernel, ArrayRef<Datum> args, std::array<int32_t, 3> program) {
  FloatEnvironment environment;
  state->plans.clear();
  setProgram(program);
  for (auto [argument, datum] : llvm::zip_equal(kernel.getArguments(), args)) {
    bind(argument, datum);
  }
  SmallVector<Datum> yielded;
  if (!state->evaluateBlock(kernel.getBody().front(), yielded)) {
    return false;
  }
  state->returned.assign(std::make_move_iterator(yielded.begin()), std::make_move_iterator(yielded.end()));
  return true;
}

bool Interp::runGrid(func::FuncOp kernel, ArrayRef<Datum> args) {
  FloatEnvironment environment;
  state->plans.clear();
  for (auto [argument, datum] : llvm::zip_equal(kernel.getArguments(), args)) {
    bind(argument, datum);
  }
  Block &body = kernel.getBody().front();
  const std::array<int32_t, 3> &grid = state->options.grid;
  for (int32_t z = 0; z < grid[2]; ++z) {
    for (int32_t y = 0; y < grid[1]; ++y) {
      for (int32_t x = 0; x < grid[0]; ++x) {
        setProgram({x, y, z});
        if (state->options.cancelled && state->options.cancelled()) {
          return state->report(FindingKind::Cancelled, kernel, "interrupted");
        }
        SmallVector<Datum> yielded;
        if (!state->evaluateBlock(body, yielded)) {
          return false;
        }
        state->returned.assign(std::make_move_iterator(yielded.begin()), std::make_move_iterator(yielded.end()));
      }
    }
  }
  return true;
}

ArrayRef<Datum> Interp::returned() const { return state->returned; }
ArrayRef<Finding> Interp::findings() const { return state->findings; }
void Interp::clearFindings() { state->findings.clear(); }
const InterpOptions &Interp::options() const { return state->options; }

StringRef stringifyFindingKind(FindingKind kind) {
  switch (kind) {
  case FindingKind::OutOfBounds:
    return "out-of-bounds";
  case FindingKind::ReadOnlyWrite:
    return "read-only-write";
  case FindingKind::PoisonUse:
    return "poison-use";
  case FindingKind::DuplicateStore:
    return "duplicate-store";
  case FindingKind::GatherIndex:
    return "gather-index";
  case FindingKind::AssumeFailed:
    return "assume-failed";
  case FindingKind::AssertFailed:
    return "assert-failed";
  case FindingKind::Unsupported:
    return "unsupported";
  case FindingKind::Limit:
    return "limit";
  case FindingKind::Cancelled:
    return "cancelled";
  }
  return "";
}

} // namespace pavage::tile
