// RUN: pavage-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: @one_element
//  CHECK-SAME:   %[[X:[a-z0-9]+]]: tensor<3x1x5xf32>, %[[Y:[a-z0-9]+]]: tensor<1xi32>
func.func @one_element(%x: tensor<3x1x5xf32>, %y: tensor<1xi32>) -> (tensor<3x5xf32>, i32, tensor<3x1x5xf32>, tensor<1xi32>) {
  // CHECK-DAG: %[[A:.+]] = tile.reshape %[[X]] : tensor<3x1x5xf32> -> tensor<3x5xf32>
  %0 = tile.reduce %x axis 1 : (tensor<3x1x5xf32>) -> tensor<3x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  // CHECK-DAG: %[[B:.+]] = tile.unsplat %[[Y]] : tensor<1xi32> -> i32
  %1 = tile.reduce %y axis 0 : (tensor<1xi32>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  %2 = tile.scan %x axis 1 reverse : (tensor<3x1x5xf32>) -> tensor<3x1x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %3 = tile.sort %y : tensor<1xi32>
  // CHECK: return %[[A]], %[[B]], %[[X]], %[[Y]]
  return %0, %1, %2, %3 : tensor<3x5xf32>, i32, tensor<3x1x5xf32>, tensor<1xi32>
}

// -----

// Not changed: two elements are combined.
// CHECK-LABEL: @two_elements
func.func @two_elements(%x: tensor<1x2xf32>) -> (tensor<1xf32>, tensor<1x2xf32>, tensor<1x2xf32>) {
  // CHECK: tile.reduce
  %0 = tile.reduce %x axis 1 : (tensor<1x2xf32>) -> tensor<1xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  // CHECK: tile.scan
  %1 = tile.scan %x axis 1 : (tensor<1x2xf32>) -> tensor<1x2xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  // CHECK: tile.sort
  %2 = tile.sort %x : tensor<1x2xf32>
  return %0, %1, %2 : tensor<1xf32>, tensor<1x2xf32>, tensor<1x2xf32>
}

// -----

// What a combine region does not need is removed, and so is a whole fold without effects.
// CHECK-LABEL: @dead
func.func @dead(%x: tensor<5xf32>) {
  // CHECK-NEXT: return
  %0 = tile.reduce %x axis 0 : (tensor<5xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return
}
