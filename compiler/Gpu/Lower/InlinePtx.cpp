// The author's own PTX. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A group of `pack` elements is passed in registers of 32 bits, each full of short elements; an element of 32 or 64
// bits has a register of its own. The author's constraints say how many registers there are and what kind:
//
//   pack 4, i8    one "r"          pack 2, f16   one "r"        pack 1, f16   one "h"       pack 2, i64   two "l"
//
// A group is elements next to each other in the last axis where a thread holds such, else any: the text shall treat all
// elements alike.
#include "compiler/Gpu/Lower/Families.h"
#include "compiler/Gpu/Lower/Scalars.h"

#include "dialect/Tile/TileOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using pavage::layout::Place;

namespace pavage::gpu {

/// Bits of the register number that count through the elements of a group, the fastest first.
static SmallVector<unsigned> groupBits(tilegpu::LayoutAttr attribute, unsigned pack) {
  SmallVector<unsigned> bits;
  if (!attribute) {
    return bits;
  }
  layout::Layout layout = attribute.getLayout();
  const layout::Vectors &images = layout.basis(Place::Register);
  unsigned last = layout.rank() - 1;
  for (int64_t step = 1; step < pack; step *= 2) {
    for (auto [bit, image] : llvm::enumerate(images)) {
      layout::Coordinates at = layout.unpack(image);
      bool isStep = at[last] == step;
      for (unsigned axis = 0; axis < last; ++axis) {
        isStep &= at[axis] == 0;
      }
      if (isStep) {
        bits.push_back(bit);
        break;
      }
    }
  }
  for (unsigned bit = 0; bit < images.size() && (1u << bits.size()) < pack; ++bit) {
    if (!llvm::is_contained(bits, bit)) {
      bits.push_back(bit);
    }
  }
  return bits;
}

/// The registers of each group; a thread that has too few repeats the last.
static SmallVector<SmallVector<unsigned>> groupsOf(tilegpu::LayoutAttr layout, unsigned count, unsigned pack) {
  SmallVector<unsigned> bits = groupBits(layout, pack);
  unsigned inGroup = 0;
  for (unsigned bit : bits) {
    inGroup |= 1u << bit;
  }
  SmallVector<SmallVector<unsigned>> groups;
  for (unsigned start = 0; start < count; ++start) {
    if ((start & inGroup) != 0) {
      continue;
    }
    SmallVector<unsigned> group;
    for (unsigned member = 0; member < pack; ++member) {
      unsigned reg = start;
      for (auto [position, bit] : llvm::enumerate(bits)) {
        reg |= ((member >> position) & 1) << bit;
      }
      group.push_back(reg);
    }
    groups.push_back(group);
  }
  return groups;
}

namespace {
/// How elements of one type fill the registers of a group.
struct Filling {
  unsigned width;   ///< bits of an element in a register
  unsigned perWord; ///< elements in one register of the text

