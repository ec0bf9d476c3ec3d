// Building the graph of layouts and choosing. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Gpu/Schedule/LayoutGraph.h"

#include "compiler/Gpu/Schedule/Cost.h"
#include "dialect/Layout/Constructors.h"
#include "dialect/TileGPU/Infer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using pavage::layout::Layout;
using pavage::layout::Place;

namespace pavage::gpu {

using tilegpu::LayoutAttr;

namespace {
constexpr int cheapLimit = 48;       // ops that are rather repeated than their result converted
constexpr size_t maxCandidates = 20; // of one node
constexpr int maxSweeps = 8;
constexpr size_t maxStarts = 10;

RankedTensorType tileOf(Type type) { return dyn_cast<RankedTensorType>(type); }
RankedTensorType tileOf(Value value) { return tileOf(value.getType()); }

bool hasPowerExtents(ArrayRef<int64_t> extents) {
  return llvm::all_of(extents, [](int64_t extent) { return llvm::isPowerOf2_64(extent); });
}

/// Iterations that a loop level is counted as.
double weightOf(Block *block) {
  double weight = 1;
  for (Operation *op = block->getParentOp(); op && !isa<func::FuncOp>(op); op = op->getParentOp()) {
    weight *= isa<scf::ForOp, scf::WhileOp>(op) ? 8 : 1;
  }
  return weight;
}

/// Ops that one element of this op costs again, the operands aside.
int opCost(Operation *op) {
  if (isa<tile::DivOp, tile::RemOp>(op)) {
    return 12;
  }
  if (isa<math::MathDialect>(op->getDialect())) {
    return 16;
  }
  return 1;
}

/// Whether an image is a power of two or zero for every bit: registers, lanes and warps each own bits of the number.
bool isDealt(const Layout &layout) {
  for (layout::Vector image : layout.allImages()) {
    if (!llvm::isPowerOf2_64(image) && image != 0) {
      return false;
    }
  }
  return true;
}

/// Along `axis` the bits belong, from the lowest, to registers, lanes, warps and registers again.
bool isOrderedAlong(const Layout &layout, int axis) {
  if (!isDealt(layout)) {
    return false;
  }
  int stage = 0;
  for (int bit = 0; bit < layout.axisBits(axis); ++bit) {
    std::vector<int64_t> unit(layout.rank(), 0);
    unit[axis] = int64_t(1) << bit;
    layout::Vector image = layout.pack(unit);
    int kind = -1;
    for (int place = 0; place < 3; ++place) {
      const layout::Vectors &basis = layout.basis(static_cast<Place>(place));
      kind = llvm::find(basis, image) != basis.end() && kind < 0 ? place : kind;
    }
    int next = kind == 0 ? (stage == 0 ? 0 : 3) : kind;
    if (next < stage) {
      return false;
    }
    stage = next;
  }
  // Within each kind ascending, so that neighbours are neighbours.
  for (int place = 0; place < 3; ++place) {
    layout::Vector before = 0;
    for (layout::Vector image : layout.basis(static_cast<Place>(place))) {
      std::vector<int64_t> at = layout.unpack(image);
      if (at[axis] != 0 && image < before) {
        return false;
      }
      before = at[axis] != 0 ? image : before;
    }
  }
  return true;
}
} // namespace

bool isView(Operation *op) {
  if (auto reshape = dyn_cast<tile::ReshapeOp>(op)) {
    return hasPowerExtents(tile::shapeOf(reshape.getType())) &&
           hasPowerExtents(tile::shapeOf(reshape.getSrc().getType()));
  }
  return isa<tile::ExpandDimsOp, tile::BroadcastOp, tile::TransOp, tile::JoinOp>(op);
}

LayoutGraph::LayoutGraph(func::FuncOp kernel, int warps, const target::GpuTarget &target)
    : kernel(kernel), context(kernel.getContext()), warps(warps), target(target) {
  readHints();
  findCheap();
  makeNodes();
  joinGroups();
  makeEdges();
  seedCandidates();
  spreadCandidates();
}

const Layout &LayoutGraph::get(LayoutAttr attr) {
  auto [it, isNew] = layouts.try_emplace(attr);
  if (isNew) {
    it->second = attr.getLayout();
  }
  return it->second;
}

// --- Nodes -----------------------------------------------------------------------------------------------------------

void LayoutGraph::readHints() {
  analysis::AxisInfoAnalysis axisInfo(kernel, /*trustHints=*/true);
  kernel.walk([&](Operation *op) {
    if (std::optional<Access> access = gpu::accessOf(op, axisInfo)) {
      accesses[op] = std::move(*access);
    }
  });
  kernel.walk([](tile::HintOp hint) {
    hint.getResult().replaceAllUsesWith(hint.getSrc());
    hint.erase();
  });
}

void LayoutGraph::findCheap() {
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getNumResults() != 1 || !tileOf(op->getResult(0))) {
      return;
    }
    bool isLeaf = isa<tile::SplatOp, tile::IotaOp, arith::ConstantOp, ub::PoisonOp>(op);
    if (!isLeaf && !tilegpu::isElementwise(op) && !isView(op)) {
      return;
    }
    int total = isView(op) ? 0 : opCost(op);
    for (Value operand : op->getOperands()) {
      if (!tileOf(operand)) {
        continue;
      }
      auto found = cheapness.find(operand);
      if (found == cheapness.end()) {
        return;
      }
      total += found->second;
    }
    if (total <= cheapLimit) {
      cheapness[op->getResult(0)] = total;
    }
  });
}

