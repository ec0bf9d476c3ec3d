// RUN: pavage-opt %s --split-input-file --pavage-fuse-multiply-add | FileCheck %s

// A product that only an addition in its block uses joins it; either operand may be the product.
// CHECK-LABEL: @sum
//  CHECK-SAME:   %[[A:[a-z0-9]+]]: tensor<3x5xf32>, %[[B:[a-z0-9]+]]: tensor<3x5xf32>, %[[C:[a-z0-9]+]]: tensor<3x5xf32>
func.func @sum(%a: tensor<3x5xf32>, %b: tensor<3x5xf32>, %c: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  %m = arith.mulf %a, %b : tensor<3x5xf32>
  //      CHECK: %[[X:.+]] = math.fma %[[A]], %[[B]], %[[C]] : tensor<3x5xf32>
  %x = arith.addf %m, %c : tensor<3x5xf32>
  %n = arith.mulf %b, %c : tensor<3x5xf32>
  // CHECK-NEXT: %[[Y:.+]] = math.fma %[[B]], %[[C]], %[[A]]
  %y = arith.addf %a, %n : tensor<3x5xf32>
  // CHECK-NEXT: return %[[X]], %[[Y]]
  return %x, %y : tensor<3x5xf32>, tensor<3x5xf32>
}

// -----

// Differences negate first, which is exact.
// CHECK-LABEL: @difference
//  CHECK-SAME:   %[[A:[a-z0-9]+]]: f64, %[[B:[a-z0-9]+]]: f64, %[[C:[a-z0-9]+]]: f64
func.func @difference(%a: f64, %b: f64, %c: f64) -> (f64, f64) {
  %m = arith.mulf %a, %b : f64
  //      CHECK: %[[N:.+]] = arith.negf %[[C]]
  // CHECK-NEXT: math.fma %[[A]], %[[B]], %[[N]]
  %x = arith.subf %m, %c : f64
  %n = arith.mulf %a, %b : f64
  //      CHECK: %[[P:.+]] = arith.negf %[[A]]
  // CHECK-NEXT: math.fma %[[P]], %[[B]], %[[C]]
  %y = arith.subf %c, %n : f64
  return %x, %y : f64, f64
}

// -----

// Of two products the left one is taken.
// CHECK-LABEL: @left_first
//  CHECK-SAME:   %[[A:[a-z0-9]+]]: f32, %[[B:[a-z0-9]+]]: f32
func.func @left_first(%a: f32, %b: f32) -> f32 {
  %m = arith.mulf %a, %a : f32
  // CHECK: %[[N:.+]] = arith.mulf %[[B]], %[[B]]
  %n = arith.mulf %b, %b : f32
  // CHECK: math.fma %[[A]], %[[A]], %[[N]]
  %x = arith.addf %m, %n : f32
  return %x : f32
}

// -----

// Not changed: a product with another use is needed anyway.
// CHECK-LABEL: @two_uses
func.func @two_uses(%a: f32, %b: f32, %c: f32) -> (f32, f32) {
  // CHECK: arith.mulf
  // CHECK-NEXT: arith.addf
  %m = arith.mulf %a, %b : f32
  %x = arith.addf %m, %c : f32
  return %x, %m : f32, f32
}

// -----

// Not changed: the double of a product has it as both operands.
// CHECK-LABEL: @doubled
func.func @doubled(%a: f32, %b: f32) -> f32 {
  // CHECK: arith.mulf
  // CHECK-NEXT: arith.addf
  %m = arith.mulf %a, %b : f32
  %x = arith.addf %m, %m : f32
  return %x : f32
}

// -----

// Not changed: f16 and bf16 round each operation.
// CHECK-LABEL: @half
func.func @half(%a: tensor<5xf16>, %b: tensor<5xbf16>) -> (tensor<5xf16>, tensor<5xbf16>) {
  // CHECK-NOT: math.fma
  // CHECK: return
  %m = arith.mulf %a, %a : tensor<5xf16>
  %x = arith.addf %m, %a : tensor<5xf16>
  %n = arith.mulf %b, %b : tensor<5xbf16>
  %y = arith.addf %n, %b : tensor<5xbf16>
  return %x, %y : tensor<5xf16>, tensor<5xbf16>
}

// -----

// Not changed: a product outside of a loop is computed once there.
// CHECK-LABEL: @other_block
func.func @other_block(%a: f32, %b: f32, %lo: i32, %hi: i32, %step: i32) -> f32 {
  // CHECK: arith.mulf
  %m = arith.mulf %a, %b : f32
  %r = scf.for %i = %lo to %hi step %step iter_args(%s = %a) -> f32 : i32 {
    // CHECK: arith.addf
    %t = arith.addf %m, %s : f32
    scf.yield %t : f32
  }
  return %r : f32
}
