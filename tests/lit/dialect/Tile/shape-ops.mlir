// RUN: pavage-opt %s | pavage-opt | FileCheck %s
// RUN: pavage-opt %s --mlir-print-op-generic | pavage-opt | FileCheck %s

// CHECK-LABEL: @making_tiles
func.func @making_tiles(%x: f32, %p: !tile.ptr<f16>) {
  // CHECK: tile.iota -3 : tensor<7xi32>
  %0 = tile.iota -3 : tensor<7xi32>
  // CHECK: tile.iota 4294967296 : tensor<1xi64>
  %1 = tile.iota 4294967296 : tensor<1xi64>
  // CHECK: tile.splat %{{.+}} : f32 -> tensor<3x5xf32>
  %2 = tile.splat %x : f32 -> tensor<3x5xf32>
  // CHECK: tile.splat %{{.+}} : !tile.ptr<f16> -> tensor<2x3x5x!tile.ptr<f16>>
  %3 = tile.splat %p : !tile.ptr<f16> -> tensor<2x3x5x!tile.ptr<f16>>
  return
}

// CHECK-LABEL: @changing_shape
func.func @changing_shape(%x: tensor<3x5xf32>, %o: tensor<1x1xi1>, %p: tensor<3x1x!tile.ptr<i8>>) {
  // CHECK: tile.unsplat %{{.+}} : tensor<1x1xi1> -> i1
  %0 = tile.unsplat %o : tensor<1x1xi1> -> i1
  // CHECK: tile.expand_dims %{{.+}} axis 1 : tensor<3x5xf32> -> tensor<3x1x5xf32>
  %1 = tile.expand_dims %x axis 1 : tensor<3x5xf32> -> tensor<3x1x5xf32>
  // CHECK: tile.broadcast %{{.+}} : tensor<3x1x!tile.ptr<i8>> -> tensor<3x7x!tile.ptr<i8>>
  %2 = tile.broadcast %p : tensor<3x1x!tile.ptr<i8>> -> tensor<3x7x!tile.ptr<i8>>
  // CHECK: tile.reshape %{{.+}} : tensor<3x5xf32> -> tensor<15xf32>
  %3 = tile.reshape %x : tensor<3x5xf32> -> tensor<15xf32>
  // CHECK: tile.trans %{{.+}} order [2, 0, 1] : tensor<3x1x5xf32> -> tensor<5x3x1xf32>
  %4 = tile.trans %1 order [2, 0, 1] : tensor<3x1x5xf32> -> tensor<5x3x1xf32>
  return
}

// CHECK-LABEL: @joining_and_cutting
func.func @joining_and_cutting(%x: tensor<3x5xf32>, %y: tensor<3x2xf32>, %a: i8, %i: tensor<3x4xi64>) {
  // CHECK: tile.join %{{.+}}, %{{.+}} : tensor<3x5xf32> -> tensor<3x5x2xf32>
  %0 = tile.join %x, %x : tensor<3x5xf32> -> tensor<3x5x2xf32>
  // CHECK: tile.join %{{.+}}, %{{.+}} : i8 -> tensor<2xi8>
  %1 = tile.join %a, %a : i8 -> tensor<2xi8>
  // CHECK: tile.split %{{.+}} : tensor<3x5x2xf32> -> tensor<3x5xf32>
  %2:2 = tile.split %0 : tensor<3x5x2xf32> -> tensor<3x5xf32>
  // CHECK: tile.split %{{.+}} : tensor<2xi8> -> i8
  %3:2 = tile.split %1 : tensor<2xi8> -> i8
  // CHECK: tile.cat %{{.+}}, %{{.+}} axis 1 : tensor<3x5xf32>, tensor<3x2xf32> -> tensor<3x7xf32>
  %4 = tile.cat %x, %y axis 1 : tensor<3x5xf32>, tensor<3x2xf32> -> tensor<3x7xf32>
  // CHECK: tile.slice %{{.+}} offsets [2, 4] strides [-1, -2] : tensor<3x5xf32> -> tensor<3x2xf32>
  %5 = tile.slice %x offsets [2, 4] strides [-1, -2] : tensor<3x5xf32> -> tensor<3x2xf32>
  // CHECK: tile.gather %{{.+}}[%{{.+}}] axis 1 : tensor<3x5xf32>, tensor<3x4xi64> -> tensor<3x4xf32>
  %6 = tile.gather %x[%i] axis 1 : tensor<3x5xf32>, tensor<3x4xi64> -> tensor<3x4xf32>
  return
}
