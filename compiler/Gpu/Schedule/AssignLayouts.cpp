// Every tile gets its layout. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: writes the choices of LayoutGraph into types, repeats cheap tiles in each layout that is asked for, converts
// the others where two ends disagree, and spells products as tensor-core or multiply-add ops.
//
//   %i = tile.iota 0 : tensor<128xi32>            %i = tile.iota 0 : tensor<128xi32, #A>
//   %p = tile.addptr %base, %i              ->    %p = tile.addptr %base_A, %i
//   %x = tile.load %p                             %x = tile.load %p {tilegpu.vector = 4 : i64}
//   %c = tile.dot %x, %y, %z                      %xo = tilegpu.convert %x : #A -> #operand
//                                                 %c = tilegpu.mma %xo, %yo, %z shape [16, 8, 16]
//
// Needs: Tile in normal form. Leaves: TileGPU in which every tile has a layout; hints are used up.
// Why here: first of the room; all that follows reads layouts.
// Does not: stage or pipeline (pavage-gpu-pipeline), place anything in shared memory.
#include "compiler/Gpu/Schedule/Passes.h"

#include "compiler/Gpu/Schedule/LayoutGraph.h"
#include "compiler/Support/Diagnostics.h"
#include "dialect/Layout/Constructors.h"
#include "dialect/TileGPU/Infer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "pavage-gpu-assign-layouts"

namespace pavage::gpu {
#define GEN_PASS_DEF_ASSIGNLAYOUTSPASS
#include "compiler/Gpu/Schedule/Passes.h.inc"
} // namespace pavage::gpu

using namespace mlir;
using namespace pavage;
using pavage::gpu::DotPlan;
using pavage::gpu::LayoutGraph;
using tilegpu::LayoutAttr;

namespace {

bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

class Assigner {
public:
  Assigner(func::FuncOp kernel, LayoutGraph &graph) : kernel(kernel), graph(graph), builder(kernel.getContext()) {}

  void run() {
    // Operands that need another layout than their tile has, with what they need; found before any type changes.
    SmallVector<std::pair<OpOperand *, LayoutAttr>> wants;
    SmallVector<tile::DotOp> dots;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      order.push_back(op);
      if (auto dot = dyn_cast<tile::DotOp>(op)) {
        dots.push_back(dot);
      }
      if (graph.isTransparent(op)) {
        return;
      }
      for (OpOperand &operand : op->getOpOperands()) {
        if (isTile(operand.get())) {
          wants.emplace_back(&operand, graph.demandOf(operand));
        }
      }
    });
    for (Operation *op : order) {
      noteAccess(op);
    }
    for (Operation *op : order) {
      setTypes(op);
    }
    for (auto [operand, layout] : wants) {
      Value value = operand->get();
      operand->set(layout ? inLayout(value, layout) : inAnyLayout(value));
    }
    for (tile::DotOp dot : dots) {
      spellDot(dot);
    }
    eraseUnused();
    sinkConversions();
  }

  unsigned numMma = 0;

