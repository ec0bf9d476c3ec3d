// RUN: pavage-opt %s --pavage-interp | FileCheck %s

// CHECK-LABEL: @loops
func.func @loops() -> (i32, i32, tensor<2xi32>, i64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %ten = arith.constant 10 : i32
  // 0 + 3 + 6 + 9
  // CHECK-NEXT: result 0: 18
  %0 = scf.for %i = %zero to %ten step %three iter_args(%s = %zero) -> (i32) : i32 {
    %t = arith.addi %s, %i : i32
    scf.yield %t : i32
  }
  // No trip: the initial value.
  // CHECK-NEXT: result 1: 10
  %1 = scf.for %i = %ten to %zero step %one iter_args(%s = %ten) -> (i32) : i32 {
    scf.yield %i : i32
  }
  // Carried tiles, swapped each time.
  // CHECK-NEXT: result 2: [3, 4]
  %a = arith.constant dense<[1, 2]> : tensor<2xi32>
  %b = arith.constant dense<[3, 4]> : tensor<2xi32>
  %2:2 = scf.for %i = %zero to %three step %one iter_args(%x = %a, %y = %b) -> (tensor<2xi32>, tensor<2xi32>) : i32 {
    scf.yield %y, %x : tensor<2xi32>, tensor<2xi32>
  }
  // Up to the last number of the type, without wrapping.
  // CHECK-NEXT: result 3: 2
  %most = arith.constant 127 : i8
  %start = arith.constant 100 : i8
  %step = arith.constant 20 : i8
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %3 = scf.for %i = %start to %most step %step iter_args(%n = %c0) -> (i64) : i8 {
    %m = arith.addi %n, %c1 : i64
    scf.yield %m : i64
  }
  return %0, %1, %2#0, %3 : i32, i32, tensor<2xi32>, i64
}

// The number of halvings, and the other value that the condition passes on.
// CHECK-LABEL: @while_loop
func.func @while_loop() -> (i32, i32) {
  %x = arith.constant 100 : i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // CHECK-NEXT: result 0: 1
  // CHECK-NEXT: result 1: 6
  %0:2 = scf.while (%v = %x, %n = %zero) : (i32, i32) -> (i32, i32) {
    %go = arith.cmpi sgt, %v, %one : i32
    scf.condition(%go) %v, %n : i32, i32
  } do {
  ^bb0(%v: i32, %n: i32):
    %h = tile.shr %v, %one : i32
    %m = arith.addi %n, %one : i32
    scf.yield %h, %m : i32, i32
  }
  return %0#0, %0#1 : i32, i32
}

// CHECK-LABEL: @branches
func.func @branches() -> (i32, tensor<2xf32>) {
  %t = arith.constant true
  %f = arith.constant false
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  // CHECK-NEXT: result 0: 1
  %0 = scf.if %t -> i32 {
    scf.yield %one : i32
  } else {
    scf.yield %two : i32
  }
  // CHECK-NEXT: result 1: [1.0, 2.0]
  %x = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = scf.if %f -> tensor<2xf32> {
    %p = ub.poison : tensor<2xf32>
    scf.yield %p : tensor<2xf32>
  } else {
    scf.yield %x : tensor<2xf32>
  }
  scf.if %f {
    tile.assume %f
  }
  return %0, %1 : i32, tensor<2xf32>
}

// CHECK-LABEL: @calls
// CHECK-NEXT: result 0: 25
func.func @calls() -> i32 {
  %x = arith.constant 3 : i32
  %y = arith.constant 4 : i32
  %0 = func.call @square(%x) : (i32) -> i32
  %1 = func.call @square(%y) : (i32) -> i32
  %2 = arith.addi %0, %1 : i32
  return %2 : i32
}
func.func @square(%x: i32) -> i32 {
  %0 = arith.muli %x, %x : i32
  return %0 : i32
}

// CHECK-LABEL: @poison_condition
// CHECK-NEXT: error poison-use at {{.*}}: the condition has no value on this path
func.func @poison_condition() {
  %c = ub.poison : i1
  scf.if %c {
  }
  return
}

// CHECK-LABEL: @poison_bound
// CHECK-NEXT: error poison-use at {{.*}}: the upper bound has no value on this path
func.func @poison_bound() {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = ub.poison : i32
  scf.for %i = %zero to %n step %one : i32 {
  }
  return
}

// Values that no path uses may stay poison.
// CHECK-LABEL: @unused_poison
// CHECK-NEXT: result 0: 5
func.func @unused_poison() -> i32 {
  %p = ub.poison : i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %five = arith.constant 5 : i32
  %0:2 = scf.for %i = %zero to %five step %one iter_args(%n = %zero, %q = %p) -> (i32, i32) : i32 {
    %m = arith.addi %n, %one : i32
    %r = arith.addi %q, %one : i32
    scf.yield %m, %r : i32, i32
  }
  return %0#0 : i32
}

// CHECK-LABEL: @step_zero
// CHECK-NEXT: error unsupported at {{.*}}: 'scf.for' expects a positive step
func.func @step_zero() {
  %zero = arith.constant 0 : i32
  %five = arith.constant 5 : i32
  scf.for %i = %zero to %five step %zero : i32 {
  }
  return
}

// CHECK-LABEL: @foreign_op
// CHECK-NEXT: error unsupported at {{.*}}: 'arith.constant' has a result of type vector<4xf32>
func.func @foreign_op() {
  %0 = arith.constant dense<1.0> : vector<4xf32>
  return
}
