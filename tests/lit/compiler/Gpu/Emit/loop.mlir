// RUN: pavage-opt %s --pavage-gpu-emit=target=sm_80 | FileCheck %s

// A loop stays as long as Lower made it.

// CHECK-LABEL: .visible .entry loop(
// CHECK: .pragma "nounroll"
// CHECK: ld.global
// CHECK: bra
// CHECK-NOT: ld.global
llvm.func @loop(%p: !llvm.ptr<1>, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  llvm.br ^body(%zero, %zero : i32, i32)
^body(%i: i32, %s: i32):
  %a = llvm.getelementptr %p[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  %x = llvm.load %a : !llvm.ptr<1> -> i32
  %t = llvm.add %s, %x : i32
  %j = llvm.add %i, %one : i32
  %c = llvm.icmp "slt" %j, %n : i32
  llvm.cond_br %c, ^body(%j, %t : i32, i32), ^end
    {loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
^end:
  llvm.store %t, %p : i32, !llvm.ptr<1>
  llvm.return
}
