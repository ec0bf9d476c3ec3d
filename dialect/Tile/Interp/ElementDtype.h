// Element types by the names of runtime/Artifact. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_DIALECT_TILE_INTERP_ELEMENTDTYPE_H
#define PAVAGE_DIALECT_TILE_INTERP_ELEMENTDTYPE_H

#include "mlir/IR/Types.h"
#include "runtime/Artifact/Dtype.h"

namespace pavage::tile {

/// How runtime/Artifact names an element type, or that of a tile's elements.
artifact::Dtype dtypeOf(mlir::Type type, bool isSigned);

} // namespace pavage::tile

#endif // PAVAGE_DIALECT_TILE_INTERP_ELEMENTDTYPE_H