private:
  void noteAccess(Operation *op) {
    const gpu::Access *access = graph.accessOf(op);
    if (!access) {
      return;
    }
    Value subject = op->getNumResults() > 0 ? Value(op->getResult(0)) : Value();
    LayoutAttr layout;
    for (OpOperand &operand : op->getOpOperands()) {
      layout = !layout && isTile(operand.get()) ? graph.demandOf(operand) : layout;
    }
    layout = subject ? graph.layoutOf(subject) : layout;
    int64_t vector = access->vectorOf(layout.getLayout());
    op->setAttr(tilegpu::kVectorAttr, builder.getI64IntegerAttr(vector));
    remark::passed(op->getLoc(), remark::RemarkOpts::name("access").category("assign-layouts"))
        << (op->getName().getStringRef() + " moves " + Twine(vector * access->bytes) + " bytes per lane, " +
            Twine(access->sectorsOf(layout.getLayout(), vector)) + " sectors per warp, runs of " +
            Twine(access->contiguity[access->axis] * access->bytes) + " bytes")
               .str();
  }

  void setType(Value value) {
    if (isTile(value)) {
      if (LayoutAttr layout = graph.layoutOf(value)) {
        value.setType(tilegpu::withLayout(value.getType(), layout));
      }
    }
  }

  void setTypes(Operation *op) {
    if (!graph.isTransparent(op)) {
      llvm::for_each(op->getResults(), [&](Value value) { setType(value); });
    }
    for (Region &region : op->getRegions()) {
      for (Block &block : region) {
        llvm::for_each(block.getArguments(), [&](Value value) { setType(value); });
      }
    }
  }

  /// The tile in a layout: itself, converted, or made again.
  Value inLayout(Value value, LayoutAttr layout) {
    if (tilegpu::layoutOf(value.getType()) == layout) {
      return value;
    }
    Value &made = copies[{value, layout}];
    if (made) {
      return made;
    }
    Operation *op = value.getDefiningOp();
    Value result;
    if (op && graph.isTransparent(op)) {
      result = repeat(op, layout);
    } else {
      builder.setInsertionPointAfterValue(value);
      result = tilegpu::ConvertOp::create(builder, value.getLoc(), tilegpu::withLayout(value.getType(), layout), value);
    }
    return copies[{value, layout}] = result;
  }

  Value inAnyLayout(Value value) {
    if (tilegpu::layoutOf(value.getType())) {
      return value;
    }
    Operation *op = value.getDefiningOp();
    // A view of a tile that has a layout keeps it where it can.
    if (op && gpu::isView(op) && isTile(op->getOperand(0)) && !isa<tile::JoinOp, tile::BroadcastOp>(op)) {
      Value source = inAnyLayout(op->getOperand(0));
      layout::Layout layout = tilegpu::layoutOf(source.getType()).getLayout();
      if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
        layout = layout.expand(expand.getAxis());
      } else if (auto trans = dyn_cast<tile::TransOp>(op)) {
        layout = layout.transpose({trans.getOrder().begin(), trans.getOrder().end()});
      } else {
        layout = layout.reshape(tile::shapeOf(value.getType()).vec());
      }
      return inLayout(value, LayoutAttr::get(value.getContext(), layout));
    }
    return inLayout(value, graph.anyLayout(value.getType()));
  }

  /// A view or cheap op once more, beside the first, with its result in `layout`.
  Value repeat(Operation *op, LayoutAttr layout) {
    SmallVector<Value> operands;
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      LayoutAttr wanted = isTile(value) ? graph.pull(op, operand.getOperandNumber(), layout) : LayoutAttr();
      operands.push_back(!isTile(value) ? value : wanted ? inLayout(value, wanted) : inAnyLayout(value));
    }
    builder.setInsertionPointAfter(op);
    Operation *clone = builder.clone(*op);
    clone->setOperands(operands);
    Type type = tilegpu::withLayout(op->getResult(0).getType(), layout);
    clone->getResult(0).setType(cast<RankedTensorType>(type));
    if (auto constant = dyn_cast<arith::ConstantOp>(clone)) {
      auto value = cast<DenseElementsAttr>(constant.getValue());
      constant.setValueAttr(value.isSplat() ? value.resizeSplat(cast<ShapedType>(type))
                                            : value.reshape(cast<ShapedType>(type)));
    }
    return clone->getResult(0);
  }

  // --- Products ---

  Value castTo(Value value, Type element, bool isSigned = true) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getElementType() == element) {
      return value;
    }
    return tile::CastOp::create(builder, value.getLoc(), type.clone(element), value, tile::Rounding::Nearest, isSigned);
  }

  /// x as the sum of `parts` numbers of the instruction's operand type, the greatest first.
  SmallVector<Value> split(Value x, const DotPlan &plan) {
    SmallVector<Value> result;
    Location loc = x.getLoc();
    for (int part = 0; part < plan.parts; ++part) {
      Value rounded;
      if (plan.tf32) {
        // The digits that tf32 keeps; the rest is exact in f32.
        auto type = cast<RankedTensorType>(x.getType());
        auto bitsType = type.clone(builder.getI32Type());
        Value bits = arith::BitcastOp::create(builder, loc, bitsType, x);
        Value mask = arith::ConstantOp::create(
            builder, loc,
            DenseElementsAttr::get(bitsType, builder.getI32IntegerAttr(static_cast<int32_t>(0xffffe000))));
        bits = arith::AndIOp::create(builder, loc, bits, mask);
        rounded = arith::BitcastOp::create(builder, loc, type, bits);
        result.push_back(rounded);
      } else {
        Value narrow = castTo(x, plan.operand);
        result.push_back(narrow);
        rounded = castTo(narrow, tile::elementTypeOf(x.getType()));
      }
      if (part + 1 < plan.parts) {
        x = arith::SubFOp::create(builder, loc, x, rounded);
      }
    }
    return result;
  }

  void spellDot(tile::DotOp dot) {
    const DotPlan &plan = *graph.dotOf(dot);
    builder.setInsertionPoint(dot);
    Location loc = dot.getLoc();
    Type element = tile::elementTypeOf(dot.getType());
    if (!plan.isMma) {
      remark::missed(loc, remark::RemarkOpts::name("dot").category("assign-layouts"))
          << "dot by multiply-adds: " + plan.reason;
      return spellFma(dot);
    }
    ++numMma;
    remark::passed(loc, remark::RemarkOpts::name("dot").category("assign-layouts"))
        << "dot: " + plan.name() + ", warps " +
               llvm::join(llvm::map_range(graph.dotWarps(dot), [](int64_t n) { return std::to_string(n); }), " x ");
    Value acc = castTo(dot.getAcc(), plan.acc);
    bool isInteger = plan.operand.isInteger();
    auto mma = [&](Value a, Value b) {
      auto op = tilegpu::MmaOp::create(builder, loc, acc.getType(), a, b, acc, builder.getDenseI32ArrayAttr(plan.shape),
                                       plan.tf32, isInteger && dot.getLhsUnsigned(), isInteger && dot.getRhsUnsigned());
      acc = op.getResult();
    };
    if (plan.parts == 1) {
      mma(castTo(dot.getLhs(), plan.operand), castTo(dot.getRhs(), plan.operand));
    } else {
      SmallVector<Value> a = split(dot.getLhs(), plan), b = split(dot.getRhs(), plan);
      // Small products first, so that they are not lost in the large one.
      for (int order = plan.parts - 1; order >= 0; --order) {
        for (int i = order; i >= 0; --i) {
          mma(a[i], b[order - i]);
        }
      }
    }
    Value result = castTo(acc, element);
    dot.getResult().replaceAllUsesWith(result);
    dot.erase();
  }

  void spellFma(tile::DotOp dot) {
    Location loc = dot.getLoc();
    Value slot = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
    auto stage = [&](Value operand) -> Value {
      auto type = cast<RankedTensorType>(operand.getType());
      // Neighbours of a lane stay neighbours, so that they are written, or copied, at once.
      std::vector<int> order;
      layout::Layout own = tilegpu::layoutOf(type).getLayout();
      for (layout::Vector image : own.basis(layout::Place::Register)) {
        layout::Coordinates at = own.unpack(image);
        order.push_back(static_cast<int>(llvm::find_if(at, [](int64_t x) { return x != 0; }) - at.begin()));
        break;
      }
      for (int axis = type.getRank() - 1; axis >= 0; --axis) {
        if (!llvm::is_contained(order, axis)) {
          order.push_back(axis);
        }
      }
      layout::Layout shared = layout::sharedPlain(type.getShape().vec(), order);
      auto ringType = tilegpu::RingType::get(1, tilegpu::withLayout(type, LayoutAttr::get(type.getContext(), shared)));
      Value ring = tilegpu::AllocOp::create(builder, loc, ringType);
      tilegpu::WriteOp::create(builder, loc, operand, ring, slot);
      return ring;
    };
    Value a = stage(dot.getLhs()), b = stage(dot.getRhs());
    auto fma = tilegpu::DotFmaOp::create(builder, loc, dot.getType(), a, slot, b, slot, dot.getAcc(),
                                         dot.getLhsUnsigned(), dot.getRhsUnsigned());
    dot.getResult().replaceAllUsesWith(fma.getResult());
    dot.erase();
  }

  // --- Cleaning up ---

  void eraseUnused() {
    bool changed = true;
    while (changed) {
      changed = false;
      kernel.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
        if (op != kernel && op->use_empty() && isMemoryEffectFree(op) && !op->hasTrait<OpTrait::IsTerminator>()) {
          op->erase();
          changed = true;
        }
      });
    }
  }

  /// A conversion happens where its result is first needed, so that fewer registers are in use.
  void sinkConversions() {
    SmallVector<tilegpu::ConvertOp> conversions;
    kernel.walk([&](tilegpu::ConvertOp op) { conversions.push_back(op); });
    for (tilegpu::ConvertOp op : llvm::reverse(conversions)) {
      Operation *first = nullptr;
      for (Operation *user : op->getUsers()) {
        Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
        first = here && (!first || here->isBeforeInBlock(first)) ? here : first;
      }
      if (first) {
        op->moveBefore(first);
      }
    }
  }

  func::FuncOp kernel;
  LayoutGraph &graph;
  OpBuilder builder;
  std::vector<Operation *> order;
  DenseMap<std::pair<Value, LayoutAttr>, Value> copies;
};

// --- Pass ------------------------------------------------------------------------------------------------------------

struct AssignLayouts : gpu::impl::AssignLayoutsPassBase<AssignLayouts> {
  using AssignLayoutsPassBase::AssignLayoutsPassBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr("tile.kernel")) {
      return;
    }
    const target::GpuTarget *facts = target::findGpuTarget(target);
    if (!facts) {
      kernel.emitError("expected the name of a GPU target, got '") << target << "'";
      return signalPassFailure();
    }
    if (numWarps < 1 || numWarps > 32 || !llvm::isPowerOf2_32(numWarps)) {
      kernel.emitError("expected num-warps to be a power of two from 1 to 32, got ") << numWarps;
      return signalPassFailure();
    }
    Builder builder(kernel.getContext());
    kernel->setAttr(tilegpu::kNumWarpsAttr, builder.getI32IntegerAttr(numWarps));
    kernel->setAttr(tilegpu::kTargetAttr, builder.getStringAttr(target));
    LayoutGraph graph(kernel, numWarps, *facts);
    graph.solve();
    Assigner assigner(kernel, graph);
    assigner.run();
    numMma += assigner.numMma;
    kernel.walk([&](tilegpu::ConvertOp) { ++numConversions; });
  }
};

} // namespace
