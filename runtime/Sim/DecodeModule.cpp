// Module to Program: placing variables, decoding functions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/DecoderState.h"

#include <algorithm>
#include <cstring>

namespace pavage::sim {

namespace {

void placeGlobals(ModuleContext &context, DeviceMemory &memory) {
  for (const Variable &v : context.module.globals) {
    if (v.space == Space::Shared) {
      Symbol s;
      s.space = Space::Shared;
      if (v.isExtern) {
        context.hasDynamicShared = true;
        s.address = ~u64(0);
      } else {
        context.sharedBytes = static_cast<u32>(alignUp(context.sharedBytes, v.align));
        s.address = context.sharedBytes;
        if (v.bytes > (1u << 20)) {
          fail(609, v.where, "shared variable '" + v.name + "' is too large");
        }
        context.sharedBytes += static_cast<u32>(v.bytes);
      }
      context.symbols[v.name] = s;
      continue;
    }
    Symbol s;
    s.space = v.space;
    s.address = memory.allocate(std::max<u64>(v.bytes, 1), v.name, std::max<u64>(v.align, 256));
    if (!s.address) {
      fail(609, v.where, "no memory for variable '" + v.name + "'");
    }
    memory.fill(s.address, 0, std::max<u64>(v.bytes, 1));
    context.symbols[v.name] = s;
    context.program.globals.push_back({v.name, s.address, v.bytes, v.space == Space::Const, {}});
  }
}

void fillGlobals(ModuleContext &context, DeviceMemory &memory) {
  for (const Variable &v : context.module.globals) {
    if (v.space == Space::Shared || v.init.empty()) {
      continue;
    }
    std::vector<u8> bytes = v.init;
    for (const Relocation &r : v.relocations) {
      auto found = context.symbols.find(r.symbol);
      if (found == context.symbols.end()) {
        fail(606, r.where, "unknown name '" + r.symbol + "'");
      }
      const Symbol &s = found->second;
      u64 value =
          (s.function >= 0 ? functionBase + 16 * static_cast<u64>(s.function) : s.address) + static_cast<u64>(r.addend);
      if (r.byte >= 0) {
        bytes[r.offset] = static_cast<u8>(value >> (8 * (r.byte & 7)));
      } else {
        std::memcpy(bytes.data() + r.offset, &value, std::min<size_t>(8, bytes.size() - r.offset));
      }
    }
    memory.write(context.symbols[v.name].address, bytes.data(), bytes.size());
  }
}

} // namespace

Program decodeModule(const Module &module, DeviceMemory &memory) {
  Program program;
  program.arch = module.arch;
  program.archSuffix = module.archSuffix;
  program.ptxVersion = module.ptxVersion;
  program.files = module.files;
  ModuleContext context{module, program, {}, {}, 0, false};
  placeGlobals(context, memory);
  for (const Function &f : module.functions) {
    u32 index = static_cast<u32>(program.functions.size());
    Symbol s;
    s.function = static_cast<i32>(index);
    context.symbols[f.name] = s;
    context.functionNumbers[f.name] = index;
    program.functions.emplace_back();
  }
  fillGlobals(context, memory);
  // Shared memory: the module's variables, then those of device functions, then each kernel's own from there on. The
  // dynamic array starts behind the largest kernel's, so that device functions find it at one place.
  std::vector<u32> sharedStart(module.functions.size(), 0);
  u32 dynamicAt = 0;
  for (bool entries : {false, true}) {
    for (u32 k = 0; k < module.functions.size(); ++k) {
      if (module.functions[k].isEntry != entries) {
        continue;
      }
      u32 at = sharedStart[k] = context.sharedBytes;
      for (const Variable &v : module.functions[k].locals) {
        if (v.space == Space::Shared) {
          at = static_cast<u32>(alignUp(at, v.align) + std::min<u64>(v.bytes, 1u << 20));
        }
      }
      context.sharedBytes = entries ? context.sharedBytes : at;
      dynamicAt = std::max(dynamicAt, at);
    }
  }
  for (const Variable &v : module.globals) {
    if (v.space == Space::Shared && v.isExtern) {
      dynamicAt = static_cast<u32>(alignUp(dynamicAt, std::max(16u, v.align)));
    }
  }
  for (auto &[name, s] : context.symbols) {
    if (s.space == Space::Shared && s.address == ~u64(0)) {
      s.address = dynamicAt;
    }
  }
  std::vector<u32> staticEnd(module.functions.size(), 0);
  for (u32 k = 0; k < module.functions.size(); ++k) {
    const Function &f = module.functions[k];
    program.functions[k].name = f.name;
    if (f.hasBody) {
      context.sharedBytes = sharedStart[k];
      FunctionDecoder(context, f, k).run();
    }
    staticEnd[k] = context.sharedBytes;
  }
  u32 shift = 2;
  auto noteGlobal = [&](const MemInfo &m, u32 bytes) {
    if (m.space == Space::Global || m.space == Space::Generic) {
      program.globalShift = std::min(program.globalShift, bytes >= 4 ? 2u : bytes / 2);
    }
  };
  for (const AtomInfo &a : program.atoms) {
    noteGlobal(a.mem, a.mem.elementBytes);
  }
  for (const WmmaInfo &x : program.wmmas) {
    noteGlobal(x.mem, x.mem.elementBytes);
  }
  for (const MemInfo &m : program.mems) {
    noteGlobal(m, u32(m.elementBytes) * m.count);
    bool mayBeShared = m.space == Space::Shared || m.space == Space::Generic;
    if (mayBeShared && m.elementBytes * m.count < 4) {
      shift = std::min(shift, m.elementBytes * m.count == 2 ? 1u : 0u);
    }
  }
  for (u32 k = 0; k < module.functions.size(); ++k) {
    const Function &f = module.functions[k];
    if (!f.isEntry || !f.hasBody) {
      continue;
    }
    Kernel kernel;
    kernel.name = f.name;
    kernel.code = k;
    u64 at = 0;
    for (const Variable &v : f.params) {
      at = alignUp(at, v.align);
      bool isPointer = v.isPointer || ((v.type == Ty::U64 || v.type == Ty::B64) && v.bytes == 8);
      kernel.params.push_back(
          {v.name, static_cast<u32>(at), static_cast<u32>(v.bytes), isPointer, v.isPointer, v.type});
      at += v.bytes;
    }
    kernel.paramBytes = static_cast<u32>(at);
    kernel.staticShared = context.hasDynamicShared ? dynamicAt : staticEnd[k];
    kernel.usesDynamicShared = context.hasDynamicShared;
    kernel.sharedShift = shift;
    std::copy_n(f.reqntid, 3, kernel.reqntid);
    std::copy_n(f.maxntid, 3, kernel.maxntid);
    kernel.maxnreg = f.maxnreg;
    program.kernels.push_back(std::move(kernel));
  }
  return program;
}

} // namespace pavage::sim
