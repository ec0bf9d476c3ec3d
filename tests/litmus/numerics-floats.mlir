// Float arithmetic: docs/spec/numerics.md, section 3.

// N9. Max and min: -0 is below +0; one family ignores NaN, the other propagates it.
// Rows: maxnumf, minnumf, maximumf, minimumf.
func.func @extremes(
    %x: !tile.ptr<f32> {tile.test = dense<[0x7FC00000, 1.0, -0.0, 0.0, 0x7FC00000, 2.0]> : tensor<6xf32>},
    %y: !tile.ptr<f32> {tile.test = dense<[2.0, 0x7FC00000, 0.0, -0.0, 0x7FC00000, 3.0]> : tensor<6xf32>},
    %out: !tile.ptr<f32> {tile.test = dense<9.0> : tensor<4x6xf32>, tile.test_expect = dense<[
      [2.0, 1.0, 0.0, 0.0, 0x7FC00000, 3.0], [2.0, 1.0, -0.0, -0.0, 0x7FC00000, 2.0],
      [0x7FC00000, 0x7FC00000, 0.0, 0.0, 0x7FC00000, 3.0],
      [0x7FC00000, 0x7FC00000, -0.0, -0.0, 0x7FC00000, 2.0]]> : tensor<4x6xf32>}) attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %six = arith.constant 6 : i64
  %twelve = arith.constant 12 : i64
  %eighteen = arith.constant 18 : i64
  %a = tile.block_load %x[%zero] strides [%one] extents [%six] : !tile.ptr<f32> -> tensor<6xf32>
  %b = tile.block_load %y[%zero] strides [%one] extents [%six] : !tile.ptr<f32> -> tensor<6xf32>
  %0 = arith.maxnumf %a, %b : tensor<6xf32>
  %1 = arith.minnumf %a, %b : tensor<6xf32>
  %2 = arith.maximumf %a, %b : tensor<6xf32>
  %3 = arith.minimumf %a, %b : tensor<6xf32>
  tile.block_store %out[%zero] strides [%one] extents [%six], %0 : !tile.ptr<f32>, tensor<6xf32>
  tile.block_store %out[%six] strides [%one] extents [%six], %1 : !tile.ptr<f32>, tensor<6xf32>
  tile.block_store %out[%twelve] strides [%one] extents [%six], %2 : !tile.ptr<f32>, tensor<6xf32>
  tile.block_store %out[%eighteen] strides [%one] extents [%six], %3 : !tile.ptr<f32>, tensor<6xf32>
  return
}

// N9. The same for f16.
func.func @extremes_of_f16(
    %x: !tile.ptr<f16> {tile.test = dense<[0x7E00, 1.0, -0.0, 0.0]> : tensor<4xf16>},
    %y: !tile.ptr<f16> {tile.test = dense<[2.0, 0x7E00, 0.0, -0.0]> : tensor<4xf16>},
    %out: !tile.ptr<f16> {tile.test = dense<9.0> : tensor<2x4xf16>, tile.test_expect = dense<[
      [2.0, 1.0, 0.0, 0.0], [0x7E00, 0x7E00, -0.0, -0.0]]> : tensor<2x4xf16>}) attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %four = arith.constant 4 : i64
  %a = tile.block_load %x[%zero] strides [%one] extents [%four] : !tile.ptr<f16> -> tensor<4xf16>
  %b = tile.block_load %y[%zero] strides [%one] extents [%four] : !tile.ptr<f16> -> tensor<4xf16>
  %0 = arith.maxnumf %a, %b : tensor<4xf16>
  %1 = arith.minimumf %a, %b : tensor<4xf16>
  tile.block_store %out[%zero] strides [%one] extents [%four], %0 : !tile.ptr<f16>, tensor<4xf16>
  tile.block_store %out[%four] strides [%one] extents [%four], %1 : !tile.ptr<f16>, tensor<4xf16>
  return
}

// N10. Every f16 operation rounds once, to nearest even. Rows of bits: +, *, /.
func.func @f16_rounds_each_operation(
    %x: !tile.ptr<i16> {tile.test = dense<[0x3C01, 0x7BFF, 0x0001, 0x2E66, 0x6800]> : tensor<5xi16>},
    %y: !tile.ptr<i16> {tile.test = dense<[0x3C01, 0x4000, 0x3800, 0x2E66, 0x3C00]> : tensor<5xi16>},
    %out: !tile.ptr<i16> {tile.test = dense<9> : tensor<3x5xi16>, tile.test_expect = dense<[
      [0x4001, 0x7BFF, 0x3800, 0x3266, 0x6800], [0x3C02, 0x7C00, 0x0000, 0x211E, 0x6800],
      [0x3C00, 0x77FF, 0x0002, 0x3C00, 0x6800]]> : tensor<3x5xi16>}) attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %five = arith.constant 5 : i64
  %ten = arith.constant 10 : i64
  %a = tile.block_load %x[%zero] strides [%one] extents [%five] : !tile.ptr<i16> -> tensor<5xi16>
  %b = tile.block_load %y[%zero] strides [%one] extents [%five] : !tile.ptr<i16> -> tensor<5xi16>
  %h = arith.bitcast %a : tensor<5xi16> to tensor<5xf16>
  %k = arith.bitcast %b : tensor<5xi16> to tensor<5xf16>
  %0 = arith.addf %h, %k : tensor<5xf16>
  %1 = arith.mulf %h, %k : tensor<5xf16>
  %2 = arith.divf %h, %k : tensor<5xf16>
  %b0 = arith.bitcast %0 : tensor<5xf16> to tensor<5xi16>
  %b1 = arith.bitcast %1 : tensor<5xf16> to tensor<5xi16>
  %b2 = arith.bitcast %2 : tensor<5xf16> to tensor<5xi16>
  tile.block_store %out[%zero] strides [%one] extents [%five], %b0 : !tile.ptr<i16>, tensor<5xi16>
  tile.block_store %out[%five] strides [%one] extents [%five], %b1 : !tile.ptr<i16>, tensor<5xi16>
  tile.block_store %out[%ten] strides [%one] extents [%five], %b2 : !tile.ptr<i16>, tensor<5xi16>
  return
}

