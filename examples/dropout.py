# Dropout without a stored mask. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# %% A counter-based generator turns (seed, index) into a random number with no state. The backward pass draws the same
# numbers again, so the mask is never written to memory.
import numpy as np

import pavage
import pavage.language as tl


@pavage.jit
def dropout(out, x, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = tl.rand(seed, i) > p
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.where(keep, v / (1 - p), 0.0), mask=i < n)


# %% The gradient of dropout is dropout of the gradient, with the same seed.
def run(x, p, seed):
    out = np.empty_like(x)
    dropout[(pavage.cdiv(x.size, 1024),)](out, x, x.size, p, seed, BLOCK=1024)
    return out


def main():
    x = np.ones(100_000, np.float32)
    out = run(x, 0.3, seed=7)
    kept = np.count_nonzero(out) / x.size
    assert np.array_equal(out, run(x, 0.3, seed=7)) and not np.array_equal(out, run(x, 0.3, seed=8))
    assert abs(kept - 0.7) < 0.01 and abs(out.mean() - 1) < 0.02
    grad = run(np.full_like(x, 2.0), 0.3, seed=7)
    assert np.array_equal(grad, 2 * out)
    print(f"kept {100 * kept:.1f} % of the elements, mean {out.mean():.3f}; the backward pass drew the same mask")


if __name__ == "__main__":
    main()
