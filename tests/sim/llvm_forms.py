"""LLVM IR that makes llc print the PTX forms a tile compiler meets. SPDX-License-Identifier: Apache-2.0 WITH
LLVM-exception

Each case is one kernel that loads its operands, computes and stores; `cases()` lists (name, IR of the body,
first architecture)."""

import re
import shutil
import subprocess

LLC = shutil.which("llc-22")

FLOATS = {"half": "f16", "bfloat": "bf16", "<2 x half>": "v2f16", "<2 x bfloat>": "v2bf16", "float": "f32", "double": "f64"}
INTEGERS = ["i8", "i16", "i32", "i64"]
SIZES = {"half": 2, "bfloat": 2, "<2 x half>": 4, "<2 x bfloat>": 4, "float": 4, "double": 8, "i8": 1, "i16": 2, "i32": 4, "i64": 8}


def cases():
    def operands(kind, count):
        lines = []
        for k, name in enumerate("abc"[:count]):
            lines.append(f"  %p{name} = getelementptr i8, ptr addrspace(1) %in, i64 {16 * k}")
            lines.append(f"  %{name} = load {kind}, ptr addrspace(1) %p{name}, align {max(SIZES.get(kind, 4), 1)}")
        return lines

    def store(kind, value="%r"):
        return [f"  store {kind} {value}, ptr addrspace(1) %out"]

    for kind, short in FLOATS.items():
        for op in ("fadd", "fsub", "fmul", "fdiv", "frem"):
            if op == "frem" and kind not in ("float", "double"):
                continue
            yield f"{op}.{short}", operands(kind, 2) + [f"  %r = {op} {kind} %a, %b"] + store(kind), 75
        yield f"contract.{short}", operands(kind, 3) + [f"  %m = fmul contract {kind} %a, %b", f"  %r = fadd contract {kind} %m, %c"] + store(kind), 75
        yield f"fneg.{short}", operands(kind, 1) + [f"  %r = fneg {kind} %a"] + store(kind), 75
        for name in ("fabs", "sqrt", "floor", "ceil", "trunc", "rint", "nearbyint", "roundeven", "round"):
            yield f"{name}.{short}", operands(kind, 1) + [f"  %r = call {kind} @llvm.{name}.{short}({kind} %a)"] + store(kind), 75
        for name in ("minnum", "maxnum", "minimum", "maximum", "copysign"):
            yield f"{name}.{short}", operands(kind, 2) + [f"  %r = call {kind} @llvm.{name}.{short}({kind} %a, {kind} %b)"] + store(kind), 75
        yield f"fma.{short}", operands(kind, 3) + [f"  %r = call {kind} @llvm.fma.{short}({kind} %a, {kind} %b, {kind} %c)"] + store(kind), 75
        if not kind.startswith("<"):
            for test in ("oeq", "one", "olt", "ole", "ogt", "oge", "ueq", "une", "ult", "ule", "ugt", "uge", "ord", "uno"):
                yield f"fcmp.{test}.{short}", operands(kind, 2) + [f"  %t = fcmp {test} {kind} %a, %b", f"  %r = select i1 %t, {kind} %a, {kind} %b"] + store(kind), 75
            for to in INTEGERS:
                for op in ("fptosi", "fptoui"):
                    yield f"{op}.{short}.{to}", operands(kind, 1) + [f"  %r = {op} {kind} %a to {to}"] + store(to), 75
                for op in ("sitofp", "uitofp"):
                    yield f"{op}.{to}.{short}", operands(to, 1) + [f"  %r = {op} {to} %a to {kind}"] + store(kind), 75
                sat = f"llvm.fptosi.sat.{to}.{short}"
                yield sat, operands(kind, 1) + [f"  %r = call {to} @{sat}({kind} %a)"] + store(to), 75
            for other in FLOATS:
                if other.startswith("<") or other == kind:
                    continue
                if SIZES[other] < SIZES[kind]:
                    yield f"fptrunc.{short}.{FLOATS[other]}", operands(kind, 1) + [f"  %r = fptrunc {kind} %a to {other}"] + store(other), 75
                elif SIZES[other] > SIZES[kind]:
                    yield f"fpext.{short}.{FLOATS[other]}", operands(kind, 1) + [f"  %r = fpext {kind} %a to {other}"] + store(other), 75
    for name in ("sin.approx.f", "cos.approx.f", "lg2.approx.f", "ex2.approx.f", "rcp.approx.ftz.f", "rsqrt.approx.f", "sqrt.approx.f", "tanh.approx.f", "sin.approx.ftz.f", "ex2.approx.ftz.f"):
        minimum = 75
        if name.startswith("tanh"):
            yield name, operands("float", 1) + ['  %r = call float asm "tanh.approx.f32 $0, $1;", "=f,f"(float %a)'] + store("float"), minimum
            continue
        if name.startswith("ex2"):
            yield name, operands("float", 1) + [f"  %r = call float @llvm.nvvm.{name}(float %a)"] + store("float"), minimum
            continue
        yield name, operands("float", 1) + [f"  %r = call float @llvm.nvvm.{name}(float %a)"] + store("float"), minimum
    for rounding in ("rn", "rz", "rm", "rp"):
        for op in ("add", "mul", "div"):
            yield f"{op}.{rounding}", operands("float", 2) + [f"  %r = call float @llvm.nvvm.{op}.{rounding}.f(float %a, float %b)"] + store("float"), 75
            yield f"{op}.{rounding}.d", operands("double", 2) + [f"  %r = call double @llvm.nvvm.{op}.{rounding}.d(double %a, double %b)"] + store("double"), 75
        yield f"fma.{rounding}", operands("float", 3) + [f"  %r = call float @llvm.nvvm.fma.{rounding}.f(float %a, float %b, float %c)"] + store("float"), 75
        yield f"fma.{rounding}.ftz", operands("float", 3) + [f"  %r = call float @llvm.nvvm.fma.{rounding}.ftz.f(float %a, float %b, float %c)"] + store("float"), 75
    for kind in INTEGERS:
        for op in ("add", "sub", "mul", "sdiv", "udiv", "srem", "urem", "and", "or", "xor", "shl", "lshr", "ashr"):
            yield f"{op}.{kind}", operands(kind, 2) + [f"  %r = {op} {kind} %a, %b"] + store(kind), 75
        for name in ("smin", "smax", "umin", "umax", "sadd.sat", "uadd.sat", "ssub.sat", "usub.sat"):
            yield f"{name}.{kind}", operands(kind, 2) + [f"  %r = call {kind} @llvm.{name}.{kind}({kind} %a, {kind} %b)"] + store(kind), 75
        for name in ("ctpop", "bitreverse"):
            yield f"{name}.{kind}", operands(kind, 1) + [f"  %r = call {kind} @llvm.{name}.{kind}({kind} %a)"] + store(kind), 75
        for name in ("ctlz", "cttz", "abs"):
            yield f"{name}.{kind}", operands(kind, 1) + [f"  %r = call {kind} @llvm.{name}.{kind}({kind} %a, i1 false)"] + store(kind), 75
        for name in ("fshl", "fshr"):
            yield f"{name}.{kind}", operands(kind, 3) + [f"  %r = call {kind} @llvm.{name}.{kind}({kind} %a, {kind} %b, {kind} %c)"] + store(kind), 75
        for other in INTEGERS:
            if SIZES[other] > SIZES[kind]:
                yield f"sext.{kind}.{other}", operands(kind, 1) + [f"  %r = sext {kind} %a to {other}"] + store(other), 75
                yield f"zext.{kind}.{other}", operands(kind, 1) + [f"  %r = zext {kind} %a to {other}"] + store(other), 75
            elif SIZES[other] < SIZES[kind]:
                yield f"trunc.{kind}.{other}", operands(kind, 1) + [f"  %r = trunc {kind} %a to {other}"] + store(other), 75
        if kind != "i64":
            wide = INTEGERS[INTEGERS.index(kind) + 1]
            yield f"mulh.{kind}", operands(kind, 2) + [f"  %x = sext {kind} %a to {wide}", f"  %y = sext {kind} %b to {wide}", f"  %m = mul {wide} %x, %y", f"  %h = lshr {wide} %m, {8 * SIZES[kind]}", f"  %r = trunc {wide} %h to {kind}"] + store(kind), 75
        for test in ("eq", "slt", "ult", "sge", "uge"):
            yield f"icmp.{test}.{kind}", operands(kind, 2) + [f"  %t = icmp {test} {kind} %a, %b", f"  %r = select i1 %t, {kind} %a, {kind} %b"] + store(kind), 75
    yield "i128", operands("i64", 2) + ["  %x = zext i64 %a to i128", "  %y = zext i64 %b to i128", "  %m = mul i128 %x, %y", "  %s = add i128 %m, %y", "  %h = lshr i128 %s, 64", "  %r = trunc i128 %h to i64"] + store("i64"), 75
    for op in ("add", "and", "or", "xor", "max", "min", "umax", "umin", "xchg", "uinc_wrap", "udec_wrap"):
        for kind in ("i32", "i64"):
            yield f"atomicrmw.{op}.{kind}", operands(kind, 1) + [f'  %r = atomicrmw {op} ptr addrspace(1) %out, {kind} %a syncscope("device") monotonic'] + [f"  store {kind} %r, ptr addrspace(1) %in"], 75
    for kind in ("float", "double", "half", "bfloat", "<2 x half>"):
        yield f"atomicrmw.fadd.{FLOATS[kind]}", operands(kind, 1) + [f"  %r = atomicrmw fadd ptr addrspace(1) %out, {kind} %a monotonic"] + [f"  store {kind} %r, ptr addrspace(1) %in"], 90 if kind == "bfloat" else 75
    yield "atomicrmw.fmax", operands("float", 1) + ["  %r = atomicrmw fmax ptr addrspace(1) %out, float %a seq_cst"] + ["  store float %r, ptr addrspace(1) %in"], 75
    for kind in ("i8", "i16", "i32", "i64"):
        yield f"cmpxchg.{kind}", operands(kind, 2) + [f"  %x = cmpxchg ptr addrspace(1) %out, {kind} %a, {kind} %b acq_rel monotonic", f"  %r = extractvalue {{ {kind}, i1 }} %x, 0"] + [f"  store {kind} %r, ptr addrspace(1) %in"], 75
    for order in ("monotonic", "acquire", "seq_cst"):
        yield f"load.{order}", [f'  %r = load atomic i32, ptr addrspace(1) %in syncscope("device") {order}, align 4'] + store("i32"), 75
    for order in ("monotonic", "release", "seq_cst"):
        yield f"store.{order}", operands("i32", 1) + [f'  store atomic i32 %a, ptr addrspace(1) %out syncscope("device") {order}, align 4'], 75
    for scope in ("block", "device", ""):
        for order in ("acquire", "release", "acq_rel", "seq_cst"):
            yield f"fence.{scope}.{order}", [(f'  fence syncscope("{scope}") {order}' if scope else f"  fence {order}")], 75
    for kind, align in (("<4 x float>", 16), ("<2 x i64>", 16), ("<4 x i8>", 4), ("<8 x half>", 16), ("<2 x float>", 8), ("<16 x i8>", 16)):
        yield f"vector.{kind}", [f"  %r = load {kind}, ptr addrspace(1) %in, align {align}", f"  store {kind} %r, ptr addrspace(1) %out, align {align}"], 75
        yield f"invariant.{kind}", [f"  %r = load {kind}, ptr addrspace(1) %in, align {align}, !invariant.load !0", f"  store {kind} %r, ptr addrspace(1) %out, align {align}"], 75
    yield "volatile", ["  %r = load volatile i32, ptr addrspace(1) %in", "  store volatile i32 %r, ptr addrspace(1) %out"], 75
    yield "local", operands("i32", 1) + ["  %s = alloca [8 x i32]", "  %i = and i32 %a, 7", "  %p = getelementptr i32, ptr %s, i32 %i", "  store i32 %a, ptr %p", "  %q = getelementptr i32, ptr %s, i32 3", "  %r = load volatile i32, ptr %q"] + store("i32"), 75
    yield "switch", operands("i32", 1) + ["  switch i32 %a, label %d [i32 0, label %x", "    i32 1, label %y", "    i32 2, label %z", "    i32 3, label %w", "    i32 4, label %v]", "x:", "  br label %e", "y:", "  br label %e", "z:", "  br label %e", "w:", "  br label %e", "v:", "  br label %e", "d:", "  br label %e", "e:", "  %r = phi i32 [10, %x], [21, %y], [32, %z], [5, %w], [77, %v], [8, %d]"] + store("i32"), 75
    for name, call in (("barrier0", "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)"), ("barrier.count", "call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 64)"), ("warp.sync", "call void @llvm.nvvm.bar.warp.sync(i32 -1)"), ("membar.gl", "call void @llvm.nvvm.membar.gl()"), ("nanosleep", "call void @llvm.nvvm.nanosleep(i32 10)"), ("exit", "call void @llvm.nvvm.exit()"), ("trap", "call void @llvm.trap()")):
        yield name, [f"  {call}"], 75
    for mode in ("idx", "up", "down", "bfly"):
        yield f"shfl.{mode}", operands("i32", 1) + [f"  %r = call i32 @llvm.nvvm.shfl.sync.{mode}.i32(i32 -1, i32 %a, i32 1, i32 31)"] + store("i32"), 75
    for name, result in (("any", "i1"), ("all", "i1"), ("uni", "i1"), ("ballot", "i32")):
        yield f"vote.{name}", operands("i32", 1) + ["  %t = icmp eq i32 %a, 0", f"  %v = call {result} @llvm.nvvm.vote.{name}.sync(i32 -1, i1 %t)"] + (["  %r = zext i1 %v to i32"] if result == "i1" else ["  %r = add i32 %v, 0"]) + store("i32"), 75
    yield "match.any", operands("i32", 1) + ["  %r = call i32 @llvm.nvvm.match.any.sync.i32(i32 -1, i32 %a)"] + store("i32"), 75
    yield "match.all", operands("i32", 1) + ["  %x = call { i32, i1 } @llvm.nvvm.match.all.sync.i32p(i32 -1, i32 %a)", "  %r = extractvalue { i32, i1 } %x, 0"] + store("i32"), 75
    for op in ("add", "umin", "umax", "min", "max", "and", "or", "xor"):
        yield f"redux.{op}", operands("i32", 1) + [f"  %r = call i32 @llvm.nvvm.redux.sync.{op}(i32 %a, i32 -1)"] + store("i32"), 80
    yield "elect", ["  %x = call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)", "  %r = extractvalue { i32, i1 } %x, 0"] + store("i32"), 90
    yield "activemask", ["  %r = call i32 @llvm.nvvm.activemask()"] + store("i32"), 75
    yield "prmt", operands("i32", 3) + ["  %r = call i32 @llvm.nvvm.prmt(i32 %a, i32 %b, i32 %c)"] + store("i32"), 75
    yield "dp4a", operands("i32", 3) + ["  %r = call i32 @llvm.nvvm.idp4a.s.u(i32 %a, i32 %b, i32 %c)"] + store("i32"), 75
    yield "ff2f16x2", operands("float", 2) + ["  %r = call <2 x half> @llvm.nvvm.ff2f16x2.rn(float %a, float %b)"] + store("<2 x half>"), 80
    yield "ff2bf16x2.relu", operands("float", 2) + ["  %r = call <2 x bfloat> @llvm.nvvm.ff2bf16x2.rn.relu(float %a, float %b)"] + store("<2 x bfloat>"), 80
    for form in ("e4m3x2", "e5m2x2"):
        yield f"ff.to.{form}", operands("float", 2) + [f"  %r = call i16 @llvm.nvvm.ff.to.{form}.rn(float %a, float %b)"] + store("i16"), 89
        yield f"f16x2.to.{form}", operands("<2 x half>", 1) + [f"  %r = call i16 @llvm.nvvm.f16x2.to.{form}.rn(<2 x half> %a)"] + store("i16"), 89
        yield f"{form}.to.f16x2", operands("i16", 1) + [f"  %r = call <2 x half> @llvm.nvvm.{form}.to.f16x2.rn(i16 %a)"] + store("<2 x half>"), 89
    yield "f2tf32", operands("float", 1) + ["  %r = call i32 @llvm.nvvm.f2tf32.rna(float %a)"] + store("i32"), 80
    yield "griddepcontrol", ["  call void @llvm.nvvm.griddepcontrol.wait()", "  call void @llvm.nvvm.griddepcontrol.launch.dependents()"], 90
    for n in ("tid.x", "ntid.y", "ctaid.z", "nctaid.x", "laneid", "warpid", "lanemask.lt", "clock64", "globaltimer", "smid"):
        kind = "i64" if n in ("clock64", "globaltimer") else "i32"
        yield f"sreg.{n}", [f"  %r = call {kind} @llvm.nvvm.read.ptx.sreg.{n}()"] + store(kind), 75
    yield "globaladdress", ["  %g = addrspacecast ptr addrspace(1) %in to ptr", "  %r = load i32, ptr %g"] + store("i32"), 75
    yield "isspacep", ["  %g = addrspacecast ptr addrspace(1) %in to ptr", "  %t = call i1 @llvm.nvvm.isspacep.global(ptr %g)", "  %r = zext i1 %t to i32"] + store("i32"), 75


