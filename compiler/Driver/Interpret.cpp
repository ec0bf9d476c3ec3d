// A recorded kernel run by Interp, as the runtime launches it. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Driver/Interpret.h"

#include "compiler/Driver/Compile.h"
#include "dialect/Tile/Interp/Interp.h"
#include "dialect/Tile/TileOps.h"

using namespace mlir;

namespace pavage::driver {

static errors::Code codeOf(tile::FindingKind kind) {
  switch (kind) {
  case tile::FindingKind::OutOfBounds:
    return errors::Code::OutOfBounds;
  case tile::FindingKind::ReadOnlyWrite:
    return errors::Code::ReadOnlyWritten;
  case tile::FindingKind::PoisonUse:
    return errors::Code::PoisonUsed;
  case tile::FindingKind::AssumeFailed:
    return errors::Code::AssumptionFailed;
  case tile::FindingKind::AssertFailed:
    return errors::Code::AssertFailed;
  case tile::FindingKind::Unsupported:
    return errors::Code::NotInterpretable;
  case tile::FindingKind::Limit:
    return errors::Code::OpLimit;
  case tile::FindingKind::Cancelled:
    return errors::Code::Interrupted;
  case tile::FindingKind::DuplicateStore:
  case tile::FindingKind::GatherIndex:
    break;
  }
  return errors::Code::Internal;
}

static std::string nameOf(func::FuncOp kernel, unsigned index) {
  auto name = kernel.getArgAttrOfType<StringAttr>(index, tile::kNameAttr);
  return name ? name.getValue().str() : "arg" + std::to_string(index);
}

/// What Interp may access: the given arrays, and anything through pointers of which nothing is known.
static std::vector<tile::ArrayRecord> recordArrays(func::FuncOp kernel, const InterpretOptions &options) {
  std::vector<tile::ArrayRecord> records;
  SmallVector<bool> isKnown(kernel.getNumArguments(), false);
  for (const PavageArray &array : options.arrays) {
    if (array.slot >= isKnown.size()) {
      continue;
    }
    isKnown[array.slot] = true;
    tile::ArrayRecord &record = records.emplace_back();
    record.base = array.base;
    record.itemSize = array.itemsize;
    record.shape.append(array.shape, array.shape + array.ndim);
    if (array.strides) {
      record.strides.append(array.strides, array.strides + array.ndim);
    }
    record.name = nameOf(kernel, array.slot);
    record.readOnly = (array.flags & PAVAGE_ARRAY_READONLY) != 0;
    record.argument = static_cast<int32_t>(array.slot);
  }
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    if (isa<tile::PtrType>(type) && !isKnown[index]) {
      tile::ArrayRecord &record = records.emplace_back();
      record.base = options.slots[index];
      record.name = nameOf(kernel, index);
      record.argument = static_cast<int32_t>(index);
      record.anyExtent = true;
    }
  }
  return records;
}

errors::Error interpretModule(ModuleOp module, const InterpretOptions &options) {
  errors::Result<func::FuncOp> kernel = findKernel(module);
  if (!kernel) {
    return kernel.takeError();
  }
  if (options.slots.size() != (*kernel).getNumArguments()) {
    return {errors::Code::ApiMisuse, "expected " + std::to_string((*kernel).getNumArguments()) +
                                         " argument slots, got " + std::to_string(options.slots.size())};
  }
  tile::InterpOptions interp;
  bool isEmpty = false;
  for (auto [to, from] : llvm::zip(interp.grid, options.grid)) {
    if (from < 0 || from > INT32_MAX) {
      return {errors::Code::BadGrid, "expected a grid size from 0 to 2147483647, got " + std::to_string(from)};
    }
    isEmpty |= from == 0;
    to = static_cast<int32_t>(from);
  }
  if (isEmpty) {
    return {};
  }
  interp.arrays = recordArrays(*kernel, options);
  if (options.maxOps != 0) {
    interp.maxOps = options.maxOps;
  }
  interp.print = options.print;
  if (options.cancel) {
    interp.cancelled = [flag = options.cancel] { return *flag != 0; };
  }
  SmallVector<tile::Datum> arguments;
  for (auto [type, bits] : llvm::zip((*kernel).getArgumentTypes(), options.slots)) {
    arguments.push_back(tile::Datum::scalar(type, bits));
  }

  ErrorCapture capture(*module.getContext());
  tile::Interp run(std::move(interp));
  bool isOk = run.runGrid(*kernel, arguments);
  errors::Error error;
  for (const tile::Finding &finding : run.findings()) {
    SmallVector<support::Place> callers;
    errors::Position at = toPosition(support::placeOf(finding.location, &callers));
    const auto &[x, y, z] = finding.program;
    std::string text =
        finding.text + " (program " + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) + ")";
    if (!finding.isError) {
      if (options.note) {
        options.note(text, at);
      }
      continue;
    }
    if (!error) {
      error = errors::Error(codeOf(finding.kind), std::move(text), std::move(at));
      for (const support::Place &caller : callers) {
        error = std::move(error).withNote("called from here", toPosition(caller));
      }
    }
  }
  if (!isOk && !error) {
    return capture.take(errors::Code::Internal, "Interp: ");
  }
  return error;
}

} // namespace pavage::driver