  Filling(Emitter &e, Type element, unsigned pack) {
    Type lowered = e.registerType(element);
    width = isa<LLVM::LLVMPointerType>(lowered) ? 64 : lowered.isInteger(1) ? 8 : lowered.getIntOrFloatBitWidth();
    perWord = width >= 32 ? 1 : std::min(pack, 32 / width);
  }
};
} // namespace

/// The type of a register with this constraint; null for one that PTX does not have.
static Type typeOf(Emitter &e, StringRef constraint) {
  char letter = constraint.empty() ? ' ' : constraint.back();
  switch (letter) {
  case 'b':
    return e.b.getI1Type();
  case 'c':
  case 'h':
    return e.b.getI16Type();
  case 'r':
    return e.b.getI32Type();
  case 'l':
    return e.b.getI64Type();
  case 'f':
    return e.b.getF32Type();
  case 'd':
    return e.b.getF64Type();
  default:
    return {};
  }
}

/// The same bits in another number type, cut or filled up with zeros.
static Value fit(Emitter &e, Value value, Type to) {
  Scalars o{e};
  if (isa<LLVM::LLVMPointerType>(value.getType())) {
    value = LLVM::PtrToIntOp::create(e.b, e.loc, o.i(64), value);
  }
  Value bits = e.bitcast(value, o.i(o.width(value)));
  if (isa<LLVM::LLVMPointerType>(to)) {
    return LLVM::IntToPtrOp::create(e.b, e.loc, to, o.resize(bits, 64, false));
  }
  return e.bitcast(o.resize(bits, to.getIntOrFloatBitWidth(), false), to);
}

LogicalResult emitInlinePtx(Emitter &e, Operation *op) {
  auto ptx = cast<tile::InlinePtxOp>(op);
  unsigned pack = ptx.getPack();
  SmallVector<StringRef> constraints;
  ptx.getConstraints().split(constraints, ',', -1, /*KeepEmpty=*/false);
  SmallVector<Type> outputs, inputs;
  for (StringRef &constraint : constraints) {
    constraint = constraint.trim();
    if (constraint.starts_with("~")) {
      continue;
    }
    Type type = typeOf(e, constraint);
    if (!type) {
      return e.unsupported(op, "has the constraint '" + constraint + "', expected one of b, h, r, l, f, d");
    }
    (constraint.starts_with("=") ? outputs : inputs).push_back(type);
  }
  // Registers that the operands and results fill.
  auto wordsOf = [&](ValueRange values) {
    unsigned words = 0;
    for (Type type : values.getTypes()) {
      words += pack / Filling(e, tile::elementTypeOf(type), pack).perWord;
    }
    return words;
  };
  unsigned wantsOut = wordsOf(ptx.getResults()), wantsIn = wordsOf(ptx.getArgs());
  if (outputs.size() != wantsOut || inputs.size() != wantsIn) {
    return e.unsupported(op, "has constraints for " + Twine(outputs.size()) + " outputs and " + Twine(inputs.size()) +
                                 " inputs, expected " + Twine(wantsOut) + " and " + Twine(wantsIn));
  }

  Type shape = ptx.getResults().empty() ? ptx.getArgs().front().getType() : ptx.getResult(0).getType();
  unsigned count = Emitter::numRegisters(shape);
  SmallVector<Values> arguments, results(ptx.getNumResults(), Values(count));
  for (Value argument : ptx.getArgs()) {
    arguments.push_back(e.elements(argument));
  }
  Type result = outputs.empty()       ? Type()
                : outputs.size() == 1 ? outputs.front()
                                      : Type(LLVM::LLVMStructType::getLiteral(e.b.getContext(), outputs));
  for (ArrayRef<unsigned> group : groupsOf(tilegpu::layoutOf(shape), count, pack)) {
    Values operands;
    for (auto [argument, elements] : llvm::zip(ptx.getArgs(), arguments)) {
      Filling filling(e, tile::elementTypeOf(argument.getType()), pack);
      for (unsigned start = 0; start < pack; start += filling.perWord) {
        Value word;
        for (unsigned lane = 0; lane < filling.perWord; ++lane) {
          Value one = elements[elements.size() == 1 ? 0 : group[start + lane]];
          Type target = inputs[operands.size()];
          if (filling.perWord == 1) {
            word = fit(e, one, target);
            break;
          }
          Value bits = e.shl(fit(e, one, e.b.getI32Type()), lane * filling.width);
          word = word ? e.bitOr(word, bits) : bits;
          if (lane + 1 == filling.perWord) {
            word = fit(e, word, target);
          }
        }
        operands.push_back(word);
      }
    }
    Value made = e.assembler(ptx.getPtx(), ptx.getConstraints(), result, operands, !ptx.getIsPure());
    unsigned next = 0;
    for (auto [value, elements] : llvm::zip(ptx.getResults(), results)) {
      Type element = e.registerType(tile::elementTypeOf(value.getType()));
      Filling filling(e, tile::elementTypeOf(value.getType()), pack);
      for (unsigned start = 0; start < pack; start += filling.perWord, ++next) {
        Value word = outputs.size() == 1 ? made : LLVM::ExtractValueOp::create(e.b, e.loc, made, next);
        for (unsigned lane = 0; lane < filling.perWord; ++lane) {
          Value bits = filling.perWord == 1 ? word : e.lshr(fit(e, word, e.b.getI32Type()), lane * filling.width);
          elements[group[start + lane]] = fit(e, bits, element);
        }
      }
    }
  }
  for (auto [value, elements] : llvm::zip(ptx.getResults(), results)) {
    e.bindElements(value, elements);
  }
  return success();
}

} // namespace pavage::gpu
