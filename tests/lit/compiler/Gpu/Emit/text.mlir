// RUN: pavage-opt %s --pavage-gpu-emit=target=sm_80 | FileCheck %s
// RUN: pavage-opt %s --pavage-gpu-emit=target=sm_75 | FileCheck %s --check-prefix=SM75
// RUN: pavage-opt %s --pavage-gpu-emit=target=sm_90a | FileCheck %s --check-prefix=SM90A

// The default version of PTX is the least for a target, too low for some of its instructions.
// CHECK: .version 8.0
// CHECK: .target sm_80
// SM75: .target sm_75
// SM90A: .version 8.4
// SM90A: .target sm_90a

// CHECK: .visible .entry bounds(
// CHECK: .reqntid 256, 1, 1
// CHECK: .minnctapersm 2
// CHECK: .maxnreg 96
llvm.func @bounds(%p: !llvm.ptr<1>, %x: f32, %y: f32, %n: i64)
    attributes {tilegpu.num_warps = 8 : i32, tile.maxnreg = 96 : i64, tile.min_programs = 2 : i64} {
  // Each operation is rounded, so that the assembler fuses nothing.
  // CHECK: mul.rn.f32
  // CHECK: add.rn.f32
  // CHECK-NOT: fma
  %m = llvm.fmul %x, %y : f32
  %a = llvm.fadd %m, %y : f32
  llvm.store %a, %p : f32, !llvm.ptr<1>
  // Eight bytes are one access.
  // CHECK: st.global.b64
  %q = llvm.getelementptr %p[8] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
  llvm.store %n, %q : i64, !llvm.ptr<1>
  // No cache that another program's writes do not reach, and no stack.
  // CHECK-NOT: .nc
  // CHECK-NOT: .local
  llvm.return
}
