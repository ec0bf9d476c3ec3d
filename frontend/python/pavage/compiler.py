# A new key: trace, compile, and what a launch gives back. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import os

from . import _pavage

_NO_DISK, _EXPECTED = 1, 2


def get_variant(function, values, options, key, fingerprint, expected):
    """The compiled variant for a key, from disk or made now (a capsule)."""
    from .specialise import Specialisation, describe

    spec = Specialisation(function.params, values, key)
    function._kept.append((spec.constants, tuple(options.values())))
    _, target, _ = _pavage.device_info()
    parts = [(".source", function.cache_key), (".compiler", compiler_identity()), ("kernel", function.__name__)]
    parts += [(name, word) for name, word in spec.words]
    parts.append(("shared memory", spec.sharing))
    parts += [(f"option {name}", describe(value)) for name, value in sorted(options.items())]
    parts += [
        (f"environment {name}", os.environ[name])
        for name in ("PAVAGE_FP_FUSION", "PAVAGE_CHECK", "PAVAGE_CPU")
        if os.environ.get(name)
    ]
    if target == "cpu":
        parts.append((".cpu", _pavage.cpu_info()[2]))

    def compile():
        return compile_artifact(record(function, spec, options), target, options)[0]

    for listener in listeners:
        listener("compile", function, spec, options, fingerprint)
    flags = _EXPECTED if expected else 0
    if os.environ.get("PAVAGE_DUMP"):
        flags |= _NO_DISK
    variant = function._get(fingerprint, key, parts, compile, flags)
    if function._repr is not None:
        function._names[_pavage.variant_id(variant)] = function._repr(_Specialised(function, spec))
    function._words[_pavage.variant_id(variant)] = ", ".join(
        [word for _, word in spec.words] + [f"{name}={value}" for name, value in sorted(options.items())]
    )
    for listener in listeners:
        listener("compiled", function, spec, options, fingerprint)
    return variant


#: Called with ("compile" or "compiled", kernel, Specialisation, options, number) around each new variant.
listeners = []


class _Specialised:
    """What a kernel's `repr` builds a name from: signature and constants by parameter."""

    def __init__(self, function, spec):
        from .trace.kernel import One

        self.fn = function
        self.constants = {k: 1 if isinstance(v, One) else v for k, v in spec.constants.items()}
        self.signature = {
            name: "constexpr" if name in self.constants else word.partition(":")[0] for name, word in spec.words
        }


def record(function, spec, options):
    """The module of a specialised kernel."""
    from .errors import make
    from .jit import HINTS
    from .language.types import unwrap
    from .trace import trace_kernel

    hints = {}
    for name in HINTS:
        value = unwrap(options.get(name))
        if value is None:
            continue
        if not hasattr(value, "__index__") or value < (0 if name == "num_stages" else 1):
            raise make(309, f"expected a positive integer as the launch option {name}, got {value!r}")
        hints[name] = max(int(value), 1)  # no stages are no pipelining, as one is
    return trace_kernel(function, spec.arguments, spec.constants, hints)


def compile_artifact(module, target, options=(), emit="tile", **more):
    """(the artifact, its stages by name): bytes."""
    from .language.types import unwrap

    request = {"target": target, "emit": emit, **more}
    if target == "cpu":
        request["cpu_level"] = _pavage.cpu_info()[1]
    if "enable_fp_fusion" in options and not unwrap(options["enable_fp_fusion"]):
        request["no_fp_fusion"] = True
    return module.compile(request)


def compiler_identity():
    """What tells one build of the compiler from another, without loading it."""
    global _identity
    if _identity is None:
        from . import __version__

        here = os.path.dirname(os.path.realpath(_pavage.__file__))
        found = []
        for folder in (here, os.path.join(here, "..", "..", "lib")):
            path = os.path.join(folder, "libpavage_core.so")
            if os.path.exists(path):
                s = os.stat(path)
                found.append(f"{s.st_size}:{s.st_mtime_ns}")
                break
        # The front end's own text decides about the IR, too.
        package = os.path.dirname(os.path.realpath(__file__))
        for folder, folders, files in os.walk(package):
            folders[:] = sorted(f for f in folders if f != "__pycache__")
            for name in sorted(files):
                if name.endswith(".py") and name not in ("tuning.py", "testing.py"):
                    s = os.stat(os.path.join(folder, name))
                    found.append(f"{s.st_size}:{s.st_mtime_ns}")
        import hashlib

        _identity = f"{__version__} {hashlib.sha256(' '.join(found).encode()).hexdigest()[:32]}"
    return _identity


_identity = None
_ALIASES = {"ttir": "tile", "ttgir": "tilegpu", "llir": "llvm"}
_TEXT = ("tile", "tilegpu", "vector", "nvvm", "llvm", "asm", "ptx")


class _Stages(dict):
    """Texts and bytes of the stages of compilation; those not kept are made when they are asked for."""

    def __init__(self, kernel):
        super().__init__()
        self._kernel = kernel

    def __missing__(self, name):
        name = _ALIASES.get(name, name)
        data = _pavage.variant_section(self._kernel._variant, name)
        if data is None:
            data = self._kernel._emit(name)
        if data is None:
            raise KeyError(f"{name}: expected one of {', '.join(self.stages())}")
        value = self[name] = data.decode() if name in _TEXT else data
        return value

    def stages(self):
        from ._context import native

        return native().stage_names(self._kernel.target)

    def keys(self):
        return self.stages()

    def __contains__(self, name):
        return _ALIASES.get(name, name) in self.stages()

    def __iter__(self):
        return iter(self.stages())

    def get(self, name, default=None):
        return self[name] if name in self else default


class CompiledKernel:
    """One compiled variant of a kernel. ``asm`` maps stages (tile, llvm, asm, ...) to texts."""

    def __init__(self, function, variant):
        self.function, self._variant = function, variant
        self.name = function._names.get(_pavage.variant_id(variant), function.__name__)
        self.asm = _Stages(self)
        _, self.target, _ = _pavage.device_info()
        origin, self.milliseconds, self.params, self._artifact = _pavage.variant_info(variant)
        #: "compiled" in this process, or read from "disk".
        self.origin = ("compiled", "disk", "given")[origin]
        #: What it was compiled for, an item per parameter.
        self.signature = function._words.get(_pavage.variant_id(variant), "")

    @property
    def metadata(self):
        from types import SimpleNamespace

        return SimpleNamespace(
            name=self.name,
            target=self.target,
            num_warps=self.fact("num_warps", 4),
            num_stages=self.fact("num_stages", 3),
            num_ctas=self.fact("num_ctas", 1),
            shared=self.fact("shared_bytes", 0),
            scratch_bytes=self.fact("scratch_bytes", 0),
        )

    def fact(self, name, default=0):
        """A launch fact, such as scratch_bytes."""
        return _pavage.variant_fact(self._variant, name, default)

    @property
    def artifact(self):
        """All of it as bytes."""
        return self._artifact

    def _emit(self, stage):
        from ._context import native

        if stage not in native().stage_names(self.target):
            return None
        module = native().module_from_artifact(self._artifact)
        return compile_artifact(module, self.target, emit=stage)[1].get(stage)

    def __repr__(self):
        return f"<compiled kernel {self.name} for {self.target}>"
