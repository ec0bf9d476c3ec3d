# The main job: learn to read digits. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# %% Trains a perceptron with one hidden layer on the 1797 handwritten digits (8x8 pixels, UCI) that come with
# scikit-learn. Every number on the way, forward and backward, is computed by the Pavage kernels below; NumPy holds the
# arrays. Run by `make demo`.
import argparse
import sys
import time

import numpy as np

import pavage
import pavage.language as tl


# %% One kernel serves all five matrix products of a training step: strides turn operands round, and what follows the
# product is chosen at compile time. In backward passes `gate` is the hidden layer's output, whose zeros stop the
# gradient.
@pavage.jit
def linear(out, a, b, bias, gate, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, RELU: tl.constexpr,
           BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    ks = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        ta = tl.load(a + rows[:, None] * stride_am + (k + ks)[None, :] * stride_ak,
                     mask=(rows[:, None] < M) & ((k + ks)[None, :] < K), other=0.0)
        tb = tl.load(b + (k + ks)[:, None] * stride_bk + cols[None, :] * stride_bn,
                     mask=((k + ks)[:, None] < K) & (cols[None, :] < N), other=0.0)
        acc = tl.dot(ta, tb, acc)
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    offsets = rows[:, None] * N + cols[None, :]
    if bias is not None:
        acc += tl.load(bias + cols, mask=cols < N)[None, :]
    if RELU:
        acc = tl.maximum(acc, 0.0)
    if gate is not None:
        acc = tl.where(tl.load(gate + offsets, mask=mask) > 0, acc, 0.0)
    tl.store(out + offsets, acc, mask=mask)


# %% Softmax, cross-entropy and its gradient in one pass: one program per sample.
@pavage.jit
def cross_entropy(loss, grad, logits, labels, samples, classes, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    z = tl.load(logits + row * classes + cols, mask=cols < classes, other=-float("inf"))
    z -= tl.max(z, axis=0)
    e = tl.exp(z)
    total = tl.sum(e, axis=0)
    hit = cols == tl.load(labels + row)
    tl.store(loss + row, tl.log(total) - tl.sum(tl.where(hit, z, 0.0), axis=0))
    tl.store(grad + row * classes + cols, (e / total - hit.to(tl.float32)) / samples, mask=cols < classes)


@pavage.jit
def sum_rows(out, x, rows, n, ROWS: tl.constexpr, COLS: tl.constexpr):
    cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
    acc = tl.zeros([ROWS, COLS], dtype=tl.float32)
    for start in range(0, rows, ROWS):
        r = start + tl.arange(0, ROWS)
        acc += tl.load(x + r[:, None] * n + cols[None, :], mask=(r[:, None] < rows) & (cols[None, :] < n), other=0.0)
    tl.store(out + cols, tl.sum(acc, axis=0), mask=cols < n)


@pavage.jit
def momentum_step(param, velocity, grad, n, rate, momentum, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    v = tl.load(velocity + i, mask=mask) * momentum + tl.load(grad + i, mask=mask)
    tl.store(velocity + i, v, mask=mask)
    tl.store(param + i, tl.load(param + i, mask=mask) - rate * v, mask=mask)


# %% Host side: a few lines per operation, then the network.
def multiply(a, b, bias=None, gate=None, relu=False):
    (m, k), n = a.shape, b.shape[1]
    out = np.empty((m, n), np.float32)
    strides = [s // 4 for s in (*a.strides, *b.strides)]
    linear[(pavage.cdiv(m, 32), pavage.cdiv(n, 64))](out, a, b, bias, gate, m, n, k, *strides, RELU=relu, BM=32, BN=64,
                                                     BK=64)
    return out


class Perceptron:
    def __init__(self, inputs, hidden, classes, rng):
        self.params = [rng.standard_normal((inputs, hidden), dtype=np.float32) * np.float32((2 / inputs) ** 0.5),
                       np.zeros(hidden, np.float32),
                       rng.standard_normal((hidden, classes), dtype=np.float32) * np.float32((2 / hidden) ** 0.5),
                       np.zeros(classes, np.float32)]
        self.velocity = [np.zeros_like(p) for p in self.params]

    def forward(self, x):
        w1, b1, w2, b2 = self.params
        hidden = multiply(x, w1, bias=b1, relu=True)
        return hidden, multiply(hidden, w2, bias=b2)

    def step(self, x, labels, rate, momentum=0.9):
        """One step of stochastic gradient descent on a batch; returns its mean loss."""
        hidden, logits = self.forward(x)
        samples, classes = logits.shape
        loss, grad = np.empty(samples, np.float32), np.empty_like(logits)
        cross_entropy[(samples,)](loss, grad, logits, labels, samples, classes, BLOCK=16)
        hidden_grad = multiply(grad, self.params[2].T, gate=hidden)
        grads = [multiply(x.T, hidden_grad), column_sums(hidden_grad), multiply(hidden.T, grad), column_sums(grad)]
        for p, v, g in zip(self.params, self.velocity, grads):
            momentum_step[(pavage.cdiv(p.size, 1024),)](p, v, g, p.size, rate, momentum, BLOCK=1024)
        return float(loss.mean())


def column_sums(x):
    out = np.empty(x.shape[1], np.float32)
    sum_rows[(pavage.cdiv(x.shape[1], 64),)](out, x, *x.shape, ROWS=16, COLS=64)
    return out


# %% The same step in NumPy, to compare results and speed.
class NumpyPerceptron(Perceptron):
    def forward(self, x):
        w1, b1, w2, b2 = self.params
        hidden = np.maximum(x @ w1 + b1, 0)
        return hidden, hidden @ w2 + b2

    def step(self, x, labels, rate, momentum=0.9):
        hidden, logits = self.forward(x)
        z = logits - logits.max(axis=1, keepdims=True)
        e = np.exp(z)
        p = e / e.sum(axis=1, keepdims=True)
        loss = -np.log(p[np.arange(len(labels)), labels])
        p[np.arange(len(labels)), labels] -= 1
        grad = p / np.float32(len(labels))
        hidden_grad = (grad @ self.params[2].T) * (hidden > 0)
        grads = [x.T @ hidden_grad, hidden_grad.sum(axis=0), hidden.T @ grad, grad.sum(axis=0)]
        for param, v, g in zip(self.params, self.velocity, grads):
            v *= np.float32(momentum)
            v += g
            param -= np.float32(rate) * v
        return float(loss.mean())


def progress(done, total, text):
    width = 30
    bar = "#" * (width * done // total)
    end = "\n" if done == total else ""
    if sys.stdout.isatty():
        print(f"\r[{bar:<{width}}] {done}/{total} {text}", end=end, flush=True)
    elif done == total or done % max(1, total // 5) == 0:
        print(f"[{bar:<{width}}] {done}/{total} {text}", flush=True)


def train(model, x, labels, epochs, batch, rate, rng, report=None):
    losses = []
    for epoch in range(epochs):
        order = rng.permutation(len(x))
        for start in range(0, len(x) - batch + 1, batch):
            pick = order[start:start + batch]
            losses.append(model.step(x[pick], labels[pick], rate))
        if report:
            report(epoch + 1, epochs, f"loss {np.mean(losses[-len(x) // batch:]):.4f}")
    return losses


# %% What the picture shows: the loss over time, and test digits with the label that the network reads.
def draw(path, losses, images, predicted, labels):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(9, 6), layout="constrained")
    top, bottom = figure.subfigures(2, 1, height_ratios=[1, 1])
    axes = top.subplots()
    axes.plot(losses, linewidth=0.8)
    axes.set(xlabel="step", ylabel="loss", yscale="log", title="training loss")
    for axis, image, guess, label in zip(bottom.subplots(2, 10).flat, images, predicted, labels):
        axis.imshow(image.reshape(8, 8), cmap="gray_r")
        axis.set_title(str(guess), color="black" if guess == label else "red", fontsize=10)
        axis.axis("off")
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description="train a perceptron on the UCI digits with Pavage kernels")
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--output", default="build/digits.png", help="where to write the picture")
    options = parser.parse_args()

    from sklearn.datasets import load_digits
    data = load_digits()
    rng = np.random.default_rng(0)
    order = rng.permutation(len(data.target))
    x = (data.data[order] / 16).astype(np.float32)
    labels = data.target[order].astype(np.int32)
    split = 1437
    start = time.perf_counter()
    model = Perceptron(64, 128, 10, rng)
    losses = train(model, x[:split], labels[:split], options.epochs, 64, 0.05, rng, progress)
    seconds = time.perf_counter() - start
    predicted = model.forward(x[split:])[1].argmax(axis=1)
    accuracy = float((predicted == labels[split:]).mean())
    print(f"{100 * accuracy:.2f} % of {len(predicted)} test digits read right, trained in {seconds:.1f} s")
    draw(options.output, losses, x[split:], predicted, labels[split:])
    print(f"picture: {options.output}")

    print("\ncompiled:")
    total = 0.0
    for kernel in (linear, cross_entropy, sum_rows, momentum_step):
        for variant in kernel.compiled():
            total += variant.milliseconds
            print(f"  {variant.name:14} {variant.signature:60} {variant.milliseconds:7.1f} ms  ({variant.origin})")
    print(f"  {total:.0f} ms in all")

    batch = x[:64], labels[:64]
    ours, theirs = Perceptron(64, 128, 10, np.random.default_rng(1)), NumpyPerceptron(64, 128, 10,
                                                                                      np.random.default_rng(1))
    difference = abs(ours.step(*batch, 0.05) - theirs.step(*batch, 0.05))
    ms = [pavage.testing.do_bench(lambda m=m: m.step(*batch, 0.0), return_mode="median") for m in (ours, theirs)]
    print(f"\none training step of 64 samples: Pavage {ms[0]:.3f} ms, NumPy {ms[1]:.3f} ms "
          f"({ms[1] / ms[0]:.2f} x NumPy's speed); first losses differ by {difference:.1e}")
    if accuracy < 0.95:
        sys.exit("expected at least 95 % on the test part")


if __name__ == "__main__":
    main()
