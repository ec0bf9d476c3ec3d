// What lanes that do not take part do: docs/spec/memory.md.

// M5. A masked-off lane touches no memory, whatever its address; it gives 0, or what other says.
func.func @masked_loads(%p: !tile.ptr<f32> {tile.test = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>},
    %out: !tile.ptr<f32> {tile.test = dense<9.0> : tensor<10xf32>,
      tile.test_expect = dense<[1.0, 2.0, 3.0, 0.0, 0.0, 1.0, 2.0, 3.0, -1.0, -1.0]> : tensor<10xf32>})
    attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<5xi32>
  %n = arith.constant dense<3> : tensor<5xi32>
  %m = arith.cmpi slt, %i, %n : tensor<5xi32>
  // Lanes 3 and 4 get addresses far from anything.
  %far = arith.constant dense<1099511627776> : tensor<5xi64>
  %wide = tile.cast %i : tensor<5xi32> -> tensor<5xi64>
  %away = arith.muli %wide, %far : tensor<5xi64>
  %offset = arith.select %m, %wide, %away : tensor<5xi1>, tensor<5xi64>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<5x!tile.ptr<f32>>
  %q = tile.addptr %s, %offset : tensor<5x!tile.ptr<f32>>, tensor<5xi64>
  %x = tile.load %q mask %m : tensor<5x!tile.ptr<f32>>
  %minus = arith.constant dense<-1.0> : tensor<5xf32>
  %y = tile.load %q mask %m other %minus : tensor<5x!tile.ptr<f32>>
  %z = tile.cat %x, %y axis 0 : tensor<5xf32>, tensor<5xf32> -> tensor<10xf32>
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  tile.block_store %out[%zero] strides [%one] extents [%one], %z : !tile.ptr<f32>, tensor<10xf32>
  return
}

// M5. A masked-off store writes nothing and an atomic returns 0.
func.func @masked_stores_and_atomics(
    %p: !tile.ptr<i32> {tile.test = dense<[5, 6, 7, 8]> : tensor<4xi32>,
      tile.test_expect = dense<[50, 6, 57, 8]> : tensor<4xi32>},
    %out: !tile.ptr<i32> {tile.test = dense<9> : tensor<4xi32>,
      tile.test_expect = dense<[0, 0, 7, 0]> : tensor<4xi32>}) attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<4xi32>
  %fifty = arith.constant dense<50> : tensor<4xi32>
  %zero = arith.constant dense<0> : tensor<4xi32>
  %two = arith.constant dense<2> : tensor<4xi32>
  %first = arith.cmpi eq, %i, %zero : tensor<4xi32>
  %third = arith.cmpi eq, %i, %two : tensor<4xi32>
  %s = tile.splat %p : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %q = tile.addptr %s, %i : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  tile.store %q, %fifty mask %first : tensor<4x!tile.ptr<i32>>
  %old = tile.atomic_rmw addi %q, %fifty mask %third : tensor<4x!tile.ptr<i32>>
  %t = tile.splat %out : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %r = tile.addptr %t, %i : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  tile.store %r, %old : tensor<4x!tile.ptr<i32>>
  return
}

// M5. Lanes that a mask discards may divide by zero, or take the least number by -1, without a trap.
func.func @discarded_lanes_do_not_trap(
    %a: !tile.ptr<i32> {tile.test = dense<[12, -2147483648, 7, 9]> : tensor<4xi32>},
    %b: !tile.ptr<i32> {tile.test = dense<[4, -1, 0, -2]> : tensor<4xi32>},
    %out: !tile.ptr<i32> {tile.test = dense<1> : tensor<4xi32>,
      tile.test_expect = dense<[3, 1, 1, -4]> : tensor<4xi32>}) attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<4xi32>
  %sa = tile.splat %a : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %sb = tile.splat %b : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %so = tile.splat %out : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %pa = tile.addptr %sa, %i : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  %pb = tile.addptr %sb, %i : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  %po = tile.addptr %so, %i : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  %x = tile.load %pa : tensor<4x!tile.ptr<i32>>
  %y = tile.load %pb : tensor<4x!tile.ptr<i32>>
  %q = tile.div %x, %y signed : tensor<4xi32>
  %zero = arith.constant dense<0> : tensor<4xi32>
  %minus = arith.constant dense<-1> : tensor<4xi32>
  %notzero = arith.cmpi ne, %y, %zero : tensor<4xi32>
  %notminus = arith.cmpi ne, %y, %minus : tensor<4xi32>
  %m = arith.andi %notzero, %notminus : tensor<4xi1>
  tile.store %po, %q mask %m : tensor<4x!tile.ptr<i32>>
  return
}

