// Element types between the language and the IR. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_FRONTEND_BUILDER_TYPES_H
#define PAVAGE_FRONTEND_BUILDER_TYPES_H

#include "frontend/builder/Value.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Types.h"

namespace pavage::builder {

/// bool < int < float.
enum class NumberKind { Bool, Int, Float };
NumberKind numberKind(DType dtype);

mlir::Type irType(mlir::MLIRContext *context, DType dtype);
mlir::Type irType(mlir::MLIRContext *context, DType dtype, llvm::ArrayRef<int64_t> shape);
/// The dtype of an IR element type; `isSigned` tells integers.
DType dtypeOf(mlir::Type element, bool isSigned);
bool isKnown(DType dtype);

/// Where two integers meet: the wider; of two signs the unsigned one if it is at least as wide, as in C.
DType promoteIntegers(DType x, DType y);

/// Least and greatest value of an integer dtype.
Wide minOf(DType dtype);
Wide maxOf(DType dtype);

/// A number as a constant of a dtype: integers keep their low bits, floats round to nearest even (fp8 saturates), a
/// float becomes an integer toward zero, saturating, NaN as 0.
mlir::TypedAttr constantAttr(mlir::MLIRContext *context, DType dtype, const Number &number);
/// The bits of a float dtype nearest to a number, and the number that the bits of an element stand for.
llvm::APInt bitsOf(DType dtype, const Number &number);
Number numberOf(DType dtype, uint64_t bits);
/// What `constantAttr` keeps of a number.
Number convert(DType dtype, const Number &number);

} // namespace pavage::builder

#endif // PAVAGE_FRONTEND_BUILDER_TYPES_H
