// The stages of compilation by name. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipeline/Stages.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace pavage::pipeline {

llvm::ArrayRef<Stage> stagesOf(Target target) {
  static constexpr Stage cpu[] = {Stage::Tile, Stage::Llvm, Stage::Asm, Stage::Obj};
  static constexpr Stage interp[] = {Stage::Tile};
  switch (target) {
  case Target::Cpu:
    return cpu;
  case Target::Interp:
    return interp;
  }
  return {};
}

llvm::StringRef name(Stage stage) {
  switch (stage) {
  case Stage::Tile:
    return "tile";
  case Stage::Llvm:
    return "llvm";
  case Stage::Asm:
    return "asm";
  case Stage::Obj:
    return "obj";
  }
  return {};
}

llvm::StringRef name(Target target) { return target == Target::Cpu ? "cpu" : "interp"; }

std::optional<Stage> parseStage(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Stage>>(name)
      .Case("tile", Stage::Tile)
      .Case("llvm", Stage::Llvm)
      .Case("asm", Stage::Asm)
      .Case("obj", Stage::Obj)
      .Default(std::nullopt);
}

std::optional<Target> parseTarget(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Target>>(name)
      .Case("cpu", Target::Cpu)
      .Case("interp", Target::Interp)
      .Default(std::nullopt);
}

std::string stageList(Target target) {
  return llvm::join(llvm::map_range(stagesOf(target), [](Stage s) { return name(s); }), ", ");
}

} // namespace pavage::pipeline
