# Autotuning: candidates are measured, the choice is kept. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The measuring, its statistics and the file are the runtime's; here candidates become launches. A candidate that does
# not compile, crashes with an error, or computes something else than the others is refused.
from __future__ import annotations

import functools
import threading

from . import _pavage
from ._support import caller
from .errors import make
from .jit import KernelInterface


class Config:
    """One candidate: values of constexpr parameters, launch options, and a function called before each launch."""

    def __init__(
        self,
        kwargs,
        num_warps=4,
        num_stages=3,
        num_ctas=1,
        maxnreg=None,
        pre_hook=None,
        ir_override=None,
        num_cpu_threads=0,
        **options,
    ):
        self.kwargs = dict(kwargs)
        self.num_warps, self.num_stages, self.num_ctas, self.maxnreg = num_warps, num_stages, num_ctas, maxnreg
        self.pre_hook, self.ir_override, self.num_cpu_threads, self.options = (
            pre_hook,
            ir_override,
            num_cpu_threads,
            options,
        )

    def all_kwargs(self):
        """Everything that is passed to the launch."""
        options = {
            "num_warps": self.num_warps,
            "num_stages": self.num_stages,
            "num_ctas": self.num_ctas,
            "maxnreg": self.maxnreg,
            "ir_override": self.ir_override,
            "num_cpu_threads": self.num_cpu_threads or None,
        }
        options.update(self.options)
        return {**self.kwargs, **{k: v for k, v in options.items() if v is not None}}

    def __str__(self):
        items = [f"{k}: {v}" for k, v in self.kwargs.items()]
        items += [f"num_warps: {self.num_warps}", f"num_ctas: {self.num_ctas}", f"num_stages: {self.num_stages}"]
        if self.maxnreg is not None:
            items.append(f"maxnreg: {self.maxnreg}")
        items += [f"{k}: {v}" for k, v in self.options.items()]
        return ", ".join(items)

    __repr__ = __str__

    def __eq__(self, other):
        return isinstance(other, Config) and self.all_kwargs() == other.all_kwargs() and self.pre_hook == other.pre_hook

    def __hash__(self):
        return hash((str(self), self.pre_hook))


def base_of(fn):
    """The jit function under decorators."""
    while not hasattr(fn, "params"):
        fn = fn.fn
    return fn


class Heuristics(KernelInterface):
    """Computes parameters from the other arguments."""

    def __init__(self, fn, arg_names, values):
        self.fn, self.arg_names, self.values = fn, arg_names, values
        functools.update_wrapper(self, base_of(fn).fn, updated=())
        self.base_fn = base_of(fn)

    def run(self, *args, grid, warmup=False, **kwargs):
        known = {**dict(zip(self.arg_names, args)), **kwargs}
        for name, compute in self.values.items():
            kwargs[name] = known[name] = compute(known)
        return self.fn.run(*args, grid=grid, warmup=warmup, **kwargs)


def heuristics(values):
    """Decorator: ``@pavage.heuristics({"BLOCK": lambda args: ...})``."""

    def decorate(fn):
        return Heuristics(fn, base_of(fn).arg_names, values)

    return decorate


