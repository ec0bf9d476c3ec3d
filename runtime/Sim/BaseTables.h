// Handler tables that exist once, whatever the vector width. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/Sim/Tables.h"

namespace pavage::sim {

Table controlTable();
Table warpTable();
Table barrierTable();
Table asyncTable();
Table atomicTable();
Table wmmaTable();

/// vprintf, __assertfail, malloc, free.
void callBuiltin(Warp &w, const DInst &i, const CallInfo &c, u32 exec);

} // namespace pavage::sim
