# triton.tools.tensor_descriptor. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from pavage.tools.tensor_descriptor import TensorDescriptor  # noqa: F401