class Autotuner(KernelInterface):
    """Picks the fastest candidate for each new value of the key's arguments."""

    def __init__(
        self,
        fn,
        arg_names,
        configs,
        key,
        reset_to_zero=None,
        restore_value=None,
        pre_hook=None,
        post_hook=None,
        prune_configs_by=None,
        warmup=None,
        rep=None,
        use_cuda_graph=False,
        do_bench=None,
        cache_results=True,
    ):
        self.fn, self.arg_names, self.keys = fn, arg_names, list(key)
        self.configs = list(configs) or [Config({})]
        for config in self.configs:
            if not isinstance(config, Config):
                file, line, column = caller()
                raise make(
                    307, f"expected pavage.Config as candidates, got {type(config).__name__}", file, line, column
                )
        self.base_fn = base_of(fn)
        functools.update_wrapper(self, self.base_fn.fn, updated=())
        self.reset_to_zero, self.restore_value = list(reset_to_zero or ()), list(restore_value or ())
        self.pre_hook, self.post_hook = pre_hook, post_hook
        # What code that builds on Triton's class looks at.
        self.user_defined_pre_hook, self.user_defined_post_hook = pre_hook is not None, post_hook is not None
        self.use_cuda_graph, self.cache_results, self.restore_copies, self.nargs = (
            use_cuda_graph,
            cache_results,
            {},
            None,
        )
        prune = prune_configs_by or {}
        self.early_config_prune, self.perf_model = prune.get("early_config_prune"), prune.get("perf_model")
        self.configs_top_k = prune.get("top_k", 1.0)
        self.num_warmups, self.num_reps, self.do_bench = warmup, rep, do_bench
        self.cache, self.best_config, self.configs_timings, self.bench_time = {}, None, {}, 0.0
        self.from_file = False
        self._lock = threading.RLock()
        # Keys that are no parameters are found in much existing code; they never change, so they do no harm.
        for name in (*self.reset_to_zero, *self.restore_value):
            if name not in arg_names:
                file, line, column = caller()
                raise make(
                    306,
                    f"expected parameters of {self.base_fn._signature()} in autotune, got '{name}'",
                    file,
                    line,
                    column,
                )

    def run(self, *args, grid, warmup=False, **kwargs):
        named = {**dict(zip(self.arg_names, args)), **kwargs}
        config = self.configs[0]
        if len(self.configs) > 1 and not (self.base_fn.eager or _pavage.interpret()):
            key = self._key(named)
            config = self.cache.get(key)
            if config is None:
                if warmup:
                    for c in self._pruned(named, kwargs):
                        compiled = self.fn.run(*args, grid=grid, warmup=True, **{**kwargs, **c.all_kwargs()})
                    return compiled
                with self._lock:
                    config = self.cache.get(key)
                    if config is None:
                        config = self.cache[key] = self._choose(key, named, args, grid, kwargs)
        self.best_config = config
        return self._launch(config, named, args, grid, warmup, kwargs)

    def _launch(self, config, named, args, grid, warmup, kwargs):
        chosen = {**kwargs, **config.all_kwargs()}
        if config.pre_hook is not None and not warmup:
            config.pre_hook({**named, **config.all_kwargs()})
        return self.fn.run(*args, grid=grid, warmup=warmup, **chosen)

    def _key(self, named):
        parts = [_key_part(named.get(name)) for name in self.keys]
        # Types of all arrays count, too.
        parts += [str(v.dtype) for v in named.values() if hasattr(v, "dtype")]
        return (_pavage.device_info()[0], *parts)

    def _pruned(self, named, kwargs):
        configs = self.configs
        if self.early_config_prune is not None:
            positional = {name: value for name, value in named.items() if name not in kwargs}
            configs = list(self.early_config_prune(configs, positional, **kwargs))
            if not configs:
                raise make(
                    411,
                    f"expected early_config_prune of {self.base_fn.__name__} to leave a candidate, got none",
                    *caller(),
                )
        if self.perf_model is not None:
            top = self.configs_top_k
            top = max(1, int(len(self.configs) * top)) if isinstance(top, float) and top <= 1.0 else int(top)
            if len(configs) > top:
                cost = {id(c): self.perf_model(**{**named, **kwargs, **c.all_kwargs()}) for c in configs}
                configs = sorted(configs, key=lambda c: cost[id(c)])[:top]
        return configs

    # --- measuring ---

    def _choose(self, key, named, args, grid, kwargs):
        import time

        configs = self._pruned(named, kwargs)
        if len(configs) == 1:
            return configs[0]
        trial = _Trial(self, configs, named, args, grid, kwargs)
        text = f"{self.base_fn.__module__}.{self.base_fn.__qualname__} {self.base_fn.cache_key} {key!r}"
        isolated = _pavage.device_info()[1] == "cpu"
        if isolated:
            text += f" {_pavage.cpu_info()[1]} {_pavage.num_threads()}"
        start = time.perf_counter()
        try:
            if self.do_bench is not None:
                return self._choose_by(self.do_bench, configs, trial, isolated)
            choice, self.from_file, times, failures = _pavage.tune(
                text,
                [str(c) for c in configs],
                trial.prepare,
                trial.try_out if isolated else None,
                trial.reset,
                trial.run,
                trial.check,
                float(self.num_warmups or 0),
                float(self.num_reps or 0),
            )
        finally:
            trial.finish()
            self.bench_time = time.perf_counter() - start
        self.configs_timings = {c: t[0] for c, t in zip(configs, times) if not t[3]}
        self.refused = {c: f for c, f in zip(configs, failures) if f is not None}
        return configs[choice]

    def _choose_by(self, do_bench, configs, trial, isolated):
        """With the author's own way of measuring: a function of a call, and of the quantiles wanted."""
        self.configs_timings, self.refused = {}, {}
        for i, c in enumerate(configs):
            try:
                trial.prepare(i)
                trial.reset(i)
                if isolated:
                    trial.try_out(i, 60.0)
            except Exception as e:
                self.refused[c] = e
        for i, c in enumerate(configs):
            if c in self.refused:
                continue
            try:
                trial.reset(i)
                trial.run(i)
                trial.check(i)
                found = do_bench(lambda i=i: (trial.reset(i), trial.run(i)), quantiles=(0.5, 0.2, 0.8))
                self.configs_timings[c] = found[0] if isinstance(found, (list, tuple)) else found
            except Exception as e:
                self.refused[c] = e
        if not self.configs_timings:
            reasons = "; ".join(f"{c}: {getattr(e, 'text', e)}" for c, e in self.refused.items())
            raise make(
                411, f"expected a candidate of {self.base_fn.__name__} that works, got none: {reasons}", *caller()
            )
        return min(self.configs_timings, key=self.configs_timings.get)


