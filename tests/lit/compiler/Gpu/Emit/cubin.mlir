// REQUIRES: ptxas
// RUN: pavage-opt %s --pavage-gpu-emit="target=sm_75 section=cubin" | FileCheck %s
// RUN: pavage-opt %s --pavage-gpu-emit="target=sm_80 section=cubin" | FileCheck %s
// RUN: pavage-opt %s --pavage-gpu-emit="target=sm_86 section=cubin" | FileCheck %s
// RUN: pavage-opt %s --pavage-gpu-emit="target=sm_87 section=cubin" | FileCheck %s
// RUN: pavage-opt %s --pavage-gpu-emit="target=sm_89 section=cubin" | FileCheck %s
// RUN: pavage-opt %s --pavage-gpu-emit="target=sm_90 section=cubin" | FileCheck %s
// RUN: pavage-opt %s --pavage-gpu-emit="target=sm_90a section=cubin" | FileCheck %s
// RUN: pavage-opt %s --pavage-gpu-emit="target=sm_100 section=cubin" | FileCheck %s
// RUN: pavage-opt %s --pavage-gpu-emit="target=sm_120 section=cubin" | FileCheck %s
// RUN: not pavage-opt %s --pavage-gpu-emit=target=sm_1 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// Machine code for every target, without a spill or a warning.
// CHECK: {{^registers [1-9][0-9]*$}}
// CHECK: {{^spills 0$}}
// CHECK-NOT: warning
// UNKNOWN: expected one of sm_75, sm_80, {{.*}}, got 'sm_1'
llvm.func @copy(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>) attributes {tilegpu.num_warps = 4 : i32} {
  %t = nvvm.read.ptx.sreg.tid.x : i32
  %i = llvm.getelementptr %p[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xi32>
  %j = llvm.getelementptr %q[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xi32>
  %v = llvm.load %i {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
  llvm.store %v, %j {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
  llvm.return
}
