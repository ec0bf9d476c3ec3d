// The interpreter's state and entry points. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Tile/Interp/Interp.h"