// N10. Nothing is kept between operations: in bf16 256 + 1 + 1 is 256, 1 + 1 + 256 is 258.
func.func @bf16_rounds_each_operation(
    %x: !tile.ptr<bf16> {tile.test = dense<[256.0, 1.0, 1.0]> : tensor<3xbf16>},
    %out: !tile.ptr<bf16> {tile.test = dense<0.0> : tensor<2xbf16>,
      tile.test_expect = dense<[256.0, 258.0]> : tensor<2xbf16>}) attributes {tile.kernel} {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %p1 = tile.addptr %x, %c1 : !tile.ptr<bf16>, i32
  %p2 = tile.addptr %x, %c2 : !tile.ptr<bf16>, i32
  %q = tile.addptr %out, %c1 : !tile.ptr<bf16>, i32
  %a = tile.load %x : !tile.ptr<bf16>
  %b = tile.load %p1 : !tile.ptr<bf16>
  %c = tile.load %p2 : !tile.ptr<bf16>
  %0 = arith.addf %a, %b : bf16
  %1 = arith.addf %0, %c : bf16
  %2 = arith.addf %b, %c : bf16
  %3 = arith.addf %2, %a : bf16
  tile.store %out, %1 : !tile.ptr<bf16>
  tile.store %q, %3 : !tile.ptr<bf16>
  return
}

// N11. An fma rounds once: (1 + 2^-12)^2 - 1 keeps the last bit of the square.
func.func @fma(
    %x: !tile.ptr<f32> {tile.test = dense<[1.000244140625, -1.0]> : tensor<2xf32>},
    %out: !tile.ptr<f32> {tile.test = dense<0.0> : tensor<1xf32>,
      tile.test_expect = dense<0x3A000400> : tensor<1xf32>}) attributes {tile.kernel} {
  %c1 = arith.constant 1 : i32
  %p1 = tile.addptr %x, %c1 : !tile.ptr<f32>, i32
  %a = tile.load %x : !tile.ptr<f32>
  %b = tile.load %p1 : !tile.ptr<f32>
  %0 = math.fma %a, %a, %b : f32
  tile.store %out, %0 : !tile.ptr<f32>
  return
}

// N11. Where nobody asked for an fma (PAVAGE_FP_FUSION=0) the product is rounded before the sum.
func.func @no_contraction(
    %x: !tile.ptr<f32> {tile.test = dense<[1.000244140625, -1.0]> : tensor<2xf32>},
    %out: !tile.ptr<f32> {tile.test = dense<0.0> : tensor<1xf32>,
      tile.test_expect = dense<0.00048828125> : tensor<1xf32>}) attributes {tile.kernel} {
  %c1 = arith.constant 1 : i32
  %p1 = tile.addptr %x, %c1 : !tile.ptr<f32>, i32
  %a = tile.load %x : !tile.ptr<f32>
  %b = tile.load %p1 : !tile.ptr<f32>
  %0 = arith.mulf %a, %a : f32
  %1 = arith.addf %0, %b : f32
  tile.store %out, %1 : !tile.ptr<f32>
  return
}

