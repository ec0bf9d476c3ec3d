// RUN: pavage-opt %s --pavage-interp | FileCheck %s

// CHECK-LABEL: @axes
func.func @axes() -> (tensor<2xi32>, tensor<3xi32>) {
  %x = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  // CHECK-NEXT: result 0: [6, 15]
  %0 = tile.reduce %x axis 1 : (tensor<2x3xi32>) -> tensor<2xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  // CHECK-NEXT: result 1: [4, 10, 18]
  %1 = tile.reduce %x axis 0 : (tensor<2x3xi32>) -> tensor<3xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.muli %a, %b : i32
    tile.yield %c : i32
  }
  return %0, %1 : tensor<2xi32>, tensor<3xi32>
}

// The order shows in an operation that is not associative: with 3 elements the tree combines 0 with 2, then that
// with 1; with 66, elements 0 and 64 come first.
// CHECK-LABEL: @order
func.func @order() -> (i32, i32, i32) {
  %x = arith.constant dense<[100, 7, 1]> : tensor<3xi32>
  // CHECK-NEXT: result 0: 92
  %0 = tile.reduce %x axis 0 : (tensor<3xi32>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.subi %a, %b : i32
    tile.yield %c : i32
  }
  // Of a pair the right one: the tree ends with lane 1, which last met lane 3.
  // CHECK-NEXT: result 1: 3
  %y = tile.iota 0 : tensor<4xi32>
  %1 = tile.reduce %y axis 0 : (tensor<4xi32>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    tile.yield %b : i32
  }
  // 3a - b throughout: lanes 0 and 1 become 3l - (l + 64) first; then the tree.
  // CHECK-NEXT: result 2: -33363
  %z = tile.iota 0 : tensor<66xi32>
  %2 = tile.reduce %z axis 0 : (tensor<66xi32>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %three = arith.constant 3 : i32
    %t = arith.muli %a, %three : i32
    %c = arith.subi %t, %b : i32
    tile.yield %c : i32
  }
  return %0, %1, %2 : i32, i32, i32
}

// argmax: NaN is skipped, ties go to the lower index.
// CHECK-LABEL: @tuples
func.func @tuples() -> (tensor<2xf32>, tensor<2xi32>) {
  %x = arith.constant dense<[[1.0, 3.0, 3.0, 0x7FC00000], [0x7FC00000, -1.0, -2.0, -1.0]]> : tensor<2x4xf32>
  %i = arith.constant dense<[[0, 1, 2, 3], [0, 1, 2, 3]]> : tensor<2x4xi32>
  // CHECK-NEXT: result 0: [3.0, -1.0]
  // CHECK-NEXT: result 1: [1, 1]
  %0:2 = tile.reduce %x, %i axis 1 : (tensor<2x4xf32>, tensor<2x4xi32>) -> (tensor<2xf32>, tensor<2xi32>) {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %gt = arith.cmpf ogt, %a, %b : f32
    %eq = arith.cmpf oeq, %a, %b : f32
    %lower = arith.cmpi slt, %ai, %bi : i32
    %tie = arith.andi %eq, %lower : i1
    %bnan = arith.cmpf uno, %b, %b : f32
    %left0 = arith.ori %gt, %tie : i1
    %left = arith.ori %left0, %bnan : i1
    %c = arith.select %left, %a, %b : f32
    %ci = arith.select %left, %ai, %bi : i32
    tile.yield %c, %ci : f32, i32
  }
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xi32>
}

// A region may have constants, values from outside, and control flow.
// CHECK-LABEL: @regions
func.func @regions() -> (tensor<2xi32>, tensor<2xi32>, i32) {
  %x = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %ten = arith.constant 10 : i32
  // CHECK-NEXT: result 0: [50, 80]
  %0 = tile.reduce %x axis 1 : (tensor<2x3xi32>) -> tensor<2xi32> {
  ^bb0(%a: i32, %b: i32):
    %two = arith.constant 2 : i32
    %s = arith.addi %a, %b : i32
    %d = arith.muli %s, %two : i32
    %c = arith.addi %d, %ten : i32
    tile.yield %c : i32
  }
  // CHECK-NEXT: result 1: [3, 6]
  %1 = tile.reduce %x axis 1 : (tensor<2x3xi32>) -> tensor<2xi32> {
  ^bb0(%a: i32, %b: i32):
    %less = arith.cmpi slt, %a, %b : i32
    %c = scf.if %less -> i32 {
      scf.yield %b : i32
    } else {
      scf.yield %a : i32
    }
    tile.yield %c : i32
  }
  // CHECK-NEXT: result 2: 10
  %y = tile.iota 0 : tensor<100xi32>
  %2 = tile.reduce %y axis 0 : (tensor<100xi32>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    tile.yield %ten : i32
  }
  return %0, %1, %2 : tensor<2xi32>, tensor<2xi32>, i32
}

