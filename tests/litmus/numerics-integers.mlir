// Integers: docs/spec/numerics.md, section 1.

// N1. Sums, differences and products wrap.
func.func @wrapping(
    %x: !tile.ptr<i8> {tile.test = dense<[127, -128, 100, -1]> : tensor<4xi8>},
    %y: !tile.ptr<i8> {tile.test = dense<[1, 1, 3, -1]> : tensor<4xi8>},
    %out: !tile.ptr<i8> {tile.test = dense<0> : tensor<3x4xi8>,
      tile.test_expect = dense<[[-128, -127, 103, -2], [126, 127, 97, 0], [127, -128, 44, 1]]> : tensor<3x4xi8>})
    attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %n = arith.constant 4 : i64
  %a = tile.block_load %x[%zero] strides [%one] extents [%n] : !tile.ptr<i8> -> tensor<4xi8>
  %b = tile.block_load %y[%zero] strides [%one] extents [%n] : !tile.ptr<i8> -> tensor<4xi8>
  %sum = arith.addi %a, %b : tensor<4xi8>
  %difference = arith.subi %a, %b : tensor<4xi8>
  %product = arith.muli %a, %b : tensor<4xi8>
  tile.block_store %out[%zero] strides [%one] extents [%n], %sum : !tile.ptr<i8>, tensor<4xi8>
  tile.block_store %out[%n] strides [%one] extents [%n], %difference : !tile.ptr<i8>, tensor<4xi8>
  %eight = arith.muli %n, %two : i64
  tile.block_store %out[%eight] strides [%one] extents [%n], %product : !tile.ptr<i8>, tensor<4xi8>
  return
}

// N2. Division is total and rounds toward zero; rows: signed / and %, unsigned / and %.
func.func @division(
    %x: !tile.ptr<i32> {tile.test = dense<[7, -7, 7, -2147483648, -7, 0]> : tensor<6xi32>},
    %y: !tile.ptr<i32> {tile.test = dense<[2, 2, 0, -1, -2, 0]> : tensor<6xi32>},
    %out: !tile.ptr<i32> {tile.test = dense<9> : tensor<4x6xi32>,
      tile.test_expect = dense<[[3, -3, -1, -2147483648, 3, -1], [1, -1, 7, 0, -1, 0],
                                [3, 2147483644, -1, 0, 0, -1], [1, 1, 7, -2147483648, -7, 0]]> : tensor<4x6xi32>})
    attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %six = arith.constant 6 : i64
  %twelve = arith.constant 12 : i64
  %eighteen = arith.constant 18 : i64
  %a = tile.block_load %x[%zero] strides [%one] extents [%six] : !tile.ptr<i32> -> tensor<6xi32>
  %b = tile.block_load %y[%zero] strides [%one] extents [%six] : !tile.ptr<i32> -> tensor<6xi32>
  %0 = tile.div %a, %b signed : tensor<6xi32>
  %1 = tile.rem %a, %b signed : tensor<6xi32>
  %2 = tile.div %a, %b : tensor<6xi32>
  %3 = tile.rem %a, %b : tensor<6xi32>
  tile.block_store %out[%zero] strides [%one] extents [%six], %0 : !tile.ptr<i32>, tensor<6xi32>
  tile.block_store %out[%six] strides [%one] extents [%six], %1 : !tile.ptr<i32>, tensor<6xi32>
  tile.block_store %out[%twelve] strides [%one] extents [%six], %2 : !tile.ptr<i32>, tensor<6xi32>
  tile.block_store %out[%eighteen] strides [%one] extents [%six], %3 : !tile.ptr<i32>, tensor<6xi32>
  return
}

