// Variables and the regions that are open while a kernel is built. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// Static single assignment is made on the fly. A frame is an open region with a detached block: an arm of an if, a loop
// body, a loop condition, a combine function, the kernel. Reading a variable looks through the frames from the inside
// out; passing a loop it makes a block argument, whose incoming values are known when the loop ends. Closing an if
// merges what its arms assigned.
//
// What has left (break, continue, return) makes the rest of a block conditional. Some frames are therefore *implicit*:
// they were opened by the builder, not by the author, and close with the explicit frame below them:
//
//   Live   the rest runs only if `live` holds:       if a { if b { break } } ; rest   ->  %l = if ..; if %l { rest }
//   Then/Else, implicit: the other arm has left:     if a { return } ; rest           ->  if a {} else { rest }
//   Dead   the rest cannot run; its ops are dropped.
#ifndef PAVAGE_FRONTEND_BUILDER_FRAMES_H
#define PAVAGE_FRONTEND_BUILDER_FRAMES_H

#include "frontend/builder/Value.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Region.h"
#include "runtime/Errors/Errors.h"
#include "llvm/ADT/MapVector.h"
#include <memory>

struct pv_variable {
  enum Kind {
    Plain,      // a name of the author's
    Flag,       // "has left": false where it was not assigned
    ReturnValue // of a call: no value where it was not assigned
  };
  std::string name;
  Kind kind = Plain;
  bool isConstexpr = false;
  bool isReleased = false;
  unsigned call = 0; // the call scope it was declared in
};

namespace pavage::builder {

using errors::Position;

/// What a frame knows of a variable that was assigned in it.
struct VarState {
  enum Problem {
    None,
    Unassigned, // `del`
    Partial,    // assigned on one path only: at `at`
    Conflict    // two types: at `at` and `other`
  };
  Ref value;
  Problem problem = None;
  /// Paths that have left hold poison or another type: good only where code behind those exits is guarded.
  bool liveOnly = false;
  Position at, other;
  Ref otherValue;

  bool isReadable() const { return value && problem == None; }
};

/// A variable that a loop carries: the block arguments that stand for it, and where they come from.
struct LoopArg {
  VarState state; // the arguments as its value
  Ref incoming;
  Position incomingAt;
};

/// How a block ends: always reached, never, or where `value` holds.
struct End {
  enum Kind { Always, Never, Maybe } kind = Always;
  mlir::Value value;
};

struct Frame {
  enum Kind { Kernel, Then, Else, For, Condition, Body, Live, Dead, Combine, Call };

  Frame(Kind kind, unsigned serial, Position begun) : kind(kind), serial(serial), begun(std::move(begun)) {}
  bool isLoop() const { return kind == For || kind == Body; }
  /// Passing it, a variable becomes a block argument.
  bool carries() const { return kind == For || kind == Condition || kind == Body; }

  Kind kind;
  unsigned serial;
  Position begun;
  mlir::LocationAttr place; // of the op it becomes
  bool isImplicit = false;
  std::unique_ptr<mlir::Region> region;
  mlir::Block *block = nullptr; // a call shares its caller's
  llvm::MapVector<pv_variable *, VarState> vars;
  llvm::MapVector<pv_variable *, LoopArg> args; // For, Condition, Body

  // Then, Else, Live.
  mlir::Value condition;
  std::unique_ptr<Frame> other; // the finished arm
  End end;

  // Loops. `broke` is set by break, and `mayReturn` when a return leaves the loop too.
  bool isVisited = false;
  bool isEndless = false; // the condition is a constant truth
  pv_variable *broke = nullptr;
  bool mayBreak = false, mayReturn = false;
  // For: bounds and step of the counter, its block argument, and what the author sees of it.
  mlir::Value lower, upper, step;
  bool runsOnce = false; // at least one trip is certain
  Ref index = {};
  llvm::SmallVector<mlir::NamedAttribute, 4> hints;

  // Calls and the kernel.
  unsigned callId = 0;
  pv_variable *returned = nullptr;
  pv_variable *returnValue = nullptr;
  std::string callee;
  Position firstReturn;
  Ref firstValue;
  bool hasReturned = false, returnsNone = false;

  // Combine: the operation it becomes.
  llvm::SmallVector<Ref, 2> sources;
  int64_t axis = 0;
  bool isScan = false, reverse = false, keepDims = false, flattened = false;
  size_t sourceRank = 0;
  // Combine, for map_elementwise: how many elements one call takes, and the shape of the whole. 0 for others.
  int64_t pack = 0;
  Shape mapped;
};

/// A construct of the eager sink: it runs natively, so little is to be known.
struct NativeFrame {
  enum Kind { If, For, While, Call } kind;
  bool taken = false;
  bool isFirst = true;
  Wide next = 0, last = 0, step = 1; // For: `last` exclusive
  Ref index = {};
  DType indexType = {};
  bool goOn = true; // While: the condition's last value
  Ref returnValue = {};
};

} // namespace pavage::builder

#endif // PAVAGE_FRONTEND_BUILDER_FRAMES_H
