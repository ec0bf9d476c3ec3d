// RUN: pavage-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: @of_constants
func.func @of_constants() -> (tensor<3x5xf32>, tensor<5x3xf32>, tensor<15xf32>, tensor<2x3x5xf32>, tensor<1xi64>,
                              tensor<2x3xi8>, f32) {
  // CHECK-DAG: %[[A:.+]] = arith.constant dense<2.000000e+00> : tensor<3x5xf32>
  %x = arith.constant 2.0 : f32
  %0 = tile.splat %x : f32 -> tensor<3x5xf32>
  // CHECK-DAG: %[[B:.+]] = arith.constant dense<2.000000e+00> : tensor<5x3xf32>
  %1 = tile.trans %0 order [1, 0] : tensor<3x5xf32> -> tensor<5x3xf32>
  // CHECK-DAG: %[[C:.+]] = arith.constant dense<2.000000e+00> : tensor<15xf32>
  %2 = tile.reshape %0 : tensor<3x5xf32> -> tensor<15xf32>
  // CHECK-DAG: %[[D:.+]] = arith.constant dense<2.000000e+00> : tensor<2x3x5xf32>
  %3 = tile.expand_dims %0 axis 0 : tensor<3x5xf32> -> tensor<1x3x5xf32>
  %4 = tile.broadcast %3 : tensor<1x3x5xf32> -> tensor<2x3x5xf32>
  // CHECK-DAG: %[[E:.+]] = arith.constant dense<-4> : tensor<1xi64>
  %5 = tile.iota -4 : tensor<1xi64>
  // CHECK-DAG: %[[F:.+]] = arith.constant dense<{{\[}}[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>
  %6 = arith.constant dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi8>
  %7 = tile.reshape %6 : tensor<6xi8> -> tensor<2x3xi8>
  // CHECK-DAG: %[[G:.+]] = arith.constant 3.000000e+00 : f32
  %8 = arith.constant dense<3.0> : tensor<1x1xf32>
  %9 = tile.unsplat %8 : tensor<1x1xf32> -> f32
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]], %[[F]], %[[G]]
  return %0, %1, %2, %4, %5, %7, %9 : tensor<3x5xf32>, tensor<5x3xf32>, tensor<15xf32>, tensor<2x3x5xf32>,
      tensor<1xi64>, tensor<2x3xi8>, f32
}

// -----

// Not changed: the elements differ, and moving them at compile time would take a new constant.
// CHECK-LABEL: @of_unequal_constants
func.func @of_unequal_constants() -> (tensor<3x2xi8>, tensor<2xi8>) {
  %0 = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>
  // CHECK: tile.trans
  %1 = tile.trans %0 order [1, 0] : tensor<2x3xi8> -> tensor<3x2xi8>
  // CHECK: tile.iota
  %2 = tile.iota 0 : tensor<2xi32>
  // CHECK: tile.cast
  %3 = tile.cast %2 : tensor<2xi32> -> tensor<2xi8>
  return %1, %3 : tensor<3x2xi8>, tensor<2xi8>
}

// -----

// CHECK-LABEL: @of_splats
//  CHECK-SAME:   %[[P:[a-z0-9]+]]: !tile.ptr<f32>
func.func @of_splats(%p: !tile.ptr<f32>)
    -> (tensor<5x7x!tile.ptr<f32>>, tensor<35x!tile.ptr<f32>>, tensor<7x5x!tile.ptr<f32>>, tensor<2x3x!tile.ptr<f32>>,
        !tile.ptr<f32>) {
  %0 = tile.splat %p : !tile.ptr<f32> -> tensor<5x!tile.ptr<f32>>
  %1 = tile.expand_dims %0 axis 1 : tensor<5x!tile.ptr<f32>> -> tensor<5x1x!tile.ptr<f32>>
  // CHECK-DAG: %[[A:.+]] = tile.splat %[[P]] : !tile.ptr<f32> -> tensor<5x7x!tile.ptr<f32>>
  %2 = tile.broadcast %1 : tensor<5x1x!tile.ptr<f32>> -> tensor<5x7x!tile.ptr<f32>>
  // CHECK-DAG: %[[B:.+]] = tile.splat %[[P]] : !tile.ptr<f32> -> tensor<35x!tile.ptr<f32>>
  %3 = tile.reshape %2 : tensor<5x7x!tile.ptr<f32>> -> tensor<35x!tile.ptr<f32>>
  // CHECK-DAG: %[[C:.+]] = tile.splat %[[P]] : !tile.ptr<f32> -> tensor<7x5x!tile.ptr<f32>>
  %4 = tile.trans %2 order [1, 0] : tensor<5x7x!tile.ptr<f32>> -> tensor<7x5x!tile.ptr<f32>>
  // CHECK-DAG: %[[D:.+]] = tile.splat %[[P]] : !tile.ptr<f32> -> tensor<2x3x!tile.ptr<f32>>
  %5 = tile.slice %2 offsets [0, 1] strides [2, 2] : tensor<5x7x!tile.ptr<f32>> -> tensor<2x3x!tile.ptr<f32>>
  %6 = tile.splat %p : !tile.ptr<f32> -> tensor<1x!tile.ptr<f32>>
  %7 = tile.unsplat %6 : tensor<1x!tile.ptr<f32>> -> !tile.ptr<f32>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[P]]
  return %2, %3, %4, %5, %7 : tensor<5x7x!tile.ptr<f32>>, tensor<35x!tile.ptr<f32>>, tensor<7x5x!tile.ptr<f32>>,
      tensor<2x3x!tile.ptr<f32>>, !tile.ptr<f32>
}