bool LayoutGraph::isTransparent(Operation *op) const {
  return op->getNumResults() == 1 && (isView(op) || cheapness.contains(op->getResult(0)));
}

unsigned LayoutGraph::newNode(Type tile, Operation *anchor, Block *block) {
  Node node;
  node.extents = cast<RankedTensorType>(tile).getShape().vec();
  node.anchor = anchor;
  node.weight = weightOf(block);
  nodes.push_back(std::move(node));
  parent.push_back(nodes.size() - 1);
  return nodes.size() - 1;
}

unsigned LayoutGraph::find(unsigned node) const {
  while (parent[node] != node) {
    node = parent[node];
  }
  return node;
}

void LayoutGraph::makeNodes() {
  auto variables = [&](Operation *op, ValueRange values, Block *block) {
    for (Value value : values) {
      if (tileOf(value)) {
        nodeOfValue[value] = newNode(value.getType(), nullptr, block);
      }
    }
  };
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    Block *block = op->getBlock();
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      variables(op, loop.getRegionIterArgs(), loop.getBody());
      for (auto [argument, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults())) {
        if (tileOf(result)) {
          nodeOfValue[result] = nodeOfValue.lookup(argument);
        }
      }
      return;
    }
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      variables(op, loop.getBeforeArguments(), loop.getBeforeBody());
      variables(op, loop.getAfterArguments(), loop.getAfterBody());
      for (auto [argument, result] : llvm::zip(loop.getAfterArguments(), loop.getResults())) {
        if (tileOf(result)) {
          nodeOfValue[result] = nodeOfValue.lookup(argument);
        }
      }
      return;
    }
    if (isa<func::FuncOp, tile::YieldOp>(op) || op->hasTrait<OpTrait::IsTerminator>() || isTransparent(op)) {
      return;
    }
    if (isa<scf::SCFDialect>(op->getDialect())) {
      variables(op, op->getResults(), block);
      return;
    }
    // What a node's layout is about: the sources of reductions and splits, else the results, else the stored tile.
    Value subject;
    if (isa<tile::ReduceOp, tile::SplitOp>(op)) {
      subject = op->getOperand(0);
    } else if (op->getNumResults() > 0) {
      subject = op->getResult(0);
    } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
      subject = store.getValue();
    } else if (auto store = dyn_cast<tile::BlockStoreOp>(op)) {
      subject = store.getValue();
    }
    if (!subject || !tileOf(subject)) {
      return;
    }
    bool isGroup = tilegpu::isElementwise(op);
    unsigned node = newNode(subject.getType(), isGroup ? nullptr : op, block);
    nodeOfOp[op] = node;
    for (Value result : op->getResults()) {
      if (tileOf(result)) {
        nodeOfValue[result] = node;
      }
    }
    if (isGroup) {
      nodes[node].work = opCost(op) * nodes[node].weight;
    }
    if (auto access = accesses.find(op); access != accesses.end()) {
      nodes[node].access = access->second;
    }
    if (auto dot = dyn_cast<tile::DotOp>(op)) {
      nodes[node].dot =
          planDot(dot.getLhs().getType(), dot.getRhs().getType(), dot.getAcc().getType(), dot.getPrecision(), target);
    }
  });
}

