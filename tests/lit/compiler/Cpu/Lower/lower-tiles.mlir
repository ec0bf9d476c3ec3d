// RUN: pavage-opt %s --split-input-file --pavage-cpu-plan-buffers --pavage-cpu-lower-tiles | FileCheck %s
// RUN: pavage-opt %s --split-input-file --pavage-cpu-plan-buffers=level=avx2 --pavage-cpu-lower-tiles=level=avx2 \
// RUN:   | FileCheck %s --check-prefix=AVX2

// The kernel becomes a function that runs a range of programs; consecutive elements are one vector, the rest is masked.
// CHECK-LABEL: func.func @copy
//  CHECK-SAME:   -> i32 attributes {tile.scratch_bytes = {{[0-9]+}} : i64, tile.sites = []}
func.func @copy(%out: !tile.ptr<f32> {tile.memory = 1 : i64}, %in: !tile.ptr<f32> {tile.memory = 2 : i64})
    attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<100xi32>
  %in_t = tile.splat %in : !tile.ptr<f32> -> tensor<100x!tile.ptr<f32>>
  %pin = tile.addptr %in_t, %i : tensor<100x!tile.ptr<f32>>, tensor<100xi32>
  %x = tile.load %pin : tensor<100x!tile.ptr<f32>>
  %out_t = tile.splat %out : !tile.ptr<f32> -> tensor<100x!tile.ptr<f32>>
  %pout = tile.addptr %out_t, %i : tensor<100x!tile.ptr<f32>>, tensor<100xi32>
  tile.store %pout, %x : tensor<100x!tile.ptr<f32>>
  // CHECK: scf.for
  // CHECK: llvm.load volatile
  // CHECK: call @pavage.exit_if
  // CHECK: scf.for
  // CHECK: llvm.intr.masked.load {{.*}} vector<16xf32>
  // CHECK: llvm.intr.masked.store {{.*}} vector<16xf32>
  // AVX2: llvm.intr.masked.load {{.*}} vector<8xf32>
  // CHECK: return
  return
}

// -----

// Whole vectors need no mask.
// CHECK-LABEL: func.func @whole
func.func @whole(%out: !tile.ptr<f32> {tile.memory = 1 : i64}, %in: !tile.ptr<f32> {tile.memory = 2 : i64})
    attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<64xi32>
  %in_t = tile.splat %in : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %pin = tile.addptr %in_t, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load %pin : tensor<64x!tile.ptr<f32>>
  %out_t = tile.splat %out : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %pout = tile.addptr %out_t, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  // CHECK-NOT: masked
  // CHECK: llvm.store {{.*}} : vector<16xf32>
  tile.store %pout, %x : tensor<64x!tile.ptr<f32>>
  // CHECK: return
  return
}
