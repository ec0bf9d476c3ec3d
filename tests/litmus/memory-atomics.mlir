// Atomics within a tile and across programs: docs/spec/memory.md.

// M8. Lanes of one atomic act one after the other, in row-major order on Interp and cpu; each gives what it found.
func.func @lanes_in_order(
    %p: !tile.ptr<i32> {tile.test = dense<100> : tensor<1xi32>, tile.test_expect = dense<110> : tensor<1xi32>},
    %out: !tile.ptr<i32> {tile.test = dense<0> : tensor<5xi32>,
      tile.test_expect = dense<[100, 100, 101, 103, 106]> : tensor<5xi32>}) attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<5xi32>
  %s = tile.splat %p : !tile.ptr<i32> -> tensor<5x!tile.ptr<i32>>
  %old = tile.atomic_rmw addi %s, %i : tensor<5x!tile.ptr<i32>>
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  tile.block_store %out[%zero] strides [%one] extents [%one], %old : !tile.ptr<i32>, tensor<5xi32>
  return
}

// M8. The indivisible steps of all programs add up: 50 programs of 7 lanes.
func.func @counts_across_programs(
    %p: !tile.ptr<i64> {tile.test = dense<0> : tensor<2xi64>, tile.test_expect = dense<[350, 1225]> : tensor<2xi64>})
    attributes {tile.kernel, tile.test_grid = array<i32: 10, 5, 1>} {
  %s = tile.splat %p : !tile.ptr<i64> -> tensor<7x!tile.ptr<i64>>
  %ones = arith.constant dense<1> : tensor<7xi64>
  %a = tile.atomic_rmw addi %s, %ones : tensor<7x!tile.ptr<i64>>
  %x = tile.program_id 0
  %y = tile.program_id 1
  %nx = tile.num_programs 0
  %row = arith.muli %y, %nx : i32
  %id = arith.addi %row, %x : i32
  %wide = tile.cast %id : i32 -> i64
  %one = arith.constant 1 : i32
  %q = tile.addptr %p, %one : !tile.ptr<i64>, i32
  %b = tile.atomic_rmw addi %q, %wide : !tile.ptr<i64>
  return
}

// M8. Signed and unsigned order, bits, exchange.
func.func @kinds(
    %p: !tile.ptr<i32> {tile.test = dense<[-5, -5, 5, 5, 12, 12, 12, 1]> : tensor<8xi32>,
      tile.test_expect = dense<[-1, -1, -1, 5, 8, 14, 6, 10]> : tensor<8xi32>}) attributes {tile.kernel} {
  %c1 = arith.constant 1 : i32
  %minus = arith.constant -1 : i32
  %ten = arith.constant 10 : i32
  %p1 = tile.addptr %p, %c1 : !tile.ptr<i32>, i32
  %p2 = tile.addptr %p1, %c1 : !tile.ptr<i32>, i32
  %p3 = tile.addptr %p2, %c1 : !tile.ptr<i32>, i32
  %p4 = tile.addptr %p3, %c1 : !tile.ptr<i32>, i32
  %p5 = tile.addptr %p4, %c1 : !tile.ptr<i32>, i32
  %p6 = tile.addptr %p5, %c1 : !tile.ptr<i32>, i32
  %p7 = tile.addptr %p6, %c1 : !tile.ptr<i32>, i32
  %0 = tile.atomic_rmw maxs %p, %minus : !tile.ptr<i32>
  %1 = tile.atomic_rmw maxu %p1, %minus : !tile.ptr<i32>
  %2 = tile.atomic_rmw mins %p2, %minus : !tile.ptr<i32>
  %3 = tile.atomic_rmw minu %p3, %minus : !tile.ptr<i32>
  %4 = tile.atomic_rmw and %p4, %ten : !tile.ptr<i32>
  %5 = tile.atomic_rmw or %p5, %ten : !tile.ptr<i32>
  %6 = tile.atomic_rmw xor %p6, %ten : !tile.ptr<i32>
  %7 = tile.atomic_rmw xchg %p7, %ten : !tile.ptr<i32>
  return
}

// M8. Small types too, and float extremes that ignore NaN with -0 below +0; f16 rounds each time.
func.func @small_and_float(
    %b: !tile.ptr<i8> {tile.test = dense<[1, 100, 3, 4]> : tensor<4xi8>,
      tile.test_expect = dense<[1, -56, 3, 4]> : tensor<4xi8>},
    %h: !tile.ptr<f16> {tile.test = dense<2048.0> : tensor<1xf16>,
      tile.test_expect = dense<2048.0> : tensor<1xf16>},
    %f: !tile.ptr<f32> {tile.test = dense<[0x7FC00000, -0.0, 0.0, 1.5]> : tensor<4xf32>,
      tile.test_expect = dense<[2.0, 0.0, -0.0, 3.5]> : tensor<4xf32>}) attributes {tile.kernel} {
  %c1 = arith.constant 1 : i32
  %b1 = tile.addptr %b, %c1 : !tile.ptr<i8>, i32
  %hundred = arith.constant 100 : i8
  %0 = tile.atomic_rmw addi %b1, %hundred : !tile.ptr<i8>
  %sh = tile.splat %h : !tile.ptr<f16> -> tensor<4x!tile.ptr<f16>>
  %ones = arith.constant dense<1.0> : tensor<4xf16>
  %1 = tile.atomic_rmw addf %sh, %ones : tensor<4x!tile.ptr<f16>>
  %f1 = tile.addptr %f, %c1 : !tile.ptr<f32>, i32
  %f2 = tile.addptr %f1, %c1 : !tile.ptr<f32>, i32
  %f3 = tile.addptr %f2, %c1 : !tile.ptr<f32>, i32
  %two = arith.constant 2.0 : f32
  %zero = arith.constant 0.0 : f32
  %minus = arith.constant -0.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %2 = tile.atomic_rmw maxf %f, %two : !tile.ptr<f32>
  %3 = tile.atomic_rmw maxf %f1, %zero : !tile.ptr<f32>
  %4 = tile.atomic_rmw minf %f2, %minus : !tile.ptr<f32>
  %5 = tile.atomic_rmw minf %f2, %nan : !tile.ptr<f32>
  %6 = tile.atomic_rmw addf %f3, %two : !tile.ptr<f32>
  return
}

// M9. Compare and swap compares bits: -0 is not 0, and a NaN equals itself.
func.func @compare_and_swap(
    %p: !tile.ptr<f32> {tile.test = dense<[0.0, 0x7FC00000, 1.0]> : tensor<3xf32>,
      tile.test_expect = dense<[0.0, 5.0, 5.0]> : tensor<3xf32>},
    %out: !tile.ptr<f32> {tile.test = dense<9.0> : tensor<3xf32>,
      tile.test_expect = dense<[0.0, 0x7FC00000, 1.0]> : tensor<3xf32>}) attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<3xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<3x!tile.ptr<f32>>
  %q = tile.addptr %s, %i : tensor<3x!tile.ptr<f32>>, tensor<3xi32>
  %c = arith.constant dense<[-0.0, 0x7FC00000, 1.0]> : tensor<3xf32>
  %v = arith.constant dense<5.0> : tensor<3xf32>
  %old = tile.atomic_cas %q, %c, %v : tensor<3x!tile.ptr<f32>>, tensor<3xf32>
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  tile.block_store %out[%zero] strides [%one] extents [%one], %old : !tile.ptr<f32>, tensor<3xf32>
  return
}

// M9. A lock taken and given back by compare and swap guards a plain read, add and write: 64 programs.
func.func @lock(
    %lock: !tile.ptr<i32> {tile.test = dense<0> : tensor<1xi32>, tile.test_expect = dense<0> : tensor<1xi32>},
    %sum: !tile.ptr<i32> {tile.test = dense<0> : tensor<1xi32>, tile.test_expect = dense<2016> : tensor<1xi32>})
    attributes {tile.kernel, tile.test_grid = array<i32: 64, 1, 1>} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.while : () -> () {
    %old = tile.atomic_cas %lock, %zero, %one order acquire : !tile.ptr<i32>, i32
    %taken = arith.cmpi ne, %old, %zero : i32
    scf.condition(%taken)
  } do {
    scf.yield
  }
  %pid = tile.program_id 0
  %x = tile.load %sum : !tile.ptr<i32>
  %y = arith.addi %x, %pid : i32
  tile.store %sum, %y : !tile.ptr<i32>
  %z = tile.atomic_rmw xchg %lock, %zero order release : !tile.ptr<i32>
  return
}