/// The loop or branch variable that an operand of a terminator or a loop becomes.
std::optional<unsigned> LayoutGraph::variableFor(OpOperand &operand) const {
  Operation *op = operand.getOwner();
  unsigned index = operand.getOperandNumber();
  Value variable;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    variable = index >= 3 ? Value(loop.getRegionIterArg(index - 3)) : Value();
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    variable = loop.getBeforeArguments()[index];
  } else if (isa<scf::ConditionOp>(op)) {
    variable = index >= 1 ? op->getParentOp()->getResult(index - 1) : Value();
  } else if (isa<scf::YieldOp>(op)) {
    Operation *outer = op->getParentOp();
    if (auto loop = dyn_cast<scf::WhileOp>(outer)) {
      variable = loop.getBeforeArguments()[index];
    } else {
      variable = outer->getResult(index);
    }
  }
  auto found = variable ? nodeOfValue.find(variable) : nodeOfValue.end();
  return found == nodeOfValue.end() ? std::nullopt : std::optional(found->second);
}

void LayoutGraph::joinGroups() {
  auto join = [&](unsigned a, unsigned b) {
    a = find(a);
    b = find(b);
    if (a == b || nodes[a].anchor || nodes[b].anchor || nodes[a].extents != nodes[b].extents) {
      return;
    }
    parent[b] = a;
    nodes[a].weight = std::max(nodes[a].weight, nodes[b].weight);
    nodes[a].work += nodes[b].work;
  };
  kernel.walk([&](Operation *op) {
    auto own = nodeOfOp.find(op);
    for (OpOperand &operand : op->getOpOperands()) {
      auto source = nodeOfValue.find(operand.get());
      if (source == nodeOfValue.end()) {
        continue;
      }
      if (own != nodeOfOp.end()) {
        join(own->second, source->second);
      } else if (std::optional<unsigned> variable = variableFor(operand)) {
        // What a loop starts from may be converted once, outside.
        if (!isa<scf::ForOp, scf::WhileOp>(op) || isa<BlockArgument>(operand.get())) {
          join(*variable, source->second);
        }
      }
    }
  });
}

// --- Edges -----------------------------------------------------------------------------------------------------------

void LayoutGraph::addEdge(OpOperand &use, unsigned to) {
  Edge edge;
  edge.to = find(to);
  edge.use = &use;
  // Up through views; a join has two sources, so this may branch.
  SmallVector<std::pair<Value, SmallVector<std::pair<Operation *, unsigned>>>> open{{use.get(), {}}};
  while (!open.empty()) {
    auto [value, views] = open.pop_back_val();
    if (!tileOf(value) || cheapness.contains(value)) {
      continue;
    }
    auto found = nodeOfValue.find(value);
    if (found == nodeOfValue.end()) {
      Operation *view = value.getDefiningOp();
      for (OpOperand &operand : view->getOpOperands()) {
        auto longer = views;
        longer.emplace_back(view, operand.getOperandNumber());
        open.emplace_back(operand.get(), std::move(longer));
      }
      continue;
    }
    Edge made = edge;
    made.from = find(found->second);
    made.source = value;
    made.views = views;
    made.weight = weightOf(value.getParentBlock());
    if (made.from != made.to || !views.empty()) {
      nodes[made.from].edges.push_back(edges.size());
      if (made.from != made.to) {
        nodes[made.to].edges.push_back(edges.size());
      }
      edges.push_back(std::move(made));
    }
  }
}

