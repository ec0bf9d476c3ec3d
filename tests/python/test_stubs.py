# The stubs against the package, and a kernel against the stubs. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ast
import inspect
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import pavage
import pavage.language as tl
from pavage.language import math, types

tensor = sys.modules["pavage.language.tensor"]
PACKAGE = Path(pavage.__file__).parent


def stub(name):
    return ast.parse((PACKAGE / name).read_text())


def functions(body):
    return {n.name: n for n in body if isinstance(n, ast.FunctionDef)}


def parameters(node):
    a = node.args
    return [x.arg for x in (*a.posonlyargs, *a.args)], a.vararg and a.vararg.arg, [x.arg for x in a.kwonlyargs]


def real(function):
    kinds = inspect.signature(function).parameters.values()
    star = [p.name for p in kinds if p.kind is p.VAR_POSITIONAL]
    return (
        [p.name for p in kinds if p.kind is p.POSITIONAL_OR_KEYWORD],
        star[0] if star else None,
        [p.name for p in kinds if p.kind is p.KEYWORD_ONLY],
    )


@pytest.mark.parametrize("name, module", [("language/__init__.pyi", tl), ("language/math.pyi", math)])
def test_functions_of_the_language(name, module):
    declared = functions(stub(name).body)
    names = {n for n, v in vars(module).items() if getattr(v, "__pavage_builtin__", False) and n != "_device_cdiv"}
    if module is math:
        names &= set(math.__all__)
    assert set(declared) == names
    for n in names:
        assert parameters(declared[n]) == real(getattr(module, n)), n


def test_methods_of_tiles():
    classes = {n.name: n for n in stub("language/tensor.pyi").body if isinstance(n, ast.ClassDef)}
    for name, cls in (
        ("tensor", tensor.tensor),
        ("tensor_descriptor", tensor.tensor_descriptor),
        ("block_pointer", tensor.block_pointer),
    ):
        declared = functions(classes[name].body)
        for n in declared:
            assert hasattr(cls, n), (name, n)
        for n, v in vars(cls).items():
            if getattr(v, "__pavage_builtin__", False):
                assert n in declared, (name, n)


def test_names_of_modules():
    pavage.autotune  # noqa: B018  loads its module
    for name, module in (
        ("__init__.pyi", pavage),
        ("language/types.pyi", types),
        ("jit.pyi", sys.modules["pavage.jit"]),
        ("tuning.pyi", sys.modules["pavage.tuning"]),
    ):
        for node in stub(name).body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name != "Launcher":
                assert hasattr(module, node.name), (name, node.name)
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    assert (
                        node.module in ("typing", "builtins", "collections.abc")
                        or hasattr(module, alias.asname or alias.name)
                        or alias.asname is None
                    ), (name, alias.name)
    for name in set(pavage.__all__) - {"num_threads"}:
        assert name in (PACKAGE / "__init__.pyi").read_text(), name


SAMPLE = """
import numpy as np
import pavage
import pavage.language as tl


@pavage.autotune([pavage.Config({"BLOCK": 64}, num_warps=2)], key=["n"])
@pavage.heuristics({"EVEN": lambda args: args["n"] % 2 == 0})
@pavage.jit(do_not_specialize=["n"])
def kernel(out, x, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0).to(tl.float32)
    s = tl.sum(v * 2 + 1, axis=0)
    tl.store(out + i, v[:, None].reshape(BLOCK) + s.sqrt() if EVEN else tl.exp(v), mask=i < n)


x = np.zeros(64, np.float32)
kernel[(1,)](x, x, 64)
print(pavage.cdiv(3, 2), pavage.device().name)
"""
WRONG = """
import pavage.language as tl
tl.arange(0, 4, 5)
tl.lod(3)
"""


def test_mypy_accepts_a_kernel_and_sees_mistakes(tmp_path):
    (tmp_path / "sample.py").write_text(textwrap.dedent(SAMPLE))
    (tmp_path / "wrong.py").write_text(textwrap.dedent(WRONG))

    def mypy(file):
        return subprocess.run(
            [
                sys.executable,
                "-m",
                "mypy",
                "--check-untyped-defs",
                "--cache-dir",
                str(tmp_path / "c"),
                str(tmp_path / file),
            ],
            capture_output=True,
            text=True,
            env={"PYTHONPATH": str(PACKAGE.parent), "MYPYPATH": str(PACKAGE.parent)},
        )

    good = mypy("sample.py")
    assert good.returncode == 0, good.stdout + good.stderr
    bad = mypy("wrong.py").stdout
    assert 'Too many arguments for "arange"' in bad and 'has no attribute "lod"' in bad, bad

