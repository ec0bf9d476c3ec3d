// The functions that compiled kernels may call. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_RUNTIME_CPU_SYMBOLS_H
#define PAVAGE_RUNTIME_CPU_SYMBOLS_H

#include <string_view>
#include <vector>

namespace pavage::cpu {

/// The function's address, or null when kernels may not call it.
void *findSymbol(std::string_view name);

/// All names, for messages and tests.
std::vector<std::string_view> symbolNames();

} // namespace pavage::cpu

#endif // PAVAGE_RUNTIME_CPU_SYMBOLS_H
