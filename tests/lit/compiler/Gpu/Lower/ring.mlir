// RUN: pavage-opt --pavage-gpu-lower --split-input-file %s | FileCheck %s

// An operand of mma comes by ldmatrix, because each lane's words lie in rows of 16 bytes.
#slot = #tilegpu.layout<[16, 16], offset = [(0, 1), (0, 2), (0, 4), (0, 8), (1, 0), (2, 0), (4, 0), (8, 0)]>
#a = #tilegpu.layout<[16, 16], register = [(0, 1), (8, 0), (0, 8)], lane = [(0, 2), (0, 4), (1, 0), (2, 0), (4, 0)]>
#rows = #tilegpu.layout<[16, 16], register = [(0, 1), (0, 2), (0, 4)], lane = [(0, 8), (1, 0), (2, 0), (4, 0), (8, 0)]>
// CHECK-LABEL: llvm.func @operand
// CHECK: llvm.store {{.+}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK: nvvm.ldmatrix {{.+}}layout = #nvvm.mma_layout<row>, num = 4
func.func @operand(%p: !tile.ptr<f16>)
    attributes {tile.kernel, tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_80"} {
  %slot = arith.constant 0 : i32
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 16 : i64
  %x = tile.block_load %p[%zero, %zero] strides [%n, %one] extents [%n, %n] {tilegpu.vector = 8 : i64}
    : !tile.ptr<f16> -> tensor<16x16xf16, #rows>
  %r = tilegpu.alloc {tilegpu.offset = 0 : i64} : !tilegpu.ring<1, tensor<16x16xf16, #slot>>
  tilegpu.write %x, %r[%slot] : tensor<16x16xf16, #rows>, !tilegpu.ring<1, tensor<16x16xf16, #slot>>
  tilegpu.barrier
  %y = tilegpu.read %r[%slot] : !tilegpu.ring<1, tensor<16x16xf16, #slot>> -> tensor<16x16xf16, #a>
  tile.block_store %p[%zero, %zero] strides [%n, %one] extents [%n, %n], %y : !tile.ptr<f16>, tensor<16x16xf16, #a>
  return
}

// -----

// The second operand, whose K runs across the rows, comes transposed.
#slot = #tilegpu.layout<[16, 8], offset = [(0, 1), (0, 2), (0, 4), (1, 0), (2, 0), (4, 0), (8, 0)]>
#b = #tilegpu.layout<[16, 8], register = [(1, 0), (8, 0)], lane = [(2, 0), (4, 0), (0, 1), (0, 2), (0, 4)]>
// CHECK-LABEL: llvm.func @transposed
// CHECK: nvvm.ldmatrix {{.+}}layout = #nvvm.mma_layout<col>, num = 2
func.func @transposed(%p: !tile.ptr<f16>)
    attributes {tile.kernel, tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_80"} {
  %slot = arith.constant 0 : i32
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 8 : i64
  %r = tilegpu.alloc {tilegpu.offset = 0 : i64} : !tilegpu.ring<1, tensor<16x8xf16, #slot>>
  %y = tilegpu.read %r[%slot] : !tilegpu.ring<1, tensor<16x8xf16, #slot>> -> tensor<16x8xf16, #b>
  tile.block_store %p[%zero, %zero] strides [%n, %one] extents [%n, %n], %y : !tile.ptr<f16>, tensor<16x8xf16, #b>
  return
}

// -----

// Not so where rows are not contiguous: a plain load.
#slot = #tilegpu.layout<[16, 8], offset = [(1, 0), (0, 1), (0, 2), (0, 4), (2, 0), (4, 0), (8, 0)]>
#b = #tilegpu.layout<[16, 8], register = [(1, 0), (8, 0)], lane = [(2, 0), (4, 0), (0, 1), (0, 2), (0, 4)]>
// CHECK-LABEL: llvm.func @plain
// CHECK-NOT: nvvm.ldmatrix
// CHECK: llvm.load {{.+}} {alignment = 4 : i64} : !llvm.ptr<3> -> i32
// CHECK: llvm.return
func.func @plain(%p: !tile.ptr<f16>)
    attributes {tile.kernel, tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_80"} {
  %slot = arith.constant 0 : i32
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 8 : i64
  %r = tilegpu.alloc {tilegpu.offset = 0 : i64} : !tilegpu.ring<1, tensor<16x8xf16, #slot>>
  %y = tilegpu.read %r[%slot] : !tilegpu.ring<1, tensor<16x8xf16, #slot>> -> tensor<16x8xf16, #b>
  tile.block_store %p[%zero, %zero] strides [%n, %one] extents [%n, %n], %y : !tile.ptr<f16>, tensor<16x8xf16, #b>
  return
}
