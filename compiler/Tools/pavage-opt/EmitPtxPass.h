// Emission of PTX as a pass of pavage-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_COMPILER_TOOLS_PAVAGE_OPT_EMITPTXPASS_H
#define PAVAGE_COMPILER_TOOLS_PAVAGE_OPT_EMITPTXPASS_H

namespace pavage {
void registerEmitPtxPass();
} // namespace pavage

#endif // PAVAGE_COMPILER_TOOLS_PAVAGE_OPT_EMITPTXPASS_H
