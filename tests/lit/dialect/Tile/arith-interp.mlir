// RUN: pavage-opt %s --pavage-interp | FileCheck %s

// Float to integer: toward zero, saturating, NaN is 0.
// CHECK-LABEL: @float_to_integer
func.func @float_to_integer() -> (tensor<6xi8>, tensor<6xi8>, tensor<2xi64>, tensor<4xi1>) {
  %x = arith.constant dense<[300.0, -1.5, 0x7FC00000, 7.9, -1.0e30, 0x7F800000]> : tensor<6xf32>
  // CHECK-NEXT: result 0: [127, -1, 0, 7, -128, 127]
  %0 = tile.cast %x signed : tensor<6xf32> -> tensor<6xi8>
  // CHECK-NEXT: result 1: [-1, 0, 0, 7, 0, -1]
  %1 = tile.cast %x : tensor<6xf32> -> tensor<6xi8>
  // CHECK-NEXT: result 2: [9223372036854775807, -9223372036854775808]
  %y = arith.constant dense<[1.0e19, -1.0e19]> : tensor<2xf64>
  %2 = tile.cast %y signed : tensor<2xf64> -> tensor<2xi64>
  // CHECK-NEXT: result 3: [True, False, False, True]
  %z = arith.constant dense<[0.5, 0.0, -0.0, 0x7E00]> : tensor<4xf16>
  %3 = tile.cast %z : tensor<4xf16> -> tensor<4xi1>
  return %0, %1, %2, %3 : tensor<6xi8>, tensor<6xi8>, tensor<2xi64>, tensor<4xi1>
}

// Float to narrower float: f8 saturates, f16 overflows to infinity, toward zero stops at the largest.
// CHECK-LABEL: @float_to_narrower_float
func.func @float_to_narrower_float() -> (tensor<5xf8E4M3FN>, tensor<5xf8E5M2>, tensor<5xf16>, tensor<5xf16>) {
  %x = arith.constant dense<[1000.0, -1.0e30, 0x7FC00000, 0.26, 1.0e-9]> : tensor<5xf32>
  // CHECK-NEXT: result 0: [448.0, -448.0, nan, 0.25, 0.0]
  %0 = tile.cast %x : tensor<5xf32> -> tensor<5xf8E4M3FN>
  // CHECK-NEXT: result 1: [1024.0, -57344.0, nan, 0.25, 0.0]
  %1 = tile.cast %x : tensor<5xf32> -> tensor<5xf8E5M2>
  // CHECK-NEXT: result 2: [1000.0, -inf, nan, 0.26, 0.0]
  %2 = tile.cast %x : tensor<5xf32> -> tensor<5xf16>
  // CHECK-NEXT: result 3: [1000.0, -65504.0, nan, 0.2598, 0.0]
  %3 = tile.cast %x rounding rtz : tensor<5xf32> -> tensor<5xf16>
  return %0, %1, %2, %3 : tensor<5xf8E4M3FN>, tensor<5xf8E5M2>, tensor<5xf16>, tensor<5xf16>
}

// CHECK-LABEL: @integer_to_anything
func.func @integer_to_anything() -> (tensor<3xi32>, tensor<3xi32>, tensor<3xf16>, tensor<3xf8E4M3FN>, i32, f32) {
  %x = arith.constant dense<[-1, 100, -128]> : tensor<3xi8>
  // CHECK-NEXT: result 0: [-1, 100, -128]
  %0 = tile.cast %x signed : tensor<3xi8> -> tensor<3xi32>
  // CHECK-NEXT: result 1: [255, 100, 128]
  %1 = tile.cast %x : tensor<3xi8> -> tensor<3xi32>
  // CHECK-NEXT: result 2: [inf, 1.0, -inf]
  %y = arith.constant dense<[70000, 1, -70000]> : tensor<3xi32>
  %2 = tile.cast %y signed : tensor<3xi32> -> tensor<3xf16>
  // CHECK-NEXT: result 3: [448.0, 1.0, -448.0]
  %3 = tile.cast %y signed : tensor<3xi32> -> tensor<3xf8E4M3FN>
  // CHECK-NEXT: result 4: 1
  %t = arith.constant true
  %4 = tile.cast %t signed : i1 -> i32
  // CHECK-NEXT: result 5: 1.0
  %5 = tile.cast %t signed : i1 -> f32
  return %0, %1, %2, %3, %4, %5 : tensor<3xi32>, tensor<3xi32>, tensor<3xf16>, tensor<3xf8E4M3FN>, i32, f32
}