def _key_part(value):
    """Numbers and types by value, arrays by type and shape."""
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return str(value.dtype), tuple(value.shape)
    return value if isinstance(value, (int, float, str, bool, type(None))) else str(value)


class _Trial:
    """Launches of candidates on the caller's own arrays, whose contents are put back afterwards."""

    def __init__(self, tuner, configs, named, args, grid, kwargs):
        self.tuner, self.configs, self.named, self.args, self.grid, self.kwargs = (
            tuner,
            configs,
            named,
            args,
            grid,
            kwargs,
        )
        self._saved = {}
        self._expected = None
        self._written = None
        self._crashed = set()

    def prepare(self, i):
        c = self.configs[i]
        compiled = self.tuner.fn.run(*self.args, grid=self.grid, warmup=True, **{**self.kwargs, **c.all_kwargs()})
        if self._written is None:
            # Contents before the first candidate; read-only arrays cannot change.
            written = {n for n, _dtype, _d, flags in compiled.params if flags & 4}
            self._written = [n for n in self.named if n in written and hasattr(self.named[n], "dtype")]
            self._saved = {n: _copy(self.named[n]) for n in self._written}

    def try_out(self, i, seconds):
        """A first run in a copy of the process, which may crash."""
        self._crashed.add(i)
        _pavage.try_out(lambda: self.run(i), seconds)
        self._crashed.discard(i)

    def reset(self, i):
        for name, saved in self._saved.items():
            if name in self.tuner.restore_value or name not in self.tuner.reset_to_zero:
                _write(self.named[name], saved)
        for name in self.tuner.reset_to_zero:
            if self.named.get(name) is not None:
                _fill_zero(self.named[name])

    def run(self, i):
        error = None
        # The author's hooks come in pairs.
        if self.tuner.pre_hook is not None:
            self.tuner.pre_hook({**self.named, **self.configs[i].all_kwargs()}, reset_only=False)
        try:
            self.tuner._launch(self.configs[i], self.named, self.args, self.grid, False, self.kwargs)
        except Exception as e:
            error = e
            raise
        finally:
            if self.tuner.post_hook is not None:
                self.tuner.post_hook({**self.named, **self.configs[i].all_kwargs()}, exception=error)

    def check(self, i):
        if self._expected is None:
            self._expected = self._vote(i)
        expected, example = self._expected
        for name in self._written:
            difference = _difference(expected[name], self.named[name])
            if difference is not None:
                raise make(
                    411,
                    f"expected the same results as with {example}, got others in '{name}' with "
                    f"{self.configs[i]}: {difference}",
                )

    def _vote(self, first):
        """What is right is what most candidates compute; of two equally large parties the earlier one is believed."""
        parties = []  # [results, configs]
        for i in [first, *(k for k in range(len(self.configs)) if k != first and k not in self._crashed)]:
            if i != first:
                try:
                    self.prepare(i)
                    self.reset(i)
                    self.run(i)
                except Exception:  # refused when its turn comes
                    continue
            for party in parties:
                if all(_difference(party[0][n], self.named[n]) is None for n in self._written):
                    party[1].append(i)
                    break
            else:
                parties.append(({n: _copy(self.named[n]) for n in self._written}, [i]))
        results, members = max(parties, key=lambda p: (len(p[1]), -min(p[1])))
        # The caller's turn goes on with the first candidate's results in place.
        if first not in members:
            self.reset(first)
            self.run(first)
        elif parties:
            for n in self._written:
                _write(self.named[n], results[n])
        return results, self.configs[min(members)]

    def finish(self):
        for name, saved in self._saved.items():
            _write(self.named[name], saved)


