// RUN: pavage-opt %s --split-input-file --verify-diagnostics --pavage-gpu-allocate-shared

#slot = #tilegpu.layout<[128, 128], offset = [(0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (0, 32), (0, 64), (1, 0), (2, 0), (4, 0), (8, 0), (16, 0), (32, 0), (64, 0)]>

// What does not fit is listed, the greatest first.
// expected-error @+1 {{PV0250: the kernel needs 81920 bytes of shared memory, sm_75 has 65536}}
func.func @large() attributes {tile.kernel, tilegpu.target = "sm_75"} {
  %zero = arith.constant 0 : i32
  // expected-note @+1 {{65536 bytes for 4 tiles of 128x128 i8}}
  %r = tilegpu.alloc : !tilegpu.ring<4, tensor<128x128xi8, #slot>>
  // expected-note @+1 {{16384 bytes for 1 tile of 128x128 i8}}
  %q = tilegpu.alloc : !tilegpu.ring<1, tensor<128x128xi8, #slot>>
  %x = arith.constant dense<0> : tensor<128x128xi8, #slot>
  tilegpu.write %x, %r[%zero] : tensor<128x128xi8, #slot>, !tilegpu.ring<4, tensor<128x128xi8, #slot>>
  tilegpu.write %x, %q[%zero] : tensor<128x128xi8, #slot>, !tilegpu.ring<1, tensor<128x128xi8, #slot>>
  tilegpu.write %x, %r[%zero] : tensor<128x128xi8, #slot>, !tilegpu.ring<4, tensor<128x128xi8, #slot>>
  return
}
