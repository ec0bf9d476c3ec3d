# triton.language.semantic: rules live in the builder; this name is here to be imported. SPDX-License-Identifier:
# Apache-2.0 WITH LLVM-exception
