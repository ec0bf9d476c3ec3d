# Measuring and comparing. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import time


def do_bench(
    fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean", measure_time_with_hooks=False
):
    """Milliseconds of a call: runs it for `warmup` ms, then times it for `rep` ms (at least five times)."""
    if return_mode not in ("mean", "median", "min", "max", "all"):
        raise ValueError(f"expected mean, median, min, max or all as return_mode, got {return_mode!r}")
    from .host import synchronize

    def once():
        for x in grad_to_none or ():
            x.grad = None
        start = time.perf_counter()
        fn()
        synchronize()
        return (time.perf_counter() - start) * 1e3

    once()
    spent = 0.0
    while spent < warmup:
        spent += max(once(), 1e-4)
    times, spent = [], 0.0
    while spent < rep or len(times) < 5:
        times.append(once())
        spent += max(times[-1], 1e-4)
        if len(times) >= 1_000_000:
            break
    times.sort()
    if quantiles is not None:
        found = [_quantile(times, q) for q in quantiles]
        return found[0] if len(found) == 1 else found
    if return_mode == "all":
        return times
    if return_mode == "median":
        return _quantile(times, 0.5)
    return {"mean": sum(times) / len(times), "min": times[0], "max": times[-1]}[return_mode]


def _quantile(ordered, q):
    at = q * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


def do_bench_cudagraph(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
    """Same as do_bench where a device has no graphs."""
    return do_bench(fn, warmup=5, rep=rep, grad_to_none=grad_to_none, quantiles=quantiles, return_mode=return_mode)


def assert_close(x, y, atol=None, rtol=None, err_msg=""):
    """Raises AssertionError unless two arrays are equal within atol (default 1e-2) and rtol (0); NaN equals NaN."""
    import numpy as np

    from .host import to_numpy

    a, b = (np.asarray(to_numpy(v)) for v in (x, y))
    if a.dtype.kind == "V" or a.dtype.name in _NARROW:
        a = a.astype(np.float32)
    if b.dtype.kind == "V" or b.dtype.name in _NARROW:
        b = b.astype(np.float32)
    atol = 1e-2 if atol is None else (atol(a.dtype) if callable(atol) else atol)
    rtol = 0.0 if rtol is None else (rtol(a.dtype) if callable(rtol) else rtol)
    if a.size <= 1 and b.size <= 1:
        a, b = a.reshape(-1), b.reshape(-1)
    np.testing.assert_allclose(a, b, atol=atol, rtol=rtol, equal_nan=True, err_msg=err_msg)


_NARROW = ("bfloat16", "float8_e4m3fn", "float8_e5m2")


class MockTensor:
    """Stands for an array of a dtype in warmup: no memory behind it."""

    def __init__(self, dtype, shape=None):
        self.dtype, self.shape = dtype, tuple(shape or (1,))

    @staticmethod
    def wrap_dtype(x):
        name = type(x).__name__
        is_dtype = name == "dtype" and (type(x).__module__.startswith(("torch", "pavage")) or hasattr(x, "kind"))
        if is_dtype or (isinstance(x, type) and x.__module__ == "numpy"):
            if isinstance(x, type):
                import numpy as np

                x = np.dtype(x)
            return MockTensor(x)
        return x

    @staticmethod
    def data_ptr():
        return 0

    def stride(self):
        strides = [1]
        for n in reversed(self.shape[1:]):
            strides.insert(0, strides[0] * n)
        return tuple(strides)


class Benchmark:
    """What perf_report measures and draws: a line per value of line_arg over x_vals."""

    def __init__(
        self,
        x_names,
        x_vals,
        line_arg,
        line_vals,
        line_names,
        plot_name,
        args,
        xlabel="",
        ylabel="",
        x_log=False,
        y_log=False,
        styles=None,
    ):
        self.x_names, self.x_vals, self.line_arg, self.line_vals = (
            list(x_names),
            list(x_vals),
            line_arg,
            list(line_vals),
        )
        self.line_names, self.plot_name, self.args = list(line_names), plot_name, dict(args)
        self.xlabel, self.ylabel, self.x_log, self.y_log, self.styles = xlabel, ylabel, x_log, y_log, styles


class Mark:
    """A function to be measured, with its benchmarks."""

    def __init__(self, fn, benchmarks):
        self.fn, self.benchmarks = fn, benchmarks

    def run(self, show_plots=False, print_data=False, save_path="", return_df=False, **kwargs):
        found = []
        many = isinstance(self.benchmarks, (list, tuple))
        for b in self.benchmarks if many else [self.benchmarks]:
            rows = self._measure(b, kwargs)
            found.append(rows)
            if print_data:
                print(b.plot_name)
                for row in rows:
                    print(
                        "  " + "  ".join(f"{k}={v:.4g}" if isinstance(v, float) else f"{k}={v}" for k, v in row.items())
                    )
            if show_plots or save_path:
                _draw(b, rows, show_plots, save_path)
        return (found if many else found[0]) if return_df else None

    def _measure(self, b, kwargs):
        rows = []
        for x in b.x_vals:
            xs = x if isinstance(x, (list, tuple)) else [x] * len(b.x_names)
            row = dict(zip(b.x_names, xs))
            for value, name in zip(b.line_vals, b.line_names):
                y = self.fn(**dict(zip(b.x_names, xs)), **{b.line_arg: value}, **b.args, **kwargs)
                row[name] = y[0] if isinstance(y, (tuple, list)) else y
            rows.append(row)
        return rows


def perf_report(benchmarks):
    """Decorator: gives a function `run` that measures it over a Benchmark."""
    return lambda fn: Mark(fn, benchmarks)


def _draw(b, rows, show, save_path):
    import os

    import matplotlib

    if not show:
        matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.figure()
    for i, name in enumerate(b.line_names):
        style = b.styles[i] if b.styles else (None, None)
        plt.plot(
            [r[b.x_names[0]] for r in rows], [r[name] for r in rows], label=name, color=style[0], ls=style[1] or "-"
        )
    plt.legend()
    plt.xlabel(b.xlabel or b.x_names[0])
    plt.ylabel(b.ylabel)
    plt.xscale("log" if b.x_log else "linear")
    plt.yscale("log" if b.y_log else "linear")
    if save_path:
        os.makedirs(save_path, exist_ok=True)
        plt.savefig(os.path.join(save_path, f"{b.plot_name}.png"))
    if show:
        plt.show()
    plt.close()
