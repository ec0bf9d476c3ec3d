# Every number that the Python front end reports: its text, and the place it points to. SPDX-License-Identifier:
# Apache-2.0 WITH LLVM-exception
#
# A case is a kernel with a comment `# !! PV0002 fragment`: the error must have that number and point at the fragment,
# which is looked for in that line; further comments on the case give words of the message.
import inspect
import linecache
import os
import pickle
import re
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import pavage
import pavage.language as tl

CASES = []
COUNT = 5  # a global that is not constant


def case(*words, **kwargs):
    """Registers a kernel with what its message must say."""
    args = (np.zeros(16, np.float32), np.zeros(16, np.float32), 3)

    def register(fn):
        CASES.append(pytest.param(pavage.jit(fn), words, args, kwargs, id=fn.__name__))
        return fn

    return register


@pavage.jit
def helper(a, b=2, *, c: tl.constexpr = 3):
    return a + b + c


@pavage.jit
def endless(a):
    return endless(a + 1)


def plain(a):
    return a


@case("expected a name that is defined", "'colz'", "did you mean 'cols'")
def unknown_name(x, y, n):
    cols = tl.arange(0, 16)
    tl.store(x + colz, cols)  # noqa: F821  !! PV0002 colz


@case("expected 'v' to have a value here")
def used_before_assignment(x, y, n):
    tl.store(x, v)  # noqa: F821  !! PV0002 v
    v = 1.0  # noqa: F841


@case("a global that is known at compile time", "COUNT", "tl.constexpr(...)")
def plain_global(x, y, n):
    tl.store(x, COUNT)  # !! PV0003 COUNT


@case("known at compile time", "int32")
def runtime_shape(x, y, n):
    tl.store(x + tl.arange(0, n), 1.0)  # !! PV0004 tl.arange(0, n)


@case("constexpr parameter 'c' of helper")
def runtime_constexpr(x, y, n):
    tl.store(x, helper(n, c=n))  # !! PV0004 helper(n, c=n)


@case("tl.constexpr", "got int32")
def runtime_annotated(x, y, n):
    K: tl.constexpr = n + 1  # !! PV0004 n + 1
    tl.store(x, K)


@case("got the Python function plain", "@pavage.jit")
def python_function(x, y, n):
    tl.store(x, plain(n))  # !! PV0005 plain(n)


@case("expected a function, got 3")
def not_callable(x, y, n):
    N: tl.constexpr = 3
    N(x)  # !! PV0005 N(x)


@case("at most 3 arguments for helper, got 4")
def too_many_call_arguments(x, y, n):
    helper(n, n, n, n)  # !! PV0007 helper(


@case("'d'", "a, b, c")
def unknown_keyword(x, y, n):
    helper(n, d=3)  # !! PV0007 helper(


@case("one value for the parameter 'a'")
def twice_by_keyword(x, y, n):
    helper(n, a=3)  # !! PV0007 helper(


@case("a value for the parameter 'a'")
def call_argument_missing(x, y, n):
    helper(b=n)  # !! PV0007 helper(


@case("load(pointer, mask=None", "wrong")
def language_argument_unknown(x, y, n):
    tl.load(x, wrong=1)  # !! PV0007 tl.load(


@case("expected 2 values to unpack, got 3")
def unpack_count(x, y, n):
    a, b = (n, n, n)  # noqa: F841  !! PV0008 a, b


@case("expected a tuple to unpack, got int32")
def unpack_scalar(x, y, n):
    a, b = n  # noqa: F841  !! PV0008 a, b


