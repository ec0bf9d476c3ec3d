// Who must agree on a layout, and what disagreeing costs. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A *node* is one decision: the layout of an op that reaches memory, multiplies, reduces or scans, or of a whole group
// of elementwise ops and loop-carried tiles. A *edge* is a tile on its way from one node to another, through views.
// Where the two ends disagree, the tile is converted, and dialect/Layout says what that takes. The layouts to choose
// from come from the nodes that care (accesses, products) and spread along the edges. Everything is counted in one
// currency, cycles of one program, and the sum over all nodes and edges is improved node by node, from several starts.
//
// Tiles that are cheap to compute from scalars (iotas, splats, index arithmetic, masks) are no nodes: each user gets
// them in the layout that it wants.
#ifndef PAVAGE_COMPILER_GPU_SCHEDULE_LAYOUTGRAPH_H
#define PAVAGE_COMPILER_GPU_SCHEDULE_LAYOUTGRAPH_H

#include "compiler/Gpu/Schedule/Access.h"
#include "compiler/Gpu/Schedule/Dots.h"
#include "dialect/TileGPU/TileGPU.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace pavage::gpu {

class LayoutGraph {
public:
  /// Hints of the kernel are used up and erased.
  LayoutGraph(mlir::func::FuncOp kernel, int warps, const target::GpuTarget &target);

  /// Chooses a layout for every node.
  void solve();

  /// The layout of a tile that a node makes; null for a cheap tile or the result of a view.
  tilegpu::LayoutAttr layoutOf(mlir::Value value) const;
  /// The layout in which an op takes a tile operand; null where it takes any.
  tilegpu::LayoutAttr demandOf(mlir::OpOperand &operand);
  /// The layout of the operands of a view for a result in `layout`; null where it is free.
  tilegpu::LayoutAttr pull(mlir::Operation *view, unsigned operand, tilegpu::LayoutAttr layout);
  /// A layout for a tile of which nobody asks for one.
  tilegpu::LayoutAttr anyLayout(mlir::Type tile) const;
  /// A view or a cheap op: it has no layout of its own.
  bool isTransparent(mlir::Operation *op) const;

  const Access *accessOf(mlir::Operation *op) const;
  const DotPlan *dotOf(mlir::Operation *op) const;
  /// Warps along each axis of the product.
  std::vector<int64_t> dotWarps(mlir::Operation *op) const;
  double cost() const { return best; }

private:
  using LayoutAttr = tilegpu::LayoutAttr;

  struct Node {
    std::vector<int64_t> extents;
    mlir::Operation *anchor = nullptr; ///< null for a group
    std::optional<Access> access;
    std::optional<DotPlan> dot;
    double weight = 1; ///< how often it runs
    double work = 0;   ///< elementwise ops, times how often each runs
    llvm::SmallVector<LayoutAttr> candidates;
    llvm::SmallVector<std::vector<int64_t>> warps; ///< of a product's candidates
    llvm::SmallVector<double> costs;               ///< of each candidate by itself
    unsigned choice = 0;
    llvm::SmallVector<unsigned> edges;
  };
  struct Edge {
    unsigned from, to;
    mlir::Value source;
    mlir::OpOperand *use;
    llvm::SmallVector<std::pair<mlir::Operation *, unsigned>> views; ///< from the use up to the source
    double weight;
    llvm::SmallVector<std::optional<LayoutAttr>> wanted; ///< by the candidates of `to`, as far as asked for
  };

  void readHints();
  void findCheap();
  void makeNodes();
  void joinGroups();
  void makeEdges();
  void addEdge(mlir::OpOperand &use, unsigned to);
  void seedCandidates();
  void spreadCandidates();
  bool allows(const Node &node, LayoutAttr layout) const;
  bool addCandidate(unsigned node, LayoutAttr layout);
  LayoutAttr arrives(const Edge &edge, LayoutAttr from);
  LayoutAttr wanted(Edge &edge, unsigned candidate);
  LayoutAttr defined(mlir::Value value, LayoutAttr node);
  double ownCost(const Node &node, LayoutAttr layout, unsigned candidate) const;
  double conversionCost(mlir::Type tile, LayoutAttr from, LayoutAttr to);
  double edgeCost(Edge &edge);
  double totalCost();
  void improve();
  unsigned find(unsigned node) const;
  unsigned newNode(mlir::Type tile, mlir::Operation *anchor, mlir::Block *block);
  std::optional<unsigned> variableFor(mlir::OpOperand &operand) const;
  LayoutAttr attr(const layout::Layout &layout) const { return LayoutAttr::get(context, layout); }
  const layout::Layout &get(LayoutAttr attr);

  mlir::func::FuncOp kernel;
  mlir::MLIRContext *context;
  int warps;
  const target::GpuTarget &target;
  llvm::DenseMap<mlir::Operation *, Access> accesses;
  std::vector<Node> nodes;
  std::vector<unsigned> parent; ///< union-find
  std::vector<Edge> edges;
  llvm::DenseMap<mlir::Value, unsigned> nodeOfValue;
  llvm::DenseMap<mlir::Operation *, unsigned> nodeOfOp;
  llvm::DenseMap<mlir::Value, int> cheapness; ///< ops to make a cheap tile again
  llvm::DenseMap<LayoutAttr, layout::Layout> layouts;
  llvm::DenseMap<std::pair<LayoutAttr, LayoutAttr>, std::pair<int, double>> conversions;
  llvm::DenseMap<std::pair<mlir::Operation *, LayoutAttr>, LayoutAttr> pulled[3];
  llvm::DenseMap<std::pair<mlir::Operation *, LayoutAttr>, LayoutAttr> reduced;
  double best = 0;
};

/// A view moves nothing: which thread holds an element of its result follows from its operand's layout.
bool isView(mlir::Operation *op);

} // namespace pavage::gpu

#endif // PAVAGE_COMPILER_GPU_SCHEDULE_LAYOUTGRAPH_H
