# What scripts/run_third_party.py reads off kernels. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import importlib
import os
import subprocess
import sys

import pytest

import pavage.compat.triton as layer

SCRIPTS = os.path.join(os.path.dirname(__file__), "..", "..", "scripts")
LIBRARY = """
import nothing_like_this
import triton
import triton.language as tl


@triton.jit
def shifted(x, by):
    return x + by


@triton.jit
def unused(x, bits: tl.constexpr):
    return x << bits


@triton.heuristics({"HAS_BIAS": lambda args: args["bias"] is not None})
@triton.jit
def kernel(X, bias, labels, out, stride, n_cols, eps, HAS_BIAS: tl.constexpr, KIND: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    i = tl.arange(0, BLOCK)
    x = tl.load(X + i, mask=i < n_cols, other=0.0)
    if HAS_BIAS:
        x += tl.load(bias + i, mask=i < n_cols, other=0.0)
    label = tl.load(labels + row)
    x = shifted(x, tl.load(X + label) + eps)
    if KIND == "mean":
        x = x / n_cols
    elif KIND == "none":
        x = x * 2
    tl.store(out + row * stride + i, x, mask=i < n_cols)


@triton.jit
def wrong(out):
    tl.store(out, undefined)
"""


@pytest.fixture
def third_party(monkeypatch):
    monkeypatch.syspath_prepend(SCRIPTS)
    layer.install()
    try:
        yield importlib.import_module("third_party.signatures")
    finally:
        layer.uninstall()
        for name in [n for n in sys.modules if n.startswith("third_party")]:
            del sys.modules[name]


def kernel_of(text, tmp_path, monkeypatch, name):
    (tmp_path / "library_of_a_test.py").write_text(text.replace("import nothing_like_this\n", ""))
    monkeypatch.syspath_prepend(tmp_path)
    try:
        return getattr(importlib.import_module("library_of_a_test"), name)
    finally:
        del sys.modules["library_of_a_test"]


def test_signatures_come_from_usage_decorators_and_names(third_party, tmp_path, monkeypatch):
    kernel = kernel_of(LIBRARY, tmp_path, monkeypatch, "kernel")
    types, constants = next(third_party.Signatures().attempts(kernel))
    assert types == {"X": "*fp32", "bias": "*fp32", "labels": "*i64", "out": "*fp32", "stride": "i32", "n_cols": "i32",
                     "eps": "fp32"}
    assert constants == {"HAS_BIAS": True, "KIND": "mean", "BLOCK": 32}


def test_later_signatures_take_other_words_flags_and_types(third_party, tmp_path, monkeypatch):
    kernel = kernel_of(LIBRARY, tmp_path, monkeypatch, "kernel")
    made = list(third_party.Signatures().attempts(kernel))
    assert {c["KIND"] for _, c in made} == {"mean", "none"}
    assert {t["X"] for t, _ in made} >= {"*fp32", "*bf16", "*fp16"}
    assert len({c["BLOCK"] for _, c in made}) > 2


def run(tmp_path, *arguments):
    package = tmp_path / "src" / "liger_kernel"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "ops.py").write_text(LIBRARY)
    return subprocess.run([sys.executable, os.path.join(SCRIPTS, "run_third_party.py"), f"liger={tmp_path}", "--only",
                           "compile", *arguments], capture_output=True, text=True)


def test_all_functions_of_a_library_are_counted_and_failures_say_why(tmp_path):
    pytest.importorskip("torch", reason="torch is not installed")
    result = run(tmp_path)
    assert "liger: 3 of 4 jit functions compile for cpu" in result.stdout, result.stdout + result.stderr
    for how in ("1  compiled (1 with the first signature)", "1  through\n", "1  through a written caller", "1  failed"):
        assert how in result.stdout
    assert "error PV0002: expected a name that is defined, got 'undefined'" in result.stdout
    assert result.returncode == 1


def test_an_unknown_collection_is_refused():
    script = os.path.join(SCRIPTS, "run_third_party.py")
    result = subprocess.run([sys.executable, script, "ligre=."], capture_output=True, text=True)
    assert result.returncode and "expected NAME=CHECKOUT with a NAME of fla, flaggems, liger, triton" in result.stderr
