# triton.runtime.errors. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from ..errors import TritonError


class InterpreterError(TritonError):
    """Raised by Triton's interpreter; kept so that code which catches it works."""


class OutOfResources(TritonError):
    """A kernel needs more of something than the device has."""


class PTXASError(TritonError):
    """The assembler rejected a kernel."""


class AutotunerError(TritonError):
    """No candidate worked."""
