# Layers that let other languages' code run. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
