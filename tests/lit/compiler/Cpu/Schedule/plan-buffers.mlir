// RUN: pavage-opt %s --split-input-file --pavage-cpu-plan-buffers | FileCheck %s

// A tile computed at some cost and used by two roots is kept; one used once, or cheap, is not.
// CHECK-LABEL: @used_twice
//  CHECK-SAME:   tile.scratch_bytes = {{[0-9]+}} : i64
func.func @used_twice(%p: !tile.ptr<f32> {tile.memory = 1 : i64}, %q: !tile.ptr<f32> {tile.memory = 2 : i64})
    attributes {tile.kernel} {
  // CHECK-NOT: tile.buffers
  %i = tile.iota 0 : tensor<100xi32>
  %p_t = tile.splat %p : !tile.ptr<f32> -> tensor<100x!tile.ptr<f32>>
  %pp = tile.addptr %p_t, %i : tensor<100x!tile.ptr<f32>>, tensor<100xi32>
  %x = tile.load %pp : tensor<100x!tile.ptr<f32>>
  // CHECK: math.exp %{{.+}} {tile.buffers = array<i64: 0>}
  %e = math.exp %x : tensor<100xf32>
  // CHECK: tile.reduce {{.*}}tile.temps = array<i64: 448>
  %s = tile.reduce %e axis 0 : (tensor<100xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  // CHECK-NOT: tile.buffers
  %s_t = tile.splat %s : f32 -> tensor<100xf32>
  %y = arith.divf %e, %s_t : tensor<100xf32>
  %q_t = tile.splat %q : !tile.ptr<f32> -> tensor<100x!tile.ptr<f32>>
  %pq = tile.addptr %q_t, %i : tensor<100x!tile.ptr<f32>>, tensor<100xi32>
  tile.store %pq, %y : tensor<100x!tile.ptr<f32>>
  return
}

// -----

// What a store may overwrite is loaded whole before it, unless the launch proved the arguments disjoint.
// CHECK-LABEL: @may_alias
func.func @may_alias(%p: !tile.ptr<i32>, %q: !tile.ptr<i32>) attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<7xi32>
  %p_t = tile.splat %p : !tile.ptr<i32> -> tensor<7x!tile.ptr<i32>>
  %pp = tile.addptr %p_t, %i : tensor<7x!tile.ptr<i32>>, tensor<7xi32>
  %q_t = tile.splat %q : !tile.ptr<i32> -> tensor<7x!tile.ptr<i32>>
  %pq = tile.addptr %q_t, %i : tensor<7x!tile.ptr<i32>>, tensor<7xi32>
  // CHECK: tile.load %{{.+}} {tile.buffers = array<i64: 0>}
  %x = tile.load %pp : tensor<7x!tile.ptr<i32>>
  tile.store %pq, %x : tensor<7x!tile.ptr<i32>>
  return
}

// -----

// Not kept: each lane writes what it alone has read.
// CHECK-LABEL: @same_pointers
func.func @same_pointers(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<7xi32>
  %p_t = tile.splat %p : !tile.ptr<i32> -> tensor<7x!tile.ptr<i32>>
  %pp = tile.addptr %p_t, %i : tensor<7x!tile.ptr<i32>>, tensor<7xi32>
  // CHECK-NOT: tile.buffers
  %x = tile.load %pp : tensor<7x!tile.ptr<i32>>
  %y = arith.addi %x, %x : tensor<7xi32>
  tile.store %pp, %y : tensor<7x!tile.ptr<i32>>
  // CHECK: return
  return
}

// -----

// A dot adds to the loop's own accumulator in place: both have one buffer.
// CHECK-LABEL: @accumulator
func.func @accumulator(%n: i32, %a: tensor<3x5xf32>, %b: tensor<5x7xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<3x7xf32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<3x7xf32>) : i32 {
    // CHECK: tile.dot {{.*}}tile.buffers = array<i64: [[PLACE:[0-9]+]]>
    %d = tile.dot %a, %b, %s : tensor<3x5xf32>, tensor<5x7xf32>, tensor<3x7xf32>
    scf.yield %d : tensor<3x7xf32>
  // CHECK: } {tile.buffers = array<i64: [[PLACE]]>}
  }
  return
}
