// RUN: pavage-opt %s --pavage-interp | FileCheck %s

// Masked-off lanes read nothing: 0, or what other says, whatever their address.
// CHECK-LABEL: @masked_loads
func.func @masked_loads(%p: !tile.ptr<i32> {tile.test = dense<[10, 11, 12]> : tensor<3xi32>}) -> (tensor<5xi32>, tensor<5xi32>) {
  %i = tile.iota 0 : tensor<5xi32>
  %n = arith.constant dense<3> : tensor<5xi32>
  %m = arith.cmpi slt, %i, %n : tensor<5xi32>
  %s = tile.splat %p : !tile.ptr<i32> -> tensor<5x!tile.ptr<i32>>
  %q = tile.addptr %s, %i : tensor<5x!tile.ptr<i32>>, tensor<5xi32>
  // CHECK: result 0: [10, 11, 12, 0, 0]
  %0 = tile.load %q mask %m : tensor<5x!tile.ptr<i32>>
  %o = arith.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  // CHECK-NEXT: result 1: [10, 11, 12, 4, 5]
  %1 = tile.load %q mask %m other %o : tensor<5x!tile.ptr<i32>>
  return %0, %1 : tensor<5xi32>, tensor<5xi32>
}

// Of duplicates the last in row-major order wins, and different values are noted.
// CHECK-LABEL: @duplicates
// CHECK-NEXT: arg 0: [3, 5]
// CHECK-NEXT: note duplicate-store {{.*}}: lanes 0 and 2 write different values to one address
func.func @duplicates(%p: !tile.ptr<i32> {tile.test = dense<0> : tensor<2xi32>}) {
  %s = tile.splat %p : !tile.ptr<i32> -> tensor<5x!tile.ptr<i32>>
  %i = arith.constant dense<[0, 1, 0, 1, 1]> : tensor<5xi32>
  %q = tile.addptr %s, %i : tensor<5x!tile.ptr<i32>>, tensor<5xi32>
  %v = arith.constant dense<[1, 5, 3, 5, 5]> : tensor<5xi32>
  tile.store %q, %v : tensor<5x!tile.ptr<i32>>
  return
}

// Equal values at one address are nobody's concern.
// CHECK-LABEL: @equal_duplicates
// CHECK-NEXT: arg 0: [7, 0]
// CHECK-NEXT: @an_i1_is_a_byte
func.func @equal_duplicates(%p: !tile.ptr<i32> {tile.test = dense<0> : tensor<2xi32>}) {
  %q = tile.splat %p : !tile.ptr<i32> -> tensor<5x!tile.ptr<i32>>
  %v = arith.constant dense<7> : tensor<5xi32>
  tile.store %q, %v : tensor<5x!tile.ptr<i32>>
  return
}

// Only zero and non-zero are told apart.
// CHECK-NEXT: arg 0: [0, 2, -1]
// CHECK-NEXT: result 0: [False, True, True]
// CHECK-NEXT: result 1: [0, 1, 1]
func.func @an_i1_is_a_byte(%p: !tile.ptr<i8> {tile.test = dense<[0, 2, -1]> : tensor<3xi8>}) -> (tensor<3xi1>, tensor<3xi32>) {
  %b = tile.bitcast %p : !tile.ptr<i8> -> !tile.ptr<i1>
  %s = tile.splat %b : !tile.ptr<i1> -> tensor<3x!tile.ptr<i1>>
  %i = tile.iota 0 : tensor<3xi32>
  %q = tile.addptr %s, %i : tensor<3x!tile.ptr<i1>>, tensor<3xi32>
  %0 = tile.load %q : tensor<3x!tile.ptr<i1>>
  %1 = tile.cast %0 : tensor<3xi1> -> tensor<3xi32>
  return %0, %1 : tensor<3xi1>, tensor<3xi32>
}

