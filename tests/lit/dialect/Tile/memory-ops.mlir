// RUN: pavage-opt %s | pavage-opt | FileCheck %s
// RUN: pavage-opt %s --mlir-print-op-generic | pavage-opt | FileCheck %s

// CHECK-LABEL: @addresses
func.func @addresses(%p: !tile.ptr<f32>, %i: i64, %q: tensor<3x5x!tile.ptr<bf16>>, %j: tensor<3x5xi32>) {
  // CHECK: tile.addptr %{{.+}}, %{{.+}} : !tile.ptr<f32>, i64
  %0 = tile.addptr %p, %i : !tile.ptr<f32>, i64
  // CHECK: tile.addptr %{{.+}}, %{{.+}} : tensor<3x5x!tile.ptr<bf16>>, tensor<3x5xi32>
  %1 = tile.addptr %q, %j : tensor<3x5x!tile.ptr<bf16>>, tensor<3x5xi32>
  // CHECK: tile.bitcast %{{.+}} : !tile.ptr<f32> -> i64
  %2 = tile.bitcast %p : !tile.ptr<f32> -> i64
  // CHECK: tile.bitcast %{{.+}} : tensor<3x5x!tile.ptr<bf16>> -> tensor<3x5x!tile.ptr<!tile.ptr<i8>>>
  %3 = tile.bitcast %q : tensor<3x5x!tile.ptr<bf16>> -> tensor<3x5x!tile.ptr<!tile.ptr<i8>>>
  return
}

// CHECK-LABEL: @loads_and_stores
func.func @loads_and_stores(%p: !tile.ptr<i1>, %b: i1, %q: tensor<7x!tile.ptr<f16>>, %m: tensor<7xi1>, %o: tensor<7xf16>) {
  // CHECK: %[[X:.+]] = tile.load %{{.+}} : !tile.ptr<i1>
  %0 = tile.load %p : !tile.ptr<i1>
  // CHECK: tile.load %{{.+}} mask %{{.+}} : !tile.ptr<i1>
  %1 = tile.load %p mask %b : !tile.ptr<i1>
  // CHECK: tile.load %{{.+}} mask %{{.+}} other %{{.+}} cache cg eviction evict_last volatile : tensor<7x!tile.ptr<f16>>
  %2 = tile.load %q mask %m other %o cache cg eviction evict_last volatile : tensor<7x!tile.ptr<f16>>
  // CHECK: tile.load %{{.+}} cache cv : tensor<7x!tile.ptr<f16>>
  %3 = tile.load %q cache cv eviction normal : tensor<7x!tile.ptr<f16>>
  // CHECK: tile.store %{{.+}}, %[[X]] : !tile.ptr<i1>
  tile.store %p, %0 : !tile.ptr<i1>
  // CHECK: tile.store %{{.+}}, %{{.+}} mask %{{.+}} cache wt eviction evict_first : tensor<7x!tile.ptr<f16>>
  tile.store %q, %2 mask %m cache wt eviction evict_first : tensor<7x!tile.ptr<f16>>
  return
}

// Attributes that are keywords may still be written in the dictionary.
// CHECK-LABEL: @dictionary
func.func @dictionary(%q: tensor<7x!tile.ptr<f16>>, %b: !tile.ptr<f32>, %i: i64) {
  // CHECK: tile.load %{{.+}} cache cg : tensor<7x!tile.ptr<f16>>
  %0 = tile.load %q {cache = 2 : i32} : tensor<7x!tile.ptr<f16>>
  // CHECK: checked [0] : !tile.ptr<f32> -> tensor<3xf32>
  %1 = tile.block_load %b[%i] strides [%i] extents [%i] {checked = array<i32: 0>} : !tile.ptr<f32> -> tensor<3xf32>
  return
}

// CHECK-LABEL: @atomics
func.func @atomics(%p: !tile.ptr<i32>, %x: i32, %q: tensor<7x!tile.ptr<f16>>, %m: tensor<7xi1>, %y: tensor<7xf16>) {
  // CHECK: tile.atomic_rmw maxu %{{.+}}, %{{.+}} : !tile.ptr<i32>
  %0 = tile.atomic_rmw maxu %p, %x : !tile.ptr<i32>
  // CHECK: tile.atomic_rmw addf %{{.+}}, %{{.+}} mask %{{.+}} order relaxed scope cta : tensor<7x!tile.ptr<f16>>
  %1 = tile.atomic_rmw addf %q, %y mask %m order relaxed scope cta : tensor<7x!tile.ptr<f16>>
  // CHECK: tile.atomic_cas %{{.+}}, %{{.+}}, %{{.+}} : !tile.ptr<i32>, i32
  %2 = tile.atomic_cas %p, %x, %x order acq_rel scope gpu : !tile.ptr<i32>, i32
  // CHECK: tile.atomic_cas %{{.+}}, %{{.+}}, %{{.+}} order release scope sys : tensor<7x!tile.ptr<f16>>, tensor<7xf16>
  %3 = tile.atomic_cas %q, %y, %y order release scope sys : tensor<7x!tile.ptr<f16>>, tensor<7xf16>
  return
}

// CHECK-LABEL: @blocks
func.func @blocks(%p: !tile.ptr<f32>, %i: i64, %j: i64, %o: f32) {
  // CHECK: %[[X:.+]] = tile.block_load %{{.+}}[%{{.+}}, %{{.+}}] strides[%{{.+}}, %{{.+}}] extents[%{{.+}}, %{{.+}}] checked [0, 1] other %{{.+}} : f32 cache ca eviction evict_last volatile : !tile.ptr<f32> -> tensor<3x5xf32>
  %0 = tile.block_load %p[%i, %j] strides [%i, %j] extents [%i, %j] checked [0, 1] other %o : f32 cache ca
    eviction evict_last volatile : !tile.ptr<f32> -> tensor<3x5xf32>
  // CHECK: tile.block_load %{{.+}}[%{{.+}}] strides[%{{.+}}] extents[%{{.+}}] : !tile.ptr<f32> -> tensor<7xf32>
  %1 = tile.block_load %p[%i] strides [%i] extents [%j] : !tile.ptr<f32> -> tensor<7xf32>
  // CHECK: tile.block_store %{{.+}}[%{{.+}}, %{{.+}}] strides[%{{.+}}, %{{.+}}] extents[%{{.+}}, %{{.+}}] checked [1], %[[X]] cache cs eviction evict_first : !tile.ptr<f32>, tensor<3x5xf32>
  tile.block_store %p[%i, %j] strides [%i, %j] extents [%i, %j] checked [1], %0 cache cs eviction evict_first
    : !tile.ptr<f32>, tensor<3x5xf32>
  return
}
