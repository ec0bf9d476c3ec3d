// RUN: pavage-opt %s --pavage-gpu-emit=target=sm_80 | FileCheck %s

// As convergent.mlir, for inline assembler.

// CHECK-LABEL: .visible .entry text(
// CHECK: bra
// CHECK: together.b32
// CHECK-NOT: together.b32
llvm.func @text(%p: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, tilegpu.num_warps = 1 : i32} {
  %t = nvvm.read.ptx.sreg.tid.x : i32
  %c = llvm.icmp "slt" %t, %n : i32
  %z = llvm.mlir.constant(0 : i32) : i32
  %i = llvm.getelementptr %p[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  llvm.cond_br %c, ^load, ^all(%z : i32)
^load:
  %v = llvm.load %i : !llvm.ptr<1> -> i32
  llvm.br ^all(%v : i32)
^all(%x: i32):
  %y = llvm.inline_asm has_side_effects "together.b32 $0, $1;", "=r,r" %x : (i32) -> i32
  llvm.cond_br %c, ^store, ^end
^store:
  llvm.store %y, %i : i32, !llvm.ptr<1>
  llvm.br ^end
^end:
  llvm.return
}
