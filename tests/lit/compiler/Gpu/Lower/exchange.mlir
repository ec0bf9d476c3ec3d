// RUN: pavage-opt --pavage-gpu-lower --split-input-file %s | FileCheck %s

// A register bit and a lane bit change places: one of two registers travels, the other stays, and both are exchanged
// before and after.
#from = #tilegpu.layout<[64], register = [(1)], lane = [(2), (4), (8), (16), (32)]>
#to = #tilegpu.layout<[64], register = [(2)], lane = [(1), (4), (8), (16), (32)]>
// CHECK-LABEL: llvm.func @one_shuffle_for_two_registers
// CHECK: llvm.select
// CHECK: llvm.select
// CHECK: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl.sync
// CHECK: llvm.return
func.func @one_shuffle_for_two_registers(%p: !tile.ptr<f32>)
    attributes {tile.kernel, tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_80"} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 64 : i64
  %x = tile.block_load %p[%zero] strides [%one] extents [%n] : !tile.ptr<f32> -> tensor<64xf32, #from>
  %y = tilegpu.convert %x : tensor<64xf32, #from> -> tensor<64xf32, #to>
  tile.block_store %p[%zero] strides [%one] extents [%n], %y : !tile.ptr<f32>, tensor<64xf32, #to>
  return
}

// -----

// The same of 16-bit elements in four registers: two travel in one word.
#from = #tilegpu.layout<[128], register = [(1), (2)], lane = [(4), (8), (16), (32), (64)]>
#to = #tilegpu.layout<[128], register = [(1), (4)], lane = [(2), (8), (16), (32), (64)]>
// CHECK-LABEL: llvm.func @halves_ride_together
// CHECK: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl.sync
// CHECK: llvm.return
func.func @halves_ride_together(%p: !tile.ptr<f16>)
    attributes {tile.kernel, tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_80"} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 128 : i64
  %x = tile.block_load %p[%zero] strides [%one] extents [%n] {tilegpu.vector = 4 : i64}
    : !tile.ptr<f16> -> tensor<128xf16, #from>
  %y = tilegpu.convert %x : tensor<128xf16, #from> -> tensor<128xf16, #to>
  tile.block_store %p[%zero] strides [%one] extents [%n], %y {tilegpu.vector = 2 : i64}
    : !tile.ptr<f16>, tensor<128xf16, #to>
  return
}

// -----

// Registers that only change their names cost nothing.
#from = #tilegpu.layout<[128], register = [(1), (2)], lane = [(4), (8), (16), (32), (64)]>
#to = #tilegpu.layout<[128], register = [(2), (1)], lane = [(4), (8), (16), (32), (64)]>
// CHECK-LABEL: llvm.func @renamed
// CHECK-NOT: nvvm.shfl.sync
// CHECK-NOT: llvm.select
// CHECK: llvm.return
func.func @renamed(%p: !tile.ptr<f32>)
    attributes {tile.kernel, tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_80"} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 128 : i64
  %x = tile.block_load %p[%zero] strides [%one] extents [%n] : !tile.ptr<f32> -> tensor<128xf32, #from>
  %y = tilegpu.convert %x : tensor<128xf32, #from> -> tensor<128xf32, #to>
  tile.block_store %p[%zero] strides [%one] extents [%n], %y : !tile.ptr<f32>, tensor<128xf32, #to>
  return
}