// -----

// CHECK-LABEL: @one_of_two
//  CHECK-SAME:   %[[X:[a-z0-9]+]]: tensor<2x6xf32>, %[[Y:[a-z0-9]+]]: tensor<1x1x5xf32>, %[[Z:[a-z0-9]+]]: tensor<2x3x5xf32>
func.func @one_of_two(%x: tensor<2x6xf32>, %y: tensor<1x1x5xf32>, %z: tensor<2x3x5xf32>)
    -> (tensor<3x4xf32>, tensor<2x6xf32>, tensor<12xf32>, tensor<4x3x5xf32>, tensor<3x5x2xf32>, tensor<2x3x5xf32>) {
  %0 = tile.reshape %x : tensor<2x6xf32> -> tensor<12xf32>
  // CHECK-DAG: %[[A:.+]] = tile.reshape %[[X]] : tensor<2x6xf32> -> tensor<3x4xf32>
  %1 = tile.reshape %0 : tensor<12xf32> -> tensor<3x4xf32>
  %2 = tile.reshape %1 : tensor<3x4xf32> -> tensor<2x6xf32>
  // CHECK-DAG: %[[B:.+]] = tile.reshape %[[X]] : tensor<2x6xf32> -> tensor<12xf32>
  %3 = tile.expand_dims %x axis 1 : tensor<2x6xf32> -> tensor<2x1x6xf32>
  %4 = tile.reshape %3 : tensor<2x1x6xf32> -> tensor<12xf32>
  // CHECK-DAG: %[[C:.+]] = tile.broadcast %[[Y]] : tensor<1x1x5xf32> -> tensor<4x3x5xf32>
  %5 = tile.broadcast %y : tensor<1x1x5xf32> -> tensor<4x1x5xf32>
  %6 = tile.broadcast %5 : tensor<4x1x5xf32> -> tensor<4x3x5xf32>
  // CHECK-DAG: %[[D:.+]] = tile.trans %[[Z]] order [1, 2, 0] : tensor<2x3x5xf32> -> tensor<3x5x2xf32>
  %7 = tile.trans %z order [2, 0, 1] : tensor<2x3x5xf32> -> tensor<5x2x3xf32>
  %8 = tile.trans %7 order [2, 0, 1] : tensor<5x2x3xf32> -> tensor<3x5x2xf32>
  %9 = tile.trans %7 order [1, 2, 0] : tensor<5x2x3xf32> -> tensor<2x3x5xf32>
  // CHECK: return %[[A]], %[[X]], %[[B]], %[[C]], %[[D]], %[[Z]]
  return %1, %2, %4, %6, %8, %9 : tensor<3x4xf32>, tensor<2x6xf32>, tensor<12xf32>, tensor<4x3x5xf32>,
      tensor<3x5x2xf32>, tensor<2x3x5xf32>
}

// -----

