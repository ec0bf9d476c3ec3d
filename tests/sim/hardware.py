"""Kernels for what only a GPU can settle. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

A case is a claim of the virtual GPU with a kernel of one warp that shows it: every lane loads %a, %b and %c, runs the
code and stores %d (and %e, when it has one). `scripts/hardware_checks.py` runs each on the virtual GPU and, where there
is a driver, on the GPU, and compares."""

import dataclasses

import numpy as np

F32, U32, I32, U16, U64 = np.float32, np.uint32, np.int32, np.uint16, np.uint64


@dataclasses.dataclass
class Case:
    name: str
    claim: str
    code: str
    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    out: type = U32
    arch: int = 75
    shared: int = 0
    tolerance: float = 0.0  # relative, of f32 results: for what the ISA gives only bounds

    def ptx(self):
        widths = {2: ("b16", ".b16"), 4: ("b32", ".b32"), 8: ("b64", ".b64")}
        kinds = [widths[array.dtype.itemsize][0] for array in (self.a, self.b, self.c)]
        out = widths[np.dtype(self.out).itemsize][0]
        version = {75: "7.5", 80: "7.8", 89: "8.4", 90: "8.4"}[self.arch]
        lines = [f".version {version}", f".target sm_{self.arch}", ".address_size 64", ".visible .entry check(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3)", "{",
                 ".reg .pred %p<8>;", ".reg .b16 %h<16>;", ".reg .b32 %r<32>;", ".reg .b64 %q<32>;", ".reg .f32 %f<16>;", ".reg .b32 %lane;", ".reg .b64 %at;"]
        lines += [f".reg .{kind} %{name};" for name, kind in zip("abc", kinds)] + [f".reg .{out} %d;"]
        if self.shared:
            lines.append(f".shared .align 128 .b8 smem[{self.shared}];")
        lines.append("mov.u32 %lane, %tid.x;")
        for number, (name, array, kind) in enumerate(zip("abc", (self.a, self.b, self.c), kinds)):
            lines += [f"ld.param.u64 %at, [p{number}];", f"mad.wide.u32 %at, %lane, {array.dtype.itemsize}, %at;", f"ld.global.{kind} %{name}, [%at];"]
        lines += [self.code, "ld.param.u64 %at, [p3];", f"mad.wide.u32 %at, %lane, {np.dtype(self.out).itemsize}, %at;", f"st.global.{out} [%at], %d;", "ret;", "}"]
        return "\n".join(lines) + "\n"


