// RUN: pavage-opt %s --pavage-gpu-emit=target=sm_80 | FileCheck %s

// An element of a word that nobody asks for is zero, not a register that nobody writes.

// CHECK-LABEL: .visible .entry elements(
// CHECK: mov.b16 [[ZERO:%rs[0-9]+]], 0
// CHECK: mov.b32 %r{{[0-9]+}}, {%rs{{[0-9]+}}, [[ZERO]]}
llvm.func @elements(%p: !llvm.ptr<1>, %x: i16, %w: vector<2xi16>) attributes {tilegpu.num_warps = 1 : i32} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %none = llvm.mlir.poison : vector<2xi16>
  %a = llvm.insertelement %x, %none[%zero : i32] : vector<2xi16>
  %b = llvm.and %a, %w : vector<2xi16>
  llvm.store %b, %p : vector<2xi16>, !llvm.ptr<1>
  llvm.return
}
