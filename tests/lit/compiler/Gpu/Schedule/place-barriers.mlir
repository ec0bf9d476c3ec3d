// RUN: pavage-opt %s --split-input-file --pavage-gpu-place-barriers | FileCheck %s

#slot = #tilegpu.layout<[64], offset = [(1), (2), (4), (8), (16), (32)]>
#own = #tilegpu.layout<[64], register = [(1)], lane = [(2), (4), (8), (16), (32)]>
!ring = !tilegpu.ring<2, tensor<64xf32, #slot>>

// What one thread wrote, another reads: they meet in between. The loop comes back to the write, so also before it.
// CHECK-LABEL: @write_read_in_loop
func.func @write_read_in_loop(%n: i32, %p: !tile.ptr<f32>) attributes {tile.kernel, tilegpu.shared_bytes = 512 : i64} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %x0 = arith.constant dense<0.0> : tensor<64xf32, #own>
  %r = tilegpu.alloc {tilegpu.offset = 0 : i64} : !ring
  // CHECK: scf.for
  %y = scf.for %i = %zero to %n step %one iter_args(%x = %x0) -> (tensor<64xf32, #own>) : i32 {
    // CHECK-NEXT: tilegpu.barrier
    // CHECK-NEXT: tilegpu.write
    tilegpu.write %x, %r[%zero] : tensor<64xf32, #own>, !ring
    // CHECK-NEXT: tilegpu.barrier
    // CHECK-NEXT: tilegpu.read
    %z = tilegpu.read %r[%zero] : !ring -> tensor<64xf32, #own>
    scf.yield %z : tensor<64xf32, #own>
  }
  return
}

// -----

#slot = #tilegpu.layout<[64], offset = [(1), (2), (4), (8), (16), (32)]>
#own = #tilegpu.layout<[64], register = [(1)], lane = [(2), (4), (8), (16), (32)]>
!ring = !tilegpu.ring<2, tensor<64xf32, #slot>>

// Two slots are two places; reads do not disturb each other; one barrier serves both writes.
// CHECK-LABEL: @slots
func.func @slots(%x: tensor<64xf32, #own>) attributes {tile.kernel, tilegpu.shared_bytes = 512 : i64} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = tilegpu.alloc {tilegpu.offset = 0 : i64} : !ring
  // CHECK: tilegpu.write
  tilegpu.write %x, %r[%zero] : tensor<64xf32, #own>, !ring
  // CHECK-NEXT: tilegpu.write
  tilegpu.write %x, %r[%one] : tensor<64xf32, #own>, !ring
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tilegpu.read
  %a = tilegpu.read %r[%zero] : !ring -> tensor<64xf32, #own>
  // CHECK-NEXT: tilegpu.read
  %b = tilegpu.read %r[%one] : !ring -> tensor<64xf32, #own>
  // CHECK-NEXT: return
  return
}

// -----

#slot = #tilegpu.layout<[64], offset = [(1), (2), (4), (8), (16), (32)]>
#own = #tilegpu.layout<[64], register = [(1)], lane = [(2), (4), (8), (16), (32)]>
!ring = !tilegpu.ring<2, tensor<64xf32, #slot>>

// Not changed: the wait is the barrier, and a copy is guarded by its wait.
// CHECK-LABEL: @pipelined
// CHECK-NOT: tilegpu.barrier
func.func @pipelined(%n: i32, %ptr: tensor<64x!tile.ptr<f32>, #own>)
    attributes {tile.kernel, tilegpu.shared_bytes = 512 : i64} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = tilegpu.alloc {tilegpu.offset = 0 : i64} : !ring
  tilegpu.gather_async %ptr, %r[%zero] : tensor<64x!tile.ptr<f32>, #own>, !ring
  tilegpu.commit
  %last = scf.for %i = %zero to %n step %one iter_args(%out = %zero) -> (i32) : i32 {
    %in = arith.subi %one, %out : i32
    tilegpu.wait pending 0
    tilegpu.gather_async %ptr, %r[%in] : tensor<64x!tile.ptr<f32>, #own>, !ring
    tilegpu.commit
    %z = tilegpu.read %r[%out] : !ring -> tensor<64xf32, #own>
    scf.yield %in : i32
  }
  return
}

// -----

#slot = #tilegpu.layout<[64], offset = [(1), (2), (4), (8), (16), (32)]>
#own = #tilegpu.layout<[64], register = [(1)], lane = [(2), (4), (8), (16), (32)]>
!ring = !tilegpu.ring<1, tensor<64xf32, #slot>>

// Whichever way the branch went, what it read must be over before the bytes are written again.
// CHECK-LABEL: @branch
func.func @branch(%c: i1, %x: tensor<64xf32, #own>) attributes {tile.kernel, tilegpu.shared_bytes = 256 : i64} {
  %zero = arith.constant 0 : i32
  %r = tilegpu.alloc {tilegpu.offset = 0 : i64} : !ring
  %q = tilegpu.alloc {tilegpu.offset = 0 : i64} : !ring
  // CHECK: tilegpu.write
  tilegpu.write %x, %r[%zero] : tensor<64xf32, #own>, !ring
  // CHECK: scf.if
  scf.if %c {
    // CHECK-NEXT: tilegpu.barrier
    // CHECK-NEXT: tilegpu.read
    %a = tilegpu.read %r[%zero] : !ring -> tensor<64xf32, #own>
  }
  // CHECK: tilegpu.barrier
  // CHECK-NEXT: tilegpu.write
  tilegpu.write %x, %q[%zero] : tensor<64xf32, #own>, !ring
  return
}
