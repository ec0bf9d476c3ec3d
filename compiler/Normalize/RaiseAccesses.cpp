// Loads and stores through pointer tiles become block accesses. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: where a tile of addresses is a linear function of the element's index, and the mask a box, the access says so.
//
//   %i = arith.addi %start_t, %iota : tensor<128xi32>          %q = tile.addptr %p, %start64 : !tile.ptr<f32>, i64
//   %m = arith.cmpi slt, %i, %n_t : tensor<128xi32>      ->    %e = arith.subi %n64, %start64 : i64
//   %q = tile.addptr %p_t, %i                                  %x = tile.block_load %q[%zero] strides [%one] extents
//   [%e] %x = tile.load %q mask %m                                         {checked = array<i32: 0>}
//
// The block is relative: its base is the tile's first address. Nothing is said about what lies outside of the tile, so
// no more must be proven than that the tile's own indices do not wrap at 32 bits; that follows from alignment where
// blocks are powers of two. An access that is not raised is a remark with its reason.
//
// Needs: loops that carry scalars instead of pointer tiles (scalarize-increments).
// Leaves: block accesses wherever they can be proven; dead address calculations for the canonicalizer.
// Why here: after masks are in normal form, before targets choose how to move data; only they know what a block is good
//   for.
// Does not: touch atomics and scalar accesses; split an access of which a part could be raised.
#include "compiler/Normalize/Passes.h"

#include "compiler/Analysis/TileForm.h"
#include "compiler/Normalize/Materialize.h"
#include "dialect/Tile/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

#define DEBUG_TYPE "pavage-raise-accesses"

namespace pavage::normalize {
#define GEN_PASS_DEF_RAISEACCESSESPASS
#include "compiler/Normalize/Passes.h.inc"
} // namespace pavage::normalize

using namespace mlir;
using namespace pavage;
using analysis::LinearForm;
using analysis::MaskForm;

namespace {

/// What is known of an access that can be raised.
struct Access {
  LinearForm address;
  MaskForm mask;
  Value other; ///< loads: the scalar of masked-off elements, or null
};

// --- Legality --------------------------------------------------------------------------------------------------------

/// A scalar for a tile that is the same everywhere; made by `builder` when it is a constant.
Value scalarOf(Value tile, OpBuilder &builder) {
  if (Value scalar = analysis::uniformScalar(tile)) {
    return scalar;
  }
  SplatElementsAttr elements;
  if (matchPattern(tile, m_Constant(&elements))) {
    return arith::ConstantOp::create(builder, tile.getLoc(), elements.getSplatValue<TypedAttr>());
  }
  return {};
}

class Analyzer {
public:
  explicit Analyzer(func::FuncOp function) : axisInfo(function), forms(axisInfo) {}

  /// Nothing, and `reason`, when the access must stay.
  std::optional<Access> analyze(Value pointer, Value mask, Value other) {
    analysis::Obligations exact;
    std::optional<LinearForm> address = forms.form(pointer, exact);
    if (!address) {
      return fail(forms.reason());
    }
    Access access{*address, {}, {}};
    if (mask) {
      std::optional<MaskForm> form = forms.mask(mask, exact);
      if (!form) {
        return fail(forms.reason());
      }
      access.mask = *form;
    }
    if (!exact.empty()) {
      return fail("the index may wrap at " + std::to_string(exact.front().base->width) + " bits inside the tile");
    }
    if (other) {
      OpBuilder builder(other.getContext());
      builder.setInsertionPointAfterValue(other);
      access.other = scalarOf(other, builder);
      if (!access.other) {
        return fail("the values of masked-off elements differ");
      }
    }
    return access;
  }

  const std::string &reason() const { return why; }
  Operation *obstacle() const { return forms.obstacle(); }

private:
  std::nullopt_t fail(std::string text) {
    why = std::move(text);
    return std::nullopt;
  }

