// Loads x86-64 ELF objects without a linker. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CPU back end hands over relocatable objects. Loading maps their sections, applies relocations, and makes code
// executable (never writable at the same time): 20-150 us, against milliseconds for a linker and dlopen.
//
// Any bytes are accepted: the result is code or an error PV0343-0347. (Bytes that are a well-formed object can of
// course hold any code; see runtime/Cache for who may put them there.)
#ifndef PAVAGE_RUNTIME_CPU_OBJECTLOADER_H
#define PAVAGE_RUNTIME_CPU_OBJECTLOADER_H

#include "runtime/Errors/Errors.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pavage::cpu {

/// A loaded object: its memory, and where its functions are.
class LoadedObject {
public:
  LoadedObject() = default;
  LoadedObject(LoadedObject &&other) noexcept { *this = std::move(other); }
  LoadedObject &operator=(LoadedObject &&other) noexcept;
  ~LoadedObject();

  /// A global function that the object defines, or null.
  void *function(std::string_view name) const;

private:
  friend class ObjectLoader;
  void *map = nullptr;
  size_t size = 0;
  std::vector<std::pair<std::string, void *>> functions;
};

/// Symbols that the object does not define come from Symbols.h.
errors::Result<LoadedObject> loadObject(std::string_view bytes);

} // namespace pavage::cpu

#endif // PAVAGE_RUNTIME_CPU_OBJECTLOADER_H