// M6. A block over the edges of an array: what is outside is not touched.
func.func @block_over_the_edges(
    %p: !tile.ptr<i16> {tile.test = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi16>,
      tile.test_expect = dense<[[10, 20, 3], [40, 50, 6]]> : tensor<2x3xi16>},
    %out: !tile.ptr<i16> {tile.test = dense<9> : tensor<4x3xi16>,
      tile.test_expect = dense<[[7, 7, 7], [7, 1, 2], [7, 4, 5], [7, 7, 7]]> : tensor<4x3xi16>})
    attributes {tile.kernel} {
  %minus = arith.constant -1 : i64
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %four = arith.constant 4 : i64
  %seven = arith.constant 7 : i16
  %x = tile.block_load %p[%minus, %minus] strides [%three, %one] extents [%two, %three] checked [0, 1]
    other %seven : i16 : !tile.ptr<i16> -> tensor<4x3xi16>
  tile.block_store %out[%zero, %zero] strides [%three, %one] extents [%four, %three], %x
    : !tile.ptr<i16>, tensor<4x3xi16>
  %ten = arith.constant dense<10> : tensor<4x3xi16>
  %y = arith.muli %x, %ten : tensor<4x3xi16>
  tile.block_store %p[%minus, %minus] strides [%three, %one] extents [%two, %three] checked [0, 1], %y
    : !tile.ptr<i16>, tensor<4x3xi16>
  return
}

// M7. An i1 in memory is a byte of which only zero and non-zero are told apart; it is written as 0 or 1.
func.func @bool_bytes(
    %p: !tile.ptr<i1> {tile.test = dense<[true, false, true]> : tensor<3xi1>,
      tile.test_expect = dense<[false, true, false]> : tensor<3xi1>},
    %out: !tile.ptr<i32> {tile.test = dense<9> : tensor<3xi32>,
      tile.test_expect = dense<[1, 0, 1]> : tensor<3xi32>}) attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<3xi32>
  %s = tile.splat %p : !tile.ptr<i1> -> tensor<3x!tile.ptr<i1>>
  %q = tile.addptr %s, %i : tensor<3x!tile.ptr<i1>>, tensor<3xi32>
  %t = tile.splat %out : !tile.ptr<i32> -> tensor<3x!tile.ptr<i32>>
  %r = tile.addptr %t, %i : tensor<3x!tile.ptr<i32>>, tensor<3xi32>
  %x = tile.load %q : tensor<3x!tile.ptr<i1>>
  %n = tile.cast %x : tensor<3xi1> -> tensor<3xi32>
  tile.store %r, %n : tensor<3x!tile.ptr<i32>>
  %true = arith.constant dense<true> : tensor<3xi1>
  %not = arith.xori %x, %true : tensor<3xi1>
  tile.store %q, %not : tensor<3x!tile.ptr<i1>>
  return
}

// M7. Bytes other than 0 and 1 read as true.
func.func @bool_from_other_bytes(%p: !tile.ptr<i8> {tile.test = dense<[0, 2, -128]> : tensor<3xi8>},
    %out: !tile.ptr<i32> {tile.test = dense<9> : tensor<3xi32>,
      tile.test_expect = dense<[0, 1, 1]> : tensor<3xi32>}) attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<3xi32>
  %b = tile.bitcast %p : !tile.ptr<i8> -> !tile.ptr<i1>
  %s = tile.splat %b : !tile.ptr<i1> -> tensor<3x!tile.ptr<i1>>
  %q = tile.addptr %s, %i : tensor<3x!tile.ptr<i1>>, tensor<3xi32>
  %t = tile.splat %out : !tile.ptr<i32> -> tensor<3x!tile.ptr<i32>>
  %r = tile.addptr %t, %i : tensor<3x!tile.ptr<i32>>, tensor<3xi32>
  %x = tile.load %q : tensor<3x!tile.ptr<i1>>
  %n = tile.cast %x : tensor<3xi1> -> tensor<3xi32>
  tile.store %r, %n : tensor<3x!tile.ptr<i32>>
  return
}
