// Atomic accesses of global memory. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread acts for each element: copies stay away and learn the old value through scratch memory. What the target
// has an instruction for is spelled in PTX, since LLVM's atomicrmw loses the order and the scope; the rest reads,
// computes and compares-and-swaps until nobody came between. Elements of 8 bits live in a pair of bytes.
#include "compiler/Gpu/Lower/Families.h"
#include "compiler/Gpu/Lower/Placed.h"
#include "compiler/Gpu/Lower/Scalars.h"

#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using pavage::tile::AtomicKind;
using Predicate = LLVM::ICmpPredicate;

namespace pavage::gpu {

namespace {

/// ".acq_rel.gpu": order and scope of an op in PTX.
struct Semantics {
  StringRef order, scope;

  explicit Semantics(Operation *op) {
    static constexpr StringRef orders[] = {".relaxed", ".acquire", ".release", ".acq_rel"};
    static constexpr StringRef scopes[] = {".cta", ".gpu", ".sys"};
    auto update = dyn_cast<tile::AtomicRMWOp>(op);
    auto swap = dyn_cast<tile::AtomicCASOp>(op);
    order = orders[static_cast<int>(update ? update.getOrder() : swap.getOrder())];
    scope = scopes[static_cast<int>(update ? update.getScope() : swap.getScope())];
  }
};

/// Registers of inline PTX for bits of a width.
StringRef constraintOf(unsigned width) { return width == 64 ? "l" : width == 32 ? "r" : "h"; }

/// The instruction's operation and type; empty when the target has none.
std::string nativeForm(const target::GpuTarget &target, AtomicKind kind, Type element) {
  unsigned width = element.getIntOrFloatBitWidth();
  std::string bits = std::to_string(width);
  if (kind == AtomicKind::AddF) {
    if (element.isF32() || element.isF64()) {
      return "add.f" + bits;
    }
    return element.isF16() ? "add.noftz.f16" : target.hasBf16Atomics ? "add.noftz.bf16" : "";
  }
  if (width < 32) {
    return "";
  }
  switch (kind) {
  case AtomicKind::AddI:
    return "add.u" + bits;
  case AtomicKind::MaxS:
    return "max.s" + bits;
  case AtomicKind::MaxU:
    return "max.u" + bits;
  case AtomicKind::MinS:
    return "min.s" + bits;
  case AtomicKind::MinU:
    return "min.u" + bits;
  case AtomicKind::And:
    return "and.b" + bits;
  case AtomicKind::Or:
    return "or.b" + bits;
  case AtomicKind::Xor:
    return "xor.b" + bits;
  case AtomicKind::Xchg:
    return "exch.b" + bits;
  default:
    return "";
  }
}

class Atomic {
public:
  Atomic(Emitter &e, Operation *op)
      : e(e), o{e}, op(op), element(tile::elementTypeOf(op->getResult(0).getType())),
        bits(e.b.getIntegerType(element.getIntOrFloatBitWidth())), semantics(op) {}

  /// What one element does; the old value, as bits.
  Value run(Value address, ValueRange operands) {
    auto update = dyn_cast<tile::AtomicRMWOp>(op);
    if (!update) {
      return swap(address, e.bitcast(operands[0], bits), e.bitcast(operands[1], bits), semantics.order);
    }
    Value operand = e.bitcast(operands[0], bits);
    std::string form = nativeForm(e.target, update.getKind(), element);
    if (!form.empty()) {
      return native(form, address, operand);
    }
    return element.getIntOrFloatBitWidth() == 8 ? retryByte(address, operand) : retry(address, operand);
  }

private:
  Value native(StringRef form, Value address, Value operand) {
    StringRef constraint = constraintOf(o.width(operand));
    bool isUsed = !op->use_empty();
    // A reduction needs no register for the old value, but has no acquiring form.
    if (!isUsed && (semantics.order == ".relaxed" || semantics.order == ".release") && !form.starts_with("exch")) {
      std::string text = ("red" + semantics.order + semantics.scope + ".global." + form + " [$0], $1;").str();
      e.assembler(text, ("l," + constraint + ",~{memory}").str(), Type(), {address, operand}, /*hasEffects=*/true);
      return e.zero(bits);
    }
    std::string text = ("atom" + semantics.order + semantics.scope + ".global." + form + " $0, [$1], $2;").str();
    return e.assembler(text, ("=" + constraint + ",l," + constraint + ",~{memory}").str(), bits, {address, operand},
                       /*hasEffects=*/true);
  }

