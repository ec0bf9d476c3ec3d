// RUN: pavage-opt %s --pavage-normalize | FileCheck %s
// RUN: pavage-opt %s --pavage-normalize=fp-fusion=false | FileCheck %s --check-prefix=PLAIN

// Calls are inlined, what a loop carries is scalar, its loads are blocks, products join sums unless told not to.
// CHECK-LABEL: func.func @dot
//   CHECK-NOT: call
//       CHECK: scf.for {{.*}} -> (i64, tensor<64xf32>)
//       CHECK: tile.block_load
//       CHECK: math.fma
//   CHECK-NOT: arith.mulf
//       CHECK: return
//   CHECK-NOT: @madd
// PLAIN-LABEL: func.func @dot
//       PLAIN: arith.mulf
//       PLAIN: arith.addf
func.func private @madd(%x: tensor<64xf32>, %y: tensor<64xf32>, %z: tensor<64xf32>) -> tensor<64xf32> {
  %m = arith.mulf %x, %y : tensor<64xf32>
  %s = arith.addf %m, %z : tensor<64xf32>
  return %s : tensor<64xf32>
}
func.func @dot(%out: !tile.ptr<f32>, %in: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %i = tile.iota 0 : tensor<64xi32>
  %in_t = tile.splat %in : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %p0 = tile.addptr %in_t, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %acc0 = arith.constant dense<0.0> : tensor<64xf32>
  %step = arith.constant dense<64> : tensor<64xi32>
  %r:2 = scf.for %k = %zero to %n step %one iter_args(%p = %p0, %acc = %acc0) -> (tensor<64x!tile.ptr<f32>>, tensor<64xf32>) : i32 {
    %x = tile.load %p : tensor<64x!tile.ptr<f32>>
    %sum = func.call @madd(%x, %x, %acc) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %q = tile.addptr %p, %step : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    scf.yield %q, %sum : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  }
  %out_t = tile.splat %out : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q = tile.addptr %out_t, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %q, %r#1 : tensor<64x!tile.ptr<f32>>
  return
}
