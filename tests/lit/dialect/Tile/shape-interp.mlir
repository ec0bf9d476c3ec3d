// RUN: pavage-opt %s --pavage-interp | FileCheck %s

// CHECK-LABEL: @iota_wraps
func.func @iota_wraps() -> (tensor<5xi32>, tensor<3xi64>) {
  // CHECK-NEXT: result 0: [2147483645, 2147483646, 2147483647, -2147483648, -2147483647]
  %0 = tile.iota 2147483645 : tensor<5xi32>
  // CHECK-NEXT: result 1: [2147483647, 2147483648, 2147483649]
  %1 = tile.iota 2147483647 : tensor<3xi64>
  return %0, %1 : tensor<5xi32>, tensor<3xi64>
}

// CHECK-LABEL: @splat_and_back
func.func @splat_and_back() -> (tensor<2x3xi16>, f32) {
  %x = arith.constant -7 : i16
  // CHECK-NEXT{LITERAL}: result 0: [[-7, -7, -7], [-7, -7, -7]]
  %0 = tile.splat %x : i16 -> tensor<2x3xi16>
  %y = arith.constant dense<1.5> : tensor<1x1xf32>
  // CHECK-NEXT: result 1: 1.5
  %1 = tile.unsplat %y : tensor<1x1xf32> -> f32
  return %0, %1 : tensor<2x3xi16>, f32
}

// CHECK-LABEL: @axes
func.func @axes() -> (tensor<2x3xi32>, tensor<3x2xi32>, tensor<3x1x2xi32>, tensor<2x3xi32>, tensor<2x3xi32>) {
  %i = tile.iota 0 : tensor<6xi32>
  // CHECK-NEXT: result 0: {{\[}}[0, 1, 2], [3, 4, 5]]
  %0 = tile.reshape %i : tensor<6xi32> -> tensor<2x3xi32>
  // CHECK-NEXT: result 1: {{\[}}[0, 3], [1, 4], [2, 5]]
  %1 = tile.trans %0 order [1, 0] : tensor<2x3xi32> -> tensor<3x2xi32>
  // CHECK-NEXT: result 2: {{\[\[}}[0, 3]], {{\[}}[1, 4]], {{\[}}[2, 5]]]
  %2 = tile.expand_dims %1 axis 1 : tensor<3x2xi32> -> tensor<3x1x2xi32>
  %r = tile.iota 7 : tensor<3xi32>
  %s = tile.expand_dims %r axis 0 : tensor<3xi32> -> tensor<1x3xi32>
  // CHECK-NEXT: result 3: {{\[}}[7, 8, 9], [7, 8, 9]]
  %3 = tile.broadcast %s : tensor<1x3xi32> -> tensor<2x3xi32>
  %c = tile.iota 1 : tensor<2xi32>
  %d = tile.expand_dims %c axis 1 : tensor<2xi32> -> tensor<2x1xi32>
  // CHECK-NEXT: result 4: {{\[}}[1, 1, 1], [2, 2, 2]]
  %4 = tile.broadcast %d : tensor<2x1xi32> -> tensor<2x3xi32>
  return %0, %1, %2, %3, %4 : tensor<2x3xi32>, tensor<3x2xi32>, tensor<3x1x2xi32>, tensor<2x3xi32>, tensor<2x3xi32>
}

// CHECK-LABEL: @trans_of_three_axes
func.func @trans_of_three_axes() -> tensor<4x2x3xi32> {
  %i = tile.iota 0 : tensor<24xi32>
  %0 = tile.reshape %i : tensor<24xi32> -> tensor<2x3x4xi32>
  // CHECK-NEXT: result 0: {{\[\[}}[0, 4, 8], [12, 16, 20]], {{\[}}[1, 5, 9], [13, 17, 21]], {{\[}}[2, 6, 10], [14, 18, 22]], {{\[}}[3, 7, 11], [15, 19, 23]]]
  %1 = tile.trans %0 order [2, 0, 1] : tensor<2x3x4xi32> -> tensor<4x2x3xi32>
  return %1 : tensor<4x2x3xi32>
}

// CHECK-LABEL: @joins
func.func @joins() -> (tensor<3x2xi8>, tensor<3xi8>, tensor<3xi8>, tensor<2xf16>, f16, f16) {
  %a = arith.constant dense<[1, 2, 3]> : tensor<3xi8>
  %b = arith.constant dense<[4, 5, 6]> : tensor<3xi8>
  // CHECK-NEXT: result 0: {{\[}}[1, 4], [2, 5], [3, 6]]
  %0 = tile.join %a, %b : tensor<3xi8> -> tensor<3x2xi8>
  // CHECK-NEXT: result 1: [1, 2, 3]
  // CHECK-NEXT: result 2: [4, 5, 6]
  %1:2 = tile.split %0 : tensor<3x2xi8> -> tensor<3xi8>
  %x = arith.constant 1.5 : f16
  %y = arith.constant -2.0 : f16
  // CHECK-NEXT: result 3: [1.5, -2.0]
  %2 = tile.join %x, %y : f16 -> tensor<2xf16>
  // CHECK-NEXT: result 4: 1.5
  // CHECK-NEXT: result 5: -2.0
  %3:2 = tile.split %2 : tensor<2xf16> -> f16
  return %0, %1#0, %1#1, %2, %3#0, %3#1 : tensor<3x2xi8>, tensor<3xi8>, tensor<3xi8>, tensor<2xf16>, f16, f16
}

