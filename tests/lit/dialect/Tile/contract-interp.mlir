// RUN: pavage-opt %s --pavage-interp | FileCheck %s

// CHECK-LABEL: @integers
func.func @integers() -> (tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>) {
  %a = arith.constant dense<[[1, 2, 3], [-1, -2, -3]]> : tensor<2x3xi8>
  %b = arith.constant dense<[[1, -1], [2, 0], [3, 1]]> : tensor<3x2xi8>
  %c = arith.constant dense<[[100, 200], [300, 400]]> : tensor<2x2xi32>
  // CHECK-NEXT: result 0: {{\[}}[114, 202], [286, 398]]
  %0 = tile.dot %a, %b, %c : tensor<2x3xi8>, tensor<3x2xi8>, tensor<2x2xi32>
  // -1 is 255 on the side that is unsigned.
  // CHECK-NEXT: result 1: {{\[}}[114, 202], [1822, 398]]
  %1 = tile.dot %a unsigned, %b, %c : tensor<2x3xi8>, tensor<3x2xi8>, tensor<2x2xi32>
  // CHECK-NEXT: result 2: {{\[}}[114, 458], [286, 142]]
  %2 = tile.dot %a, %b unsigned, %c : tensor<2x3xi8>, tensor<3x2xi8>, tensor<2x2xi32>
  return %0, %1, %2 : tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>
}

// The accumulator comes first and k ascends: 1e8 + 1 loses the 1, 1 + (-1e8 + 1e8) would keep it.
// CHECK-LABEL: @order
func.func @order() -> (tensor<1x1xf32>, tensor<1x1xf32>) {
  %b = arith.constant dense<1.0> : tensor<3x1xf32>
  %c = arith.constant dense<0.0> : tensor<1x1xf32>
  %x = arith.constant dense<[[1.0e8, 1.0, -1.0e8]]> : tensor<1x3xf32>
  // CHECK-NEXT: result 0: {{\[}}[0.0]]
  %0 = tile.dot %x, %b, %c : tensor<1x3xf32>, tensor<3x1xf32>, tensor<1x1xf32>
  %y = arith.constant dense<[[1.0e8, -1.0e8, 1.0]]> : tensor<1x3xf32>
  // CHECK-NEXT: result 1: {{\[}}[1.0]]
  %1 = tile.dot %y, %b, %c : tensor<1x3xf32>, tensor<3x1xf32>, tensor<1x1xf32>
  return %0, %1 : tensor<1x1xf32>, tensor<1x1xf32>
}

// Each step is fused: (1 + 2^-12)^2 - 1 keeps the 2^-24 that a rounded product loses.
// CHECK-LABEL: @fused
func.func @fused() -> tensor<1x1xf32> {
  %a = arith.constant dense<1.000244140625> : tensor<1x1xf32>
  %c = arith.constant dense<-1.0> : tensor<1x1xf32>
  // CHECK-NEXT: result 0: {{\[}}[0.00048834085]]
  %0 = tile.dot %a, %a, %c : tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}

// f16 is accumulated in f32 and rounded once: 2048 + 1 + 1 is 2050, step by step it would be 2048.
// CHECK-LABEL: @narrow_accumulator
func.func @narrow_accumulator() -> (tensor<1x1xf16>, tensor<1x1xbf16>, tensor<1x1xf32>) {
  %a = arith.constant dense<1.0> : tensor<1x2xf16>
  %b = arith.constant dense<1.0> : tensor<2x1xf16>
  %c = arith.constant dense<2048.0> : tensor<1x1xf16>
  // CHECK-NEXT: result 0: {{\[}}[2050.0]]
  %0 = tile.dot %a, %b, %c : tensor<1x2xf16>, tensor<2x1xf16>, tensor<1x1xf16>
  %d = arith.constant dense<1.0> : tensor<1x2xbf16>
  %e = arith.constant dense<1.0> : tensor<2x1xbf16>
  %f = arith.constant dense<256.0> : tensor<1x1xbf16>
  // CHECK-NEXT: result 1: {{\[}}[258.0]]
  %1 = tile.dot %d, %e, %f : tensor<1x2xbf16>, tensor<2x1xbf16>, tensor<1x1xbf16>
  %x = arith.constant dense<[[448.0, 0.5]]> : tensor<1x2xf8E4M3FN>
  %y = arith.constant dense<[[57344.0], [2.0]]> : tensor<2x1xf8E5M2>
  %z = arith.constant dense<0.0> : tensor<1x1xf32>
  // CHECK-NEXT: result 2: {{\[}}[25690112.0]]
  %2 = tile.dot %x, %y, %z : tensor<1x2xf8E4M3FN>, tensor<2x1xf8E5M2>, tensor<1x1xf32>
  return %0, %1, %2 : tensor<1x1xf16>, tensor<1x1xbf16>, tensor<1x1xf32>
}

// CHECK-LABEL: @batches
func.func @batches() -> tensor<2x1x2xf64> {
  %a = arith.constant dense<[[[1.0, 2.0, 3.0]], [[4.0, 5.0, 6.0]]]> : tensor<2x1x3xf64>
  %b = arith.constant dense<[[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [[1.0, 2.0], [0.0, 0.0], [0.0, 1.0]]]> : tensor<2x3x2xf64>
  %c = arith.constant dense<0.5> : tensor<2x1x2xf64>
  // CHECK-NEXT: result 0: {{\[\[}}[4.5, 5.5]], {{\[}}[4.5, 14.5]]]
  %0 = tile.dot %a, %b, %c : tensor<2x1x3xf64>, tensor<2x3x2xf64>, tensor<2x1x2xf64>
  return %0 : tensor<2x1x2xf64>
}

// A row of lhs with poison spoils a row, a column of rhs a column.
// CHECK-LABEL: @poison
func.func @poison() -> tensor<2x2xi32> {
  %c = arith.constant dense<[[true, true], [false, true]]> : tensor<2x2xi1>
  %x = arith.constant dense<1> : tensor<2x2xi8>
  %p = ub.poison : tensor<2x2xi8>
  %y = arith.select %c, %x, %p : tensor<2x2xi1>, tensor<2x2xi8>
  %z = arith.constant dense<0> : tensor<2x2xi32>
  // CHECK-NEXT: result 0: {{\[}}[poison, 2], [poison, poison]]
  %0 = tile.dot %y, %y, %z : tensor<2x2xi8>, tensor<2x2xi8>, tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}
