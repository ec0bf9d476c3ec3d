// The words that memory operations take, read and checked. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_FRONTEND_BUILDER_MEMORYWORDS_H
#define PAVAGE_FRONTEND_BUILDER_MEMORYWORDS_H

#include "dialect/Tile/TileTypes.h"
#include "frontend/builder/Session.h"

namespace pavage::builder {

std::optional<tile::Cache> parseCache(Session &s, llvm::StringRef text, bool isLoad);
std::optional<tile::Eviction> parseEviction(Session &s, llvm::StringRef text);
/// Whether to pad with NaN; "" and "zero" say no.
std::optional<bool> parsePadding(Session &s, llvm::StringRef text, DType element);
/// The kind of an atomic on elements of a dtype, if there is one.
std::optional<tile::AtomicKind> atomicKind(pv_atomic_op op, DType dtype);
llvm::StringRef atomicName(pv_atomic_op op);

} // namespace pavage::builder

#endif // PAVAGE_FRONTEND_BUILDER_MEMORYWORDS_H
