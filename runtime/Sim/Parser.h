// PTX text to a Module. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/Sim/Ast.h"

#include <string_view>

namespace pavage::sim {

/// Reads a whole PTX file, resolves the names of registers and labels, and checks every instruction against the
/// schema. Throws Failure.
Module parseModule(std::string_view text);

} // namespace pavage::sim
