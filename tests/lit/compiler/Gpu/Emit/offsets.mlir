// RUN: pavage-opt %s --pavage-gpu-emit=target=sm_80 | FileCheck %s

// Addresses stay a base and an immediate: straight-line strength reduction, which would make each the sum of the one
// before and a difference, is off.

// CHECK-LABEL: .visible .entry offsets(
// CHECK-NOT: add.s64
// CHECK: ld.global.b32 {{.*}}+4096]
// CHECK: ld.global.b32 {{.*}}+8192]
// CHECK: ld.global.b32 {{.*}}+12288]
llvm.func @offsets(%p: !llvm.ptr<1>) attributes {tilegpu.num_warps = 4 : i32} {
  %a = llvm.getelementptr %p[4096] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
  %b = llvm.getelementptr %p[8192] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
  %c = llvm.getelementptr %p[12288] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
  %x = llvm.load %a : !llvm.ptr<1> -> i32
  %y = llvm.load %b : !llvm.ptr<1> -> i32
  %z = llvm.load %c : !llvm.ptr<1> -> i32
  %s = llvm.add %x, %y : i32
  %t = llvm.add %s, %z : i32
  llvm.store %t, %p : i32, !llvm.ptr<1>
  llvm.return
}
