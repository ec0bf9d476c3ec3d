// RUN: pavage-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: @casts_of_constants
func.func @casts_of_constants() -> (tensor<4xi8>, tensor<3xf8E4M3FN>, f16, i1, i32) {
  // CHECK-DAG: %[[A:.+]] = arith.constant dense<[127, -1, 0, 7]> : tensor<4xi8>
  %a = arith.constant dense<[300.0, -1.5, 0x7FC00000, 7.0]> : tensor<4xf32>
  %0 = tile.cast %a signed : tensor<4xf32> -> tensor<4xi8>
  // CHECK-DAG: %[[B:.+]] = arith.constant dense<[4.480000e+02, -4.480000e+02, 2.500000e-01]> : tensor<3xf8E4M3FN>
  %b = arith.constant dense<[1000.0, -1.0e30, 0.26]> : tensor<3xf32>
  %1 = tile.cast %b : tensor<3xf32> -> tensor<3xf8E4M3FN>
  // Toward zero keeps 65504 where to nearest gives infinity.
  // CHECK-DAG: %[[C:.+]] = arith.constant 6.550400e+04 : f16
  %c = arith.constant 1.0e6 : f32
  %2 = tile.cast %c rounding rtz : f32 -> f16
  // CHECK-DAG: %[[D:.+]] = arith.constant true
  %d = arith.constant 0x7FC00000 : f32
  %3 = tile.cast %d : f32 -> i1
  // A bool is 0 or 1, signed or not.
  // CHECK-DAG: %[[E:.+]] = arith.constant 1 : i32
  %e = arith.constant true
  %4 = tile.cast %e signed : i1 -> i32
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]]
  return %0, %1, %2, %3, %4 : tensor<4xi8>, tensor<3xf8E4M3FN>, f16, i1, i32
}

// -----

// Not changed: a constant of many unequal elements would bloat the program.
// CHECK-LABEL: @cast_of_large_constant
func.func @cast_of_large_constant() -> tensor<100xi32> {
  %i = tile.iota 0 : tensor<100xi32>
  // CHECK: tile.cast
  %x = tile.cast %i : tensor<100xi32> -> tensor<100xi8>
  %y = tile.cast %x : tensor<100xi8> -> tensor<100xi32>
  return %y : tensor<100xi32>
}

// -----

// CHECK-LABEL: @casts_in_a_row
//  CHECK-SAME:   %[[H:[a-z0-9]+]]: tensor<7xf16>, %[[I:[a-z0-9]+]]: tensor<7xi8>, %[[L:[a-z0-9]+]]: tensor<7xi64>
func.func @casts_in_a_row(%h: tensor<7xf16>, %i: tensor<7xi8>, %l: tensor<7xi64>)
    -> (tensor<7xf16>, tensor<7xf8E5M2>, tensor<7xi32>, tensor<7xf32>, tensor<7xi8>, tensor<7xi64>) {
  %0 = tile.cast %h : tensor<7xf16> -> tensor<7xf32>
  %1 = tile.cast %0 : tensor<7xf32> -> tensor<7xf16>
  // CHECK: %[[A:.+]] = tile.cast %[[H]] rounding rtz : tensor<7xf16> -> tensor<7xf8E5M2>
  %2 = tile.cast %0 rounding rtz : tensor<7xf32> -> tensor<7xf8E5M2>
  // CHECK: %[[B:.+]] = tile.cast %[[I]] signed : tensor<7xi8> -> tensor<7xi32>
  %3 = tile.cast %i signed : tensor<7xi8> -> tensor<7xi16>
  %4 = tile.cast %3 signed : tensor<7xi16> -> tensor<7xi32>
  // CHECK: %[[C:.+]] = tile.cast %[[I]] : tensor<7xi8> -> tensor<7xf32>
  %5 = tile.cast %i : tensor<7xi8> -> tensor<7xi16>
  %6 = tile.cast %5 signed : tensor<7xi16> -> tensor<7xf32>
  // CHECK: %[[D:.+]] = tile.cast %[[L]] : tensor<7xi64> -> tensor<7xi8>
  %7 = tile.cast %l : tensor<7xi64> -> tensor<7xi32>
  %8 = tile.cast %7 : tensor<7xi32> -> tensor<7xi8>
  // CHECK: return %[[H]], %[[A]], %[[B]], %[[C]], %[[D]], %[[L]]
  %9 = tile.cast %l signed : tensor<7xi64> -> tensor<7xi64>
  return %1, %2, %4, %6, %8, %9 : tensor<7xf16>, tensor<7xf8E5M2>, tensor<7xi32>, tensor<7xf32>, tensor<7xi8>,
      tensor<7xi64>
}

// -----

// Not changed: the first cast loses digits, range, the sign, or is a test for zero.
// CHECK-LABEL: @casts_that_change_numbers
// CHECK-COUNT-10: tile.cast
func.func @casts_that_change_numbers(%f: f32, %h: f16, %b: bf16, %i: i8, %l: i64) -> (f64, bf16, f16, i32, i64) {
  %0 = tile.cast %f : f32 -> f16
  %1 = tile.cast %0 : f16 -> f64
  %2 = tile.cast %h : f16 -> f8E5M2
  %3 = tile.cast %2 : f8E5M2 -> bf16
  %4 = tile.cast %b signed : bf16 -> i32
  %5 = tile.cast %4 signed : i32 -> f16
  %6 = tile.cast %i signed : i8 -> i16
  %7 = tile.cast %6 : i16 -> i32
  %8 = tile.cast %l : i64 -> i1
  %9 = tile.cast %8 : i1 -> i64
  return %1, %3, %5, %7, %9 : f64, bf16, f16, i32, i64
}