/// Ops that take tile operands in any layout.
static bool takesAny(Operation *op) {
  return isa<tile::GatherOp, tile::CatOp, tile::SliceOp, tile::HistogramOp, tile::UnsplatOp, tile::PrintOp,
             tile::AssertOp, tile::ReshapeOp>(op);
}

void LayoutGraph::makeEdges() {
  kernel.walk([&](Operation *op) {
    if (isTransparent(op) || takesAny(op)) {
      return;
    }
    auto own = nodeOfOp.find(op);
    for (OpOperand &operand : op->getOpOperands()) {
      if (!tileOf(operand.get())) {
        continue;
      }
      if (own != nodeOfOp.end()) {
        bool isFma = nodes[find(own->second)].dot && !nodes[find(own->second)].dot->isMma;
        if (!(isFma && operand.getOperandNumber() < 2)) {
          addEdge(operand, own->second);
        }
      } else if (std::optional<unsigned> variable = variableFor(operand)) {
        addEdge(operand, *variable);
      }
    }
  });
}

LayoutAttr LayoutGraph::pull(Operation *view, unsigned operand, LayoutAttr layout) {
  LayoutAttr &result = pulled[operand][{view, layout}];
  if (!result) {
    std::optional<Layout> own = tilegpu::operandLayout(view, operand, get(layout));
    result = own ? attr(*own) : LayoutAttr();
  }
  return result;
}

LayoutAttr LayoutGraph::defined(Value value, LayoutAttr node) {
  Operation *op = value.getDefiningOp();
  if (!op || !isa<tile::ReduceOp, tile::SplitOp>(op) || !node) {
    return node;
  }
  LayoutAttr &result = reduced[{op, node}];
  if (!result) {
    std::optional<Layout> own = tilegpu::reducedLayout(op, get(node));
    result = own ? attr(*own) : LayoutAttr();
  }
  return result;
}

/// What the use of an edge wants from its source when the node at the use takes its candidate.
LayoutAttr LayoutGraph::wanted(Edge &edge, unsigned candidate) {
  if (candidate >= edge.wanted.size()) {
    edge.wanted.resize(candidate + 1);
  }
  if (edge.wanted[candidate]) {
    return *edge.wanted[candidate];
  }
  const Node &to = nodes[edge.to];
  LayoutAttr layout = to.candidates[candidate];
  unsigned side = edge.use->getOperandNumber();
  if (to.dot && to.dot->isMma && side < 2) {
    auto tile = tileOf(edge.use->get());
    layout = attr(
        layout::mmaOperand(side, tile.getShape().vec(), to.dot->operand.getIntOrFloatBitWidth(), to.warps[candidate]));
  }
  for (auto [view, operand] : edge.views) {
    layout = layout ? pull(view, operand, layout) : layout;
  }
  edge.wanted[candidate] = layout;
  return layout;
}

/// The layout at the use when the source has `from`, where views can be followed downwards.
LayoutAttr LayoutGraph::arrives(const Edge &edge, LayoutAttr from) {
  if (!from) {
    return from;
  }
  if (edge.views.empty()) {
    return from;
  }
  Layout layout = get(from);
  for (auto [view, operand] : llvm::reverse(edge.views)) {
    if (auto expand = dyn_cast<tile::ExpandDimsOp>(view)) {
      layout = layout.expand(expand.getAxis());
    } else if (auto trans = dyn_cast<tile::TransOp>(view)) {
      layout = layout.transpose({trans.getOrder().begin(), trans.getOrder().end()});
    } else if (auto reshape = dyn_cast<tile::ReshapeOp>(view)) {
      layout = layout.reshape(tile::shapeOf(reshape.getType()).vec());
    } else {
      return {};
    }
  }
  return attr(layout);
}

// --- Candidates ------------------------------------------------------------------------------------------------------

