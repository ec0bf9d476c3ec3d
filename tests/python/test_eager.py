# PAVAGE_INTERPRET=1: the author's Python runs and sees values. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import pavage
import pavage.language as tl

SEEN = []


def look(x):
    """Plain Python, called from a running kernel."""
    SEEN.append(x.numpy().copy() if isinstance(x, tl.tensor) else x)
    return x


look.__pavage_builtin__ = True  # so that tracing would not refuse it


@pavage.jit
def helper(x, k):
    y = x * k
    return look(y)


@pavage.jit
def kernel(out, x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0)
    look(v)
    look(float(tl.sum(v.to(tl.float32))))
    look(int(tl.program_id(0)))
    look(str(v[0]))
    if tl.program_id(0) == 1:
        look("second")
    tl.store(out + i, helper(v, 3), mask=i < n)


def test_values_are_seen_while_the_kernel_runs():
    SEEN.clear()
    x, out = np.arange(1, 8, dtype=np.int32), np.zeros(7, np.int32)
    with pavage.interpret():
        assert kernel[(2,)](out, x, 7, B=4) is None
    np.testing.assert_array_equal(out, 3 * x)
    first, total, pid, text, tripled = SEEN[:5]
    np.testing.assert_array_equal(first, [1, 2, 3, 4])
    assert (total, pid, text) == (10.0, 0, "1")
    np.testing.assert_array_equal(tripled, [3, 6, 9, 12])
    assert SEEN[5].tolist() == [5, 6, 7, 0] and "second" in [s for s in SEEN if isinstance(s, str)]


@pavage.jit
def types(out, x, n):
    h = tl.load(x + tl.arange(0, 4))
    s = 2.0
    a = h * s
    for _ in range(n):
        s = s * 1.5
    b = h * s
    c = 1
    if n > 0:
        c = 2
    d = h.to(tl.int8) + c
    k = 0
    for i in range(2):
        k += i
    tl.store(out, a.dtype.primitive_bitwidth)
    tl.store(out + 1, b.dtype.primitive_bitwidth)
    tl.store(out + 2, d.dtype.primitive_bitwidth)
    tl.store(out + 3, (h.to(tl.int8) + k).dtype.primitive_bitwidth)


def test_types_are_those_of_recorded_kernels():
    x = np.ones(4, np.float16)
    recorded, eager = np.zeros(4, np.int32), np.zeros(4, np.int32)
    types[(1,)](recorded, x, 3)
    with pavage.interpret():
        types[(1,)](eager, x, 3)
    np.testing.assert_array_equal(eager, recorded)
    assert list(recorded) == [16, 32, 32, 32]


def test_the_switch_is_only_for_a_while():
    x, out = np.ones(4, np.float16), np.zeros(4, np.int32)
    with pavage.interpret():
        assert types[(1,)](out, x, 3) is None
        with pavage.interpret(False):
            assert types[(1,)](out, x, 3).name == "types"
        assert types[(1,)](out, x, 3) is None
    assert types[(1,)](out, x, 3).name == "types"


PROGRAM = """
import sys
import numpy as np
import pavage, pavage.language as tl

@pavage.jit
def traced(out, n):
    a = n + 1
    if a > 2 and n < 100:
        b = a * 2
    else:
        b = a
    tl.store(out, b)

lines = []
def trace(frame, event, arg):
    if frame.f_code.co_filename == __file__ and frame.f_code.co_name == "traced":
        if event == "line":
            lines.append((frame.f_lineno, str(frame.f_locals.get("a"))))
        return trace

out = np.zeros(1, np.int32)
sys.settrace(trace)
traced[(1,)](out, 5)
sys.settrace(None)
print(out[0], sorted({line for line, _ in lines}), lines[-1][1], "pavage.trace.kernel" in sys.modules)
"""


def test_a_debugger_stops_at_the_authors_lines(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(PROGRAM))
    done = subprocess.run(
        [sys.executable, str(path)],
        env={**os.environ, "PAVAGE_INTERPRET": "1"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.startswith("12 [8, 9, 10, 13] 6 "), done


def test_assertions_and_errors_name_program_and_line():
    @pavage.jit
    def bad(x, n):
        assert n < 3, "n is small"
        tl.store(x + tl.program_id(0) * 3, 1.0)

    with pavage.interpret():
        with pytest.raises(pavage.Error) as caught:
            bad[(1,)](np.zeros(2, np.float32), 5)
        assert caught.value.number == 501 and "n is small" in str(caught.value)
        with pytest.raises(pavage.Error) as caught:
            bad[(2,)](np.zeros(2, np.float32), 1)
    e = caught.value
    assert e.number == 500 and "(1, 0, 0)" in str(e) and e.file == __file__
    assert "tl.store" in str(e)


def test_kernels_without_source_text_run_as_they_are():
    scope = {}
    exec("import pavage, pavage.language as tl\n@pavage.jit\ndef made(out, n):\n    tl.store(out, n + 1)\n", scope)
    out = np.zeros(1, np.int32)
    with pavage.interpret():
        scope["made"][(1,)](out, 4)
    assert out[0] == 5


def test_ctrl_c_between_calls(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(
        textwrap.dedent("""
        import os, signal, threading
        import numpy as np
        import pavage, pavage.language as tl

        @pavage.jit
        def endless(out):
            i = 0
            while tl.load(out) == 0:
                i += 1

        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs start with it ignored
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            endless[(1,)](np.zeros(1, np.int32))
        except KeyboardInterrupt:
            print("interrupted")
    """)
    )
    done = subprocess.run(
        [sys.executable, str(path)],
        env={**os.environ, "PAVAGE_INTERPRET": "1"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == "interrupted\n", done