def cases():
    random = np.random.default_rng(7)
    lanes = np.arange(32, dtype=U32)
    zero = np.zeros(32, U32)
    words = random.integers(0, 2**32, 32, dtype=U64).astype(U32)
    others = random.integers(0, 2**32, 32, dtype=U64).astype(U32)
    special = np.array([0, 0x80000000, 1, 0x80000001, 0x007FFFFF, 0x00800000, 0x3F800000, 0xBF800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 0x7F800001, 0x4F000000,
                        0xCF000000, 0x4F800000, 0x5F000000, 0xDF000000, 0x3F000000, 0x3FC00000, 0x40200000, 0xC0200000, 0x477FF000, 0x33000000, 0x33800000, 0x47800000, 0x387FC000, 0x43E00000, 0x43E80000, 0x7149F2CA], U32)
    halves = np.array([0, 0x8000, 1, 0x03FF, 0x0400, 0x3C00, 0xBC00, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00, 0xFE01, 0x7C01, 0x5F00, 0x5F80, 0x5F40, 0x3800, 0x4248, 0x0C00, 0x1400, 0x1480, 0x2000, 0x6000, 0x7000, 0x6400, 0x3555, 0xB555, 0x4900, 0x0001, 0x0200, 0x7800], U16)

    def case(name, claim, code, a=words, b=others, c=zero, **more):
        return Case(name, claim, code, a, b, c, **more)

    shift = np.concatenate([lanes[:24] + 20, np.array([255, 256, 0xFFFFFFFF, 0, 1, 31, 32, 33], U32)])
    for op in ("shl.b32", "shr.u32", "shr.s32"):
        yield case(op, "shifts clamp at the width", f"{op} %d, %a, %b;", b=shift)
    for op in ("shf.l.wrap.b32", "shf.l.clamp.b32", "shf.r.wrap.b32", "shf.r.clamp.b32"):
        yield case(op, "funnel shifts wrap or clamp", f"{op} %d, %a, %b, %c;", c=shift)
    position, length = (lanes * 9) % 300, (lanes * 7) % 270
    for op in ("bfe.u32", "bfe.s32"):
        yield case(op, "fields beyond the register: zeros, or the sign", f"{op} %d, %a, %b, %c;", b=position.astype(U32), c=length.astype(U32))
    yield case("bfi.b32", "fields beyond the register are cut off", "bfi.b32 %d, %a, %a, %b, %c;", b=position.astype(U32), c=length.astype(U32))
    for mode in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
        yield case("prmt" + mode, "selectors, with the sign in bit 3", f"prmt.b32{mode} %d, %a, %b, %c;", c=(lanes * 0x1357).astype(U32))
    divisors = others.copy()
    divisors[::3] = 0
    divisors[1], numerators = 0xFFFFFFFF, words.copy()
    numerators[1] = 0x80000000
    for op in ("div.u32", "div.s32", "rem.u32", "rem.s32"):
        yield case(op, "by zero: all ones, and the dividend", f"{op} %d, %a, %b;", a=numerators, b=divisors)
    yield case("div.s64", "by zero: all ones", "div.s64 %d, %a, %b;", a=numerators.astype(U64) << U64(9), b=divisors.astype(U64) & U64(0xFFFF), out=U64)
    for kind in ("s32", "u32", "s16", "u8"):
        wide = "cvt.u32.u16 %d, %h0;" if kind in ("s16", "u8") else ""
        code = f"cvt.rzi.{kind}.f32 %h0, %a; {wide}" if wide else f"cvt.rzi.{kind}.f32 %d, %a;"
        yield case(f"cvt.rzi.{kind}.f32", "saturates, NaN gives 0", code, a=special)
    for kind in ("s64", "u64"):
        yield case(f"cvt.rzi.{kind}.f32", "saturates, NaN gives 2^63", f"cvt.rzi.{kind}.f32 %d, %a;", a=special, out=U64)
    other_special = np.roll(special, 5)
    for op in ("add.rn.f32", "add.rn.ftz.f32", "mul.rn.f32", "mul.rn.ftz.f32", "min.f32", "max.f32", "min.NaN.f32", "max.NaN.f32", "div.rn.f32", "add.rz.f32", "mul.rp.f32"):
        yield case(op, "NaN is 0x7fffffff; -0 < +0; subnormals flush with .ftz only", f"{op} %d, %a, %b;", a=special, b=other_special, arch=80 if ".NaN" in op else 75)
    for op in ("fma.rn.f32", "fma.rm.f32", "fma.rn.ftz.f32"):
        yield case(op, "rounds once", f"{op} %d, %a, %b, %c;", a=special, b=other_special, c=np.roll(special, 11))
    for op in ("sqrt.rn.f32", "rcp.rn.f32"):
        yield case(op, "correctly rounded", f"{op} %d, %a;", a=special)
    for op, bound in (("ex2.approx.f32", 2e-7), ("rcp.approx.f32", 2e-7), ("rsqrt.approx.f32", 3e-7), ("sqrt.approx.f32", 3e-7), ("tanh.approx.f32", 1e-3)):
        x = random.uniform(0.1, 3, 32).astype(F32).view(U32)
        yield case(op, "within the bound of the ISA", f"{op} %d, %a;", a=x, tolerance=bound)
    for kind in ("f16", "bf16"):
        for op in ("rn", "rz"):
            yield case(f"cvt.{op}.{kind}.f32", "one rounding, NaN is 0x7fff", f"cvt.{op}.{kind}.f32 %h0, %a; cvt.u32.u16 %d, %h0;", a=special, arch=75 if kind == "f16" and op == "rn" else 80)
    packed = halves.astype(U32) | np.roll(halves, 3).astype(U32) << 16
    for op in ("add.rn.f16x2", "mul.rn.f16x2"):
        yield case(op, "rounds once", f"{op} %d, %a, %b;", a=packed, b=np.roll(packed, 7))
    for op in ("fma.rn.f16x2", "fma.rn.bf16x2", "fma.rn.relu.f16x2"):
        yield case(op, "rounds once", f"{op} %d, %a, %b, %c;", a=packed, b=np.roll(packed, 7), c=np.roll(packed, 13), arch=80)
    for op in ("min.f16x2", "max.NaN.f16x2", "max.bf16x2"):
        yield case(op, "a number wins, or NaN is 0x7fff", f"{op} %d, %a, %b;", a=packed, b=np.roll(packed, 7), arch=80)
    for form in ("e4m3x2", "e5m2x2"):
        yield case(f"cvt.rn.satfinite.{form}.f32", "saturates to the largest number", f"cvt.rn.satfinite.{form}.f32 %h0, %a, %b; cvt.u32.u16 %d, %h0;", a=special, b=other_special, arch=89)
        yield case(f"cvt.rn.f16x2.{form}", "every byte", f"cvt.u16.u32 %h0, %a; cvt.rn.f16x2.{form} %d, %h0;", a=(lanes * 0x0811 + 0x00FF).astype(U32), arch=89)
    yield case("cvt.rna.tf32.f32", "halves round away", "cvt.rna.tf32.f32 %d, %a;", a=special, arch=80)
    for mode in ("up", "down", "bfly", "idx"):
        yield case(f"shfl.sync.{mode}", "a lane out of range keeps its value", f"shfl.sync.{mode}.b32 %r0|%p0, %a, 5, 0x0818, -1; selp.u32 %r1, 1, 0, %p0; xor.b32 %d, %r0, %r1;")
    yield case("redux.sync.min.s32", "signed", "redux.sync.min.s32 %d, %a, -1;", arch=80)
    yield case("match.any.sync", "lanes of equal values", "and.b32 %r0, %a, 3; match.any.sync.b32 %d, %r0, -1;")
    yield case("elect.sync", "the lowest lane leads", "elect.sync %r0|%p0, -1; selp.u32 %r1, 0x100, 0, %p0; or.b32 %d, %r0, %r1;", arch=90)
    yield case("mbarrier.fresh", "a wait for parity 1 on a fresh mbarrier passes", "mov.u32 %r0, smem; setp.eq.u32 %p0, %lane, 0; @%p0 mbarrier.init.shared.b64 [%r0], 32; bar.sync 0; mbarrier.test_wait.parity.shared.b64 %p1, [%r0], 1; "
               "selp.u32 %d, 1, 0, %p1;", arch=90, shared=128)
    yield case("cp.async.zero", "a source size of 0 fills with zeros and reads nothing", "mov.u32 %r0, smem; mad.lo.u32 %r0, %lane, 4, %r0; st.shared.u32 [%r0], %a; mov.u64 %q0, 16; mov.u32 %r1, 0; "
               "cp.async.ca.shared.global [%r0], [%q0], 4, %r1; cp.async.wait_all; ld.shared.u32 %d, [%r0];", arch=80, shared=128)
    rows = "mov.u32 %r0, smem; mad.lo.u32 %r1, %lane, 4, %r0; st.shared.u32 [%r1], %a; bar.sync 0; and.b32 %r2, %lane, 7; mad.lo.u32 %r2, %r2, 16, %r0; "
    yield case("ldmatrix", "lane l holds row l / 4", rows + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%d}, [%r2];", shared=128)
    yield case("ldmatrix.trans", "transposed", rows + "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%d}, [%r2];", shared=128)
    yield case("movmatrix", "transposed", "movmatrix.sync.aligned.m8n8.trans.b16 %d, %a;", arch=80)
    integers = (random.integers(-3, 4, 64).astype(np.float16)).view(U32)
    for number in range(4):
        registers = ", ".join(f"%f{k}" for k in range(4))
        yield case(f"mma.f16.c{number}", "where the elements of a fragment lie", "mov.f32 %f4, 0f00000000; prmt.b32 %r0, %a, %b, 0x5432; mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                   f"{{{registers}}}, {{%a, %b, %r0, %a}}, {{%b, %r0}}, {{%f4, %f4, %f4, %f4}}; mov.b32 %d, %f{number};", a=integers, b=np.roll(integers, 9), arch=80)
    yield case("mma.tf32", "the low 13 bits do not count", "mov.f32 %f4, 0f00000000; mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%f0, %f1, %f2, %f3}, {%a, %a}, {%b}, {%f4, %f4, %f4, %f4}; mov.b32 %d, %f1;",
               a=(0x3F800000 + lanes * 0x1FFF).astype(U32), b=np.where(lanes % 4 == 0, 0x3F800000, 0).astype(U32), arch=80)
