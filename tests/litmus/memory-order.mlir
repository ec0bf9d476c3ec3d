// Program order, overlap, aliases and duplicate addresses: docs/spec/memory.md.

// M1. A tile is loaded whole before any of it is stored: an in-place shift by one.
func.func @in_place_shift(%p: !tile.ptr<i32> {tile.test = dense<[1, 2, 3, 4, 5, 6, 7]> : tensor<7xi32>,
    tile.test_expect = dense<[1, 1, 2, 3, 4, 5, 6]> : tensor<7xi32>}) attributes {tile.kernel} {
  %s = tile.splat %p : !tile.ptr<i32> -> tensor<6x!tile.ptr<i32>>
  %i = tile.iota 0 : tensor<6xi32>
  %j = tile.iota 1 : tensor<6xi32>
  %from = tile.addptr %s, %i : tensor<6x!tile.ptr<i32>>, tensor<6xi32>
  %to = tile.addptr %s, %j : tensor<6x!tile.ptr<i32>>, tensor<6xi32>
  %x = tile.load %from : tensor<6x!tile.ptr<i32>>
  tile.store %to, %x : tensor<6x!tile.ptr<i32>>
  return
}

// M1. The same for a transposition in place, element by element of a 3x3 array.
func.func @in_place_transposition(%p: !tile.ptr<f32>
    {tile.test = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]> : tensor<3x3xf32>,
     tile.test_expect = dense<[[1.0, 4.0, 7.0], [2.0, 5.0, 8.0], [3.0, 6.0, 9.0]]> : tensor<3x3xf32>})
    attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  %x = tile.block_load %p[%zero, %zero] strides [%three, %one] extents [%three, %three] : !tile.ptr<f32> -> tensor<3x3xf32>
  tile.block_store %p[%zero, %zero] strides [%one, %three] extents [%three, %three], %x : !tile.ptr<f32>, tensor<3x3xf32>
  return
}

// M2. A load sees what the program stored before, also through another argument that is the same array.
func.func @aliases(
    %p: !tile.ptr<i32> {tile.test = dense<[1, 2]> : tensor<2xi32>, tile.test_expect = dense<[10, 12]> : tensor<2xi32>},
    %q: !tile.ptr<i32> {tile.test_alias = 0 : i32}) attributes {tile.kernel} {
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  tile.store %p, %ten : !tile.ptr<i32>
  %x = tile.load %q : !tile.ptr<i32>
  %y = tile.addptr %q, %one : !tile.ptr<i32>, i32
  %old = tile.load %y : !tile.ptr<i32>
  %sum = arith.addi %x, %old : i32
  tile.store %y, %sum : !tile.ptr<i32>
  return
}

// M2. A store in one turn of a loop is seen by the next: 1, 1, 2, 3, 5, ...
func.func @carried_through_memory(%p: !tile.ptr<i64> {tile.test = dense<[1, 1, 0, 0, 0, 0, 0, 0]> : tensor<8xi64>,
    tile.test_expect = dense<[1, 1, 2, 3, 5, 8, 13, 21]> : tensor<8xi64>}) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %six = arith.constant 6 : i32
  scf.for %i = %zero to %six step %one : i32 {
    %a = tile.addptr %p, %i : !tile.ptr<i64>, i32
    %b = tile.addptr %a, %one : !tile.ptr<i64>, i32
    %c = tile.addptr %b, %one : !tile.ptr<i64>, i32
    %x = tile.load %a : !tile.ptr<i64>
    %y = tile.load %b : !tile.ptr<i64>
    %z = arith.addi %x, %y : i64
    tile.store %c, %z : !tile.ptr<i64>
  }
  return
}

// M3. Of several lanes that store to one address the last in row-major order wins (Interp and cpu).
func.func @duplicates(%p: !tile.ptr<i32> {tile.test = dense<0> : tensor<3xi32>,
    tile.test_expect = dense<[8, 7, 6]> : tensor<3xi32>}) attributes {tile.kernel} {
  %s = tile.splat %p : !tile.ptr<i32> -> tensor<9x!tile.ptr<i32>>
  %i = tile.iota 0 : tensor<9xi32>
  %three = arith.constant dense<3> : tensor<9xi32>
  %two = arith.constant dense<2> : tensor<9xi32>
  %r = tile.rem %i, %three : tensor<9xi32>
  %j = arith.subi %two, %r : tensor<9xi32>
  %to = tile.addptr %s, %j : tensor<9x!tile.ptr<i32>>, tensor<9xi32>
  tile.store %to, %i : tensor<9x!tile.ptr<i32>>
  return
}

// M3. The same for a block whose stride is 0 on an axis.
func.func @duplicates_in_a_block(%p: !tile.ptr<i32> {tile.test = dense<0> : tensor<3xi32>,
    tile.test_expect = dense<[3, 4, 5]> : tensor<3xi32>}) attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  %i = tile.iota 0 : tensor<6xi32>
  %x = tile.reshape %i : tensor<6xi32> -> tensor<2x3xi32>
  tile.block_store %p[%zero, %zero] strides [%zero, %one] extents [%three, %three], %x : !tile.ptr<i32>, tensor<2x3xi32>
  return
}

// M4. A program of higher id may wait for one of lower id.
func.func @waits_for_a_lower_id(
    %flag: !tile.ptr<i32> {tile.test = dense<0> : tensor<1xi32>, tile.test_expect = dense<4> : tensor<1xi32>},
    %out: !tile.ptr<i32> {tile.test = dense<-1> : tensor<4xi32>, tile.test_expect = dense<[0, 1, 2, 3]> : tensor<4xi32>})
    attributes {tile.kernel, tile.test_grid = array<i32: 4, 1, 1>} {
  %pid = tile.program_id 0
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.while : () -> () {
    %now = tile.atomic_rmw addi %flag, %zero order acquire : !tile.ptr<i32>
    %wait = arith.cmpi ne, %now, %pid : i32
    scf.condition(%wait)
  } do {
    scf.yield
  }
  %q = tile.addptr %out, %pid : !tile.ptr<i32>, i32
  tile.store %q, %pid : !tile.ptr<i32>
  %old = tile.atomic_rmw addi %flag, %one order release : !tile.ptr<i32>
  return
}
