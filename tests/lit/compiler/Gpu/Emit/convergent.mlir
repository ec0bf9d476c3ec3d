// RUN: pavage-opt %s --pavage-gpu-emit=target=sm_80 | FileCheck %s

// All threads of a warp run a matrix product together. LLVM does not know that, and would make one branch of
//   if (p) load; mma; if (p) store
// with a copy of the product on either side; the same for inline assembler.

// CHECK-LABEL: .visible .entry product(
// CHECK: bra
// CHECK: mma.sync.aligned.m16n8k8
// CHECK-NOT: mma.sync
llvm.func @product(%p: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel, tilegpu.num_warps = 1 : i32} {
  %t = nvvm.read.ptx.sreg.tid.x : i32
  %c = llvm.icmp "slt" %t, %n : i32
  %z = llvm.mlir.constant(0.0 : f32) : f32
  %i = llvm.getelementptr %p[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %h = llvm.mlir.zero : vector<2xf16>
  llvm.cond_br %c, ^load, ^mma(%z : f32)
^load:
  %v = llvm.load %i : !llvm.ptr<1> -> f32
  llvm.br ^mma(%v : f32)
^mma(%x: f32):
  %r = nvvm.mma.sync A[%h, %h] B[%h] C[%x, %x, %x, %x] {layoutA = #nvvm.mma_layout<row>,
    layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 8>}
    : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  %y = llvm.extractvalue %r[0] : !llvm.struct<(f32, f32, f32, f32)>
  llvm.cond_br %c, ^store, ^end
^store:
  llvm.store %y, %i : f32, !llvm.ptr<1>
  llvm.br ^end
^end:
  llvm.return
}