// CHECK-LABEL: @cats_and_slices
func.func @cats_and_slices() -> (tensor<2x5xi32>, tensor<3x2xi32>, tensor<1x2xi32>, tensor<2x3xi32>) {
  %a = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %b = arith.constant dense<[[7, 8], [9, 10]]> : tensor<2x2xi32>
  // CHECK-NEXT: result 0: {{\[}}[1, 2, 3, 7, 8], [4, 5, 6, 9, 10]]
  %0 = tile.cat %a, %b axis 1 : tensor<2x3xi32>, tensor<2x2xi32> -> tensor<2x5xi32>
  %c = arith.constant dense<[[11, 12]]> : tensor<1x2xi32>
  // CHECK-NEXT: result 1: {{\[}}[7, 8], [9, 10], [11, 12]]
  %1 = tile.cat %b, %c axis 0 : tensor<2x2xi32>, tensor<1x2xi32> -> tensor<3x2xi32>
  // CHECK-NEXT: result 2: {{\[}}[5, 9]]
  %2 = tile.slice %0 offsets [1, 1] strides [1, 2] : tensor<2x5xi32> -> tensor<1x2xi32>
  // CHECK-NEXT: result 3: {{\[}}[10, 6, 4], [8, 3, 1]]
  %3 = tile.slice %0 offsets [1, 4] strides [-1, -2] : tensor<2x5xi32> -> tensor<2x3xi32>
  return %0, %1, %2, %3 : tensor<2x5xi32>, tensor<3x2xi32>, tensor<1x2xi32>, tensor<2x3xi32>
}

// An index out of range gives 0 and is noted once; a negative one does not count from the end.
// CHECK-LABEL: @gathers
func.func @gathers() -> (tensor<2x3xi32>, tensor<1x3xi32>) {
  %x = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %i = arith.constant dense<[[2, 0, -1], [1, 3, 1]]> : tensor<2x3xi8>
  // CHECK-NEXT: result 0: {{\[}}[3, 1, 0], [5, 0, 5]]
  %0 = tile.gather %x[%i] axis 1 : tensor<2x3xi32>, tensor<2x3xi8> -> tensor<2x3xi32>
  %j = arith.constant dense<[[1, 0, 1]]> : tensor<1x3xi64>
  // CHECK-NEXT: result 1: {{\[}}[4, 2, 6]]
  %1 = tile.gather %x[%j] axis 0 : tensor<2x3xi32>, tensor<1x3xi64> -> tensor<1x3xi32>
  // CHECK-NEXT: note gather-index at {{.*}}: index -1 at lane 2 is outside 0 .. 2
  // CHECK-NEXT: @poison_moves_with_its_element
  return %0, %1 : tensor<2x3xi32>, tensor<1x3xi32>
}

func.func @poison_moves_with_its_element() -> (tensor<2x2xi32>, tensor<4xi32>, tensor<2xi32>, tensor<2xi32>) {
  %c = arith.constant dense<[true, false]> : tensor<2xi1>
  %x = arith.constant dense<[1, 2]> : tensor<2xi32>
  %p = ub.poison : tensor<2xi32>
  %y = arith.select %c, %x, %p : tensor<2xi1>, tensor<2xi32>
  // CHECK-NEXT: result 0: {{\[}}[1, 1], [poison, 2]]
  %0 = tile.join %y, %x : tensor<2xi32> -> tensor<2x2xi32>
  // CHECK-NEXT: result 1: [1, poison, 1, 2]
  %1 = tile.cat %y, %x axis 0 : tensor<2xi32>, tensor<2xi32> -> tensor<4xi32>
  // CHECK-NEXT: result 2: [1, 1]
  %2 = tile.slice %1 offsets [0] strides [2] : tensor<4xi32> -> tensor<2xi32>
  %i = arith.constant dense<[0, 0]> : tensor<2xi32>
  // CHECK-NEXT: result 3: [1, 1]
  %3 = tile.gather %y[%i] axis 0 : tensor<2xi32>, tensor<2xi32> -> tensor<2xi32>
  return %0, %1, %2, %3 : tensor<2x2xi32>, tensor<4xi32>, tensor<2xi32>, tensor<2xi32>
}
