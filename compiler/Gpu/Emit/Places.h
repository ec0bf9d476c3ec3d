// Which tile op and which line of the author an instruction comes from. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// LLVM carries a file, a line and a column with every instruction, but no op, and prints them as it likes. So each
// location of the module is *numbered*, LLVM gets the number as the line of a nameless file, and the `.loc` lines of
// the PTX are written anew:
//
//   loc(fused<{op = "tile.load"}>["k.py":12:9])  ->  !DILocation(line: 7)  ->  .loc 1 7 0  ->  .loc 1 12 9
//
// and from that line of the text on, instructions come from the op of place 7. Nothing is lost on the way: inlined and
// fused locations have their innermost place, and two ops of one line keep apart.
#ifndef PAVAGE_COMPILER_GPU_EMIT_PLACES_H
#define PAVAGE_COMPILER_GPU_EMIT_PLACES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Location.h"
#include "runtime/Artifact/Artifact.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include <string>
#include <vector>

namespace pavage::gpu {

class Places {
public:
  /// Numbers the locations of a module in the LLVM dialect; its functions get what LLVM wants to keep them.
  explicit Places(mlir::ModuleOp module);

  /// Writes the lines `.loc` and `.file` of a PTX text anew, and tells which op each line comes from.
  void resolve(std::string &ptx, std::vector<artifact::Op> &ops, std::vector<artifact::OpLine> &lines) const;

private:
  struct Place {
    unsigned file = 0; ///< index into files, from 1; 0 = not known
    unsigned line = 0, column = 0;
    uint32_t op = artifact::OpLine::noOp;
  };

  unsigned numberOf(mlir::Location location);

  llvm::DenseMap<mlir::Location, unsigned> numbers;
  std::vector<Place> places; ///< places[n - 1] has number n
  llvm::MapVector<llvm::StringRef, unsigned> files;
  std::vector<artifact::Op> allOps;
};

} // namespace pavage::gpu

#endif // PAVAGE_COMPILER_GPU_EMIT_PLACES_H
