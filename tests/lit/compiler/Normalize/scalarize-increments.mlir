// RUN: pavage-opt %s --split-input-file --pavage-scalarize-increments | FileCheck %s

// A pointer tile that a loop moves evenly is its start plus a carried scalar; offsets widen as tile.addptr widens them.
// CHECK-LABEL: @pointer
//  CHECK-SAME:   %[[P:[a-z0-9]+]]: tensor<5x!tile.ptr<f32>>, %[[STEP:[a-z0-9]+]]: i32
func.func @pointer(%p0: tensor<5x!tile.ptr<f32>>, %step: i32, %lo: i32, %hi: i32) -> tensor<5x!tile.ptr<f32>> {
  %one = arith.constant 1 : i32
  %step_t = tile.splat %step : i32 -> tensor<5xi32>
  // CHECK: %[[R:.+]] = scf.for {{.*}} iter_args(%[[O:.+]] = %{{.+}}) -> (i64)
  %r = scf.for %i = %lo to %hi step %one iter_args(%p = %p0) -> tensor<5x!tile.ptr<f32>> : i32 {
    // CHECK: %[[T:.+]] = tile.splat %[[O]] : i64 -> tensor<5xi64>
    // CHECK: %[[Q:.+]] = tile.addptr %[[P]], %[[T]]
    // CHECK: tile.load %[[Q]]
    %x = tile.load %p volatile : tensor<5x!tile.ptr<f32>>
    %q = tile.addptr %p, %step_t : tensor<5x!tile.ptr<f32>>, tensor<5xi32>
    // CHECK: %[[W:.+]] = arith.extsi %[[STEP]] : i32 to i64
    // CHECK: %[[N:.+]] = arith.addi %[[O]], %[[W]] : i64
    // CHECK: scf.yield %[[N]]
    scf.yield %q : tensor<5x!tile.ptr<f32>>
  } {tile.num_stages = 2 : i32}
  // CHECK: } {tile.num_stages = 2 : i32}
  // CHECK: %[[L:.+]] = tile.splat %[[R]]
  // CHECK: tile.addptr %[[P]], %[[L]]
  return %r : tensor<5x!tile.ptr<f32>>
}

// -----

// Integers keep their width, and wrap there; differences count down; a step may be made inside of the loop.
// CHECK-LABEL: @integer
func.func @integer(%x0: tensor<3xi8>, %lo: i32, %hi: i32) -> tensor<3xi8> {
  %one = arith.constant 1 : i32
  %two = arith.constant dense<2> : tensor<3xi8>
  // CHECK: scf.for %[[I:.+]] = {{.*}} iter_args(%[[O:.+]] = %{{.+}}) -> (i8)
  %r = scf.for %i = %lo to %hi step %one iter_args(%x = %x0) -> tensor<3xi8> : i32 {
    // CHECK: %[[K:.+]] = arith.trunci %[[I]] : i32 to i8
    %k = arith.trunci %i : i32 to i8
    %k_t = tile.splat %k : i8 -> tensor<3xi8>
    %y = arith.addi %k_t, %x : tensor<3xi8>
    %z = arith.subi %y, %two : tensor<3xi8>
    // CHECK: %[[A:.+]] = arith.addi %[[O]], %[[K]] : i8
    // CHECK: %[[B:.+]] = arith.subi %[[A]], %{{.+}} : i8
    // CHECK: scf.yield %[[B]] : i8
    scf.yield %z : tensor<3xi8>
  }
  return %r : tensor<3xi8>
}

// -----

// What an inner loop does to a tile of the outer one is a uniform addition too.
// CHECK-LABEL: @nested
func.func @nested(%p0: tensor<3x!tile.ptr<i32>>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant dense<2> : tensor<3xi32>
  // CHECK: scf.for {{.*}} -> (i64)
  %r = scf.for %i = %zero to %n step %one iter_args(%p = %p0) -> tensor<3x!tile.ptr<i32>> : i32 {
    // CHECK: scf.for {{.*}} -> (i64)
    %s = scf.for %j = %zero to %n step %one iter_args(%q = %p) -> tensor<3x!tile.ptr<i32>> : i32 {
      %x = tile.load %q volatile : tensor<3x!tile.ptr<i32>>
      %t = tile.addptr %q, %two : tensor<3x!tile.ptr<i32>>, tensor<3xi32>
      scf.yield %t : tensor<3x!tile.ptr<i32>>
    }
    scf.yield %s : tensor<3x!tile.ptr<i32>>
  }
  return
}

// -----

// Not changed: the step differs between elements.
// CHECK-LABEL: @uneven
func.func @uneven(%p0: tensor<3x!tile.ptr<i32>>, %d: tensor<3xi32>, %lo: i32, %hi: i32, %step: i32) -> tensor<3x!tile.ptr<i32>> {
  // CHECK: scf.for {{.*}} -> (tensor<3x!tile.ptr<i32>>)
  %r = scf.for %i = %lo to %hi step %step iter_args(%p = %p0) -> tensor<3x!tile.ptr<i32>> : i32 {
    %q = tile.addptr %p, %d : tensor<3x!tile.ptr<i32>>, tensor<3xi32>
    scf.yield %q : tensor<3x!tile.ptr<i32>>
  }
  return %r : tensor<3x!tile.ptr<i32>>
}

// -----

// Not changed: an inner scf.if chooses whether to move.
// CHECK-LABEL: @chosen
func.func @chosen(%p0: tensor<3x!tile.ptr<i32>>, %c: i1, %lo: i32, %hi: i32, %step: i32) -> tensor<3x!tile.ptr<i32>> {
  %one = arith.constant dense<1> : tensor<3xi32>
  // CHECK: scf.for {{.*}} -> (tensor<3x!tile.ptr<i32>>)
  %r = scf.for %i = %lo to %hi step %step iter_args(%p = %p0) -> tensor<3x!tile.ptr<i32>> : i32 {
    %n = scf.if %c -> tensor<3x!tile.ptr<i32>> {
      %q = tile.addptr %p, %one : tensor<3x!tile.ptr<i32>>, tensor<3xi32>
      scf.yield %q : tensor<3x!tile.ptr<i32>>
    } else {
      scf.yield %p : tensor<3x!tile.ptr<i32>>
    }
    scf.yield %n : tensor<3x!tile.ptr<i32>>
  }
  return %r : tensor<3x!tile.ptr<i32>>
}
