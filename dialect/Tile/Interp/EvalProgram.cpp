// Program ids, hints, assertions, prints. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Tile/Interp/State.h"
#include "dialect/Tile/TileOps.h"
#include "runtime/Artifact/PrintTile.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace pavage::tile;

using State = Interp::State;

static bool evalProgramId(State &state, Operation *op, Data) {
  state.define(op->getResult(0)).setBits(0, static_cast<uint32_t>(state.program[cast<ProgramIdOp>(op).getAxis()]));
  return true;
}

static bool evalNumPrograms(State &state, Operation *op, Data) {
  int32_t extent = state.options.grid[cast<NumProgramsOp>(op).getAxis()];
  state.define(op->getResult(0)).setBits(0, static_cast<uint32_t>(extent));
  return true;
}

/// The promise itself is not checked: nothing here relies on it.
static bool evalHint(State &state, Operation *op, Data in) {
  defineElementwise(state, op, in).bytes = in[0]->bytes;
  return true;
}

static bool evalAssume(State &state, Operation *op, Data in) {
  if (!state.usable(op, *in[0], 0, "the condition")) {
    return false;
  }
  return in[0]->bytes[0] != 0 || state.report(FindingKind::AssumeFailed, op, "the assumption does not hold");
}

static bool evalAssert(State &state, Operation *op, Data in) {
  const Datum &condition = *in[0], *mask = in.size() > 1 ? in[1] : nullptr;
  for (int64_t i = 0, lanes = condition.numElements(); i < lanes; ++i) {
    if (mask && !state.usable(op, *mask, i, "the mask")) {
      return false;
    }
    if (mask && mask->bytes[i] == 0) {
      continue;
    }
    if (!state.usable(op, condition, i, "the condition")) {
      return false;
    }
    if (condition.bytes[i] == 0) {
      return state.report(FindingKind::AssertFailed, op,
                          cast<AssertOp>(op).getMessage() + (lanes > 1 ? " (lane " + Twine(i) + ")" : Twine()));
    }
  }
  return true;
}

pavage::artifact::Dtype pavage::tile::dtypeOf(Type type, bool isSigned) {
  using pavage::artifact::Dtype;
  type = elementTypeOf(type);
  if (isa<PtrType>(type)) {
    return Dtype::Pointer;
  }
  if (isa<FloatType>(type)) {
    return type.isF64()                ? Dtype::F64
           : type.isF32()              ? Dtype::F32
           : type.isF16()              ? Dtype::F16
           : type.isBF16()             ? Dtype::BF16
           : isa<Float8E5M2Type>(type) ? Dtype::F8E5M2
                                       : Dtype::F8E4M3;
  }
  switch (isa<IndexType>(type) ? 64 : type.getIntOrFloatBitWidth()) {
  case 1:
    return Dtype::I1;
  case 8:
    return isSigned ? Dtype::I8 : Dtype::U8;
  case 16:
    return isSigned ? Dtype::I16 : Dtype::U16;
  case 32:
    return isSigned ? Dtype::I32 : Dtype::U32;
  default:
    return isSigned ? Dtype::I64 : Dtype::U64;
  }
}

static bool evalPrint(State &state, Operation *op, Data in) {
  auto print = cast<PrintOp>(op);
  auto emit = [&](const std::string &text) {
    if (state.options.print) {
      state.options.print(text);
    } else {
      llvm::outs() << text;
      llvm::outs().flush();
    }
  };
  pavage::artifact::Site site;
  site.kind = pavage::artifact::Site::Kind::Print;
  site.text = print.getPrefix().str();
  site.hex = print.getHex();
  int64_t program[3] = {state.program[0], state.program[1], state.program[2]};
  if (in.empty()) {
    emit(formatPrint(site, program, nullptr));
  }
  for (auto [index, datum] : llvm::enumerate(in)) {
    for (int64_t i = 0, lanes = datum->numElements(); i < lanes; ++i) {
      if (!state.usable(op, *datum, i, "the printed value")) {
        return false;
      }
    }
    site.dtype = dtypeOf(datum->type, print.getIsSigned()[index]);
    site.shape.assign(shapeOf(datum->type).begin(), shapeOf(datum->type).end());
    std::vector<uint8_t> bytes = datum->bytes;
    if (site.dtype == pavage::artifact::Dtype::Pointer) {
      for (int64_t i = 0, lanes = datum->numElements(); i < lanes; ++i) {
        uint64_t plain = datum->bits(i);
        std::copy_n(reinterpret_cast<const uint8_t *>(&plain), sizeof(plain), bytes.data() + i * sizeof(plain));
      }
    }
    emit(formatPrint(site, program, bytes.data()));
  }
  return true;
}

static bool evalNothing(State &, Operation *, Data) { return true; }

static bool evalInlinePtx(State &state, Operation *op, Data) {
  return state.unsupported(op, "runs on GPU targets only");
}

void pavage::tile::addProgramHandlers(HandlerTable &table) {
  table.add<ProgramIdOp>(evalProgramId);
  table.add<NumProgramsOp>(evalNumPrograms);
  table.addElementwise<HintOp>(evalHint);
  table.add<AssumeOp>(evalAssume);
  table.add<AssertOp>(evalAssert);
  table.add<PrintOp>(evalPrint);
  table.add<BarrierOp>(evalNothing);
  table.add<InlinePtxOp>(evalInlinePtx);
}
