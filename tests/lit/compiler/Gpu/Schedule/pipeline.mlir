// RUN: pavage-opt %s --split-input-file --pavage-gpu-assign-layouts --pavage-gpu-pipeline=num-stages=3 | FileCheck %s
// RUN: pavage-opt %s --split-input-file --pavage-gpu-assign-layouts="target=sm_75" --pavage-gpu-pipeline=num-stages=3 | FileCheck %s --check-prefix=SM75

// Two copies ahead, one wait an iteration; the product carries on in registers.
// CHECK-LABEL: @product
// SM75-LABEL: @product
func.func @product(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                   %o: !tile.ptr<f32>, %k: i64 {tile.divisibility = 32 : i64}) attributes {tile.kernel} {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 64 : i64
  %step = arith.constant 32 : i64
  %c0 = arith.constant dense<0.0> : tensor<64x64xf32>
  // CHECK: tilegpu.alloc : <3, tensor<64x32xf16
  // CHECK: tilegpu.alloc : <3, tensor<32x64xf16
  // CHECK-COUNT-2: tilegpu.commit
  // CHECK: scf.for
  // SM75-NOT: _async
  // SM75: scf.for
  %r = scf.for %i = %z to %k step %step iter_args(%c = %c0) -> (tensor<64x64xf32>) : i64 {
    // CHECK-NEXT: tilegpu.wait pending 1
    // CHECK-COUNT-2: tilegpu.copy_async
    // CHECK: tilegpu.commit
    // CHECK-NOT: tile.block_load
    // CHECK-COUNT-2: tilegpu.read
    // CHECK: tilegpu.mma
    // SM75-COUNT-2: tile.block_load
    // SM75-COUNT-2: tilegpu.write
    // SM75-COUNT-2: tilegpu.read
    // SM75: tilegpu.mma
    %x = tile.block_load %a[%z, %i] strides [%k, %one] extents [%n, %k] checked [1] : !tile.ptr<f16> -> tensor<64x32xf16>
    %y = tile.block_load %b[%i, %z] strides [%n, %one] extents [%k, %n] checked [0] : !tile.ptr<f16> -> tensor<32x64xf16>
    %d = tile.dot %x, %y, %c : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  // CHECK: tile.block_store
  tile.block_store %o[%z, %z] strides [%n, %one] extents [%n, %n], %r : !tile.ptr<f32>, tensor<64x64xf32>
  return
}

// -----

// Not changed: the store may write what the next iterations load.
// CHECK-LABEL: @store_inside
func.func @store_inside(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %o: !tile.ptr<f16>, %k: i64 {tile.divisibility = 32 : i64})
    attributes {tile.kernel} {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 64 : i64
  %step = arith.constant 32 : i64
  %c0 = arith.constant dense<0.0> : tensor<64x64xf32>
  %h = arith.constant dense<0.0> : tensor<64xf16>
  // CHECK-NOT: tilegpu.copy_async
  scf.for %i = %z to %k step %step : i64 {
    %x = tile.block_load %a[%z, %i] strides [%k, %one] extents [%n, %k] checked [1] : !tile.ptr<f16> -> tensor<64x32xf16>
    %y = tile.block_load %a[%i, %z] strides [%n, %one] extents [%k, %n] checked [0] : !tile.ptr<f16> -> tensor<32x64xf16>
    %d = tile.dot %x, %y, %c0 : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    %w = tile.cast %d : tensor<64x64xf32> -> tensor<64x64xf16>
    tile.block_store %o[%z, %z] strides [%n, %one] extents [%n, %n], %w : !tile.ptr<f16>, tensor<64x64xf16>
  }
  return
}

// -----

// Apart from the one above: the launch knows that the two are different memory.
// CHECK-LABEL: @store_elsewhere
func.func @store_elsewhere(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.memory = 1 : i64},
                           %o: !tile.ptr<f16> {tile.memory = 2 : i64}, %k: i64 {tile.divisibility = 32 : i64})
    attributes {tile.kernel} {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 64 : i64
  %step = arith.constant 32 : i64
  %c0 = arith.constant dense<0.0> : tensor<64x64xf32>
  // CHECK: tilegpu.wait
  scf.for %i = %z to %k step %step : i64 {
    %x = tile.block_load %a[%z, %i] strides [%k, %one] extents [%n, %k] checked [1] : !tile.ptr<f16> -> tensor<64x32xf16>
    %y = tile.block_load %a[%i, %z] strides [%n, %one] extents [%k, %n] checked [0] : !tile.ptr<f16> -> tensor<32x64xf16>
    %d = tile.dot %x, %y, %c0 : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    %w = tile.cast %d : tensor<64x64xf32> -> tensor<64x64xf16>
    tile.block_store %o[%z, %z] strides [%n, %one] extents [%n, %n], %w : !tile.ptr<f16>, tensor<64x64xf16>
  }
  return
}