def _numpy(x):
    import numpy as np

    from .host import to_numpy

    return np.asarray(to_numpy(x))


def _copy(x):
    return x.clone() if hasattr(x, "clone") else _numpy(x).copy()


def _write(x, saved):
    if hasattr(x, "copy_"):
        x.copy_(saved)
    elif hasattr(x, "__setitem__"):
        x[...] = saved
    else:
        import numpy as np

        np.copyto(_numpy(x), saved)


def _fill_zero(x):
    if hasattr(x, "zero_"):
        x.zero_()
    else:
        x[...] = 0


#: Candidates may sum in another order: so far apart may results be, relative to the largest.
_TOLERANCE = {2: 5e-2, 4: 1e-3, 8: 1e-8, 1: 0.3}


def _difference(a, b):
    """What tells two results apart beyond rounding, as text, or None."""
    import numpy as np

    a, b = _numpy(a), _numpy(b)
    if a.dtype.kind in "iub":
        wrong = int(np.count_nonzero(a != b))
        return f"{wrong} of {a.size} elements" if wrong else None
    x, y = a.astype(np.float64), b.astype(np.float64)
    nan = np.isnan(x) != np.isnan(y)
    if nan.any():
        return f"NaN in {int(nan.sum())} elements of one of them"
    x, y = np.nan_to_num(x), np.nan_to_num(y)
    scale = float(np.abs(x).max(initial=0.0))
    apart = float(np.abs(x - y).max(initial=0.0))
    return (
        f"by up to {apart:.3g} where values go up to {scale:.3g}"
        if apart > _TOLERANCE[a.dtype.itemsize] * scale
        else None
    )


def autotune(
    configs,
    key,
    prune_configs_by=None,
    reset_to_zero=None,
    restore_value=None,
    pre_hook=None,
    post_hook=None,
    warmup=None,
    rep=None,
    use_cuda_graph=False,
    do_bench=None,
    cache_results=True,
):
    """Decorator: tries `configs` whenever an argument named in `key` has a new value, and keeps the fastest."""

    def decorate(fn):
        return Autotuner(
            fn,
            base_of(fn).arg_names,
            configs,
            key,
            reset_to_zero,
            restore_value,
            pre_hook,
            post_hook,
            prune_configs_by,
            warmup,
            rep,
            use_cuda_graph,
            do_bench,
            cache_results,
        )

    return decorate
