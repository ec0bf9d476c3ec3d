// RUN: pavage-opt %s --pavage-normalize --pavage-gpu-schedule --pavage-gpu-lower | FileCheck %s

// A thread holds four neighbours, twice; a run of them is one access, masked as a whole by a branch.
// CHECK-LABEL: llvm.func @double
//  CHECK-SAME:   !llvm.ptr<1> {llvm.align = 16 : i64}
//  CHECK-SAME:   nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>
//       CHECK:   nvvm.read.ptx.sreg.tid.x
//       CHECK:   llvm.cond_br
// CHECK-COUNT-2: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
//   CHECK-NOT:   llvm.load
// CHECK-COUNT-2: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
//       CHECK:   llvm.return
func.func @double(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32 {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<1024xi32>
  %n_t = tile.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %i, %n_t : tensor<1024xi32>
  %x_t = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %p = tile.addptr %x_t, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %p mask %mask : tensor<1024x!tile.ptr<f32>>
  %w = arith.addf %v, %v : tensor<1024xf32>
  tile.store %p, %w mask %mask : tensor<1024x!tile.ptr<f32>>
  return
}

// Structured control flow is branches; the words of what a loop carries are block arguments; loops stay rolled.
// CHECK-LABEL: llvm.func @count
//       CHECK:   llvm.cond_br %{{.*}}, ^[[BODY:bb[0-9]+]](%{{.*}}, %{{.*}} : i32, i32), ^{{bb[0-9]+}}(%{{.*}} : i32)
//       CHECK:   ^[[BODY]](%{{.*}}: i32, %{{.*}}: i32):
//       CHECK:   llvm.cond_br %{{.*}}, ^[[BODY]](%{{.*}}, %{{.*}} : i32, i32)
//  CHECK-SAME:   loop_annotation
func.func @count(%out: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sum = scf.for %i = %zero to %n step %one iter_args(%s = %zero) -> (i32) : i32 {
    %x = arith.xori %i, %s : i32
    %t = arith.addi %x, %one : i32
    scf.yield %t : i32
  }
  tile.store %out, %sum : !tile.ptr<i32>
  return
}
