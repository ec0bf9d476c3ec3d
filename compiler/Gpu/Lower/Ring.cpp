// Rings of tiles in shared memory, and asynchronous copies into them. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// A ring is the address of its first slot. Reads and writes are planned by the layouts of registers and slot alone
// (dialect/Layout/SharedMove.h); an operand of mma comes by ldmatrix because its offsets say so.
#include "compiler/Gpu/Lower/Exchange.h"
#include "compiler/Gpu/Lower/Families.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using pavage::layout::Layout;
using pavage::layout::Place;
using pavage::tilegpu::LayoutAttr;
using pavage::tilegpu::RingType;

namespace pavage::gpu {

static Value slotAddress(Emitter &e, Value ring, Value slot) {
  int64_t bytes = cast<RingType>(ring.getType()).getSlotBytes();
  return e.gep(e.scalar(ring), e.b.getI8Type(), e.mul(e.scalar(slot), e.i32(bytes)));
}

static Layout slotLayout(RingType ring) { return tilegpu::layoutOf(ring.getTile()).getLayout(); }

static void emitAlloc(Emitter &e, tilegpu::AllocOp op) {
  auto offset = op->getAttrOfType<IntegerAttr>(tilegpu::kOffsetAttr);
  assert(offset && "the schedule gave each ring a place");
  e.bindScalar(op.getRing(), e.shared(offset.getInt()));
}

static void emitWrite(Emitter &e, tilegpu::WriteOp op) {
  Layout from = tilegpu::layoutOf(op.getValue().getType()).getLayout();
  Registers source = Registers::of(e, op.getValue());
  bool hasMatrix = e.target.hasStmatrix && from.copies(Place::Lane) == 0; // stmatrix cannot leave lanes out
  layout::SharedMove move =
      layout::planMove(from, slotLayout(op.getRing().getType()), Emitter::bytesOf(source.element), hasMatrix);
  writeShared(e, source, move, slotAddress(e, op.getRing(), op.getSlot()), isFirstOf(e, from));
}

static void emitRead(Emitter &e, tilegpu::ReadOp op) {
  Type type = op.getResult().getType(), element = tile::elementTypeOf(type);
  Layout to = tilegpu::layoutOf(type).getLayout();
  layout::SharedMove move =
      layout::planMove(to, slotLayout(op.getRing().getType()), Emitter::bytesOf(element), e.target.hasLdmatrix);
  SharedReader reader(e, move, element, slotAddress(e, op.getRing(), op.getSlot()));
  reader.read();
  e.bindWords(op.getResult(), reader.finish(Emitter::numRegisters(type), Emitter::perWord(type)));
}

// --- asynchronous copies ---------------------------------------------------------------------------------------------

/// `bytes` from global to shared memory, or zeros where the mask does not hold.
static void copyBytes(Emitter &e, Value to, Value from, Value mask, int64_t bytes, bool isCached) {
  if (e.target.hasAsyncCopy && bytes >= 4) {
    auto modifier = bytes == 16 && !isCached ? NVVM::LoadCacheModifierKind::CG : NVVM::LoadCacheModifierKind::CA;
    Value count = mask ? e.select(mask, e.i32(bytes), e.i32(0)) : Value();
    NVVM::CpAsyncOp::create(e.b, e.loc, to, from, static_cast<uint32_t>(bytes), modifier, count);
    return;
  }
  Type type = bytes > 8 ? Type(VectorType::get({bytes / 4}, e.b.getI32Type())) : e.b.getIntegerType(8 * bytes);
  Values loaded =
      e.choose(mask, [&] { return Values{LLVM::LoadOp::create(e.b, e.loc, type, from, bytes)}; }, e.zero(type));
  LLVM::StoreOp::create(e.b, e.loc, loaded.front(), to, bytes);
}

static void copyRuns(Emitter &e, ArrayRef<Run> runs, LayoutAttr threads, Value ring, Value slot, bool isCached) {
  auto type = cast<RingType>(ring.getType());
  int64_t bytes = Emitter::bytesOf(type.getTile().getElementType());
  Layout layout = threads.getLayout(), shared = slotLayout(type);
  // As much of a run as is contiguous in the slot, and no more than an access may have.
  int width = static_cast<int>(std::min<int64_t>(runs.front().count, 16 / bytes));
  std::optional<layout::SharedMove> move;
  while (!(move = layout::planRuns(layout, shared, bytes, width))) {
    width /= 2;
  }
  llvm::DenseMap<uint32_t, uint32_t> offsets;
  for (const layout::SharedMove::Access &access : move->accesses) {
    offsets[access.registers.front()] = access.offset;
  }
  Value base = slotAddress(e, ring, slot);
  // Copies of an element are copied once: zeros of one lane could overtake the data of another.
  e.when(e.isFirstCopy(threads), [&] {
    SharedAddress address(e, *move, bytes, base);
    for (const Run &run : runs) {
      for (unsigned part = 0; part < run.count; part += width) {
        copyBytes(e, address.at(offsets.lookup(run.first + part)), e.gepBytes(run.address, part * bytes), run.mask,
                  width * bytes, isCached);
      }
    }
  });
}

static unsigned vectorOf(Operation *op) {
  auto vector = op->getAttrOfType<IntegerAttr>(tilegpu::kVectorAttr);
  return vector ? vector.getInt() : 1;
}

static void emitCopy(Emitter &e, tilegpu::CopyAsyncOp op) {
  auto scalars = [&](ValueRange values) {
    Values lowered;
    for (Value value : values) {
      lowered.push_back(e.scalar(value));
    }
    return lowered;
  };
  auto runs = e.blockRuns(e.scalar(op.getBase()), op.getBase().getType().getPointee(), scalars(op.getOffsets()),
                          scalars(op.getStrides()), scalars(op.getExtents()), op.getChecked(), op.getThreads(),
                          vectorOf(op), /*once=*/false);
  copyRuns(e, runs, op.getThreads(), op.getRing(), op.getSlot(), op.getCache() == tile::Cache::CA);
}

static void emitGatherAsync(Emitter &e, tilegpu::GatherAsyncOp op) {
  LayoutAttr threads = tilegpu::layoutOf(op.getPtr().getType());
  auto runs = e.pointerRuns(op.getPtr(), op.getMask(), threads, vectorOf(op), /*once=*/false);
  copyRuns(e, runs, threads, op.getRing(), op.getSlot(), op.getCache() == tile::Cache::CA);
}

LogicalResult emitRing(Emitter &e, Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](tilegpu::AllocOp alloc) { emitAlloc(e, alloc); })
      .Case([&](tilegpu::WriteOp write) { emitWrite(e, write); })
      .Case([&](tilegpu::ReadOp read) { emitRead(e, read); })
      .Case([&](tilegpu::CopyAsyncOp copy) { emitCopy(e, copy); })
      .Case([&](tilegpu::GatherAsyncOp gather) { emitGatherAsync(e, gather); })
      .Case([&](tilegpu::CommitOp) {
        if (e.target.hasAsyncCopy) {
          NVVM::CpAsyncCommitGroupOp::create(e.b, e.loc);
        }
      })
      .Case([&](tilegpu::WaitOp wait) {
        if (e.target.hasAsyncCopy) {
          NVVM::CpAsyncWaitGroupOp::create(e.b, e.loc, wait.getPending());
        }
        e.barrier();
      });
  return success();
}

} // namespace pavage::gpu
