# The first kernel: add two vectors. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# %% A kernel says what *one program* does. A launch starts many of them, numbered by a grid; each takes its own part of
# the data, here `BLOCK` elements of a vector. `tl.arange` makes a tile of indices, arithmetic on tiles is elementwise,
# and a mask keeps the last program inside the arrays.
import numpy as np

import pavage
import pavage.language as tl


@pavage.jit
def add(out, x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


# %% NumPy arrays are passed as they are: an array stands for the address of its first element. The first launch
# compiles; later ones with arguments of the same kind find the code at once.
def main():
    n = 100_003
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal(n, dtype=np.float32), rng.standard_normal(n, dtype=np.float32)
    out = np.empty_like(x)
    add[(pavage.cdiv(n, 4096),)](out, x, y, n, BLOCK=4096)
    np.testing.assert_array_equal(out, x + y)
    print(f"added {n} numbers, equal to NumPy in every bit")


if __name__ == "__main__":
    main()
