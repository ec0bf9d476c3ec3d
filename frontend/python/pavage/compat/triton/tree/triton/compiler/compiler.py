# triton.compiler.compiler: compiling without launching. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from pavage import _pavage
from pavage._context import native
from pavage.compiler import CompiledKernel, compile_artifact  # noqa: F401
from pavage.language import types
from pavage.trace import trace_kernel
from pavage.trace.kernel import One

from ..backends.compiler import GPUTarget


class ASTSource:
    """A kernel with the types of its arguments and the values of its constants."""

    def __init__(self, fn, signature, constexprs=None, attrs=None):
        self.fn, self.signature, self.attrs = fn, signature, attrs or {}
        self.constants = {}
        for key, value in (constexprs or {}).items():
            if isinstance(key, tuple):
                key = key[0] if len(key) == 1 else key
            name = fn.arg_names[key] if isinstance(key, int) else key
            self.constants[name] = types.unwrap(value)

    def make_ir(self):
        """The module in dialect Tile."""
        arguments, constants = [], dict(self.constants)
        for i, p in enumerate(self.fn.params):
            if p.name in constants:
                continue
            kind = self.signature.get(p.name, self.signature.get(i))
            if kind == "constexpr" or kind is None:
                constants[p.name] = types.unwrap(p.default) if p.has_default else None
                continue
            divisible = any(a[0] == "tt.divisibility" for a in self.attrs.get((i,), ()))
            arguments.append((p.name, types.str_to_ty(kind), 16 if divisible else 1))
        for name, value in constants.items():
            if type(value) is int and value == 1 and not self.fn.params[self.fn.arg_names.index(name)].is_constexpr:
                constants[name] = One(types.int32)
        return trace_kernel(self.fn, arguments, constants, {})


class IRSource:
    """A file of IR in dialect Tile."""

    def __init__(self, path, context=None, backend=None):
        with open(path, encoding="utf-8") as f:
            self.text = f.read()
        self.path = path

    def make_ir(self):
        return native().module_from_text(self.text, self.path)


class _Compiled:
    """What compile gives: the stages by name."""

    def __init__(self, name, artifact, stages):
        self.name, self.artifact, self.asm = name, artifact, dict(stages)
        aliases = (("ttir", "tile"), ("llir", "llvm"))
        self.asm.update({alias: stages[stage] for alias, stage in aliases if stage in stages})


def compile(src, target=None, options=None, _env_vars=None):
    """Compiles an ASTSource, an IRSource, or a file of IR for the device in use."""
    if isinstance(src, str):
        src = IRSource(src)
    module = src.make_ir()
    if isinstance(target, GPUTarget) and target.backend == "cuda":
        return _Compiled(module.name, b"", {"tile": module.text(False)})
    _, name, _ = _pavage.device_info()
    artifact, stages = compile_artifact(module, name, emit="tile")
    return _Compiled(module.name, artifact, stages)


def make_backend(target):
    return None
