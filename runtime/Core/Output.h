// Where device_print and notices go. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_RUNTIME_CORE_OUTPUT_H
#define PAVAGE_RUNTIME_CORE_OUTPUT_H

#include <cstddef>
#include <string_view>

namespace pavage::core {

using OutputHandler = void (*)(void *context, const char *text, size_t size);

enum class Output { Print, Notice };

/// Null: standard output for prints, standard error for notices. Does not wait for a call that is running.
void setOutputHandler(Output output, OutputHandler handler, void *context);

/// Hands over whole lines; one call at a time per output.
void write(Output output, std::string_view text);

} // namespace pavage::core

#endif // PAVAGE_RUNTIME_CORE_OUTPUT_H
