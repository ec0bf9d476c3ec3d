// RUN: pavage-opt %s --pavage-gpu-emit=target=sm_80 | FileCheck %s
// RUN: pavage-opt %s --pavage-gpu-emit="target=sm_80 section=ops" | FileCheck %s --check-prefix=OPS

// Lines of the author: a fused place is its first, an inlined one where the text stands.
// CHECK-LABEL: .visible .entry places(
// CHECK: .loc [[K:[0-9]+]] 12 9
// CHECK-NEXT: ld.global
// CHECK: .loc [[L:[0-9]+]] 3 2
// CHECK: mul.rn.f32
// CHECK: .loc [[K]] 14 1
// CHECK: st.global
// CHECK-NOT: places{{"?$}}
// CHECK: .file [[K]] "k.py"
// CHECK: .file [[L]] "lib.py"

// From a line on, instructions come from an op; after the kernel from none.
// OPS: {{[0-9]+}} tile.load k.py:12:9
// OPS: {{[0-9]+}} arith.mulf lib.py:3:2
// OPS: {{[0-9]+}} tile.store k.py:14:1
// OPS: {{^[0-9]+ $}}
llvm.func @places(%p: !llvm.ptr<1>) attributes {tilegpu.num_warps = 4 : i32} {
  %v = llvm.load %p : !llvm.ptr<1> -> f32 loc(fused<{op = "tile.load", index = 0 : i64}>["k.py":12:9, "k.py":11:1])
  %m = llvm.fmul %v, %v : f32 loc(fused<{op = "arith.mulf", index = 1 : i64}>[callsite("lib.py":3:2 at "k.py":13:1)])
  llvm.store %m, %p : f32, !llvm.ptr<1> loc(fused<{op = "tile.store", index = 2 : i64}>["k.py":14:1])
  llvm.return
}