  Value swap(Value address, Value expected, Value next, StringRef order) {
    unsigned width = o.width(next);
    StringRef c = constraintOf(width);
    std::string text = ("atom" + order + semantics.scope + ".global.cas.b" + Twine(width) + " $0, [$1], $2, $3;").str();
    std::string constraints = ("=" + c + ",l," + c + "," + c + ",~{memory}").str();
    return e.assembler(text, constraints, next.getType(), {address, expected, next}, /*hasEffects=*/true);
  }

  Value read(Value address, unsigned width) {
    std::string text = ("ld.relaxed" + semantics.scope + ".global.b" + Twine(width) + " $0, [$1];").str();
    return e.assembler(text, ("=" + constraintOf(width) + ",l,~{memory}").str(), e.b.getIntegerType(width), address,
                       /*hasEffects=*/true);
  }

  /// Tries `next(old)` until nobody came between reading and writing; gives the old value.
  Value loop(Value address, unsigned width, llvm::function_ref<Value(Value)> next) {
    Value first = read(address, width);
    Block *here = e.b.getInsertionBlock();
    Region::BlockListType &blocks = here->getParent()->getBlocks();
    auto *body = new Block, *after = new Block;
    blocks.insertAfter(here->getIterator(), after);
    blocks.insertAfter(here->getIterator(), body);
    Value old = body->addArgument(first.getType(), e.loc), result = after->addArgument(first.getType(), e.loc);
    LLVM::BrOp::create(e.b, e.loc, first, body);
    e.b.setInsertionPointToStart(body);
    Value seen = swap(address, old, next(old), semantics.order);
    LLVM::CondBrOp::create(e.b, e.loc, e.compare(Predicate::eq, seen, old), after, seen, body, seen);
    e.b.setInsertionPointToStart(after);
    return result;
  }

  Value retry(Value address, Value operand) {
    return loop(address, o.width(operand), [&](Value old) { return combine(old, operand); });
  }

  /// A byte in the pair of bytes that it lies in.
  Value retryByte(Value address, Value operand) {
    Value number = LLVM::PtrToIntOp::create(e.b, e.loc, o.i(64), address);
    Value pair = LLVM::IntToPtrOp::create(e.b, e.loc, address.getType(), o.andI(number, ~uint64_t(1)));
    Value shift = o.shl(o.resize(o.andI(number, 1), 16, false), 3);
    auto shifted = [&](Value value) { return Value(LLVM::ShlOp::create(e.b, e.loc, value, shift)); };
    auto byteOf = [&](Value word) {
      return o.resize(LLVM::LShrOp::create(e.b, e.loc, word, shift), 8, /*isSigned=*/false);
    };
    Value kept = e.bitXor(shifted(e.constant(o.i(16), 0xff)), e.constant(o.i(16), -1));
    Value old = loop(pair, 16, [&](Value word) {
      Value next = o.resize(combine(byteOf(word), operand), 16, /*isSigned=*/false);
      return o.orI(o.andI(word, kept), shifted(next));
    });
    return byteOf(old);
  }