def module(chosen):
    """The IR of one module with a kernel `k<number>` per case; declarations are found by name."""
    declarations, kernels = {}, []
    for number, (_, body, _) in enumerate(chosen):
        text = "\n".join(body)
        for result, name, arguments in re.findall(r"call ([^@(]+?) @(llvm\.[\w.]+)\(([^)]*)\)", text):
            kinds = re.findall(r"(<[^>]+>|ptr(?: addrspace\(\d\))?|i\d+|half|bfloat|float|double)(?: [^,]+)?", arguments)
            if name.startswith(("llvm.ctlz", "llvm.cttz", "llvm.abs")):
                kinds[1] += " immarg"
            declarations[name] = f"declare {result} @{name}({', '.join(kinds)})"
        kernels.append(f"define ptx_kernel void @k{number}(ptr addrspace(1) %in, ptr addrspace(1) %out) {{\nentry:\n{text}\n  ret void\n}}")
    return "\n".join(['target triple = "nvptx64-nvidia-cuda"', *declarations.values(), *kernels, "!0 = !{}"]) + "\n"


def compile_cases(chosen, arch):
    """The PTX text of these cases."""
    version = {75: "70", 80: "71", 89: "81", 90: "84"}[arch]
    run = subprocess.run([LLC, "-march=nvptx64", f"-mcpu=sm_{arch}", f"-mattr=+ptx{version}", "-o", "-"], input=module(chosen), capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout
