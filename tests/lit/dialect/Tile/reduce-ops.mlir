// RUN: pavage-opt %s | pavage-opt | FileCheck %s
// RUN: pavage-opt %s --mlir-print-op-generic | pavage-opt | FileCheck %s

// CHECK-LABEL: @reductions
func.func @reductions(%x: tensor<3x5xf32>, %i: tensor<3x5xi32>, %v: tensor<7xi8>) {
  // CHECK: tile.reduce %{{.+}} axis 1 : (tensor<3x5xf32>) -> tensor<3xf32> {
  // CHECK-NEXT: ^bb0(%[[A:.+]]: f32, %[[B:.+]]: f32):
  // CHECK-NEXT: %[[C:.+]] = arith.addf %[[A]], %[[B]] : f32
  // CHECK-NEXT: tile.yield %[[C]] : f32
  %0 = tile.reduce %x axis 1 : (tensor<3x5xf32>) -> tensor<3xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  // CHECK: tile.reduce %{{.+}}, %{{.+}} axis 0 : (tensor<3x5xf32>, tensor<3x5xi32>) -> (tensor<5xf32>, tensor<5xi32>) {
  %1:2 = tile.reduce %x, %i axis 0 : (tensor<3x5xf32>, tensor<3x5xi32>) -> (tensor<5xf32>, tensor<5xi32>) {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %less = arith.cmpf olt, %a, %b : f32
    %c = arith.select %less, %b, %a : f32
    %ci = arith.select %less, %bi, %ai : i32
    tile.yield %c, %ci : f32, i32
  }
  // CHECK: tile.reduce %{{.+}} axis 0 : (tensor<7xi8>) -> i8 {
  %2 = tile.reduce %v axis 0 : (tensor<7xi8>) -> i8 {
  ^bb0(%a: i8, %b: i8):
    %c = arith.xori %a, %b : i8
    tile.yield %c : i8
  }
  return
}

// CHECK-LABEL: @scans
func.func @scans(%x: tensor<3x5xi32>) {
  // CHECK: tile.scan %{{.+}} axis 1 : (tensor<3x5xi32>) -> tensor<3x5xi32> {
  %0 = tile.scan %x axis 1 : (tensor<3x5xi32>) -> tensor<3x5xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  // CHECK: tile.scan %{{.+}} axis 0 reverse : (tensor<3x5xi32>) -> tensor<3x5xi32> {
  %1 = tile.scan %x axis 0 reverse : (tensor<3x5xi32>) -> tensor<3x5xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.maxsi %a, %b : i32
    tile.yield %c : i32
  }
  return
}

// CHECK-LABEL: @sorting_and_counting
func.func @sorting_and_counting(%x: tensor<3x5xi32>, %f: tensor<7xbf16>, %v: tensor<100xi8>, %m: tensor<100xi1>) {
  // CHECK: tile.sort %{{.+}} signed : tensor<3x5xi32>
  %0 = tile.sort %x signed : tensor<3x5xi32>
  // CHECK: tile.sort %{{.+}} descending : tensor<7xbf16>
  %1 = tile.sort %f descending : tensor<7xbf16>
  // CHECK: tile.sort %{{.+}} descending signed : tensor<3x5xi32>
  %2 = tile.sort %x descending signed : tensor<3x5xi32>
  // CHECK: tile.histogram %{{.+}} : tensor<100xi8> -> tensor<6xi32>
  %3 = tile.histogram %v : tensor<100xi8> -> tensor<6xi32>
  // CHECK: tile.histogram %{{.+}} mask %{{.+}} : tensor<100xi1> : tensor<100xi8> -> tensor<6xi32>
  %4 = tile.histogram %v mask %m : tensor<100xi1> : tensor<100xi8> -> tensor<6xi32>
  return
}
