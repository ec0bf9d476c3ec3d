# Errors by the names that Triton's users catch. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from pavage.errors import Error as TritonError  # noqa: F401