// N12. Subnormal numbers are numbers, and the sign of zero counts. Rows: x + y, x * y, x - x, 1 / x.
func.func @subnormals_and_zeros(
    %x: !tile.ptr<f32> {tile.test = dense<[0x00000001, 0x00800000, -0.0, 0x80000001]> : tensor<4xf32>},
    %y: !tile.ptr<f32> {tile.test = dense<[0x00000001, 0.5, -0.0, 0.75]> : tensor<4xf32>},
    %out: !tile.ptr<f32> {tile.test = dense<9.0> : tensor<4x4xf32>, tile.test_expect = dense<[
      [0x00000002, 0.5, -0.0, 0.75], [0.0, 0x00400000, 0.0, 0x80000001], [0.0, 0.0, 0.0, 0.0],
      [0x7F800000, 0x7E800000, 0xFF800000, 0xFF800000]]> : tensor<4x4xf32>}) attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %four = arith.constant 4 : i64
  %eight = arith.constant 8 : i64
  %twelve = arith.constant 12 : i64
  %a = tile.block_load %x[%zero] strides [%one] extents [%four] : !tile.ptr<f32> -> tensor<4xf32>
  %b = tile.block_load %y[%zero] strides [%one] extents [%four] : !tile.ptr<f32> -> tensor<4xf32>
  %ones = arith.constant dense<1.0> : tensor<4xf32>
  %0 = arith.addf %a, %b : tensor<4xf32>
  %1 = arith.mulf %a, %b : tensor<4xf32>
  %2 = arith.subf %a, %a : tensor<4xf32>
  %3 = arith.divf %ones, %a : tensor<4xf32>
  tile.block_store %out[%zero] strides [%one] extents [%four], %0 : !tile.ptr<f32>, tensor<4xf32>
  tile.block_store %out[%four] strides [%one] extents [%four], %1 : !tile.ptr<f32>, tensor<4xf32>
  tile.block_store %out[%eight] strides [%one] extents [%four], %2 : !tile.ptr<f32>, tensor<4xf32>
  tile.block_store %out[%twelve] strides [%one] extents [%four], %3 : !tile.ptr<f32>, tensor<4xf32>
  return
}

// N13. Comparisons with NaN: ordered ones are false, != is true. Rows: <, ==, !=, >=.
func.func @comparisons(
    %x: !tile.ptr<f64> {tile.test = dense<[1.0, 0x7FF8000000000000, -0.0, 2.0]> : tensor<4xf64>},
    %y: !tile.ptr<f64> {tile.test = dense<[2.0, 1.0, 0.0, 0xFFF0000000000000]> : tensor<4xf64>},
    %out: !tile.ptr<i1> {tile.test = dense<false> : tensor<4x4xi1>, tile.test_expect = dense<[
      [true, false, false, false], [false, false, true, false], [true, true, false, true],
      [false, false, true, true]]> : tensor<4x4xi1>}) attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %four = arith.constant 4 : i64
  %eight = arith.constant 8 : i64
  %twelve = arith.constant 12 : i64
  %a = tile.block_load %x[%zero] strides [%one] extents [%four] : !tile.ptr<f64> -> tensor<4xf64>
  %b = tile.block_load %y[%zero] strides [%one] extents [%four] : !tile.ptr<f64> -> tensor<4xf64>
  %0 = arith.cmpf olt, %a, %b : tensor<4xf64>
  %1 = arith.cmpf oeq, %a, %b : tensor<4xf64>
  %2 = arith.cmpf une, %a, %b : tensor<4xf64>
  %3 = arith.cmpf oge, %a, %b : tensor<4xf64>
  tile.block_store %out[%zero] strides [%one] extents [%four], %0 : !tile.ptr<i1>, tensor<4xi1>
  tile.block_store %out[%four] strides [%one] extents [%four], %1 : !tile.ptr<i1>, tensor<4xi1>
  tile.block_store %out[%eight] strides [%one] extents [%four], %2 : !tile.ptr<i1>, tensor<4xi1>
  tile.block_store %out[%twelve] strides [%one] extents [%four], %3 : !tile.ptr<i1>, tensor<4xi1>
  return
}

// N14. sqrt and division round to nearest; halves round to even or away from zero, as asked, with the sign of zero.
// Rows: sqrt |x|, roundeven, round, floor.
func.func @rounding_functions(
    %x: !tile.ptr<f32> {tile.test = dense<[2.0, 2.5, -0.5, -0.25, -1.5]> : tensor<5xf32>},
    %out: !tile.ptr<f32> {tile.test = dense<9.0> : tensor<4x5xf32>, tile.test_expect = dense<[
      [0x3FB504F3, 0x3FCA62C2, 0x3F3504F3, 0.5, 0x3F9CC471], [2.0, 2.0, -0.0, -0.0, -2.0],
      [2.0, 3.0, -1.0, -0.0, -2.0], [2.0, 2.0, -1.0, -1.0, -2.0]]> : tensor<4x5xf32>}) attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %five = arith.constant 5 : i64
  %ten = arith.constant 10 : i64
  %fifteen = arith.constant 15 : i64
  %a = tile.block_load %x[%zero] strides [%one] extents [%five] : !tile.ptr<f32> -> tensor<5xf32>
  %abs = math.absf %a : tensor<5xf32>
  %0 = math.sqrt %abs : tensor<5xf32>
  %1 = math.roundeven %a : tensor<5xf32>
  %2 = math.round %a : tensor<5xf32>
  %3 = math.floor %a : tensor<5xf32>
  tile.block_store %out[%zero] strides [%one] extents [%five], %0 : !tile.ptr<f32>, tensor<5xf32>
  tile.block_store %out[%five] strides [%one] extents [%five], %1 : !tile.ptr<f32>, tensor<5xf32>
  tile.block_store %out[%ten] strides [%one] extents [%five], %2 : !tile.ptr<f32>, tensor<5xf32>
  tile.block_store %out[%fifteen] strides [%one] extents [%five], %3 : !tile.ptr<f32>, tensor<5xf32>
  return
}
