# triton.compiler.errors. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from pavage.errors import CompilationError

CompileTimeAssertionFailure = UnsupportedLanguageConstruct = CompilationError