// A whole tile is read before any of it is written: an in-place shift.
// CHECK-LABEL: @in_place_shift
// CHECK-NEXT: arg 0: [1, 1, 2, 3, 4]
func.func @in_place_shift(%p: !tile.ptr<i16> {tile.test = dense<[1, 2, 3, 4, 5]> : tensor<5xi16>}) {
  %s = tile.splat %p : !tile.ptr<i16> -> tensor<4x!tile.ptr<i16>>
  %i = tile.iota 0 : tensor<4xi32>
  %j = tile.iota 1 : tensor<4xi32>
  %from = tile.addptr %s, %i : tensor<4x!tile.ptr<i16>>, tensor<4xi32>
  %to = tile.addptr %s, %j : tensor<4x!tile.ptr<i16>>, tensor<4xi32>
  %x = tile.load %from : tensor<4x!tile.ptr<i16>>
  tile.store %to, %x : tensor<4x!tile.ptr<i16>>
  return
}

// Offsets are signed and count elements.
// CHECK-LABEL: @negative_offsets
// CHECK-NEXT: arg 0: [1.0, 2.0, 3.0]
// CHECK-NEXT: result 0: 2.0
func.func @negative_offsets(%p: !tile.ptr<f64> {tile.test = dense<[1.0, 2.0, 3.0]> : tensor<3xf64>}) -> f64 {
  %two = arith.constant 2 : i64
  %minus = arith.constant -1 : i8
  %q = tile.addptr %p, %two : !tile.ptr<f64>, i64
  %r = tile.addptr %q, %minus : !tile.ptr<f64>, i8
  %0 = tile.load %r : !tile.ptr<f64>
  return %0 : f64
}

// CHECK-LABEL: @reads_out_of_bounds
// CHECK: error out-of-bounds at {{.*}} in program (0, 0, 0): reads outside 'arg 0', at index [3] of shape [3], 0 bytes past its end
func.func @reads_out_of_bounds(%p: !tile.ptr<i32> {tile.test = dense<1> : tensor<3xi32>}) -> i32 {
  %i = arith.constant 3 : i32
  %q = tile.addptr %p, %i : !tile.ptr<i32>, i32
  %0 = tile.load %q : !tile.ptr<i32>
  return %0 : i32
}

// The second program misses; the first one's store is done.
// CHECK-LABEL: @writes_out_of_bounds
// CHECK-NEXT: arg 0: [1]
// CHECK-NEXT: error out-of-bounds at {{.*}} in program (1, 0, 0): writes outside 'arg 0', at index [1] of shape [1], 0 bytes past its end
func.func @writes_out_of_bounds(%p: !tile.ptr<i32> {tile.test = dense<0> : tensor<1xi32>}) attributes {tile.test_grid = array<i32: 2, 1, 1>} {
  %i = tile.program_id 0
  %q = tile.addptr %p, %i : !tile.ptr<i32>, i32
  %one = arith.constant 1 : i32
  tile.store %q, %one : !tile.ptr<i32>
  return
}

// CHECK-LABEL: @writes_read_only
// CHECK-NEXT: arg 0: [4]
// CHECK-NEXT: error read-only-write {{.*}}: writes to 'arg 0', which is read-only
func.func @writes_read_only(%p: !tile.ptr<i32> {tile.test = dense<4> : tensor<1xi32>, tile.test_readonly}) {
  %one = arith.constant 1 : i32
  tile.store %p, %one : !tile.ptr<i32>
  return
}

// CHECK-LABEL: @poison_address
// CHECK: error poison-use {{.*}}: the address has no value on this path
func.func @poison_address(%p: !tile.ptr<i32> {tile.test = dense<4> : tensor<1xi32>}) {
  %i = ub.poison : i32
  %q = tile.addptr %p, %i : !tile.ptr<i32>, i32
  %0 = tile.load %q : !tile.ptr<i32>
  return
}

// CHECK-LABEL: @poison_value
// CHECK: error poison-use {{.*}}: the stored value has no value on this path (lane 1)
func.func @poison_value(%p: !tile.ptr<i32> {tile.test = dense<4> : tensor<2xi32>}) {
  %s = tile.splat %p : !tile.ptr<i32> -> tensor<2x!tile.ptr<i32>>
  %i = tile.iota 0 : tensor<2xi32>
  %q = tile.addptr %s, %i : tensor<2x!tile.ptr<i32>>, tensor<2xi32>
  %m = arith.constant dense<[true, false]> : tensor<2xi1>
  %x = ub.poison : tensor<2xi32>
  %v = arith.select %m, %i, %x : tensor<2xi1>, tensor<2xi32>
  // A lane that does not take part may be poison.
  tile.store %q, %v mask %m : tensor<2x!tile.ptr<i32>>
  tile.store %q, %v : tensor<2x!tile.ptr<i32>>
  return
}

// CHECK-LABEL: @poison_mask
// CHECK: error poison-use {{.*}}: the mask has no value on this path
func.func @poison_mask(%p: !tile.ptr<i32> {tile.test = dense<4> : tensor<2xi32>}) {
  %m = ub.poison : i1
  %0 = tile.load %p mask %m : !tile.ptr<i32>
  return
}

// The lanes of one atomic act one after the other, and each gives what it found.
// CHECK-LABEL: @atomics
// CHECK-NEXT: arg 0: [6, 7]
// CHECK-NEXT: arg 1: [2.5]
// CHECK-NEXT: result 0: [0, 1, 3, 0]
// CHECK-NEXT: result 1: 1.0
// CHECK-NEXT: result 2: 7
// CHECK-NEXT: result 3: 7
func.func @atomics(%p: !tile.ptr<i32> {tile.test = dense<[0, 5]> : tensor<2xi32>},
                   %f: !tile.ptr<f16> {tile.test = dense<1.0> : tensor<1xf16>}) -> (tensor<4xi32>, f16, i32, i32) {
  %s = tile.splat %p : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %v = arith.constant dense<[1, 2, 3, 9]> : tensor<4xi32>
  %m = arith.constant dense<[true, true, true, false]> : tensor<4xi1>
  %0 = tile.atomic_rmw addi %s, %v mask %m : tensor<4x!tile.ptr<i32>>
  %h = arith.constant 1.5 : f16
  %1 = tile.atomic_rmw addf %f, %h order relaxed scope cta : !tile.ptr<f16>
  %one = arith.constant 1 : i32
  %q = tile.addptr %p, %one : !tile.ptr<i32>, i32
  %minus = arith.constant -1 : i32
  // As unsigned, -1 is the larger one.
  %a = tile.atomic_rmw maxs %q, %minus : !tile.ptr<i32>
  %b = tile.atomic_rmw minu %q, %minus : !tile.ptr<i32>
  %seven = arith.constant 7 : i32
  %c = tile.atomic_rmw xchg %q, %seven : !tile.ptr<i32>
  %2 = tile.atomic_rmw and %q, %minus : !tile.ptr<i32>
  %3 = tile.atomic_cas %q, %one, %minus : !tile.ptr<i32>, i32
  return %0, %1, %2, %3 : tensor<4xi32>, f16, i32, i32
}

// Max and min of floats ignore NaN, and -0 is below +0.
// CHECK-LABEL: @atomic_float_extremes
// CHECK-NEXT: arg 0: [2.0, 0.0, -0.0]
func.func @atomic_float_extremes(%p: !tile.ptr<f32> {tile.test = dense<[0x7FC00000, -0.0, 0.0]> : tensor<3xf32>}) {
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<3x!tile.ptr<f32>>
  %i = tile.iota 0 : tensor<3xi32>
  %q = tile.addptr %s, %i : tensor<3x!tile.ptr<f32>>, tensor<3xi32>
  %v = arith.constant dense<[2.0, 0.0, 0x7FC00000]> : tensor<3xf32>
  %0 = tile.atomic_rmw maxf %q, %v : tensor<3x!tile.ptr<f32>>
  %w = arith.constant dense<[0x7FC00000, 0.5, -0.0]> : tensor<3xf32>
  %1 = tile.atomic_rmw minf %q, %w : tensor<3x!tile.ptr<f32>>
  return
}

