// Kernel arguments given as text. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   f16[512,512]=randint     a buffer of small integers        out:f32[1024]       an output, not initialised
//   i32[1000]=arange         0, 1, 2, ...                      f32[4,4]=data.npy   from a file
#pragma once

#include "runtime/Errors/Errors.h"
#include "runtime/Sim/DeviceMemory.h"

#include <string>
#include <vector>

namespace pavage::sim {

enum class Element : u8 { I1, I8, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64, E4M3, E5M2 };

struct ElementInfo {
  Element element;
  const char *names; // accepted spellings, by blanks
  u32 bytes;
  const char *npy; // NumPy's type, null when it has none
};
const ElementInfo *findElement(const std::string &name);
const ElementInfo &elementInfo(Element e);

struct BufferSpec {
  bool isOutput = false;
  Element element = Element::F32;
  std::vector<u64> shape;
  std::string fill; // empty: not initialised

  u64 count() const {
    u64 n = 1;
    for (u64 d : shape) {
      n *= d;
    }
    return n;
  }
};

errors::Result<BufferSpec> parseBufferSpec(const std::string &text);

/// Allocates and fills a buffer; returns its device address.
errors::Result<u64> makeBuffer(DeviceMemory &memory, const BufferSpec &spec, u64 seed, const std::string &name);

/// Numbers to and from the bytes of an element.
void storeElement(Element e, double value, u8 *to);
double loadElement(Element e, const u8 *from);

errors::Error writeNpy(const std::string &file, const BufferSpec &spec, const std::vector<u8> &bytes);
errors::Result<std::vector<u8>> readNpy(const std::string &file, const BufferSpec &spec);

} // namespace pavage::sim
