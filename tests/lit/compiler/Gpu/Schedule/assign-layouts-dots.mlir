// RUN: pavage-opt %s --split-input-file --pavage-gpu-assign-layouts="num-warps=4 target=sm_80" | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: pavage-opt %s --split-input-file --pavage-gpu-assign-layouts="num-warps=4 target=sm_75" | FileCheck %s --check-prefixes=CHECK,SM75
// RUN: pavage-opt %s --split-input-file --pavage-gpu-assign-layouts="num-warps=4 target=sm_89" | FileCheck %s --check-prefixes=CHECK,SM89

!a = tensor<64x32xf16>
!b = tensor<32x64xf16>

// The largest k that the target has.
// CHECK-LABEL: @half
func.func @half(%p: !tile.ptr<f16>, %o: !tile.ptr<f32>) attributes {tile.kernel} {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 64 : i64
  %x = tile.block_load %p[%z, %z] strides [%n, %one] extents [%n, %n] : !tile.ptr<f16> -> !a
  %y = tile.block_load %p[%z, %z] strides [%n, %one] extents [%n, %n] : !tile.ptr<f16> -> !b
  %c = arith.constant dense<0.0> : tensor<64x64xf32>
  // SM80: tilegpu.mma {{.*}}shape [16, 8, 16]
  // SM75: tilegpu.mma {{.*}}shape [16, 8, 8]
  %d = tile.dot %x, %y, %c : !a, !b, tensor<64x64xf32>
  tile.block_store %o[%z, %z] strides [%n, %one] extents [%n, %n], %d : !tile.ptr<f32>, tensor<64x64xf32>
  return
}

// -----

!a = tensor<64x32xf32>
!b = tensor<32x64xf32>

// f32: tf32 where there is such an instruction, three products when asked, multiply-adds for ieee.
// CHECK-LABEL: @single
func.func @single(%p: !tile.ptr<f32>, %o: !tile.ptr<f32>) attributes {tile.kernel} {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 64 : i64
  %x = tile.block_load %p[%z, %z] strides [%n, %one] extents [%n, %n] : !tile.ptr<f32> -> !a
  %y = tile.block_load %p[%z, %z] strides [%n, %one] extents [%n, %n] : !tile.ptr<f32> -> !b
  %c = arith.constant dense<0.0> : tensor<64x64xf32>
  // SM80: tilegpu.mma {{.*}}shape [16, 8, 8] tf32
  // SM75: tilegpu.dot_fma
  %d = tile.dot %x, %y, %c : !a, !b, tensor<64x64xf32>
  // SM80-COUNT-3: tilegpu.mma {{.*}}shape [16, 8, 8] tf32
  // SM75: tilegpu.dot_fma
  %e = tile.dot %x, %y, %d precision tf32x3 : !a, !b, tensor<64x64xf32>
  // SM80-COUNT-6: tilegpu.mma {{.*}}shape [16, 8, 16]
  // SM75: tilegpu.dot_fma
  %f = tile.dot %x, %y, %e precision bf16x6 : !a, !b, tensor<64x64xf32>
  // CHECK: tilegpu.dot_fma
  %g = tile.dot %x, %y, %f precision ieee : !a, !b, tensor<64x64xf32>
  tile.block_store %o[%z, %z] strides [%n, %one] extents [%n, %n], %g : !tile.ptr<f32>, tensor<64x64xf32>
  return
}

// -----

!a = tensor<64x32xf8E4M3FN>
!b = tensor<32x64xf8E5M2>

// fp8 becomes f16 where no tensor core takes it.
// CHECK-LABEL: @fp8
func.func @fp8(%p: !tile.ptr<f8E4M3FN>, %q: !tile.ptr<f8E5M2>, %o: !tile.ptr<f32>) attributes {tile.kernel} {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 64 : i64
  %x = tile.block_load %p[%z, %z] strides [%n, %one] extents [%n, %n] : !tile.ptr<f8E4M3FN> -> !a
  %y = tile.block_load %q[%z, %z] strides [%n, %one] extents [%n, %n] : !tile.ptr<f8E5M2> -> !b
  %c = arith.constant dense<0.0> : tensor<64x64xf32>
  // SM80-COUNT-2: tile.cast {{.*}}f8E{{.*}} -> tensor<{{.*}}f16
  // SM80: tilegpu.mma {{.*}}shape [16, 8, 16]
  // SM89: tilegpu.mma {{.*}}shape [16, 8, 32]
  %d = tile.dot %x, %y, %c : !a, !b, tensor<64x64xf32>
  tile.block_store %o[%z, %z] strides [%n, %one] extents [%n, %n], %d : !tile.ptr<f32>, tensor<64x64xf32>
  return
}