bool LayoutGraph::allows(const Node &node, LayoutAttr layout) const {
  Operation *op = node.anchor;
  Layout own = layout.getLayout();
  if (own.extents() != node.extents || !own.isSurjective()) {
    return false;
  }
  if (!op) {
    return true;
  }
  if (auto scan = dyn_cast<tile::ScanOp>(op)) {
    return isOrderedAlong(own, scan.getAxis());
  }
  if (isa<tile::SortOp>(op)) {
    return isOrderedAlong(own, own.rank() - 1);
  }
  if (isa<tile::SplitOp>(op)) {
    return tilegpu::reducedLayout(op, own).has_value();
  }
  if (auto ptx = dyn_cast<tile::InlinePtxOp>(op)) {
    const layout::Vectors &registers = own.basis(Place::Register);
    for (unsigned bit = 0; (1 << bit) < ptx.getPack(); ++bit) {
      if (bit >= registers.size() || registers[bit] != layout::Vector(1) << bit) {
        return false;
      }
    }
    return true;
  }
  return !isa<tile::DotOp>(op); // made for it only
}

bool LayoutGraph::addCandidate(unsigned index, LayoutAttr layout) {
  Node &node = nodes[index];
  if (!layout || node.candidates.size() >= maxCandidates || llvm::is_contained(node.candidates, layout) ||
      !allows(node, layout)) {
    return false;
  }
  node.candidates.push_back(layout);
  return true;
}

void LayoutGraph::seedCandidates() {
  for (unsigned index = 0; index < nodes.size(); ++index) {
    Node &node = nodes[index];
    if (find(index) != index) {
      continue;
    }
    if (node.access) {
      for (const Layout &layout : node.access->layouts(warps)) {
        addCandidate(index, attr(layout));
      }
    } else if (node.dot && node.dot->isMma) {
      auto dot = cast<tile::DotOp>(node.anchor);
      for (std::vector<int64_t> &split :
           warpSplits(node.extents, tile::shapeOf(dot.getLhs().getType()).back(), warps)) {
        LayoutAttr layout = attr(layout::mmaAccumulator(node.extents, split));
        if (!llvm::is_contained(node.candidates, layout)) {
          node.candidates.push_back(layout);
          node.warps.push_back(std::move(split));
        }
      }
    } else if (node.anchor) {
      int last = static_cast<int>(node.extents.size()) - 1;
      if (auto ptx = dyn_cast<tile::InlinePtxOp>(node.anchor)) {
        addCandidate(index, attr(plainLayouts(node.extents, last, ptx.getPack(), warps).front()));
      } else if (isa<tile::SplitOp>(node.anchor)) {
        // The halves of a pair sit in one lane, and that lane's share is dealt out as if the pair were one element.
        std::vector<int64_t> halves(node.extents.begin(), node.extents.end() - 1);
        if (halves.empty()) {
          addCandidate(index, attr(plainLayouts(node.extents, last, 2, warps).front()));
        }
        for (const Layout &layout : halves.empty() ? std::vector<Layout>{} : plainLayouts(halves, last - 1, 1, warps)) {
          layout::Layout::Bases bases;
          for (int place = 0; place < layout::kNumPlaces; ++place) {
            for (layout::Vector image : layout.basis(static_cast<Place>(place))) {
              bases[place].push_back(image << 1);
            }
          }
          bases[0].insert(bases[0].begin(), 1);
          addCandidate(index, attr(Layout(node.extents, std::move(bases))));
        }
      } else {
        for (int axis = last; axis >= 0; --axis) {
          for (const Layout &layout : plainLayouts(node.extents, axis, 1, warps)) {
            addCandidate(index, attr(layout));
          }
        }
      }
    }
  }
}

