# Scratch allocators: Triton's GPUs need one for descriptors, Pavage does not. SPDX-License-Identifier: Apache-2.0 WITH
# LLVM-exception


class NullAllocator:
    """The allocator before one is set."""

    def __call__(self, size, alignment, stream):
        raise RuntimeError("expected an allocator from triton.set_allocator, got none")


_allocator = NullAllocator()


def set_allocator(allocator):
    """Accepted and remembered; Pavage's kernels bring their own scratch memory."""
    global _allocator
    _allocator = allocator
