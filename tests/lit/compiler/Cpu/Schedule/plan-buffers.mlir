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

// -----

// Two ways from each product to the next are not 2^40 ways to the last.
// CHECK-LABEL: @chain_of_squares
// CHECK-NOT: tile.buffers
func.func @chain_of_squares(%p: !tile.ptr<f32>) {
  %i = tile.iota 0 : tensor<16xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %a = tile.addptr %s, %i : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %x0 = tile.load %a : tensor<16x!tile.ptr<f32>>
  %x1 = arith.mulf %x0, %x0 : tensor<16xf32>
  %x2 = arith.mulf %x1, %x1 : tensor<16xf32>
  %x3 = arith.mulf %x2, %x2 : tensor<16xf32>
  %x4 = arith.mulf %x3, %x3 : tensor<16xf32>
  %x5 = arith.mulf %x4, %x4 : tensor<16xf32>
  %x6 = arith.mulf %x5, %x5 : tensor<16xf32>
  %x7 = arith.mulf %x6, %x6 : tensor<16xf32>
  %x8 = arith.mulf %x7, %x7 : tensor<16xf32>
  %x9 = arith.mulf %x8, %x8 : tensor<16xf32>
  %x10 = arith.mulf %x9, %x9 : tensor<16xf32>
  %x11 = arith.mulf %x10, %x10 : tensor<16xf32>
  %x12 = arith.mulf %x11, %x11 : tensor<16xf32>
  %x13 = arith.mulf %x12, %x12 : tensor<16xf32>
  %x14 = arith.mulf %x13, %x13 : tensor<16xf32>
  %x15 = arith.mulf %x14, %x14 : tensor<16xf32>
  %x16 = arith.mulf %x15, %x15 : tensor<16xf32>
  %x17 = arith.mulf %x16, %x16 : tensor<16xf32>
  %x18 = arith.mulf %x17, %x17 : tensor<16xf32>
  %x19 = arith.mulf %x18, %x18 : tensor<16xf32>
  %x20 = arith.mulf %x19, %x19 : tensor<16xf32>
  %x21 = arith.mulf %x20, %x20 : tensor<16xf32>
  %x22 = arith.mulf %x21, %x21 : tensor<16xf32>
  %x23 = arith.mulf %x22, %x22 : tensor<16xf32>
  %x24 = arith.mulf %x23, %x23 : tensor<16xf32>
  %x25 = arith.mulf %x24, %x24 : tensor<16xf32>
  %x26 = arith.mulf %x25, %x25 : tensor<16xf32>
  %x27 = arith.mulf %x26, %x26 : tensor<16xf32>
  %x28 = arith.mulf %x27, %x27 : tensor<16xf32>
  %x29 = arith.mulf %x28, %x28 : tensor<16xf32>
  %x30 = arith.mulf %x29, %x29 : tensor<16xf32>
  %x31 = arith.mulf %x30, %x30 : tensor<16xf32>
  %x32 = arith.mulf %x31, %x31 : tensor<16xf32>
  %x33 = arith.mulf %x32, %x32 : tensor<16xf32>
  %x34 = arith.mulf %x33, %x33 : tensor<16xf32>
  %x35 = arith.mulf %x34, %x34 : tensor<16xf32>
  %x36 = arith.mulf %x35, %x35 : tensor<16xf32>
  %x37 = arith.mulf %x36, %x36 : tensor<16xf32>
  %x38 = arith.mulf %x37, %x37 : tensor<16xf32>
  %x39 = arith.mulf %x38, %x38 : tensor<16xf32>
  %x40 = arith.mulf %x39, %x39 : tensor<16xf32>
  tile.store %a, %x40 : tensor<16x!tile.ptr<f32>>
  return
}