// A tile of one address: each swap sees the one before. All equal the first lane's comparison only.
// CHECK-LABEL: @compare_and_swap
// CHECK-NEXT: arg 0: [2]
// CHECK-NEXT: result 0: [1, 2, 2]
func.func @compare_and_swap(%p: !tile.ptr<i64> {tile.test = dense<1> : tensor<1xi64>}) -> tensor<3xi64> {
  %s = tile.splat %p : !tile.ptr<i64> -> tensor<3x!tile.ptr<i64>>
  %c = arith.constant dense<1> : tensor<3xi64>
  %v = arith.constant dense<2> : tensor<3xi64>
  %0 = tile.atomic_cas %s, %c, %v : tensor<3x!tile.ptr<i64>>, tensor<3xi64>
  return %0 : tensor<3xi64>
}

// A box over the lower right corner of a 3x4 array.
// CHECK-LABEL: @blocks
// CHECK-NEXT: arg 0: {{\[}}[0, 1, 2, 3], [4, 5, 12, 14], [8, 9, 20, 22]]
// CHECK-NEXT: result 0: {{\[}}[6, 7, -1], [10, 11, -1], [-1, -1, -1]]
func.func @blocks(%p: !tile.ptr<i32> {tile.test = dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]> : tensor<3x4xi32>}) -> tensor<3x3xi32> {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %four = arith.constant 4 : i64
  %minus = arith.constant -1 : i32
  %0 = tile.block_load %p[%one, %two] strides [%four, %one] extents [%three, %four] checked [0, 1] other %minus : i32
    : !tile.ptr<i32> -> tensor<3x3xi32>
  %1 = arith.addi %0, %0 : tensor<3x3xi32>
  tile.block_store %p[%one, %two] strides [%four, %one] extents [%three, %four] checked [0, 1], %1
    : !tile.ptr<i32>, tensor<3x3xi32>
  return %0 : tensor<3x3xi32>
}

// An offset below 0 is outside; a stride of 0 repeats; strides may swap the axes.
// CHECK-LABEL: @block_strides
// CHECK: result 0: [0, 0, 1, 2]
// CHECK-NEXT: result 1: {{\[}}[2, 2, 2], [3, 3, 3]]
// CHECK-NEXT: result 2: {{\[}}[1, 3], [2, 4]]
func.func @block_strides(%p: !tile.ptr<i8> {tile.test = dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>}) -> (tensor<4xi8>, tensor<2x3xi8>, tensor<2x2xi8>) {
  %minus = arith.constant -2 : i64
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %0 = tile.block_load %p[%minus] strides [%one] extents [%two] checked [0] : !tile.ptr<i8> -> tensor<4xi8>
  %1 = tile.block_load %p[%one, %zero] strides [%one, %zero] extents [%two, %two] : !tile.ptr<i8> -> tensor<2x3xi8>
  %2 = tile.block_load %p[%zero, %zero] strides [%one, %two] extents [%two, %two] checked [0, 1] : !tile.ptr<i8> -> tensor<2x2xi8>
  return %0, %1, %2 : tensor<4xi8>, tensor<2x3xi8>, tensor<2x2xi8>
}

// What is not checked must be in the array.
// CHECK-LABEL: @block_out_of_bounds
// CHECK: error out-of-bounds {{.*}}: reads outside 'arg 0', at index [2] of shape [2], 0 bytes past its end (lane 2)
func.func @block_out_of_bounds(%p: !tile.ptr<i8> {tile.test = dense<[1, 2]> : tensor<2xi8>}) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %0 = tile.block_load %p[%zero] strides [%one] extents [%two] : !tile.ptr<i8> -> tensor<3xi8>
  return
}

// A pointer keeps all 64 bits of the integer that it was made of, whether or not they are an address.
// CHECK-LABEL: @integer_round_trip
func.func @integer_round_trip() -> tensor<3xi64> {
  %x = arith.constant dense<[2913234838825737126, -1, 281474976710656]> : tensor<3xi64>
  %p = tile.bitcast %x : tensor<3xi64> -> tensor<3x!tile.ptr<i32>>
  // CHECK: result 0: [2913234838825737126, -1, 281474976710656]
  %y = tile.bitcast %p : tensor<3x!tile.ptr<i32>> -> tensor<3xi64>
  return %y : tensor<3xi64>
}