// CHECK-LABEL: @scans
func.func @scans() -> (tensor<2x3xi32>, tensor<2x3xi32>, tensor<4xi32>, tensor<4xi32>) {
  %x = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  // CHECK-NEXT: result 0: {{\[}}[1, 3, 6], [4, 9, 15]]
  %0 = tile.scan %x axis 1 : (tensor<2x3xi32>) -> tensor<2x3xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  // CHECK-NEXT: result 1: {{\[}}[5, 7, 9], [4, 5, 6]]
  %1 = tile.scan %x axis 0 reverse : (tensor<2x3xi32>) -> tensor<2x3xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  // The left operand is the running one, in both directions.
  %y = arith.constant dense<[10, 1, 2, 3]> : tensor<4xi32>
  // CHECK-NEXT: result 2: [10, 9, 7, 4]
  %2 = tile.scan %y axis 0 : (tensor<4xi32>) -> tensor<4xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.subi %a, %b : i32
    tile.yield %c : i32
  }
  // CHECK-NEXT: result 3: [-10, 0, 1, 3]
  %3 = tile.scan %y axis 0 reverse : (tensor<4xi32>) -> tensor<4xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.subi %a, %b : i32
    tile.yield %c : i32
  }
  return %0, %1, %2, %3 : tensor<2x3xi32>, tensor<2x3xi32>, tensor<4xi32>, tensor<4xi32>
}

// NaN last in both directions, -0 below +0.
// CHECK-LABEL: @sorts
func.func @sorts() -> (tensor<6xf16>, tensor<6xf16>, tensor<2x3xi8>, tensor<2x3xi8>) {
  %x = arith.constant dense<[2.0, 0x7E00, 0.0, -1.0, -0.0, 0x7C00]> : tensor<6xf16>
  // CHECK-NEXT: result 0: [-1.0, -0.0, 0.0, 2.0, inf, nan]
  %0 = tile.sort %x : tensor<6xf16>
  // CHECK-NEXT: result 1: [inf, 2.0, 0.0, -0.0, -1.0, nan]
  %1 = tile.sort %x descending : tensor<6xf16>
  %i = arith.constant dense<[[3, -1, 2], [0, 127, -128]]> : tensor<2x3xi8>
  // CHECK-NEXT: result 2: {{\[}}[-1, 2, 3], [-128, 0, 127]]
  %2 = tile.sort %i signed : tensor<2x3xi8>
  // CHECK-NEXT: result 3: {{\[}}[-1, 3, 2], [-128, 127, 0]]
  %3 = tile.sort %i descending : tensor<2x3xi8>
  return %0, %1, %2, %3 : tensor<6xf16>, tensor<6xf16>, tensor<2x3xi8>, tensor<2x3xi8>
}

// Values are unsigned; what has no bin is not counted.
// CHECK-LABEL: @histograms
func.func @histograms() -> (tensor<4xi32>, tensor<4xi32>) {
  %x = arith.constant dense<[0, 1, 1, 3, 4, -1, 0]> : tensor<7xi8>
  // CHECK-NEXT: result 0: [2, 2, 0, 1]
  %0 = tile.histogram %x : tensor<7xi8> -> tensor<4xi32>
  %m = arith.constant dense<[false, true, true, true, true, true, true]> : tensor<7xi1>
  // CHECK-NEXT: result 1: [1, 2, 0, 1]
  %1 = tile.histogram %x mask %m : tensor<7xi1> : tensor<7xi8> -> tensor<4xi32>
  return %0, %1 : tensor<4xi32>, tensor<4xi32>
}

// Poison spoils what was combined with it, and nothing else.
// CHECK-LABEL: @poison
func.func @poison() -> (tensor<2xi32>, tensor<2x2xi32>) {
  %c = arith.constant dense<[[true, true], [false, true]]> : tensor<2x2xi1>
  %x = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %p = ub.poison : tensor<2x2xi32>
  %y = arith.select %c, %x, %p : tensor<2x2xi1>, tensor<2x2xi32>
  // CHECK-NEXT: result 0: [3, poison]
  %0 = tile.reduce %y axis 1 : (tensor<2x2xi32>) -> tensor<2xi32> {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tile.yield %s : i32
  }
  // CHECK-NEXT: result 1: {{\[}}[1, 2], [poison, 6]]
  %1 = tile.scan %y axis 0 : (tensor<2x2xi32>) -> tensor<2x2xi32> {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tile.yield %s : i32
  }
  return %0, %1 : tensor<2xi32>, tensor<2x2xi32>
}

// A bool is 0 or 1 whatever `signed` says.
// CHECK-LABEL: @sort_of_bools
func.func @sort_of_bools() -> (tensor<3xi1>, tensor<3xi1>) {
  %x = arith.constant dense<[true, false, true]> : tensor<3xi1>
  // CHECK-NEXT: result 0: [False, True, True]
  %0 = tile.sort %x signed : tensor<3xi1>
  // CHECK-NEXT: result 1: [True, True, False]
  %1 = tile.sort %x descending signed : tensor<3xi1>
  return %0, %1 : tensor<3xi1>, tensor<3xi1>
}
