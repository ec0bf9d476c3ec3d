// RUN: pavage-opt %s --split-input-file --pavage-cpu-plan-buffers --pavage-cpu-lower-tiles | FileCheck %s

// A loop of scalars goes in blocks of rounds, and looks before each whether the launch shall stop.
// CHECK-LABEL: func.func @scalars
func.func @scalars(%p: !tile.ptr<i64>, %n: i64) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  // CHECK: call @pavage.exit_if
  // CHECK: %[[BLOCK:.+]] = arith.constant 16384 : i64
  // CHECK: scf.for unsigned %[[FIRST:.+]] = %{{.+}} to %[[ROUNDS:.+]] step %[[BLOCK]]
  // CHECK: call @pavage.exit_if
  // CHECK: %[[END:.+]] = arith.select %{{.+}}, %{{.+}}, %[[ROUNDS]]
  // CHECK: scf.for unsigned %{{.+}} = %[[FIRST]] to %[[END]]
  // CHECK-NOT: exit_if
  // CHECK: arith.xori
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%t = %c0) -> (i64) : i64 {
    %u = arith.xori %t, %i : i64
    scf.yield %u : i64
  }
  // CHECK: llvm.store
  tile.store %p, %s : !tile.ptr<i64>
  return
}

// -----

// Where a round is long, it looks in each.
// CHECK-LABEL: func.func @tiles
func.func @tiles(%p: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<1024x1024xf32>
  // CHECK: call @pavage.exit_if
  // CHECK-NOT: arith.constant 16384
  // CHECK: scf.for unsigned
  // CHECK: call @pavage.exit_if
  // CHECK: math.fma
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zero) -> (tensor<1024x1024xf32>) : i32 {
    %u = math.exp %t : tensor<1024x1024xf32>
    scf.yield %u : tensor<1024x1024xf32>
  }
  %x = tile.reduce %s axis 0 : (tensor<1024x1024xf32>) -> tensor<1024xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %i = tile.iota 0 : tensor<1024xi32>
  %p_t = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %pp = tile.addptr %p_t, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %pp, %x : tensor<1024x!tile.ptr<f32>>
  return
}

// -----

// Not so: a loop that is known to be short.
// CHECK-LABEL: func.func @short
func.func @short(%p: !tile.ptr<i64>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c100 = arith.constant 100 : i64
  // CHECK: call @pavage.exit_if
  // CHECK-NOT: call @pavage.exit_if
  // CHECK: arith.xori
  // CHECK-NOT: call @pavage.exit_if
  // CHECK: return
  %s = scf.for %i = %c0 to %c100 step %c1 iter_args(%t = %c0) -> (i64) : i64 {
    %u = arith.xori %t, %i : i64
    scf.yield %u : i64
  }
  tile.store %p, %s : !tile.ptr<i64>
  return
}

// -----

// In a combine region each lane has its own number of rounds; one that is through keeps what it has.
// CHECK-LABEL: func.func @combine
func.func @combine(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<16xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: %[[MOST:.+]] = vector.reduction <maxui>, %[[ROUNDS:.+]] : vector<16xi64> into i64
  // CHECK: scf.for unsigned %[[ROUND:.+]] = %{{.+}} to %[[MOST]] {{.*}} iter_args(%[[HAS:.+]] = %{{.+}}) -> (vector<16xi32>)
  // CHECK: %[[ALL:.+]] = vector.broadcast %[[ROUND]] : i64 to vector<16xi64>
  // CHECK: %[[RUNS:.+]] = arith.cmpi ult, %[[ALL]], %[[ROUNDS]]
  // CHECK: %[[NEXT:.+]] = arith.addi %[[HAS]], %[[HAS]]
  // CHECK: arith.select %[[RUNS]], %[[NEXT]], %[[HAS]]
  %s = tile.reduce %i axis 0 : (tensor<16xi32>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = scf.for %k = %c0 to %b step %c1 iter_args(%t = %a) -> (i32) : i32 {
      %u = arith.addi %t, %t : i32
      scf.yield %u : i32
    }
    tile.yield %c : i32
  }
  tile.store %p, %s : !tile.ptr<i32>
  return
}
