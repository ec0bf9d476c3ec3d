# Tracing: a kernel's syntax tree becomes calls of the builder. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   analysis     what a piece of syntax assigns, and which names it needs
#   frame        names of one activation of a function: constants here, everything else in the builder
#   expressions  values
#   statements   control flow, assignments
#   calls        inlining, the Python built-ins that kernels may use
#   kernel       from a specialised kernel to a module
from .kernel import inline_call, trace_kernel

__all__ = ["inline_call", "trace_kernel"]
