# jit: makes a Python function a kernel. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A launch runs in C (_pavage): arguments, key, look-up, grid. It comes here once per new key, to trace and compile.
from __future__ import annotations

import contextvars
import weakref

from . import _pavage
from ._support import caller, environment_flag
from .errors import make

#: Launch options, by the number they have in keys. All are accepted everywhere; a device takes those that mean
#: something to it.
OPTIONS = {
    name: i
    for i, name in enumerate(
        (
            "num_warps",
            "num_stages",
            "num_ctas",
            "maxnreg",
            "enable_fp_fusion",
            "ptx_version",
            "ptx_options",
            "ir_override",
            "enable_reflect_ftz",
            "launch_cooperative_grid",
            "launch_pdl",
            "supported_fp8_dtypes",
            "default_dot_input_precision",
            "allowed_dot_input_precisions",
            "max_num_imprecise_acc_default",
            "extern_libs",
            "debug",
            "sanitize_overflow",
            "arch",
            "instrumentation_mode",
            "backend_name",
            "num_cpu_threads",
            "num_buffers_warp_spec",
            "num_consumer_groups",
            "reg_dec_producer",
            "reg_inc_producer",
            "waves_per_eu",
            "matrix_instr_nonkdim",
            "kpack",
            "vec_lib",
            "enable_fast_math",
            "cluster_dims",
        )
    )
}
#: Options that become attributes of the recorded kernel.
HINTS = ("num_warps", "num_stages", "num_ctas", "maxnreg")

_CONSTEXPR, _POINTER, _CONST, _NO_SPECIALIZE, _NO_ALIGNMENT = 1, 2, 4, 8, 16


class Param:
    """A parameter of a jit function."""

    __slots__ = (
        "name",
        "num",
        "default",
        "has_default",
        "is_constexpr",
        "annotation_type",
        "is_const",
        "do_not_specialize",
        "do_not_specialize_on_alignment",
        "annotation",
    )

    def packed(self):
        from .language import types

        t = self.annotation_type
        pointer = isinstance(t, types.pointer_type)
        code = 0 if t is None else (t.element_ty.code if pointer else t.code)
        flags = (
            _CONSTEXPR * self.is_constexpr
            | _POINTER * pointer
            | _CONST * self.is_const
            | _NO_SPECIALIZE * self.do_not_specialize
            | _NO_ALIGNMENT * self.do_not_specialize_on_alignment
        )
        return self.name, (self.default,) if self.has_default else (), code, int(flags)


def _annotation(fn, annotation):
    """(is constexpr, type or None, is const) of a parameter's annotation."""
    from .language import types

    if isinstance(annotation, str):
        text = annotation.strip("'\" ")
        if "constexpr" in text:
            return True, None, False
        try:
            annotation = eval(text, fn.__globals__)  # noqa: S307  the author's own annotation
        except Exception:
            annotation = text
        if isinstance(annotation, str):
            try:
                annotation = types.str_to_ty(annotation)
            except ValueError:
                return False, None, "const" in text
    if annotation is types.constexpr or isinstance(annotation, types.constexpr):
        return True, None, False
    if annotation is types.const:
        return False, None, True
    if isinstance(annotation, types.dtype) and not annotation.is_block() and annotation.code:
        return False, annotation, annotation.is_const()
    return False, None, False


def _params(fn, do_not_specialize, do_not_specialize_on_alignment):
    code = fn.__code__
    if code.co_flags & 0x08:
        raise make(
            19,
            f"expected parameters without **, got them in {fn.__name__}",
            code.co_filename,
            code.co_firstlineno,
        )
    count = code.co_argcount
    names = code.co_varnames[: count + code.co_kwonlyargcount]
    defaults = dict(zip(names[count - len(fn.__defaults__ or ()) : count], fn.__defaults__ or ()))
    defaults.update(fn.__kwdefaults__ or {})
    for what in (*do_not_specialize, *do_not_specialize_on_alignment):
        if what not in names and not (isinstance(what, int) and -len(names) <= what < len(names)):
            # A warning, not an error: it is found in much existing code.
            import warnings

            warnings.warn(
                f"expected names or positions of parameters of {fn.__name__} in do_not_specialize, got {what!r}",
                stacklevel=5,
            )
    params = []
    for i, name in enumerate(names):
        p = Param()
        p.name, p.num = name, i
        p.has_default, p.default = name in defaults, defaults.get(name)
        p.annotation = fn.__annotations__.get(name)
        p.is_constexpr, p.annotation_type, p.is_const = _annotation(fn, p.annotation)
        listed = (name, i, i - len(names))
        p.do_not_specialize = any(x in do_not_specialize for x in listed)
        p.do_not_specialize_on_alignment = any(x in do_not_specialize_on_alignment for x in listed)
        params.append(p)
    return params


