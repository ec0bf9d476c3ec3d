// The stages of compilation by name. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stage is a state of the program that can be looked at: `pavage compile --emit STAGE`, `kernel.asm["STAGE"]`.
#ifndef PAVAGE_COMPILER_PIPELINE_STAGES_H
#define PAVAGE_COMPILER_PIPELINE_STAGES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace pavage::pipeline {

enum class Target { Cpu, Gpu, Interp };

enum class Stage {
  Tile,    ///< after Normalize; for interp as recorded
  TileGpu, ///< after Gpu/Schedule
  Nvvm,    ///< after Gpu/Lower: the LLVM and NVVM dialects
  Llvm,    ///< LLVM IR after optimisation, as text
  Asm,     ///< assembler text
  Obj,     ///< object code
  Ptx,     ///< PTX
  Cubin,   ///< machine code of a GPU, by ptxas
};

/// The stages of a target, in order.
llvm::ArrayRef<Stage> stagesOf(Target target);
/// The stage that an artifact holds as its code.
Stage codeOf(Target target);

llvm::StringRef name(Stage stage);
std::optional<Stage> parseStage(llvm::StringRef name);
/// cpu, interp, or a GPU of compiler/Target.
std::optional<Target> parseTarget(llvm::StringRef name);

/// "tile, llvm, asm, obj", for messages.
std::string stageList(Target target);

} // namespace pavage::pipeline

#endif // PAVAGE_COMPILER_PIPELINE_STAGES_H
