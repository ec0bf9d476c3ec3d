// RUN: pavage-opt %s --pavage-gpu-emit=target=sm_80 | FileCheck %s

// Addresses stay as Lower made them: straight-line strength reduction, which would make each the sum of the one before
// and a difference, is off. It takes longer than the rest of code generation, and a chain of sums has no immediates.

// CHECK-LABEL: .visible .entry offsets(
// CHECK-COUNT-2: mul.lo.s32
// CHECK: st.volatile.global
llvm.func @offsets(%p: !llvm.ptr<1>, %i: i32, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %one = llvm.mlir.constant(1 : i32) : i32
  %two = llvm.mlir.constant(2 : i32) : i32
  %i1 = llvm.add %i, %one : i32
  %i2 = llvm.add %i, %two : i32
  %a = llvm.mul %i, %n : i32
  %b = llvm.mul %i1, %n : i32
  %c = llvm.mul %i2, %n : i32
  llvm.store volatile %a, %p : i32, !llvm.ptr<1>
  llvm.store volatile %b, %p : i32, !llvm.ptr<1>
  llvm.store volatile %c, %p : i32, !llvm.ptr<1>
  llvm.return
}