class KernelInterface:
    """What autotuners and heuristics share with jit functions: ``kernel[grid](...)``."""

    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs)

    def warmup(self, *args, grid=None, **kwargs):
        """Compiles for these arguments without launching."""
        return self.run(*args, grid=grid, warmup=True, **kwargs)


_functions = weakref.WeakSet()
#: While set, warm-ups are submitted to it: submit(key, compile).
deferred = contextvars.ContextVar("deferred", default=None)


class JITFunction(_pavage.Kernel):
    """A kernel, or a function that kernels call."""

    __pavage_kernel__ = True

    def __init__(
        self,
        fn,
        version=None,
        do_not_specialize=None,
        do_not_specialize_on_alignment=None,
        debug=None,
        noinline=None,
        repr=None,
        launch_metadata=None,
    ):
        _configure()
        code = getattr(fn, "__code__", None)
        if code is None:
            file, line, column = caller()
            raise make(24, f"expected a Python function, got {type(fn).__name__}", file, line, column)
        self.fn = fn
        self.__name__, self.__qualname__, self.__doc__ = fn.__name__, fn.__qualname__, fn.__doc__
        self.__module__, self.__wrapped__, self.__globals__ = fn.__module__, fn, fn.__globals__
        self.params = _params(fn, do_not_specialize or (), do_not_specialize_on_alignment or ())
        self.arg_names = [p.name for p in self.params]
        #: The name after *, of functions that kernels call.
        self.rest = code.co_varnames[len(self.params)] if code.co_flags & 0x04 else None
        self.debug, self.noinline, self.pre_run_hooks = debug, noinline, []
        self._repr, self.launch_metadata = repr, launch_metadata
        self._own_text = self._source = self._dependencies = self._cache_key = self._locals = None
        self._kept, self._words, self._names, self._made = [], {}, {}, []
        _functions.add(self)
        self.eager = environment_flag("PAVAGE_INTERPRET")
        self._slow = self.eager
        super().__init__(fn.__name__, code.co_filename, code.co_firstlineno, [p.packed() for p in self.params])

    # --- text and what it depends on ---

    @property
    def source(self):
        if self._source is None:
            from . import source

            self._source = source.of(self.fn)
        return self._source

    @property
    def src(self):
        """The function's text, from its def on."""
        text = self.source.text
        return text[text.index("def " + self.__name__) :] if f"def {self.__name__}" in text else text

    def _unsafe_update_src(self, text):
        """Puts another text in place of the function's own; whatever calls it is compiled again, too."""
        from . import source

        self._own_text = self._own_text or self.src
        self._source = None if text == self._own_text else source.given(self.fn, text)
        for function in list(_functions):
            function._changed()

    @property
    def local_names(self):
        if self._locals is None:
            from .trace.analysis import assigned

            self._locals = assigned(self.source.tree.body) | {*self.arg_names, self.rest}
        return self._locals

    def find(self, name, default):
        """(owner, key, value) of a global or captured name."""
        if name in self.fn.__code__.co_freevars:
            cell = self.fn.__closure__[self.fn.__code__.co_freevars.index(name)]
            try:
                return cell, None, cell.cell_contents
            except ValueError:
                return None, None, default
        owner = self.fn.__globals__
        return owner, name, owner.get(name, default)

    def lookup(self, name, default):
        return self.find(name, default)[2]

    def is_constexpr_global(self, name):
        annotations = self.fn.__globals__.get("__annotations__", {})
        from .language import types

        a = annotations.get(name) if isinstance(annotations, dict) else None
        return a is types.constexpr or (isinstance(a, str) and "constexpr" in a)

    @property
    def signature(self):
        """The function's inspect.Signature."""
        import inspect

        return inspect.signature(self.fn)

    @property
    def dependencies(self):
        if self._dependencies is None:
            from .dependencies import Dependencies

            self._dependencies = Dependencies(self)
        return self._dependencies

    @property
    def cache_key(self):
        """Hash of the text and of all that it depends on."""
        if self._cache_key is None:
            import hashlib

            from .dependencies import collect

            words, watches = collect(self)
            self._cache_key = hashlib.sha256("\0".join(words).encode()).hexdigest()
            self._set_watches(watches)
        return self._cache_key

    def _changed(self):
        self._dependencies = self._cache_key = self._locals = None
        self.version += 1

    def _globals_changed(self):
        from .dependencies import collect

        for f in {id(f): f for f in _reachable(self)}.values():
            f._changed()
        self._set_watches(collect(self)[1])

    # --- launching ---

    def run(self, *args, grid, warmup=False, **kwargs):
        launcher = self._compiler() if warmup else self[grid]
        return launcher(*args, **kwargs)

    def warmup(self, *args, grid=None, **kwargs):
        """Compiles for these arguments without launching; a dtype stands for a pointer to it."""
        from .testing import MockTensor

        constant = {p.name for p in self.params if p.is_constexpr}
        args = [
            MockTensor.wrap_dtype(a) if i < len(self.params) and self.params[i].name not in constant else a
            for i, a in enumerate(args)
        ]
        kwargs = {k: v if k in constant else MockTensor.wrap_dtype(v) for k, v in kwargs.items()}
        mode = deferred.get()
        if mode is None:
            return self._compiler()(*args, **kwargs)
        words = [f"{k}={getattr(v, 'dtype', None) or repr(v)}" for k, v in (*enumerate(args), *kwargs.items())]
        return mode.submit((self, *words), lambda: self._compiler()(*args, **kwargs))

    def add_pre_run_hook(self, hook):
        """A function called with the arguments before each launch."""
        self.pre_run_hooks.append(hook)
        self._slow = True

    def _slow_launch(self, grid, args, kwargs):
        for hook in self.pre_run_hooks:
            hook(*args, **kwargs)
        if self.eager or _pavage.interpret():
            from .eager import launch

            return launch(self, grid, args, kwargs)
        self._slow = False
        try:
            return (self._compiler() if grid is None else self[grid])(*args, **kwargs)
        finally:
            self._slow = True

    def _call(self, args, kwargs):
        """kernel(...) without a grid: a call from another kernel, or a mistake."""
        from ._context import state

        if state.builder is None:
            file, line, column = caller()
            raise make(
                21, f"expected a grid, as in {self.__name__}[(1,)](...), got a call without one", file, line, column
            )
        if state.builder.is_eager() and state.frame is None:
            from .eager import call

            return call(self, args, kwargs)
        from .trace import inline_call

        return inline_call(self, list(args), kwargs)

    def _miss(self, values, options, key, fingerprint, expected):
        from .compiler import get_variant

        return get_variant(self, values, options, key, fingerprint, expected)

    def _compiled(self, capsule):
        from .compiler import CompiledKernel

        made = CompiledKernel(self, capsule)
        self._made.append(made)
        return made

    def compiled(self):
        """What has been compiled of this kernel in this process."""
        return list(self._made)

    # --- arguments that do not fit; called by _pavage ---

    def _signature(self):
        return f"{self.__name__}({', '.join(self.arg_names)})"

    def _argument_error(self, number, text):
        file, line, column = caller()
        raise make(
            number,
            text,
            file,
            line,
            column,
            [(f"the kernel is {self._signature()}", self.fn.__code__.co_filename, self.fn.__code__.co_firstlineno, 0)],
        )

    def _too_many(self, count):
        self._argument_error(306, f"expected at most {len(self.params)} arguments for {self.__name__}, got {count}")

    def _missing(self, name):
        self._argument_error(305, f"expected a value for the parameter '{name}' of {self.__name__}, got none")

    def _duplicate(self, name):
        self._argument_error(313, f"expected one value for the parameter '{name}' of {self.__name__}, got two")

    def _unknown(self, name):
        import difflib

        near = difflib.get_close_matches(name, [*self.arg_names, *OPTIONS], 1)
        hint = f" (did you mean '{near[0]}'?)" if near else ""
        self._argument_error(306, f"expected a parameter of {self._signature()} or a launch option, got '{name}'{hint}")

    def __repr__(self):
        return f"JITFunction({self.__module__}:{self.__qualname__})"

    def __hash__(self):
        return id(self) >> 4

    def __eq__(self, other):
        return self is other


def _reachable(function):
    done, todo = {}, [function]
    while todo:
        f = todo.pop()
        if id(f) not in done:
            done[id(f)] = f
            todo += f.dependencies.functions
    return done.values()


_configured = False


def _configure():
    global _configured
    if not _configured:
        from .language import types

        _pavage.configure(types.constexpr, OPTIONS, environment_flag("PAVAGE_CHECK"))
        _pavage.set_print_handler(_print)
        _configured = True


def _print(text):
    """Where device_print goes: to Python's own standard output, so that notebooks and tests see it."""
    import sys

    sys.stdout.write(text)
    sys.stdout.flush()


def jit(
    fn=None,
    *,
    version=None,
    repr=None,
    launch_metadata=None,
    do_not_specialize=None,
    do_not_specialize_on_alignment=None,
    debug=None,
    noinline=None,
):
    """Makes a Python function a kernel: ``@pavage.jit``."""

    def decorate(f):
        if isinstance(f, JITFunction):
            return f
        return JITFunction(
            f, version, do_not_specialize, do_not_specialize_on_alignment, debug, noinline, repr, launch_metadata
        )

    return decorate if fn is None else decorate(fn)