  /// What the kind makes of the old value and the operand, as bits.
  Value combine(Value old, Value operand) {
    OpBuilder &b = e.b;
    Location loc = e.loc;
    switch (cast<tile::AtomicRMWOp>(op).getKind()) {
    case AtomicKind::AddI:
      return e.add(old, operand);
    case AtomicKind::MaxS:
      return LLVM::SMaxOp::create(b, loc, old, operand);
    case AtomicKind::MaxU:
      return LLVM::UMaxOp::create(b, loc, old, operand);
    case AtomicKind::MinS:
      return LLVM::SMinOp::create(b, loc, old, operand);
    case AtomicKind::MinU:
      return LLVM::UMinOp::create(b, loc, old, operand);
    case AtomicKind::And:
      return e.bitAnd(old, operand);
    case AtomicKind::Or:
      return e.bitOr(old, operand);
    case AtomicKind::Xor:
      return e.bitXor(old, operand);
    case AtomicKind::Xchg:
      return operand;
    case AtomicKind::AddF:
    case AtomicKind::MaxF:
    case AtomicKind::MinF:
      return combineFloats(old, operand);
    }
    llvm_unreachable("all kinds are listed");
  }

  Value combineFloats(Value old, Value operand) {
    AtomicKind kind = cast<tile::AtomicRMWOp>(op).getKind();
    bool isShort = element.getIntOrFloatBitWidth() < 32;
    auto number = [&](Value x) {
      Value value = e.bitcast(x, element);
      return isShort ? o.widen(value, element) : value;
    };
    Value x = number(old), y = number(operand);
    Value result = kind == AtomicKind::AddF ? o.addF(x, y) : o.extremum(x, y, kind == AtomicKind::MaxF);
    return e.bitcast(isShort ? o.narrow(result, element, false) : result, bits);
  }

  Emitter &e;
  Scalars o;
  Operation *op;
  Type element, bits;
  Semantics semantics;
};

/// The old values, known to the threads that acted, for all threads that hold the elements.
Values tellCopies(Emitter &e, Operation *op, Values old, Value isFirst) {
  Type type = op->getResult(0).getType(), element = tile::elementTypeOf(type), inMemory = e.memoryType(element);
  tilegpu::LayoutAttr layout = tilegpu::layoutOf(type);
  Value base = e.shared(e.scratchOffset(op));
  Values addresses;
  for (unsigned reg = 0; reg < old.size(); ++reg) {
    Value offset = layout ? packedOffset(e, layout.getExtents(), coordinatesOf(e, layout, reg)) : e.i32(0);
    addresses.push_back(e.gep(base, inMemory, offset));
  }
  int64_t bytes = Emitter::bytesOf(element);
  e.when(isFirst, [&] {
    for (auto [value, address] : llvm::zip(old, addresses)) {
      LLVM::StoreOp::create(e.b, e.loc, e.toMemory(value, element), address, bytes);
    }
  });
  e.barrier();
  for (auto [value, address] : llvm::zip(old, addresses)) {
    value = e.fromMemory(LLVM::LoadOp::create(e.b, e.loc, inMemory, address, bytes), element);
  }
  return old;
}

} // namespace

LogicalResult emitAtomic(Emitter &e, Operation *op) {
  Type type = op->getResult(0).getType(), lowered = e.registerType(tile::elementTypeOf(type));
  SmallVector<Values> operands;
  for (Value operand : op->getOperands().slice(1, isa<tile::AtomicRMWOp>(op) ? 1 : 2)) {
    operands.push_back(e.elements(operand));
  }
  Atomic atomic(e, op);
  Values old(Emitter::numRegisters(type));
  for (const Run &run : e.runsOf(op, /*once=*/true)) {
    for (unsigned step = 0; step < run.count; ++step) {
      unsigned reg = run.first + step;
      Values row;
      for (const Values &values : operands) {
        row.push_back(values[reg]);
      }
      auto act = [&] {
        Value address = step == 0 ? run.address : e.gep(run.address, e.memoryType(lowered), e.i32(step));
        return Values{e.bitcast(atomic.run(address, row), lowered)};
      };
      old[reg] = e.choose(run.mask, act, e.zero(lowered)).front();
    }
  }
  tilegpu::LayoutAttr layout = tilegpu::layoutOf(type);
  Value isFirst = layout ? e.isFirstCopy(layout) : e.compare(Predicate::eq, e.tid, e.i32(0));
  if (isFirst && !op->use_empty()) {
    old = tellCopies(e, op, std::move(old), isFirst);
  }
  e.bindElements(op->getResult(0), old);
  return success();
}

} // namespace pavage::gpu