// No lane traps; the results are as on the pages.
// CHECK-LABEL: @division
func.func @division() -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %x = arith.constant dense<[7, -7, 7, -2147483648]> : tensor<4xi32>
  %y = arith.constant dense<[2, 2, 0, -1]> : tensor<4xi32>
  // CHECK-NEXT: result 0: [3, -3, -1, -2147483648]
  %0 = tile.div %x, %y signed : tensor<4xi32>
  // CHECK-NEXT: result 1: [1, -1, 7, 0]
  %1 = tile.rem %x, %y signed : tensor<4xi32>
  // CHECK-NEXT: result 2: [3, 2147483644, -1, 0]
  %2 = tile.div %x, %y : tensor<4xi32>
  // CHECK-NEXT: result 3: [1, 1, 7, -2147483648]
  %3 = tile.rem %x, %y : tensor<4xi32>
  return %0, %1, %2, %3 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// CHECK-LABEL: @shifts
func.func @shifts() -> (tensor<4xi8>, tensor<4xi8>, tensor<4xi8>) {
  %x = arith.constant dense<[3, -16, -16, -16]> : tensor<4xi8>
  %n = arith.constant dense<[4, 2, 8, -1]> : tensor<4xi8>
  // CHECK-NEXT: result 0: [48, -64, 0, 0]
  %0 = tile.shl %x, %n : tensor<4xi8>
  // CHECK-NEXT: result 1: [0, -4, -1, -1]
  %1 = tile.shr %x, %n signed : tensor<4xi8>
  // CHECK-NEXT: result 2: [0, 60, 0, 0]
  %2 = tile.shr %x, %n : tensor<4xi8>
  return %0, %1, %2 : tensor<4xi8>, tensor<4xi8>, tensor<4xi8>
}

// NaN and signed zero in the two families of max and min.
// CHECK-LABEL: @maximum_and_minimum
func.func @maximum_and_minimum() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %x = arith.constant dense<[0x7FC00000, 1.0, -0.0, 0.0]> : tensor<4xf32>
  %y = arith.constant dense<[2.0, 0x7FC00000, 0.0, -0.0]> : tensor<4xf32>
  // CHECK-NEXT: result 0: [nan, nan, 0.0, 0.0]
  %0 = arith.maximumf %x, %y : tensor<4xf32>
  // CHECK-NEXT: result 1: [nan, nan, -0.0, -0.0]
  %1 = arith.minimumf %x, %y : tensor<4xf32>
  // CHECK-NEXT: result 2: [2.0, 1.0, 0.0, 0.0]
  %2 = arith.maxnumf %x, %y : tensor<4xf32>
  // CHECK-NEXT: result 3: [2.0, 1.0, -0.0, -0.0]
  %3 = arith.minnumf %x, %y : tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// bf16 rounds after each op: 256 + 1 + 1 stays 256, while 1 + 1 + 256 is 258.
// CHECK-LABEL: @bf16_rounds_each_time
func.func @bf16_rounds_each_time() -> (bf16, bf16) {
  %big = arith.constant 256.0 : bf16
  %one = arith.constant 1.0 : bf16
  // CHECK-NEXT: result 0: 256.0
  %0 = arith.addf %big, %one : bf16
  %1 = arith.addf %0, %one : bf16
  // CHECK-NEXT: result 1: 258.0
  %2 = arith.addf %one, %one : bf16
  %3 = arith.addf %2, %big : bf16
  return %1, %3 : bf16, bf16
}