void LayoutGraph::spreadCandidates() {
  for (int round = 0; round < 4; ++round) {
    bool changed = false;
    for (Edge &edge : edges) {
      Node &from = nodes[edge.from], &to = nodes[edge.to];
      bool isOperand = to.dot && edge.use->getOperandNumber() < 2;
      bool isReduced = edge.source.getDefiningOp<tile::ReduceOp>() || edge.source.getDefiningOp<tile::SplitOp>();
      for (unsigned i = 0; i < to.candidates.size() && !isReduced; ++i) {
        // What a product reads is staged in shared memory, so that it is fetched once.
        if (!(isOperand && from.access)) {
          changed |= addCandidate(edge.from, wanted(edge, i));
        }
      }
      for (unsigned i = 0; i < from.candidates.size() && !isOperand; ++i) {
        changed |= addCandidate(edge.to, arrives(edge, defined(edge.source, from.candidates[i])));
      }
    }
    if (!changed) {
      break;
    }
  }
  for (unsigned index = 0; index < nodes.size(); ++index) {
    Node &node = nodes[index];
    if (find(index) != index) {
      continue;
    }
    if (node.candidates.empty()) {
      int last = static_cast<int>(node.extents.size()) - 1;
      node.candidates.push_back(attr(plainLayouts(node.extents, last, 1, warps).front()));
    }
    for (unsigned i = 0; i < node.candidates.size(); ++i) {
      node.costs.push_back(ownCost(node, node.candidates[i], i));
    }
    node.choice = std::min_element(node.costs.begin(), node.costs.end()) - node.costs.begin();
  }
}

// --- Cost ------------------------------------------------------------------------------------------------------------

double LayoutGraph::ownCost(const Node &node, LayoutAttr attr, unsigned candidate) const {
  Layout layout = attr.getLayout();
  double cost = node.work * elementwiseCost(layout, warps);
  if (node.access) {
    cost += node.weight * accessCost(*node.access, layout, warps);
  }
  if (node.dot && node.dot->isMma) {
    auto dot = cast<tile::DotOp>(node.anchor);
    cost += node.weight *
            dotCost(*node.dot, node.extents, tile::shapeOf(dot.getLhs().getType()).back(), node.warps[candidate]);
  }
  if (auto reduce = dyn_cast_if_present<tile::ReduceOp>(node.anchor)) {
    cost += node.weight * reduceCost(layout, reduce.getAxis(), warps);
  }
  if (auto scan = dyn_cast_if_present<tile::ScanOp>(node.anchor)) {
    cost += node.weight * reduceCost(layout, scan.getAxis(), warps);
  }
  if (isa_and_present<tile::SortOp>(node.anchor)) {
    cost += node.weight * 8 * reduceCost(layout, layout.rank() - 1, warps);
  }
  return cost;
}

double LayoutGraph::conversionCost(Type tile, LayoutAttr from, LayoutAttr to) {
  if (from == to) {
    return 0;
  }
  int64_t bytes = tile::bytesInMemory(tile::elementTypeOf(tile));
  auto [it, isNew] = conversions.try_emplace({from, to}, 0, 0.0);
  if (isNew || it->second.first != bytes) {
    it->second = {static_cast<int>(bytes), gpu::conversionCost(get(from), get(to), bytes, warps)};
  }
  return it->second.second;
}

double LayoutGraph::edgeCost(Edge &edge) {
  LayoutAttr from = defined(edge.source, nodes[edge.from].candidates[nodes[edge.from].choice]);
  LayoutAttr to = wanted(edge, nodes[edge.to].choice);
  return from && to ? edge.weight * conversionCost(edge.source.getType(), from, to) : 0;
}

double LayoutGraph::totalCost() {
  double total = 0;
  for (unsigned index = 0; index < nodes.size(); ++index) {
    total += find(index) == index ? nodes[index].costs[nodes[index].choice] : 0;
  }
  for (Edge &edge : edges) {
    total += edgeCost(edge);
  }
  return total;
}

// --- Choice ----------------------------------------------------------------------------------------------------------

