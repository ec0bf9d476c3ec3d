# triton.compiler. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from .compiler import ASTSource, CompiledKernel, IRSource, compile, make_backend
from .errors import CompilationError, CompileTimeAssertionFailure

__all__ = ["ASTSource", "CompilationError", "CompileTimeAssertionFailure", "CompiledKernel", "IRSource", "compile",
           "make_backend"]