@case("ZeroDivisionError")
def constant_division(x, y, n):
    N: tl.constexpr = 3
    tl.store(x, 1 // (N - 3))  # !! PV0009 1 // (N - 3)


@case("expected an element type", "got 'float37'")
def unknown_dtype(x, y, n):
    tl.store(x, n.to("float37"))  # !! PV0010 n.to(


@case("expected static_assert to hold, got false: N is 3")
def static_assertion(x, y, n):
    N: tl.constexpr = 3
    tl.static_assert(N == 4, f"N is {N}")  # !! PV0011 tl.static_assert


@case("expected the assertion to hold, got false: no")
def constant_assertion(x, y, n):
    assert n is None, "no"  # !! PV0011 assert


@case("got 'sums'", "float32")
def unknown_attribute(x, y, n):
    tl.load(x).sums()  # !! PV0012 tl.load(x).sums


@case("expected a pointer type, got int32")
def element_type_of_a_number(x, y, n):
    n.dtype.element_ty  # noqa: B018  !! PV0012 n.dtype.element_ty


@case("expected a tuple, list or range to iterate over, got float32[16]")
def loop_over_a_tile(x, y, n):
    for v in tl.load(x + tl.arange(0, 16)):  # !! PV0013 tl.load
        tl.store(y, v)


@case("got an attribute")
def attribute_store(x, y, n):
    n.value = 3  # !! PV0015 n.value


@case("got a subscript", "tl.where")
def subscript_store(x, y, n):
    t = tl.zeros((4,), tl.float32)
    t[0] = 1.0  # !! PV0015 t[0]


@case("expected a tile or tuple before [, got 3")
def subscript_of_a_number(x, y, n):
    N: tl.constexpr = 3
    tl.store(x, N[0])  # !! PV0018 N[0]


@case("expected an index from -2 to 1, got 2")
def tuple_index(x, y, n):
    t = (n, n)
    tl.store(x, t[2])  # !! PV0022 t[2]


@case("got raise ValueError('bad')")
def raise_reached(x, y, n):
    raise ValueError("bad")  # !! PV0025 raise


@case("got try")
def try_statement(x, y, n):
    try:  # !! PV0001 try
        tl.store(x, 1.0)
    except ValueError:
        pass


@case("got a lambda")
def lambda_expression(x, y, n):
    f = lambda v: v  # noqa: E731, F841  !! PV0001 lambda


@case("nested functions, got def inner")
def nested_function(x, y, n):
    def inner():  # noqa: E306  !! PV0001 def inner
        pass

    inner()


@case("got with")
def with_statement(x, y, n):
    with n:  # !! PV0001 with
        pass


@case("without else")
def loop_with_else(x, y, n):
    for i in range(n):
        tl.store(x, i)
    else:
        tl.store(x, 1)  # !! PV0001 tl.store(x, 1)


@case("imports at the top of the file")
def import_inside(x, y, n):
    import math  # noqa: F401  !! PV0001 import


@case("no return in an unrolled loop")
def runtime_break_and_return_of_unrolled_loop(x, y, n):
    for i in tl.static_range(3):  # !! PV0001 for
        if n == i:
            break
        if n == 7:
            return


# ---- The builder's errors, seen from Python: number and place ----


@case("int32", "float32", "'acc'")
def loop_changes_type(x, y, n):
    acc = 0  # the type that the loop begins with
    for i in range(n):  # !! PV0153 for
        acc = acc + tl.load(x + i)
    tl.store(y, acc)


@case("[8]", "[16]")
def shapes_differ(x, y, n):
    tl.store(x, tl.sum(tl.arange(0, 8) + tl.arange(0, 16)))  # !! PV0110 tl.arange(0, 8) + tl.arange


@case("[8]", "[16]")
def mask_shape(x, y, n):
    tl.load(x + tl.arange(0, 16), mask=tl.arange(0, 8) < n)  # !! PV0121 tl.load


@case("axis")
def bad_axis(x, y, n):
    tl.sum(tl.arange(0, 8), axis=1)  # !! PV0111 tl.sum


@case("[4, 8]", "[4, 8]")
def dot_shapes(x, y, n):
    a = tl.zeros((4, 8), tl.float32)
    tl.store(x, tl.sum(tl.dot(a, a)))  # !! PV0135 tl.dot


@case("300", "int8")
def literal_out_of_range(x, y, n):
    tl.store(x, n.to(tl.int8) + 300)  # !! PV0101 n.to(tl.int8) + 300


@case("expected a pointer", "int32")
def load_from_a_number(x, y, n):
    tl.load(n)  # !! PV0120 tl.load


@case("int1[16]", "where")
def condition_is_a_tile(x, y, n):
    if tl.arange(0, 16) < n:  # !! PV0156 tl.arange(0, 16) < n
        tl.store(x, 1.0)


@case("float64", "atomic_and")
def atomic_of_a_wrong_type(x, y, n):
    tl.atomic_and(x, 1.0)  # !! PV0126 tl.atomic_and


@case("expected a kernel to return nothing")
def kernel_returns(x, y, n):
    return n  # !! PV0160 return


@case("expected tiles or numbers", "'text'")
def text_as_operand(x, y, n):
    tl.store(x, n + "text")  # !! PV0107 n + "text"


@case("integer", "float32")
def float_bound(x, y, n):
    for i in range(tl.load(x)):  # !! PV0157 range(
        tl.store(y, i)


@case("nested calls")
def recursion(x, y, n):
    endless(n)
    # !! PV0162


@pytest.mark.parametrize("kernel, words, args, kwargs", CASES)
def test_message_and_place(kernel, words, args, kwargs):
    with pytest.raises(pavage.Error) as caught:
        kernel[(1,)](*args, **kwargs)
    e = caught.value
    lines, first = inspect.getsourcelines(kernel.fn)
    (index, mark), *_ = [(i, m) for i, line in enumerate(lines) if (m := re.search(r"!! PV(\d{4})(?: (.*))?", line))]
    assert e.number == int(mark.group(1)), e
    for word in words:
        assert word in str(e), e
    assert isinstance(e, pavage.CompilationError)
    if mark.group(2):
        line = lines[index]
        assert os.path.samefile(e.file, __file__)
        assert e.line == first + index, e
        fragment = mark.group(2).strip()
        assert line[e.column - 1 :].startswith(fragment), (e, fragment)
        # The printed form has the line and a caret below the place.
        rendered = str(e).splitlines()
        assert rendered[0].startswith(f"{e.file}:{e.line}:{e.column}: error PV{e.number:04d}: expected ")
        assert rendered[1].rstrip() == "    " + line.rstrip()
        assert rendered[2].index("^") == 4 + e.column - 1


def test_a_call_chain_is_told():
    @pavage.jit
    def outer(x, n):
        bad_inner(x, n)

    with pytest.raises(pavage.CompilationError) as caught:
        outer[(1,)](np.zeros(4, np.float32), 5)
    assert "tl.arange(0, n)" in str(caught.value)
    assert any("bad_inner" in note[0] or note[2] for note in caught.value.notes), caught.value
    assert "note:" in str(caught.value)


@pavage.jit
def bad_inner(x, n):
    tl.store(x + tl.arange(0, n), 0.0)


# ---- Outside of kernels ----


def raised(function, *args, **kwargs):
    with pytest.raises(pavage.Error) as caught:
        function(*args, **kwargs)
    return caught.value


@pavage.jit
def copy(out, x, n, BLOCK: tl.constexpr, FLAG: tl.constexpr = True):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)


