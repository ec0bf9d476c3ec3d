# triton.testing: timing, comparison, plots. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import functools
import os
import sys

from pavage.testing import assert_close, do_bench  # noqa: F401


#: Profilers and graphs are a GPU's: the same measurement.
def do_bench_proton(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    return do_bench(fn, warmup=warmup, rep=rep, grad_to_none=grad_to_none, quantiles=quantiles, return_mode=return_mode)


def do_bench_cudagraph_proton(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
    return do_bench_cudagraph(fn, rep, grad_to_none, quantiles, return_mode)


def _of_a_gpu(name):
    def function(*args, **kwargs):
        raise RuntimeError(f"expected a GPU to ask for {name}, got the device {os.environ.get('PAVAGE_DEVICE', 'cpu')}")

    function.__name__ = function.__qualname__ = name
    return function


cuda_memcheck, nvsmi, set_gpu_clock = map(_of_a_gpu, ("cuda_memcheck", "nvsmi", "set_gpu_clock"))
get_dram_gbps, get_max_tensorcore_tflops, get_max_simd_tflops = map(
    _of_a_gpu, ("get_dram_gbps", "get_max_tensorcore_tflops", "get_max_simd_tflops"))


def do_bench_cudagraph(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
    """Without graphs to replay, the plain timing."""
    return do_bench(fn, rep=rep, grad_to_none=grad_to_none, quantiles=quantiles, return_mode=return_mode)


class Benchmark:
    """What one plot shows: an x axis, a line per value of one argument."""

    def __init__(self, x_names, x_vals, line_arg, line_vals, line_names, plot_name, args, xlabel="", ylabel="",
                 x_log=False, y_log=False, styles=None):
        self.x_names, self.x_vals = x_names, x_vals
        self.line_arg, self.line_vals, self.line_names = line_arg, line_vals, line_names
        self.plot_name, self.args = plot_name, args
        self.xlabel, self.ylabel, self.x_log, self.y_log, self.styles = xlabel, ylabel, x_log, y_log, styles


class Mark:
    """A benchmarked function; `run` measures all points of its plots."""

    def __init__(self, fn, benchmarks):
        self.fn, self.benchmarks = fn, benchmarks
        functools.update_wrapper(self, fn)

    def __call__(self, *args, **kwargs):
        return self.fn(*args, **kwargs)

    def _measure(self, bench, kwargs):
        rows = []
        for x in bench.x_vals:
            values = list(x) if isinstance(x, (list, tuple)) else [x] * len(bench.x_names)
            row = list(values[:1]) if len(bench.x_names) == 1 else list(values)
            for line in bench.line_vals:
                y = self.fn(**dict(zip(bench.x_names, values)), **{bench.line_arg: line}, **bench.args, **kwargs)
                row.append(y)
            rows.append(row)
        return rows

    def run(self, show_plots=False, print_data=False, save_path="", return_df=False, **kwargs):
        benchmarks = self.benchmarks if isinstance(self.benchmarks, (list, tuple)) else [self.benchmarks]
        results = []
        for bench in benchmarks:
            rows = self._measure(bench, kwargs)
            header = list(bench.x_names) + list(bench.line_names)
            if print_data:
                print(bench.plot_name + ":")
                _print_table(header, rows)
            if show_plots or save_path:
                _plot(bench, rows, show_plots, save_path)
            results.append(_frame(header, rows) if return_df else (header, rows))
        if return_df:
            return results if isinstance(self.benchmarks, (list, tuple)) else results[0]
        return None


def perf_report(benchmarks):
    """Decorator: the function returns a time (or its median, least and most) for each point of the plots."""
    return lambda fn: Mark(fn, benchmarks)


def _middle(y):
    return y[0] if isinstance(y, (tuple, list)) else y


def _print_table(header, rows):
    lines = [header] + [[f"{_middle(v):g}" if isinstance(_middle(v), (int, float)) else str(v) for v in row]
                        for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    for line in lines:
        print("  ".join(cell.rjust(width) for cell, width in zip(line, widths)))
    sys.stdout.flush()


def _frame(header, rows):
    import pandas

    return pandas.DataFrame([[_middle(v) for v in row] for row in rows], columns=header)


def _plot(bench, rows, show, save_path):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots()
    first = len(bench.x_names)
    for i, name in enumerate(bench.line_names):
        style = bench.styles[i] if bench.styles else (None, None)
        axes.plot([row[0] for row in rows], [_middle(row[first + i]) for row in rows], label=name, color=style[0],
                  linestyle=style[1] or "-")
    axes.set(xlabel=bench.xlabel or bench.x_names[0], ylabel=bench.ylabel,
             xscale="log" if bench.x_log else "linear", yscale="log" if bench.y_log else "linear")
    axes.legend()
    if save_path:
        os.makedirs(save_path, exist_ok=True)
        figure.savefig(os.path.join(save_path, bench.plot_name + ".png"))
    if show:
        plt.show()
    plt.close(figure)
