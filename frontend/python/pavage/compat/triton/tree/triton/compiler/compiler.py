# triton.compiler.compiler: compiling without launching. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import os

from pavage import _pavage
from pavage._context import native
from pavage.compiler import CompiledKernel, compile_artifact, compiler_identity  # noqa: F401
from pavage.language import types
from pavage.tools.tensor_descriptor import Assembly
from pavage.trace import trace_kernel
from pavage.trace.kernel import ARGUMENT, One

from ..backends.compiler import GPUTarget


class ASTSource:
    """A kernel with the types of its arguments and the values of its constants."""

    def __init__(self, fn, signature, constexprs=None, attrs=None):
        self.fn, self.name, self.signature, self.attrs = fn, fn.__name__, signature, attrs or {}
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
            if kind.startswith("tensordesc<"):
                constants[p.name] = _descriptor(p.name, kind, arguments)
            else:
                arguments.append((p.name, types.str_to_ty(kind), 16 if divisible else 1, 0))
        for name, value in constants.items():
            if type(value) is int and value == 1 and not self.fn.params[self.fn.arg_names.index(name)].is_constexpr:
                constants[name] = One(types.int32)
        return trace_kernel(self.fn, arguments, constants, {})


def _descriptor(name, kind, arguments):
    """A descriptor parameter of the kind "tensordesc<fp16[64, 32]>"; adds the arguments that it is made from."""
    element, _, shape = kind[len("tensordesc<"):].rstrip(">").partition("[")
    block = tuple(int(n) for n in shape.partition("]")[0].split(","))
    names = [f"{name}.1.{i}" for i in range(len(block))], [f"{name}.2.{i}" for i in range(len(block))]
    arguments.append((f"{name}.0", types.pointer_type(types.dtype(element)), 16, 0))
    arguments.extend((n, types.int32, 1, 0) for n in names[0])
    arguments.extend((n, types.int64, 1, 0) for n in names[1])
    items = tuple(tuple(ARGUMENT for _ in part) for part in names)
    return Assembly((ARGUMENT, *items, block, "zero"))


class IRSource:
    """A file of IR in dialect Tile."""

    def __init__(self, path, context=None, backend=None):
        with open(path, encoding="utf-8") as f:
            self.text = f.read()
        self.path = path
        self.name = os.path.splitext(os.path.basename(path))[0]

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
        return _Compiled(src.name, b"", {"tile": module.text(False)})
    _, name, _ = _pavage.device_info()
    artifact, stages = compile_artifact(module, name, emit="tile")
    return _Compiled(src.name, artifact, stages)


def make_backend(target):
    return None


def triton_key():
    """What tells one build of the compiler from another."""
    return compiler_identity()