def here():
    """(file, line) of the caller's caller."""
    frame = inspect.currentframe().f_back
    return frame.f_code.co_filename, frame.f_lineno


OUT, X = np.zeros(8, np.float32), np.ones(8, np.float32)

LAUNCHES = [
    (305, "'BLOCK'", lambda: copy[(1,)](OUT, X, 8)),
    (306, "'BLOK'", lambda: copy[(1,)](OUT, X, 8, BLOK=8)),
    (306, "did you mean 'BLOCK'", lambda: copy[(1,)](OUT, X, 8, BLOK=8)),
    (306, "at most 5 arguments", lambda: copy[(1,)](OUT, X, 8, 8, True, 1)),
    (313, "'n'", lambda: copy[(1,)](OUT, X, 8, n=8, BLOCK=8)),
    (307, "str", lambda: copy[(1,)](OUT, "x", 8, BLOCK=8)),
    (307, "object", lambda: copy[(1,)](OUT, object(), 8, BLOCK=8)),
    (307, "complex64", lambda: copy[(1,)](OUT, X.astype(np.complex64), 8, BLOCK=8)),
    (307, "'x'", lambda: copy[(1,)](OUT, X.astype(">f4"), 8, BLOCK=8)),
    (309, "'n'", lambda: copy[(1,)](OUT, X, 1 << 70, BLOCK=8)),
    (303, "got 4", lambda: copy[(1, 1, 1, 1)](OUT, X, 8, BLOCK=8)),
    (304, "got -3", lambda: copy[(-3,)](OUT, X, 8, BLOCK=8)),
    (304, "float", lambda: copy[(1.5,)](OUT, X, 8, BLOCK=8)),
    (304, "2147483647", lambda: copy[(1 << 31,)](OUT, X, 8, BLOCK=8)),
    (21, "copy[(1,)]", lambda: copy(OUT, X, 8)),
    (20, "ordinary Python code", lambda: tl.arange(0, 8)),
    (24, "lambda", lambda: pavage.jit(lambda x: x)[(1,)](OUT)),
    (24, "int", lambda: pavage.jit(3)),
    (19, "without **", lambda: pavage.jit(stars)),
    (19, "got *x", lambda: pavage.jit(star)[(1,)]()),
    (300, "gpu", lambda: pavage.device("gpu")),
]


def star(*x):
    pass


def stars(**x):
    pass


@pytest.mark.parametrize("number, word, launch", LAUNCHES, ids=lambda v: str(v) if isinstance(v, (int, str)) else "")
def test_launch_errors(number, word, launch):
    e = raised(launch)
    assert e.number == number, e
    assert word in str(e), e
    assert e.text.startswith("expected ") or number == 300, e
    if number in (303, 304, 305, 306, 307, 309, 313, 21, 20):
        # The place is the author's call.
        assert os.path.samefile(e.file, __file__) and linecache.getline(e.file, e.line).strip() in inspect.getsource(
            launch), e


