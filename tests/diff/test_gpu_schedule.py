"""Interp gives the same before and after each pass of Gpu/Schedule. SPDX-License-Identifier: Apache-2.0 WITH
LLVM-exception

Layouts change no value, but a ring read too early, a wait for too little or a copy over what is still needed shows as
poison. Data are whole numbers, so that sums of any order are equal. The kernels with loops are made here, for each trip
count, number of stages and kind of neighbour that a load may have.
"""

import pathlib
import subprocess

import pytest

HERE = pathlib.Path(__file__).parent
CORPUS = sorted((HERE / "corpus").glob("*.mlir"))


@pytest.fixture(scope="module")
def pavage_opt(build_dir):
    return build_dir / "bin" / "pavage-opt"


def passes(warps=4, target="sm_80", stages=3, upto=4):
    return [
        f"--pavage-gpu-assign-layouts=num-warps={warps} target={target}",
        f"--pavage-gpu-pipeline=num-stages={stages}",
        "--pavage-gpu-allocate-shared",
        "--pavage-gpu-place-barriers",
    ][:upto]


def interpret(opt, text, *options):
    command = [str(opt), "-", *options, "--pavage-interp"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "@" in done.stdout, "no function ran"
    assert "error" not in done.stdout, done.stdout[-2000:]
    return done.stdout


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
@pytest.mark.parametrize("upto", [1, 2, 4])
@pytest.mark.parametrize("warps", [1, 4, 32])
def test_corpus(pavage_opt, path, upto, warps):
    text = path.read_text()
    before = interpret(pavage_opt, text, "--pavage-normalize")
    assert interpret(pavage_opt, text, "--pavage-normalize", *passes(warps, upto=upto)) == before


# --- Loops ------------------------------------------------------------------------------------------------------------

M, N, BK, DEPTH = 32, 64, 32, 256


def fill(name, elements, modulus, dtype):
    """Whole numbers, the element's number modulo something."""
    ty = f"tensor<{elements}x"
    return f"""
  %{name}_i = tile.iota 0 : {ty}i32>
  %{name}_m = arith.constant dense<{modulus}> : {ty}i32>
  %{name}_v = tile.rem %{name}_i, %{name}_m : {ty}i32>
  %{name}_f = tile.cast %{name}_v signed : {ty}i32> -> {ty}{dtype}>
  %{name}_t = tile.splat %{name} : !tile.ptr<{dtype}> -> {ty}!tile.ptr<{dtype}>>
  %{name}_p = tile.addptr %{name}_t, %{name}_i : {ty}!tile.ptr<{dtype}>>, {ty}i32>
  tile.store %{name}_p, %{name}_f : {ty}!tile.ptr<{dtype}>>"""


def load(name, rows, columns, stride, row, column, dtype, kind, trips):
    """A tile of an array, as a block or by a tile of pointers; the rows or columns beyond the trips are masked."""
    ty = f"tensor<{rows}x{columns}x"
    if kind == "block":
        axis = 1 if column == "%i" else 0
        extents = ["%m64", "%limit"] if axis else ["%limit", "%m64"]
        return f"""
    %t{name} = tile.block_load %{name}[{row}, {column}] strides [{stride}, %one] extents [{extents[0]}, {extents[1]}]
      checked [{axis}] : !tile.ptr<{dtype}> -> {ty}{dtype}>"""
    along, other = ("c", "r") if column == "%i" else ("r", "c")
    shape = {"r": f"{rows}x1", "c": f"1x{columns}"}
    return f"""
    %{name}r1 = tile.iota 0 : tensor<{rows}xi32>
    %{name}r = tile.expand_dims %{name}r1 axis 1 : tensor<{rows}xi32> -> tensor<{rows}x1xi32>
    %{name}c1 = tile.iota 0 : tensor<{columns}xi32>
    %{name}c = tile.expand_dims %{name}c1 axis 0 : tensor<{columns}xi32> -> tensor<1x{columns}xi32>
    %{name}i = arith.trunci %i : i64 to i32
    %{name}is = tile.splat %{name}i : i32 -> tensor<{shape[along]}xi32>
    %{name}{along}k = arith.addi %{name}{along}, %{name}is : tensor<{shape[along]}xi32>
    %{name}s = arith.trunci {stride} : i64 to i32
    %{name}st = tile.splat %{name}s : i32 -> tensor<{rows}x1xi32>
    %{name}rs = arith.muli %{name}{'rk' if along == 'r' else 'r'}, %{name}st : tensor<{rows}x1xi32>
    %{name}rb = tile.broadcast %{name}rs : tensor<{rows}x1xi32> -> {ty}i32>
    %{name}cb = tile.broadcast %{name}{'ck' if along == 'c' else 'c'} : tensor<1x{columns}xi32> -> {ty}i32>
    %{name}o = arith.addi %{name}rb, %{name}cb : {ty}i32>
    %{name}pt = tile.splat %{name} : !tile.ptr<{dtype}> -> {ty}!tile.ptr<{dtype}>>
    %{name}p = tile.addptr %{name}pt, %{name}o : {ty}!tile.ptr<{dtype}>>, {ty}i32>
    %{name}l = arith.trunci %limit : i64 to i32
    %{name}ls = tile.splat %{name}l : i32 -> tensor<{shape[along]}xi32>
    %{name}m1 = arith.cmpi slt, %{name}{along}k, %{name}ls : tensor<{shape[along]}xi32>
    %{name}mask = tile.broadcast %{name}m1 : tensor<{shape[along]}xi1> -> {ty}i1>
    %t{name} = tile.load %{name}p mask %{name}mask : {ty}!tile.ptr<{dtype}>>"""


EXTRAS = {
    "nothing": "",
    "store": "tile.store %log, %iv : !tile.ptr<i32>",
    "if": """%even = arith.cmpi eq, %iv, %zero32 : i32
    scf.if %even {
      tile.store %log, %iv : !tile.ptr<i32>
    }""",
    "atomic": "%old = tile.atomic_rmw addi %log, %iv : !tile.ptr<i32>",
}


def kernel(trips, dtype="f16", acc="f32", kind="block", extra="nothing", swapped=False, reduces=False, op="none",
           separate=True, cut=0):
    """acc += a[:, k] @ b[k, :] for `trips` steps, the last one shorter by `cut`, and something beside it."""
    memory = (lambda n: f", tile.memory = {n} : i64") if separate else (lambda n: "")
    loads = [load("a", M, BK, "%depth", "%zero", "%i", dtype, kind, trips),
             load("b", BK, N, "%n", "%i", "%zero", dtype, kind, trips)]
    if swapped:
        loads.reverse()
    ta, tb = "%ta", "%tb"
    work = ""
    if op == "cast":
        ty = f"tensor<{M}x{BK}x"
        work = f"""
    %tz = arith.addf %ta, %ta : {ty}{dtype}>"""
        ta = "%tz"
    elif op == "same":
        work = f"""
    %tt = tile.trans %ta order [1, 0] : tensor<{M}x{BK}x{dtype}> -> tensor<{BK}x{M}x{dtype}>
    %d0 = arith.constant dense<0.0> : tensor<{M}x{M}x{acc}>
    %dd = tile.dot %ta, %tt, %d0 : tensor<{M}x{BK}x{dtype}>, tensor<{BK}x{M}x{dtype}>, tensor<{M}x{M}x{acc}>
    %dr = tile.reduce %dd axis 1 : (tensor<{M}x{M}x{acc}>) -> tensor<{M}x{acc}> {{
    ^bb0(%x: {acc}, %y: {acc}):
      %z = arith.addf %x, %y : {acc}
      tile.yield %z : {acc}
    }}
    %de = tile.expand_dims %dr axis 1 : tensor<{M}x{acc}> -> tensor<{M}x1x{acc}>
    %db = tile.broadcast %de : tensor<{M}x1x{acc}> -> tensor<{M}x{N}x{acc}>
    %c1 = arith.addf %c, %db : tensor<{M}x{N}x{acc}>"""
    if reduces:
        work += f"""
    %fa = tile.cast %ta : tensor<{M}x{BK}x{dtype}> -> tensor<{M}x{BK}xf32>
    %sum = tile.reduce %fa axis 1 : (tensor<{M}x{BK}xf32>) -> tensor<{M}xf32> {{
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tile.yield %z : f32
    }}
    %s1 = arith.addf %s, %sum : tensor<{M}xf32>"""
    c = "%c1" if op == "same" else "%c"
    zero = "0" if acc == "i32" else "0.0"
    none = "0" if dtype == "i8" else "0.0"
    aligned = "" if cut else ", tile.divisibility = 16 : i64"
    return f"""
func.func @product(%out: !tile.ptr<{acc}> {{tile.test = dense<{zero}> : tensor<{M}x{N}x{acc}>{memory(1)}}},
    %a: !tile.ptr<{dtype}> {{tile.test = dense<{none}> : tensor<{M}x{DEPTH}x{dtype}>{memory(2)},
      tile.divisibility = 16 : i64}},
    %b: !tile.ptr<{dtype}> {{tile.test = dense<{none}> : tensor<{DEPTH}x{N}x{dtype}>{memory(3)},
      tile.divisibility = 16 : i64}},
    %sums: !tile.ptr<f32> {{tile.test = dense<0.0> : tensor<{M}xf32>{memory(4)}}},
    %log: !tile.ptr<i32> {{tile.test = dense<0> : tensor<1xi32>{memory(5)}}},
    %limit: i64 {{tile.test = {max(0, trips * BK - cut)} : i64{aligned}}}) attributes {{tile.kernel}} {{
  %zero = arith.constant 0 : i64
  %zero32 = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %step = arith.constant {BK} : i64
  %n = arith.constant {N} : i64
  %m64 = arith.constant 64 : i64
  %depth = arith.constant {DEPTH} : i64
  {fill("a", M * DEPTH, 5, dtype)}
  {fill("b", DEPTH * N, 7, dtype)}
  tile.barrier
  %acc0 = arith.constant dense<{zero}> : tensor<{M}x{N}x{acc}>
  %s0 = arith.constant dense<0.0> : tensor<{M}xf32>
  %r:2 = scf.for %i = %zero to %limit step %step iter_args(%c = %acc0, %s = %s0)
      -> (tensor<{M}x{N}x{acc}>, tensor<{M}xf32>) : i64 {{
    %iv = arith.trunci %i : i64 to i32
    {"".join(loads)}
    {work}
    %d = tile.dot {ta}, {tb}, {c} : tensor<{M}x{BK}x{dtype}>, tensor<{BK}x{N}x{dtype}>, tensor<{M}x{N}x{acc}>
    {EXTRAS[extra]}
    scf.yield %d, {"%s1" if reduces else "%s"} : tensor<{M}x{N}x{acc}>, tensor<{M}xf32>
  }}
  tile.block_store %out[%zero, %zero] strides [%n, %one] extents [%m64, %n], %r#0
    : !tile.ptr<{acc}>, tensor<{M}x{N}x{acc}>
  tile.block_store %sums[%zero] strides [%one] extents [%m64], %r#1 : !tile.ptr<f32>, tensor<{M}xf32>
  return
}}
"""


def check(opt, text, **options):
    before = interpret(opt, text, "--pavage-normalize")
    assert interpret(opt, text, "--pavage-normalize", *passes(**options)) == before


@pytest.mark.parametrize("kind", ["block", "pointers"])
@pytest.mark.parametrize("stages", [1, 2, 3, 4, 5])
def test_trip_counts(pavage_opt, stages, kind):
    for trips in sorted({0, 1, 2, stages - 1, stages, stages + 1}):
        for cut in [0, 3]:
            check(pavage_opt, kernel(trips, kind=kind, cut=cut), stages=stages)


@pytest.mark.parametrize("extra", EXTRAS)
@pytest.mark.parametrize("reduces", [False, True])
@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("separate", [False, True])
def test_neighbours(pavage_opt, extra, reduces, swapped, separate):
    check(pavage_opt, kernel(4, extra=extra, reduces=reduces, swapped=swapped, separate=separate))


@pytest.mark.parametrize("op", ["none", "cast", "same"])
@pytest.mark.parametrize("target", ["sm_75", "sm_80", "sm_90"])
@pytest.mark.parametrize("warps", [1, 2, 8, 16])
def test_operands(pavage_opt, op, target, warps):
    check(pavage_opt, kernel(3, op=op), target=target, warps=warps)


@pytest.mark.parametrize("dtype,acc", [("f32", "f32"), ("bf16", "f32"), ("f64", "f64"), ("i8", "i32"),
                                       ("f8E4M3FN", "f32")])
@pytest.mark.parametrize("target", ["sm_75", "sm_80", "sm_89"])
@pytest.mark.parametrize("stages", [1, 3])
def test_types(pavage_opt, dtype, acc, target, stages):
    check(pavage_opt, kernel(3, dtype=dtype, acc=acc), target=target, stages=stages)


def test_pipelining_happens(pavage_opt):
    """The tests above would hold for a pass that does nothing."""
    for kind in ["block", "pointers"]:
        done = subprocess.run([str(pavage_opt), "-", "--pavage-normalize", *passes(stages=3, upto=2)],
                              input=kernel(3, kind=kind), capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert done.stdout.count("_async") == 3 * 2, "two copies in each of two prologues and the loop"
        assert done.stdout.count("tilegpu.wait") == 2
