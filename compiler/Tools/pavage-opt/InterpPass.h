// The interpreter as a pass of pavage-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_COMPILER_TOOLS_PAVAGE_OPT_INTERPPASS_H
#define PAVAGE_COMPILER_TOOLS_PAVAGE_OPT_INTERPPASS_H

namespace pavage {
void registerInterpPass();
} // namespace pavage

#endif // PAVAGE_COMPILER_TOOLS_PAVAGE_OPT_INTERPPASS_H