def test_read_only_arrays_fail_only_where_the_kernel_writes():
    frozen = np.ones(8, np.float32)
    frozen.flags.writeable = False
    copy[(1,)](OUT, frozen, 8, BLOCK=8)
    e = raised(lambda: copy[(1,)](frozen, X, 8, BLOCK=8))
    assert e.number == 308 and "out" in str(e)


def test_an_array_of_another_device_is_refused():  # PV0302
    class OnGpu:
        dtype = "float32"
        is_cuda = True
        shape = (8,)

        def data_ptr(self):
            return 0

        def stride(self):
            return (1,)

    e = raised(lambda: copy[(1,)](OUT, OnGpu(), 8, BLOCK=8))
    assert e.number == 302 and "CUDA" in str(e)

    class OnOtherDevice:
        def __dlpack_device__(self):
            return (2, 0)

        def __dlpack__(self, **kwargs):
            raise AssertionError("must not be asked")

    assert raised(lambda: copy[(1,)](OUT, OnOtherDevice(), 8, BLOCK=8)).number == 302


def test_argument_errors_are_type_errors_too():
    with pytest.raises(TypeError):
        copy[(1,)](OUT)


def test_errors_survive_pickling():
    e = raised(lambda: copy[(1,)](OUT, X, 8))
    again = pickle.loads(pickle.dumps(e))
    assert type(again) is type(e) and str(again) == str(e) and again.number == 305


def test_every_number_is_explained():
    for number in {int(m) for m in re.findall(r"!! PV(\d{4})", open(__file__).read())} | {n for n, _, _ in LAUNCHES}:
        text = pavage.explain(f"PV{number:04d}")
        assert text and text.startswith(f"PV{number:04d}: "), number
    assert pavage.explain("PV9999") is None


# ---- Where the text comes from ----


def test_code_without_source_text_says_why():
    scope = {}
    exec(
        textwrap.dedent("""
        import pavage
        import pavage.language as tl
        @pavage.jit
        def made(out):
            tl.store(out, 1.0)
        """), scope)
    e = raised(lambda: scope["made"][(1,)](np.zeros(1, np.float32)))
    assert e.number == 6 and "linecache" in str(e)


def test_code_whose_text_is_in_linecache_works():
    text = textwrap.dedent("""
        import pavage
        import pavage.language as tl
        @pavage.jit
        def made(out):
            tl.store(out, 1.0)
            tl.store(out + nowhere, 1.0)
        """)
    name = "<cell 7>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope = {}
    exec(compile(text, name, "exec"), scope)
    e = raised(lambda: scope["made"][(1,)](np.zeros(2, np.float32)))
    assert (e.number, e.file, e.line) == (2, name, 7) and "tl.store(out + nowhere, 1.0)" in str(e)


def test_a_file_changed_after_its_import_is_noticed(tmp_path):
    path = tmp_path / "changing.py"
    head = "import pavage\nimport pavage.language as tl\n\n@pavage.jit\n"
    path.write_text(head + "def first(out):\n    tl.store(out, 1.0)\n")
    code = f"""
import sys, numpy as np
sys.path.insert(0, {str(tmp_path)!r})
import changing, pavage
open({str(path)!r}, "w").write("import pavage\\n\\n\\n@pavage.jit\\ndef other(out):\\n    pass\\n")
try:
    changing.first[(1,)](np.zeros(1, np.float32))
except pavage.Error as e:
    print(e.number, e)
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.startswith("6 ") and "changed since" in out


def test_columns_count_bytes_but_the_caret_counts_characters(tmp_path):
    path = tmp_path / "unicode.py"
    path.write_text(
        "import pavage\nimport pavage.language as tl\n\n@pavage.jit\ndef f(out):\n"
        "    tl.static_print('äöü', missing)\n",
        encoding="utf-8")
    scope = {"__name__": "unicode"}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), scope)
    e = raised(lambda: scope["f"][(1,)](np.zeros(1, np.float32)))
    lines = str(e).splitlines()
    assert e.column == 31 and lines[1][lines[2].index("^") :].startswith("missing")


def test_with_interpret_the_place_is_the_same():
    with pavage.interpret():
        e = raised(lambda: bad_inner[(1,)](np.zeros(4, np.float32), 5.0))
    assert os.path.samefile(e.file, __file__)
    assert "tl.arange(0, n)" in linecache.getline(e.file, e.line)