/// Lets each node in turn take what is best for it and its edges, until none moves.
void LayoutGraph::improve() {
  for (int sweep = 0; sweep < maxSweeps; ++sweep) {
    bool moved = false;
    for (unsigned step = 0; step < nodes.size(); ++step) {
      unsigned index = sweep % 2 == 0 ? step : nodes.size() - 1 - step;
      Node &node = nodes[index];
      if (find(index) != index || node.candidates.size() < 2) {
        continue;
      }
      unsigned before = node.choice, bestChoice = before;
      double least = std::numeric_limits<double>::max();
      for (unsigned i = 0; i < node.candidates.size(); ++i) {
        unsigned choice = (before + i) % node.candidates.size(); // at equal cost stay
        node.choice = choice;
        double cost = node.costs[choice];
        for (unsigned edge : node.edges) {
          cost += edgeCost(edges[edge]);
        }
        if (cost < least - 1e-9) {
          least = cost;
          bestChoice = choice;
        }
      }
      node.choice = bestChoice;
      moved |= bestChoice != before;
    }
    if (!moved) {
      return;
    }
  }
}

void LayoutGraph::solve() {
  auto choices = [&] {
    SmallVector<unsigned> result;
    for (Node &node : nodes) {
      result.push_back(node.choice);
    }
    return result;
  };
  SmallVector<unsigned> start = choices();
  improve();
  SmallVector<unsigned> chosen = choices();
  best = totalCost();
  // Other starts: everybody who can follows one layout.
  SmallVector<LayoutAttr> leaders;
  for (Node &node : nodes) {
    if (node.anchor) {
      for (LayoutAttr layout : node.candidates) {
        if (!llvm::is_contained(leaders, layout) && leaders.size() < maxStarts && node.edges.size() > 0) {
          leaders.push_back(layout);
        }
      }
    }
  }
  for (LayoutAttr leader : leaders) {
    for (auto [node, choice] : llvm::zip(nodes, start)) {
      auto *found = llvm::find(node.candidates, leader);
      node.choice = found == node.candidates.end() ? choice : found - node.candidates.begin();
    }
    improve();
    double cost = totalCost();
    if (cost < best - 1e-9) {
      best = cost;
      chosen = choices();
    }
  }
  for (auto [node, choice] : llvm::zip(nodes, chosen)) {
    node.choice = choice;
  }
}

// --- Answers ---------------------------------------------------------------------------------------------------------

LayoutAttr LayoutGraph::layoutOf(Value value) const {
  auto found = nodeOfValue.find(value);
  if (found == nodeOfValue.end()) {
    return {};
  }
  const Node &node = nodes[find(found->second)];
  return const_cast<LayoutGraph *>(this)->defined(value, node.candidates[node.choice]);
}

LayoutAttr LayoutGraph::demandOf(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (takesAny(op)) {
    return {};
  }
  auto own = nodeOfOp.find(op);
  std::optional<unsigned> index = own != nodeOfOp.end() ? std::optional(own->second) : variableFor(operand);
  if (!index) {
    return {};
  }
  Node &node = nodes[find(*index)];
  if (node.dot && operand.getOperandNumber() < 2) {
    if (!node.dot->isMma) {
      return {};
    }
    return attr(layout::mmaOperand(operand.getOperandNumber(), tileOf(operand.get()).getShape().vec(),
                                   node.dot->operand.getIntOrFloatBitWidth(), node.warps[node.choice]));
  }
  return node.candidates[node.choice];
}

LayoutAttr LayoutGraph::anyLayout(Type tile) const {
  std::vector<int64_t> extents = cast<RankedTensorType>(tile).getShape().vec();
  return attr(plainLayouts(extents, static_cast<int>(extents.size()) - 1, 1, warps).front());
}

const Access *LayoutGraph::accessOf(Operation *op) const {
  auto found = nodeOfOp.find(op);
  const Node *node = found == nodeOfOp.end() ? nullptr : &nodes[find(found->second)];
  return node && node->access ? &*node->access : nullptr;
}

const DotPlan *LayoutGraph::dotOf(Operation *op) const {
  auto found = nodeOfOp.find(op);
  const Node *node = found == nodeOfOp.end() ? nullptr : &nodes[find(found->second)];
  return node && node->dot ? &*node->dot : nullptr;
}

std::vector<int64_t> LayoutGraph::dotWarps(Operation *op) const {
  const Node &node = nodes[find(nodeOfOp.lookup(op))];
  return node.warps.empty() ? std::vector<int64_t>{} : node.warps[node.choice];
}

} // namespace pavage::gpu