// -----

// CHECK-LABEL: @divisions
//  CHECK-SAME:   %[[X:[a-z0-9]+]]: tensor<3x5xi32>
func.func @divisions(%x: tensor<3x5xi32>)
    -> (tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>) {
  // CHECK-DAG: %[[ONES:.+]] = arith.constant dense<-1> : tensor<3x5xi32>
  // CHECK-DAG: %[[ZERO:.+]] = arith.constant dense<0> : tensor<3x5xi32>
  // CHECK-DAG: %[[THREE:.+]] = arith.constant dense<3> : tensor<3x5xi32>
  // CHECK-DAG: %[[SEVEN:.+]] = arith.constant dense<7> : tensor<3x5xi32>
  %zero = arith.constant dense<0> : tensor<3x5xi32>
  %one = arith.constant dense<1> : tensor<3x5xi32>
  %eight = arith.constant dense<8> : tensor<3x5xi32>
  %0 = tile.div %x, %zero : tensor<3x5xi32>
  %1 = tile.div %x, %one signed : tensor<3x5xi32>
  // CHECK: %[[Q:.+]] = tile.shr %[[X]], %[[THREE]] : tensor<3x5xi32>
  %2 = tile.div %x, %eight : tensor<3x5xi32>
  %3 = tile.rem %x, %zero signed : tensor<3x5xi32>
  %4 = tile.rem %x, %one : tensor<3x5xi32>
  // CHECK: %[[R:.+]] = arith.andi %[[X]], %[[SEVEN]] : tensor<3x5xi32>
  %5 = tile.rem %x, %eight : tensor<3x5xi32>
  // CHECK: return %[[ONES]], %[[X]], %[[Q]], %[[X]], %[[ZERO]], %[[R]]
  return %0, %1, %2, %3, %4, %5 : tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>, tensor<3x5xi32>,
      tensor<3x5xi32>, tensor<3x5xi32>
}

// -----

// Not changed: a signed quotient rounds toward zero, a shift would round down.
// CHECK-LABEL: @signed_division_by_a_power_of_two
func.func @signed_division_by_a_power_of_two(%x: i32) -> (i32, i32) {
  %c = arith.constant 8 : i32
  // CHECK: tile.div %{{.+}} signed
  %0 = tile.div %x, %c signed : i32
  // CHECK: tile.rem %{{.+}} signed
  %1 = tile.rem %x, %c signed : i32
  return %0, %1 : i32, i32
}

// -----

// CHECK-LABEL: @constant_integers
func.func @constant_integers() -> (tensor<4xi32>, tensor<4xi32>, i8, i8) {
  %a = arith.constant dense<[7, -7, 7, -2147483648]> : tensor<4xi32>
  %b = arith.constant dense<[2, 2, 0, -1]> : tensor<4xi32>
  // CHECK-DAG: arith.constant dense<[3, -3, -1, -2147483648]> : tensor<4xi32>
  %0 = tile.div %a, %b signed : tensor<4xi32>
  // CHECK-DAG: arith.constant dense<[1, -1, 7, 0]> : tensor<4xi32>
  %1 = tile.rem %a, %b signed : tensor<4xi32>
  %c = arith.constant -16 : i8
  %d = arith.constant 2 : i8
  // CHECK-DAG: arith.constant -4 : i8
  %2 = tile.shr %c, %d signed : i8
  // CHECK-DAG: arith.constant 60 : i8
  %3 = tile.shr %c, %d : i8
  return %0, %1, %2, %3 : tensor<4xi32>, tensor<4xi32>, i8, i8
}

// -----

// CHECK-LABEL: @shifts
//  CHECK-SAME:   %[[X:[a-z0-9]+]]: tensor<5xi16>
func.func @shifts(%x: tensor<5xi16>) -> (tensor<5xi16>, tensor<5xi16>, tensor<5xi16>, tensor<5xi16>) {
  // CHECK-DAG: %[[ZERO:.+]] = arith.constant dense<0> : tensor<5xi16>
  %zero = arith.constant dense<0> : tensor<5xi16>
  %many = arith.constant dense<16> : tensor<5xi16>
  %0 = tile.shl %x, %zero : tensor<5xi16>
  %1 = tile.shl %x, %many : tensor<5xi16>
  %2 = tile.shr %x, %many : tensor<5xi16>
  // Not changed: the sign depends on the lane.
  // CHECK: %[[S:.+]] = tile.shr %[[X]], %{{.+}} signed : tensor<5xi16>
  %3 = tile.shr %x, %many signed : tensor<5xi16>
  // CHECK: return %[[X]], %[[ZERO]], %[[ZERO]], %[[S]]
  return %0, %1, %2, %3 : tensor<5xi16>, tensor<5xi16>, tensor<5xi16>, tensor<5xi16>
}
