// RUN: pavage-opt %s --split-input-file --pavage-gpu-allocate-shared | FileCheck %s

#slot = #tilegpu.layout<[64], offset = [(1), (2), (4), (8), (16), (32)]>
#own = #tilegpu.layout<[64], register = [(1)], lane = [(2), (4), (8), (16), (32)]>
!ring = !tilegpu.ring<1, tensor<64xf32, #slot>>
!pair = !tilegpu.ring<2, tensor<64xf32, #slot>>

// Rings whose lives do not overlap share bytes; the one that is still read does not.
// CHECK-LABEL: @reuse
//  CHECK-SAME:   tilegpu.shared_bytes = 768 : i64
func.func @reuse(%x: tensor<64xf32, #own>) attributes {tile.kernel, tilegpu.target = "sm_80"} {
  %zero = arith.constant 0 : i32
  // CHECK: tilegpu.alloc {tilegpu.offset = 512 : i64}
  %r = tilegpu.alloc : !ring
  tilegpu.write %x, %r[%zero] : tensor<64xf32, #own>, !ring
  // CHECK: tilegpu.alloc {tilegpu.offset = 0 : i64}
  %p = tilegpu.alloc : !pair
  tilegpu.write %x, %p[%zero] : tensor<64xf32, #own>, !pair
  %a = tilegpu.read %r[%zero] : !ring -> tensor<64xf32, #own>
  %b = tilegpu.read %p[%zero] : !pair -> tensor<64xf32, #own>
  // CHECK: tilegpu.alloc {tilegpu.offset = 0 : i64}
  %q = tilegpu.alloc : !ring
  tilegpu.write %x, %q[%zero] : tensor<64xf32, #own>, !ring
  %c = tilegpu.read %q[%zero] : !ring -> tensor<64xf32, #own>
  return
}

// -----

#slot = #tilegpu.layout<[64], offset = [(1), (2), (4), (8), (16), (32)]>
#own = #tilegpu.layout<[64], register = [(1)], lane = [(2), (4), (8), (16), (32)]>
!ring = !tilegpu.ring<1, tensor<64xf32, #slot>>

// A ring from before a loop is in use until the loop ends, wherever in its body the last read is.
// CHECK-LABEL: @loop
//  CHECK-SAME:   tilegpu.shared_bytes = 512 : i64
func.func @loop(%x: tensor<64xf32, #own>, %n: i32) attributes {tile.kernel, tilegpu.target = "sm_80"} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // CHECK: tilegpu.alloc {tilegpu.offset = 0 : i64}
  %r = tilegpu.alloc : !ring
  tilegpu.write %x, %r[%zero] : tensor<64xf32, #own>, !ring
  scf.for %i = %zero to %n step %one : i32 {
    %a = tilegpu.read %r[%zero] : !ring -> tensor<64xf32, #own>
    // CHECK: tilegpu.alloc {tilegpu.offset = 256 : i64}
    %q = tilegpu.alloc : !ring
    tilegpu.write %a, %q[%zero] : tensor<64xf32, #own>, !ring
  }
  return
}

// -----

#from = #tilegpu.layout<[128], register = [(64)], lane = [(1), (2), (4), (8), (16)], warp = [(32)]>
#to = #tilegpu.layout<[128], register = [(1)], lane = [(2), (4), (8), (16), (32)], warp = [(64)]>

// A conversion between warps needs scratch, one within a thread none.
// CHECK-LABEL: @scratch
func.func @scratch(%x: tensor<128xf32, #from>) attributes {tile.kernel, tilegpu.num_warps = 2 : i32, tilegpu.target = "sm_80"} {
  // CHECK: tilegpu.convert %{{.+}} {tilegpu.scratch = 0 : i64}
  %y = tilegpu.convert %x : tensor<128xf32, #from> -> tensor<128xf32, #to>
  // CHECK-NOT: tilegpu.scratch
  %z = arith.addf %y, %y : tensor<128xf32, #to>
  return
}
