// Families that have no file of their own yet: each says so. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Gpu/Lower/Families.h"

using namespace mlir;

namespace pavage::gpu {

FailureOr<Values> emitMathElement(Emitter &e, Operation *op, ValueRange) { return e.unsupported(op); }

} // namespace pavage::gpu