// N2. The same for 8 and 64 bits, and for scalars.
func.func @division_of_scalars(
    %b: !tile.ptr<i8> {tile.test = dense<[-128, -1, 5, 0]> : tensor<4xi8>},
    %l: !tile.ptr<i64> {tile.test = dense<[-9223372036854775808, -1, 5, 0]> : tensor<4xi64>},
    %out: !tile.ptr<i64> {tile.test = dense<9> : tensor<6xi64>,
      tile.test_expect = dense<[-128, 0, -1, -9223372036854775808, 0, -1]> : tensor<6xi64>})
    attributes {tile.kernel} {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %c5 = arith.constant 5 : i32
  %b1 = tile.addptr %b, %c1 : !tile.ptr<i8>, i32
  %b2 = tile.addptr %b, %c2 : !tile.ptr<i8>, i32
  %b3 = tile.addptr %b, %c3 : !tile.ptr<i8>, i32
  %l1 = tile.addptr %l, %c1 : !tile.ptr<i64>, i32
  %l2 = tile.addptr %l, %c2 : !tile.ptr<i64>, i32
  %l3 = tile.addptr %l, %c3 : !tile.ptr<i64>, i32
  %x0 = tile.load %b : !tile.ptr<i8>
  %x1 = tile.load %b1 : !tile.ptr<i8>
  %x2 = tile.load %b2 : !tile.ptr<i8>
  %x3 = tile.load %b3 : !tile.ptr<i8>
  %y0 = tile.load %l : !tile.ptr<i64>
  %y1 = tile.load %l1 : !tile.ptr<i64>
  %y2 = tile.load %l2 : !tile.ptr<i64>
  %y3 = tile.load %l3 : !tile.ptr<i64>
  %q0 = tile.div %x0, %x1 signed : i8
  %q1 = tile.rem %x0, %x1 signed : i8
  %q2 = tile.div %x2, %x3 signed : i8
  %w0 = tile.cast %q0 signed : i8 -> i64
  %w1 = tile.cast %q1 signed : i8 -> i64
  %w2 = tile.cast %q2 signed : i8 -> i64
  %w3 = tile.div %y0, %y1 signed : i64
  %w4 = tile.rem %y0, %y1 signed : i64
  %w5 = tile.div %y2, %y3 signed : i64
  %o1 = tile.addptr %out, %c1 : !tile.ptr<i64>, i32
  %o2 = tile.addptr %out, %c2 : !tile.ptr<i64>, i32
  %o3 = tile.addptr %out, %c3 : !tile.ptr<i64>, i32
  %o4 = tile.addptr %out, %c4 : !tile.ptr<i64>, i32
  %o5 = tile.addptr %out, %c5 : !tile.ptr<i64>, i32
  tile.store %out, %w0 : !tile.ptr<i64>
  tile.store %o1, %w1 : !tile.ptr<i64>
  tile.store %o2, %w2 : !tile.ptr<i64>
  tile.store %o3, %w3 : !tile.ptr<i64>
  tile.store %o4, %w4 : !tile.ptr<i64>
  tile.store %o5, %w5 : !tile.ptr<i64>
  return
}

// N3. Shifts by the width or more give 0 or the sign; the amount is unsigned. Rows: <<, signed >>, unsigned >>.
func.func @shifts(
    %x: !tile.ptr<i16> {tile.test = dense<[3, -16, -16, -16, 5]> : tensor<5xi16>},
    %n: !tile.ptr<i16> {tile.test = dense<[14, 2, 16, -1, 0]> : tensor<5xi16>},
    %out: !tile.ptr<i16> {tile.test = dense<9> : tensor<3x5xi16>,
      tile.test_expect = dense<[[-16384, -64, 0, 0, 5], [0, -4, -1, -1, 5], [0, 16380, 0, 0, 5]]> : tensor<3x5xi16>})
    attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %five = arith.constant 5 : i64
  %ten = arith.constant 10 : i64
  %a = tile.block_load %x[%zero] strides [%one] extents [%five] : !tile.ptr<i16> -> tensor<5xi16>
  %b = tile.block_load %n[%zero] strides [%one] extents [%five] : !tile.ptr<i16> -> tensor<5xi16>
  %0 = tile.shl %a, %b : tensor<5xi16>
  %1 = tile.shr %a, %b signed : tensor<5xi16>
  %2 = tile.shr %a, %b : tensor<5xi16>
  tile.block_store %out[%zero] strides [%one] extents [%five], %0 : !tile.ptr<i16>, tensor<5xi16>
  tile.block_store %out[%five] strides [%one] extents [%five], %1 : !tile.ptr<i16>, tensor<5xi16>
  tile.block_store %out[%ten] strides [%one] extents [%five], %2 : !tile.ptr<i16>, tensor<5xi16>
  return
}