  analysis::AxisInfoAnalysis axisInfo;
  analysis::TileForms forms;
  std::string why;
};

// --- Rewrite ---------------------------------------------------------------------------------------------------------

/// The operands of a block access.
struct Block {
  Value base;
  SmallVector<Value> offsets;
  SmallVector<Value> strides;
  SmallVector<Value> extents;
  SmallVector<int32_t> checked;
};

/// The tile is the box from index 0; elements i with least <= i < end are on. A lower bound moves the box's origin, so
/// that inside means from 0 up: offset -least, base + least * stride, extent end - least.
Block makeBlock(const Access &access, OpBuilder &builder, Location loc) {
  normalize::Materializer materialize(builder, loc);
  Block block;
  Value index = materialize(access.address.base);
  unsigned rank = access.address.steps.size();
  for (unsigned axis = 0; axis < rank; ++axis) {
    Value stride = materialize(access.address.steps[axis]);
    Value extent = materialize.constant(access.address.extents[axis]);
    Value least;
    bool isChecked = false;
    for (const MaskForm::Bound &bound : access.mask.least) {
      if (bound.axis == axis) {
        Value value = materialize(bound.value);
        least = least ? arith::MaxSIOp::create(builder, loc, least, value) : value;
      }
    }
    for (const MaskForm::Bound &bound : access.mask.end) {
      if (bound.axis == axis) {
        Value value = materialize(bound.value);
        extent = isChecked ? arith::MinSIOp::create(builder, loc, extent, value) : value;
        isChecked = true;
      }
    }
    if (axis == 0 && !access.mask.conditions.empty()) {
      // A condition on the whole tile empties its first axis.
      Value condition = access.mask.conditions.front();
      for (Value other : ArrayRef(access.mask.conditions).drop_front()) {
        condition = arith::AndIOp::create(builder, loc, condition, other);
      }
      Value nothing = least ? least : materialize.constant(0);
      extent = arith::SelectOp::create(builder, loc, condition, extent, nothing);
      isChecked = true;
    }
    Value offset = materialize.constant(0);
    if (least) {
      offset = arith::SubIOp::create(builder, loc, offset, least);
      extent = arith::SubIOp::create(builder, loc, extent, least);
      Value moved = arith::MulIOp::create(builder, loc, least, stride);
      index = arith::AddIOp::create(builder, loc, index, moved);
      isChecked = true;
    }
    block.offsets.push_back(offset);
    block.strides.push_back(stride);
    block.extents.push_back(extent);
    if (isChecked) {
      block.checked.push_back(static_cast<int32_t>(axis));
    }
  }
  block.base = tile::AddPtrOp::create(builder, loc, access.address.pointer, index);
  return block;
}

void raise(tile::LoadOp load, const Access &access) {
  OpBuilder builder(load);
  Block block = makeBlock(access, builder, load.getLoc());
  auto raised = tile::BlockLoadOp::create(builder, load.getLoc(), load.getType(), block.base, block.offsets,
                                          block.strides, block.extents, access.other, block.checked, load.getCache(),
                                          load.getEviction(), load.getIsVolatile());
  load.getResult().replaceAllUsesWith(raised.getResult());
  load.erase();
}

void raise(tile::StoreOp store, const Access &access) {
  OpBuilder builder(store);
  Block block = makeBlock(access, builder, store.getLoc());
  tile::BlockStoreOp::create(builder, store.getLoc(), block.base, block.offsets, block.strides, block.extents,
                             store.getValue(), block.checked, store.getCache(), store.getEviction());
  store.erase();
}

// --- Pass ------------------------------------------------------------------------------------------------------------

std::string shapeText(ArrayRef<int64_t> extents) {
  std::string text;
  for (int64_t extent : extents) {
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  }
  return text;
}

struct RaiseAccesses : normalize::impl::RaiseAccessesPassBase<RaiseAccesses> {
  void runOnOperation() override {
    SmallVector<Operation *> accesses;
    getOperation().walk([&](Operation *op) {
      if (isa<tile::LoadOp, tile::StoreOp>(op) && isa<RankedTensorType>(op->getOperand(0).getType())) {
        accesses.push_back(op);
      }
    });
    if (accesses.empty()) {
      return;
    }
    Analyzer analyzer(getOperation());
    for (Operation *op : accesses) {
      auto load = dyn_cast<tile::LoadOp>(op);
      std::optional<Access> access =
          load ? analyzer.analyze(load.getPtr(), load.getMask(), load.getOther())
               : analyzer.analyze(cast<tile::StoreOp>(op).getPtr(), cast<tile::StoreOp>(op).getMask(), {});
      auto options = remark::RemarkOpts::name(load ? "load" : "store").category("raise-accesses");
      if (!access) {
        ++numKept;
        remark::missed(op->getLoc(), options) << remark::add("{0} keeps its pointer tile", load ? "load" : "store")
                                              << remark::reason("{0}", analyzer.reason());
        continue;
      }
      ++numRaised;
      remark::passed(op->getLoc(), options)
          << remark::add("{0} of a {1} block", load ? "load" : "store", shapeText(access->address.extents));
      if (load) {
        raise(load, *access);
      } else {
        raise(cast<tile::StoreOp>(op), *access);
      }
    }
  }
};

} // namespace
