// The stages of compilation by name. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipeline/Stages.h"

#include "compiler/Target/GpuTarget.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace pavage::pipeline {

llvm::ArrayRef<Stage> stagesOf(Target target) {
  static constexpr Stage cpu[] = {Stage::Tile, Stage::Llvm, Stage::Asm, Stage::Obj};
  static constexpr Stage gpu[] = {Stage::Tile, Stage::TileGpu, Stage::Nvvm, Stage::Llvm, Stage::Ptx, Stage::Cubin};
  static constexpr Stage interp[] = {Stage::Tile};
  switch (target) {
  case Target::Cpu:
    return cpu;
  case Target::Gpu:
    return gpu;
  case Target::Interp:
    return interp;
  }
  return {};
}

Stage codeOf(Target target) {
  switch (target) {
  case Target::Cpu:
    return Stage::Obj;
  case Target::Gpu:
    return Stage::Ptx;
  case Target::Interp:
    return Stage::Tile;
  }
  return Stage::Tile;
}

llvm::StringRef name(Stage stage) {
  switch (stage) {
  case Stage::Tile:
    return "tile";
  case Stage::TileGpu:
    return "tilegpu";
  case Stage::Nvvm:
    return "nvvm";
  case Stage::Llvm:
    return "llvm";
  case Stage::Asm:
    return "asm";
  case Stage::Obj:
    return "obj";
  case Stage::Ptx:
    return "ptx";
  case Stage::Cubin:
    return "cubin";
  }
  return {};
}

std::optional<Stage> parseStage(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Stage>>(name)
      .Case("tile", Stage::Tile)
      .Case("tilegpu", Stage::TileGpu)
      .Case("nvvm", Stage::Nvvm)
      .Case("llvm", Stage::Llvm)
      .Case("asm", Stage::Asm)
      .Case("obj", Stage::Obj)
      .Case("ptx", Stage::Ptx)
      .Case("cubin", Stage::Cubin)
      .Default(std::nullopt);
}

std::optional<Target> parseTarget(llvm::StringRef name) {
  if (target::findGpuTarget(name)) {
    return Target::Gpu;
  }
  return llvm::StringSwitch<std::optional<Target>>(name)
      .Case("cpu", Target::Cpu)
      .Case("interp", Target::Interp)
      .Default(std::nullopt);
}

std::string stageList(Target target) {
  return llvm::join(llvm::map_range(stagesOf(target), [](Stage s) { return name(s); }), ", ");
}

} // namespace pavage::pipeline
