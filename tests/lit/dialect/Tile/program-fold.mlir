// RUN: pavage-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: @promising_nothing
//  CHECK-SAME:   %[[X:[a-z0-9]+]]: tensor<3x5xi32>
func.func @promising_nothing(%x: tensor<3x5xi32>) -> (tensor<3x5xi32>, tensor<3x5xi32>) {
  %0 = tile.hint %x : tensor<3x5xi32>
  %1 = tile.hint %x contiguity [1, 1] divisibility [1, 1] : tensor<3x5xi32>
  // CHECK-NEXT: return %[[X]], %[[X]]
  return %0, %1 : tensor<3x5xi32>, tensor<3x5xi32>
}

// -----

// Not changed: it promises something.
// CHECK-LABEL: @promising_something
func.func @promising_something(%x: tensor<3x5xi32>) -> tensor<3x5xi32> {
  // CHECK: tile.hint
  %0 = tile.hint %x contiguity [1, 5] : tensor<3x5xi32>
  return %0 : tensor<3x5xi32>
}

// -----

// CHECK-LABEL: @always_true
func.func @always_true(%c: tensor<3xi1>) {
  %t = arith.constant true
  %ts = arith.constant dense<true> : tensor<3xi1>
  %fs = arith.constant dense<false> : tensor<3xi1>
  tile.assume %t
  tile.assert %ts, "a" : tensor<3xi1>
  tile.assert %c mask %fs : tensor<3xi1>, "b" : tensor<3xi1>
  // CHECK-NEXT: tile.assert %{{.+}}, "c" : tensor<3xi1>
  tile.assert %c mask %ts : tensor<3xi1>, "c" : tensor<3xi1>
  // CHECK-NEXT: return
  return
}

// -----

// Not changed: false in some lane, or always.
// CHECK-LABEL: @not_always_true
func.func @not_always_true() {
  %f = arith.constant false
  %m = arith.constant dense<[true, false]> : tensor<2xi1>
  // CHECK: tile.assume
  tile.assume %f
  // CHECK: tile.assert
  tile.assert %m, "a" : tensor<2xi1>
  return
}
