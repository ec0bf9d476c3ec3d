// RUN: pavage-opt %s --split-input-file --pavage-gpu-assign-layouts="num-warps=4 target=sm_80" | FileCheck %s

// Four f32 of a lane are one access; what is read is written as it lies.
// CHECK-LABEL: @copy
//  CHECK-SAME:   tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_80"
func.func @copy(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %q: !tile.ptr<f32> {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<1024xi32>
  %pt = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %pp = tile.addptr %pt, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  // CHECK: tile.load {{.*}}tilegpu.vector = 4 : i64} : tensor<1024x!tile.ptr<f32>,
  // CHECK-SAME: [[L:register = \[\(1\), \(2\), \(512\)\], lane = \[\(4\).*, warp = \[\(128\), \(256\)\]]]
  %x = tile.load %pp : tensor<1024x!tile.ptr<f32>>
  %qt = tile.splat %q : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %qp = tile.addptr %qt, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  // CHECK-NOT: tilegpu.convert
  // CHECK: tile.store {{.*}}tilegpu.vector = 4 : i64} : tensor<1024x!tile.ptr<f32>,{{.*}} [[L]]
  tile.store %qp, %x : tensor<1024x!tile.ptr<f32>>
  return
}

// -----

// Nothing is known of where %p points, so each element is an access of its own.
// CHECK-LABEL: @unaligned
func.func @unaligned(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 100 : i64
  // CHECK: tile.block_load {{.*}}tilegpu.vector = 1 : i64
  %x = tile.block_load %p[%zero] strides [%one] extents [%n] : !tile.ptr<f32> -> tensor<100xf32>
  tile.block_store %q[%zero] strides [%one] extents [%n], %x : !tile.ptr<f32>, tensor<100xf32>
  return
}

// -----

// 404 is a multiple of 4, but not of 16: no access lies on both sides of the extent.
// CHECK-LABEL: @padded
func.func @padded(%p: !tile.ptr<i8> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 404 : i64
  // CHECK: tile.block_load {{.*}}tilegpu.vector = 4 : i64
  %x = tile.block_load %p[%zero] strides [%one] extents [%n] : !tile.ptr<i8> -> tensor<404xi8>
  tile.block_store %p[%zero] strides [%one] extents [%n], %x : !tile.ptr<i8>, tensor<404xi8>
  return
}

// -----

// A transposition reads along rows and writes along columns, with one exchange in between.
// CHECK-LABEL: @transpose
func.func @transpose(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %q: !tile.ptr<f32> {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 64 : i64
  // CHECK: tile.block_load {{.*}}tilegpu.vector = 4 : i64
  %x = tile.block_load %p[%zero, %zero] strides [%n, %one] extents [%n, %n] : !tile.ptr<f32> -> tensor<64x64xf32>
  // CHECK: tilegpu.convert
  // CHECK-NOT: tilegpu.convert
  %y = tile.trans %x order [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
  // CHECK: tile.block_store {{.*}}tilegpu.vector = 4 : i64
  tile.block_store %q[%zero, %zero] strides [%n, %one] extents [%n, %n], %y : !tile.ptr<f32>, tensor<64x64xf32>
  return
}

// -----

// A masked access is as wide as its mask is equal: %n is a multiple of 4.
// CHECK-LABEL: @masked
func.func @masked(%p: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %n: i32 {tile.divisibility = 4 : i64})
    attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<1024xi32>
  %nt = tile.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %i, %nt : tensor<1024xi32>
  %pt = tile.splat %p : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  %pp = tile.addptr %pt, %i : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  // CHECK: tile.load {{.*}}tilegpu.vector = 4 : i64
  %x = tile.load %pp mask %m : tensor<1024x!tile.ptr<f16>>
  tile.store %pp, %x mask %m : tensor<1024x!tile.ptr<f16>>
  return
}
