# `import triton` means Pavage while the layer is installed. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import importlib
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import pavage
import pavage.compat.triton as layer

PROGRAM = """
    import sys
    import numpy as np
    import triton
    import triton.language as tl
    from triton.language.extra import libdevice
    from triton.tools.tensor_descriptor import TensorDescriptor

    @triton.jit
    def add(out, x, y, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)

    x = np.arange(1000, dtype=np.float32)
    out = np.zeros_like(x)
    add[lambda meta: (triton.cdiv(1000, meta["BLOCK"]),)](out, x, x, 1000, BLOCK=128, num_warps=4)
    print(triton.__version__, bool((out == 2 * x).all()), sys.argv[1:])
"""


def test_a_program_runs_unchanged(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(textwrap.dedent(PROGRAM))
    result = subprocess.run([sys.executable, "-m", "pavage.compat.triton", str(script), "--flag", "1"],
                            capture_output=True, text=True)
    assert result.stdout == f"{layer.TRITON_VERSION} True ['--flag', '1']\n", result.stderr


def test_a_module_runs_unchanged(tmp_path):
    (tmp_path / "program.py").write_text(textwrap.dedent(PROGRAM))
    result = subprocess.run([sys.executable, "-m", "pavage.compat.triton", "-m", "program"], capture_output=True,
                            text=True, cwd=tmp_path)
    assert result.stdout == f"{layer.TRITON_VERSION} True []\n", result.stderr


@pytest.mark.parametrize("arguments", [[], ["--torch-devise", "cpu", "x.py"], ["-m"]])
def test_wrong_command_lines_say_what_is_expected(arguments):
    result = subprocess.run([sys.executable, "-m", "pavage.compat.triton", *arguments], capture_output=True, text=True)
    assert result.returncode == 2 and result.stderr.startswith("usage:")


def test_installed_only_when_asked_and_taken_out_again(monkeypatch):
    other = type(sys)("triton")
    monkeypatch.setitem(sys.modules, "triton", other)
    layer.install()
    try:
        assert layer.installed()
        assert importlib.import_module("triton").__version__ == layer.TRITON_VERSION
    finally:
        layer.uninstall()
    assert sys.modules["triton"] is other and not layer.installed()


def test_extents_must_be_powers_of_two(triton):
    tl = importlib.import_module("triton.language")
    triton.tl = tl

    @triton.jit
    def kernel(out, N: tl.constexpr):
        i = tl.arange(0, N)
        tl.store(out + i, i)

    out = np.zeros(8, np.int32)
    kernel[(1,)](out, N=8)
    np.testing.assert_array_equal(out, np.arange(8))
    with pytest.raises(triton.CompilationError, match="PV0017: .*power of 2, got 7"):
        kernel[(1,)](out, N=7)


def test_errors_also_speak_tritons_words(triton):
    tl = importlib.import_module("triton.language")

    @triton.jit
    def kernel(x):
        tl.store(x, tl.load(x) & 1.5)

    with pytest.raises(triton.TritonError, match="invalid operands of type") as caught:
        kernel[(1,)](np.zeros(1, np.float32))
    assert "invalid operands" in str(caught.value.__cause__) and caught.value.number == 103
    layer.uninstall()
    with pytest.raises(pavage.CompilationError) as plain:
        pavage.jit(kernel.fn)[(1,)](np.zeros(1, np.float32))
    assert "invalid operands" not in str(plain.value)


def test_types_show_as_tritons(triton):
    tl = importlib.import_module("triton.language")
    for dtype in (tl.float16, tl.uint8, tl.pointer_type(tl.int1)):
        assert repr(dtype).startswith("triton.language.") and eval(repr(dtype), {"triton": triton}) == dtype
    layer.uninstall()
    assert repr(tl.float16) == "pavage.language.float16"