// CHECK-LABEL: @comparisons
func.func @comparisons() -> (tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<2xi1>, tensor<2xi1>) {
  %x = arith.constant dense<[1.0, 0x7FC00000, 2.0]> : tensor<3xf32>
  %y = arith.constant dense<[1.0, 1.0, 3.0]> : tensor<3xf32>
  // CHECK-NEXT: result 0: [True, False, True]
  %0 = arith.cmpf ole, %x, %y : tensor<3xf32>
  // CHECK-NEXT: result 1: [False, True, True]
  %1 = arith.cmpf une, %x, %y : tensor<3xf32>
  // CHECK-NEXT: result 2: [False, True, False]
  %2 = arith.cmpf ugt, %x, %y : tensor<3xf32>
  %i = arith.constant dense<[-1, 1]> : tensor<2xi64>
  %j = arith.constant dense<[1, 1]> : tensor<2xi64>
  // CHECK-NEXT: result 3: [True, False]
  %3 = arith.cmpi slt, %i, %j : tensor<2xi64>
  // CHECK-NEXT: result 4: [False, True]
  %4 = arith.cmpi ule, %i, %j : tensor<2xi64>
  return %0, %1, %2, %3, %4 : tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<2xi1>, tensor<2xi1>
}

// A scalar condition chooses whole tiles; poison on the other side does not matter.
// CHECK-LABEL: @selection
func.func @selection() -> (tensor<2x2xi16>, tensor<3xf32>) {
  %t = arith.constant true
  %a = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi16>
  %p = ub.poison : tensor<2x2xi16>
  // CHECK-NEXT: result 0: {{\[}}[1, 2], [3, 4]]
  %0 = arith.select %t, %a, %p : tensor<2x2xi16>
  %c = arith.constant dense<[true, false, true]> : tensor<3xi1>
  %x = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %q = ub.poison : tensor<3xf32>
  // CHECK-NEXT: result 1: [1.0, poison, 3.0]
  %1 = arith.select %c, %x, %q : tensor<3xi1>, tensor<3xf32>
  return %0, %1 : tensor<2x2xi16>, tensor<3xf32>
}

// What upstream leaves undefined is poison.
// CHECK-LABEL: @upstream_partial_ops
func.func @upstream_partial_ops() -> (tensor<3xi32>, tensor<2xi32>, i8, tensor<2xi8>) {
  %x = arith.constant dense<[7, -2147483648, 7]> : tensor<3xi32>
  %y = arith.constant dense<[0, -1, 2]> : tensor<3xi32>
  // CHECK-NEXT: result 0: [poison, poison, 3]
  %0 = arith.divsi %x, %y : tensor<3xi32>
  %s = arith.constant dense<[31, 32]> : tensor<2xi32>
  %o = arith.constant dense<1> : tensor<2xi32>
  // CHECK-NEXT: result 1: [-2147483648, poison]
  %1 = arith.shli %o, %s : tensor<2xi32>
  %m = arith.constant 127 : i8
  %u = arith.constant 1 : i8
  // CHECK-NEXT: result 2: poison
  %2 = arith.addi %m, %u overflow<nsw> : i8
  %f = arith.constant dense<[1.0e9, -5.5]> : tensor<2xf32>
  // CHECK-NEXT: result 3: [poison, -5]
  %3 = arith.fptosi %f : tensor<2xf32> to tensor<2xi8>
  return %0, %1, %2, %3 : tensor<3xi32>, tensor<2xi32>, i8, tensor<2xi8>
}

// CHECK-LABEL: @wide_products
func.func @wide_products() -> (i32, i32, i32, i1) {
  %x = arith.constant -2 : i32
  %y = arith.constant 3 : i32
  // CHECK-NEXT: result 0: -6
  // CHECK-NEXT: result 1: -1
  %low, %signed = arith.mulsi_extended %x, %y : i32
  // CHECK-NEXT: result 2: 2
  %same, %high = arith.mului_extended %x, %y : i32
  // CHECK-NEXT: result 3: True
  %sum, %carry = arith.addui_extended %x, %y : i32, i1
  return %low, %signed, %high, %carry : i32, i32, i32, i1
}

// A cast to the same type changes nothing, so that the infinities of f8E5M2 stay.
// CHECK-LABEL: @same_type
func.func @same_type() -> tensor<2xf8E5M2> {
  %x = arith.constant dense<[0x7C, 0xFC]> : tensor<2xf8E5M2>
  // CHECK-NEXT: result 0: [inf, -inf]
  %0 = tile.cast %x : tensor<2xf8E5M2> -> tensor<2xf8E5M2>
  return %0 : tensor<2xf8E5M2>
}