// CHECK-LABEL: @undone
//  CHECK-SAME:   %[[X:[a-z0-9]+]]: tensor<5xf32>, %[[Y:[a-z0-9]+]]: tensor<5xf32>, %[[Z:[a-z0-9]+]]: tensor<5x2xf32>, %[[W:[a-z0-9]+]]: tensor<3x7xf32>
func.func @undone(%x: tensor<5xf32>, %y: tensor<5xf32>, %z: tensor<5x2xf32>, %w: tensor<3x7xf32>)
    -> (tensor<5xf32>, tensor<5xf32>, tensor<5x2xf32>, tensor<3x7xf32>, tensor<3x7xf32>, tensor<5xf32>) {
  %0 = tile.join %x, %y : tensor<5xf32> -> tensor<5x2xf32>
  %1:2 = tile.split %0 : tensor<5x2xf32> -> tensor<5xf32>
  %2:2 = tile.split %z : tensor<5x2xf32> -> tensor<5xf32>
  %3 = tile.join %2#0, %2#1 : tensor<5xf32> -> tensor<5x2xf32>
  %4 = tile.slice %w offsets [0, 0] strides [1, 1] : tensor<3x7xf32> -> tensor<3x4xf32>
  %5 = tile.slice %w offsets [0, 4] strides [1, 1] : tensor<3x7xf32> -> tensor<3x3xf32>
  %6 = tile.cat %4, %5 axis 1 : tensor<3x4xf32>, tensor<3x3xf32> -> tensor<3x7xf32>
  %7 = tile.slice %w offsets [0, 0] strides [1, 1] : tensor<3x7xf32> -> tensor<3x7xf32>
  %8 = tile.cat %x, %y axis 0 : tensor<5xf32>, tensor<5xf32> -> tensor<10xf32>
  %9 = tile.slice %8 offsets [5] strides [1] : tensor<10xf32> -> tensor<5xf32>
  // CHECK-NEXT: return %[[X]], %[[Y]], %[[Z]], %[[W]], %[[W]], %[[Y]]
  return %1#0, %1#1, %3, %6, %7, %9 : tensor<5xf32>, tensor<5xf32>, tensor<5x2xf32>, tensor<3x7xf32>, tensor<3x7xf32>,
      tensor<5xf32>
}

// -----

// CHECK-LABEL: @slices
//  CHECK-SAME:   %[[X:[a-z0-9]+]]: tensor<20xf32>
func.func @slices(%x: tensor<20xf32>) -> tensor<3xf32> {
  // CHECK-NEXT: tile.slice %[[X]] offsets [16] strides [-6] : tensor<20xf32> -> tensor<3xf32>
  %0 = tile.slice %x offsets [1] strides [3] : tensor<20xf32> -> tensor<6xf32>
  %1 = tile.slice %0 offsets [5] strides [-2] : tensor<6xf32> -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// -----

// Not changed: halves the wrong way round, a reversed tile, a slice over both parts.
// CHECK-LABEL: @near_misses
func.func @near_misses(%z: tensor<5x2xf32>, %w: tensor<8xf32>, %x: tensor<5xf32>)
    -> (tensor<5x2xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4xf32>) {
  %0:2 = tile.split %z : tensor<5x2xf32> -> tensor<5xf32>
  // CHECK: tile.join
  %1 = tile.join %0#1, %0#0 : tensor<5xf32> -> tensor<5x2xf32>
  %2 = tile.slice %w offsets [0] strides [1] : tensor<8xf32> -> tensor<4xf32>
  %3 = tile.slice %w offsets [4] strides [1] : tensor<8xf32> -> tensor<4xf32>
  // CHECK: tile.cat
  %4 = tile.cat %3, %2 axis 0 : tensor<4xf32>, tensor<4xf32> -> tensor<8xf32>
  // CHECK: tile.slice %{{.+}} offsets [7] strides [-1]
  %5 = tile.slice %w offsets [7] strides [-1] : tensor<8xf32> -> tensor<8xf32>
  // CHECK: tile.cat
  // CHECK: tile.slice %{{.+}} offsets [4] strides [3] : tensor<13xf32>
  %6 = tile.cat %x, %w axis 0 : tensor<5xf32>, tensor<8xf32> -> tensor<13xf32>
  %7 = tile.slice %6 offsets [4] strides [3] : tensor<13xf32> -> tensor<3xf32>
  %8 = tile.slice %6 offsets [1] strides [1] : tensor<13xf32> -> tensor<4xf32>
  %9 = arith.addf %8, %8 : tensor<4xf32>
  %10 = tile.reshape %7 : tensor<3xf32> -> tensor<3x1xf32>
  %11 = tile.broadcast %10 : tensor<3x1xf32> -> tensor<3x4xf32>
  %12 = tile.slice %11 offsets [0, 0] strides [1, 1] : tensor<3x4xf32> -> tensor<1x4xf32>
  %13 = tile.reshape %12 : tensor<1x4xf32> -> tensor<4xf32>
  %14 = arith.addf %9, %13 : tensor<4xf32>
  return %1, %4, %5, %14 : tensor<5x2xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4xf32>
}
