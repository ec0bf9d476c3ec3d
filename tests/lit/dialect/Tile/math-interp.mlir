// RUN: pavage-opt %s --pavage-interp | FileCheck %s

// CHECK-LABEL: @exact
func.func @exact() -> (tensor<4xf32>, tensor<5xf32>, tensor<5xf32>, f32, f64, tensor<3xbf16>, tensor<3xf16>) {
  %x = arith.constant dense<[4.0, 2.0, -0.0, -1.0]> : tensor<4xf32>
  // CHECK-NEXT: result 0: [2.0, 1.4142135, -0.0, nan]
  %0 = math.sqrt %x : tensor<4xf32>
  %y = arith.constant dense<[0.5, 1.5, 2.5, -0.5, -2.5]> : tensor<5xf32>
  // CHECK-NEXT: result 1: [0.0, 2.0, 2.0, -0.0, -2.0]
  %1 = math.roundeven %y : tensor<5xf32>
  // CHECK-NEXT: result 2: [1.0, 2.0, 3.0, -1.0, -3.0]
  %2 = math.round %y : tensor<5xf32>
  %a = arith.constant 1.000244140625 : f32
  %c = arith.constant -1.0 : f32
  // CHECK-NEXT: result 3: 0.00048834085
  %3 = math.fma %a, %a, %c : f32
  // CHECK-NEXT: result 4: 3.0
  %d = arith.constant 9.0 : f64
  %4 = math.sqrt %d : f64
  %z = arith.constant dense<[-1.5, 0.0, 0xFFC0]> : tensor<3xbf16>
  // CHECK-NEXT: result 5: [1.5, 0.0, nan]
  %5 = math.absf %z : tensor<3xbf16>
  %p = arith.constant dense<[1.5, -2.0, 0x7E00]> : tensor<3xf16>
  %q = arith.constant dense<[-0.0, 3.0, -1.0]> : tensor<3xf16>
  // CHECK-NEXT: result 6: [-1.5, 2.0, nan]
  %6 = math.copysign %p, %q : tensor<3xf16>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4xf32>, tensor<5xf32>, tensor<5xf32>, f32, f64, tensor<3xbf16>,
      tensor<3xf16>
}

// Correctly rounded values, to the last digit.
// CHECK-LABEL: @transcendental
func.func @transcendental() -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, f64, f32, f32, f32, f32, f32) {
  %x = arith.constant dense<[1.0, -2.5, 100.0]> : tensor<3xf32>
  // CHECK-NEXT: result 0: [2.7182817, 0.082085, inf]
  %0 = math.exp %x : tensor<3xf32>
  // CHECK-NEXT: result 1: [0.84147096, -0.5984721, -0.50636566]
  %1 = math.sin %x : tensor<3xf32>
  // CHECK-NEXT: result 2: [0.7615942, -0.9866143, 1.0]
  %2 = math.tanh %x : tensor<3xf32>
  // CHECK-NEXT: result 3: [0.8427008, -0.999593, 1.0]
  %3 = math.erf %x : tensor<3xf32>
  %d = arith.constant 2.0 : f64
  // CHECK-NEXT: result 4: 0.6931471805599453
  %4 = math.log %d : f64
  %two = arith.constant 2.0 : f32
  %half = arith.constant 0.5 : f32
  // CHECK-NEXT: result 5: 0.70710677
  %5 = math.rsqrt %two : f32
  // CHECK-NEXT: result 6: 1.4142135
  %6 = math.powf %two, %half : f32
  // CHECK-NEXT: result 7: 1.3258177
  %7 = math.atan2 %two, %half : f32
  %n = arith.constant -3 : i32
  // CHECK-NEXT: result 8: 0.125
  %8 = math.fpowi %two, %n : f32, i32
  %big = arith.constant 1.0e6 : f32
  // CHECK-NEXT: result 9: -0.3499935
  %9 = math.sin %big : f32
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, f64,
      f32, f32, f32, f32, f32
}

// CHECK-LABEL: @integers
func.func @integers() -> (tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<6xi32>, i32) {
  %x = arith.constant dense<[0, -128, 12]> : tensor<3xi8>
  // CHECK-NEXT: result 0: [0, -128, 12]
  %0 = math.absi %x : tensor<3xi8>
  // CHECK-NEXT: result 1: [8, 0, 4]
  %1 = math.ctlz %x : tensor<3xi8>
  // CHECK-NEXT: result 2: [8, 7, 2]
  %2 = math.cttz %x : tensor<3xi8>
  // CHECK-NEXT: result 3: [0, 1, 2]
  %3 = math.ctpop %x : tensor<3xi8>
  %b = arith.constant dense<[3, -2, 2, -1, 1, 7]> : tensor<6xi32>
  %e = arith.constant dense<[4, 3, -1, -3, -5, 0]> : tensor<6xi32>
  // CHECK-NEXT: result 4: [81, -8, 0, -1, 1, 1]
  %4 = math.ipowi %b, %e : tensor<6xi32>
  %c = arith.constant -7 : i32
  // CHECK-NEXT: result 5: 7
  %5 = math.absi %c : i32
  return %0, %1, %2, %3, %4, %5 : tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<6xi32>, i32
}

// CHECK-LABEL: @classes
func.func @classes() -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %x = arith.constant dense<[1.0, 0x7C00, 0x7E00, 0x0001]> : tensor<4xf16>
  // CHECK-NEXT: result 0: [False, False, True, False]
  %0 = math.isnan %x : tensor<4xf16>
  // CHECK-NEXT: result 1: [False, True, False, False]
  %1 = math.isinf %x : tensor<4xf16>
  // CHECK-NEXT: result 2: [True, False, False, True]
  %2 = math.isfinite %x : tensor<4xf16>
  // CHECK-NEXT: result 3: [True, False, False, False]
  %3 = math.isnormal %x : tensor<4xf16>
  return %0, %1, %2, %3 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}
