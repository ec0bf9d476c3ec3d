// RUN: pavage-opt %s --split-input-file --pavage-scalarize-uniform | FileCheck %s

// A chain of ops on splats becomes scalar, and one splat remains in use.
// CHECK-LABEL: @chain
//  CHECK-SAME:   %[[A:[a-z0-9]+]]: i32, %[[B:[a-z0-9]+]]: i32
func.func @chain(%a: i32, %b: i32) -> tensor<3x5xi1> {
  %a_t = tile.splat %a : i32 -> tensor<3x5xi32>
  %b_t = tile.splat %b : i32 -> tensor<3x5xi32>
  %ten = arith.constant dense<10> : tensor<3x5xi32>
  // CHECK: %[[S:.+]] = tile.div %[[A]], %[[B]] signed : i32
  %s = tile.div %a_t, %b_t signed : tensor<3x5xi32>
  // CHECK: %[[TEN:.+]] = arith.constant 10 : i32
  // CHECK: %[[C:.+]] = arith.cmpi slt, %[[S]], %[[TEN]] : i32
  %c = arith.cmpi slt, %s, %ten : tensor<3x5xi32>
  // CHECK: %[[T:.+]] = tile.splat %[[C]] : i1 -> tensor<3x5xi1>
  // CHECK: return %[[T]]
  return %c : tensor<3x5xi1>
}

// -----

// Pointers, through an axis that was added.
// CHECK-LABEL: @pointer
//  CHECK-SAME:   %[[P:[a-z0-9]+]]: !tile.ptr<f16>, %[[N:[a-z0-9]+]]: i64
func.func @pointer(%p: !tile.ptr<f16>, %n: i64) -> tensor<1x5x!tile.ptr<f16>> {
  %p_t = tile.splat %p : !tile.ptr<f16> -> tensor<5x!tile.ptr<f16>>
  %p_e = tile.expand_dims %p_t axis 0 : tensor<5x!tile.ptr<f16>> -> tensor<1x5x!tile.ptr<f16>>
  %n_t = tile.splat %n : i64 -> tensor<1x5xi64>
  // CHECK: %[[Q:.+]] = tile.addptr %[[P]], %[[N]] : !tile.ptr<f16>, i64
  // CHECK: tile.splat %[[Q]] : !tile.ptr<f16> -> tensor<1x5x!tile.ptr<f16>>
  %q = tile.addptr %p_e, %n_t : tensor<1x5x!tile.ptr<f16>>, tensor<1x5xi64>
  return %q : tensor<1x5x!tile.ptr<f16>>
}

// -----

// Not changed: one operand varies.
// CHECK-LABEL: @varies
func.func @varies(%a: i32, %x: tensor<5xi32>) -> tensor<5xi32> {
  // CHECK: arith.addi {{.*}} : tensor<5xi32>
  %a_t = tile.splat %a : i32 -> tensor<5xi32>
  %y = arith.addi %a_t, %x : tensor<5xi32>
  return %y : tensor<5xi32>
}

// -----

// Not changed: constants alone are for the folders.
// CHECK-LABEL: @constants
func.func @constants() -> tensor<5xi32> {
  // CHECK: tile.rem {{.*}} : tensor<5xi32>
  %a = arith.constant dense<7> : tensor<5xi32>
  %b = arith.constant dense<3> : tensor<5xi32>
  %c = tile.rem %a, %b : tensor<5xi32>
  return %c : tensor<5xi32>
}
