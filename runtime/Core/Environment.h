// Environment variables, read strictly. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value that cannot be is an error (PV0315), never silently the default: a misspelt setting that does nothing costs
// its user an afternoon. An empty variable counts as unset unless said otherwise.
#ifndef PAVAGE_RUNTIME_CORE_ENVIRONMENT_H
#define PAVAGE_RUNTIME_CORE_ENVIRONMENT_H

#include "runtime/Errors/Errors.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace pavage::core {

/// The variable's text; nothing when it is unset.
std::optional<std::string> environment(const char *name);

/// An integer in [least, most].
errors::Result<std::optional<int64_t>> environmentInteger(const char *name, int64_t least, int64_t most);

/// 0, 1, true, false, on, off, yes, no.
errors::Result<bool> environmentFlag(const char *name, bool fallback);

/// One of the words; the first is the default.
errors::Result<std::string> environmentChoice(const char *name, std::initializer_list<std::string_view> words);

/// Bytes: "1000000", "512M", "2G", "1.5GB", "64KiB"; K, M, G, T are powers of 1024.
errors::Result<std::optional<uint64_t>> environmentBytes(const char *name);
std::optional<uint64_t> parseBytes(std::string_view text);

} // namespace pavage::core

#endif // PAVAGE_RUNTIME_CORE_ENVIRONMENT_H
