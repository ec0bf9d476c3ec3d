// Conversions: docs/spec/numerics.md, section 2.

// N4. Float to integer: toward zero, saturating at every width, NaN gives 0. Rows: i8, u8, i64, i1.
func.func @float_to_integer(
    %x: !tile.ptr<f32> {tile.test = dense<[300.0, -1.9, 0x7FC00000, 7.9, -1.0e30, 0x7F800000, 0.5]> : tensor<7xf32>},
    %out: !tile.ptr<i64> {tile.test = dense<9> : tensor<4x7xi64>, tile.test_expect = dense<[
      [127, -1, 0, 7, -128, 127, 0], [255, 0, 0, 7, 0, 255, 0],
      [300, -1, 0, 7, -9223372036854775808, 9223372036854775807, 0], [1, 1, 1, 1, 1, 1, 1]]> : tensor<4x7xi64>})
    attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %seven = arith.constant 7 : i64
  %fourteen = arith.constant 14 : i64
  %twentyone = arith.constant 21 : i64
  %a = tile.block_load %x[%zero] strides [%one] extents [%seven] : !tile.ptr<f32> -> tensor<7xf32>
  %0 = tile.cast %a signed : tensor<7xf32> -> tensor<7xi8>
  %1 = tile.cast %a : tensor<7xf32> -> tensor<7xi8>
  %2 = tile.cast %a signed : tensor<7xf32> -> tensor<7xi64>
  %3 = tile.cast %a : tensor<7xf32> -> tensor<7xi1>
  %w0 = tile.cast %0 signed : tensor<7xi8> -> tensor<7xi64>
  %w1 = tile.cast %1 : tensor<7xi8> -> tensor<7xi64>
  %w3 = tile.cast %3 signed : tensor<7xi1> -> tensor<7xi64>
  tile.block_store %out[%zero] strides [%one] extents [%seven], %w0 : !tile.ptr<i64>, tensor<7xi64>
  tile.block_store %out[%seven] strides [%one] extents [%seven], %w1 : !tile.ptr<i64>, tensor<7xi64>
  tile.block_store %out[%fourteen] strides [%one] extents [%seven], %2 : !tile.ptr<i64>, tensor<7xi64>
  tile.block_store %out[%twentyone] strides [%one] extents [%seven], %w3 : !tile.ptr<i64>, tensor<7xi64>
  return
}

// N5. Float to f8: to nearest even, saturating; NaN stays NaN; the sign of zero stays.
func.func @float_to_f8(
    %x: !tile.ptr<f32> {tile.test = dense<[1000.0, -1.0e30, 0x7FC00000, 1.0625, 1.1875, 0.001953125, -0.0, 0xFF800000]>
      : tensor<8xf32>},
    %e4: !tile.ptr<f8E4M3FN> {tile.test = dense<0.0> : tensor<8xf8E4M3FN>,
      tile.test_expect = dense<[448.0, -448.0, 0x7F, 1.0, 1.25, 0.001953125, -0.0, -448.0]> : tensor<8xf8E4M3FN>},
    %e5: !tile.ptr<f8E5M2> {tile.test = dense<0.0> : tensor<8xf8E5M2>,
      tile.test_expect = dense<[1024.0, -57344.0, 0x7E, 1.0, 1.25, 0.001953125, -0.0, -57344.0]> : tensor<8xf8E5M2>})
    attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 8 : i64
  %a = tile.block_load %x[%zero] strides [%one] extents [%n] : !tile.ptr<f32> -> tensor<8xf32>
  %0 = tile.cast %a : tensor<8xf32> -> tensor<8xf8E4M3FN>
  %1 = tile.cast %a : tensor<8xf32> -> tensor<8xf8E5M2>
  tile.block_store %e4[%zero] strides [%one] extents [%n], %0 : !tile.ptr<f8E4M3FN>, tensor<8xf8E4M3FN>
  tile.block_store %e5[%zero] strides [%one] extents [%n], %1 : !tile.ptr<f8E5M2>, tensor<8xf8E5M2>
  return
}

// N5. f8 to float is exact, subnormals included.
func.func @f8_to_float(
    %e4: !tile.ptr<f8E4M3FN> {tile.test = dense<[0x7E, 0x01, 0x7F, 0x80, 0x39]> : tensor<5xf8E4M3FN>},
    %e5: !tile.ptr<f8E5M2> {tile.test = dense<[0x7B, 0x01, 0x7C, 0x80, 0x3D]> : tensor<5xf8E5M2>},
    %out: !tile.ptr<f32> {tile.test = dense<9.0> : tensor<2x5xf32>,
      tile.test_expect = dense<[[448.0, 0.001953125, 0x7FC00000, -0.0, 1.125],
                                [57344.0, 1.52587890625e-05, 0x7F800000, -0.0, 1.25]]> : tensor<2x5xf32>})
    attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 5 : i64
  %a = tile.block_load %e4[%zero] strides [%one] extents [%n] : !tile.ptr<f8E4M3FN> -> tensor<5xf8E4M3FN>
  %b = tile.block_load %e5[%zero] strides [%one] extents [%n] : !tile.ptr<f8E5M2> -> tensor<5xf8E5M2>
  %0 = tile.cast %a : tensor<5xf8E4M3FN> -> tensor<5xf32>
  %1 = tile.cast %b : tensor<5xf8E5M2> -> tensor<5xf32>
  tile.block_store %out[%zero] strides [%one] extents [%n], %0 : !tile.ptr<f32>, tensor<5xf32>
  tile.block_store %out[%n] strides [%one] extents [%n], %1 : !tile.ptr<f32>, tensor<5xf32>
  return
}

// N6. Float to f16 and bf16: to nearest even with overflow to infinity, or toward zero, which stops at the largest.
// Rows of 16-bit patterns: f16 nearest, f16 toward zero, bf16 nearest, bf16 toward zero.
func.func @float_to_half(
    %x: !tile.ptr<f32> {tile.test = dense<[65519.0, 65520.0, -1.0e30, 2049.0, 2051.0, 5.9604645e-08, 2.9802322e-08,
      0x3F808000, 0x3F818000]> : tensor<9xf32>},
    %out: !tile.ptr<i16> {tile.test = dense<9> : tensor<4x9xi16>, tile.test_expect = dense<[
      [0x7BFF, 0x7C00, 0xFC00, 0x6800, 0x6802, 0x0001, 0x0000, 0x3C04, 0x3C0C],
      [0x7BFF, 0x7BFF, 0xFBFF, 0x6800, 0x6801, 0x0001, 0x0000, 0x3C04, 0x3C0C],
      [0x4780, 0x4780, 0xF14A, 0x4500, 0x4500, 0x3380, 0x3300, 0x3F80, 0x3F82],
      [0x477F, 0x477F, 0xF149, 0x4500, 0x4500, 0x3380, 0x3300, 0x3F80, 0x3F81]]> : tensor<4x9xi16>})
    attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %nine = arith.constant 9 : i64
  %eighteen = arith.constant 18 : i64
  %twentyseven = arith.constant 27 : i64
  %a = tile.block_load %x[%zero] strides [%one] extents [%nine] : !tile.ptr<f32> -> tensor<9xf32>
  %0 = tile.cast %a : tensor<9xf32> -> tensor<9xf16>
  %1 = tile.cast %a rounding rtz : tensor<9xf32> -> tensor<9xf16>
  %2 = tile.cast %a : tensor<9xf32> -> tensor<9xbf16>
  %3 = tile.cast %a rounding rtz : tensor<9xf32> -> tensor<9xbf16>
  %b0 = arith.bitcast %0 : tensor<9xf16> to tensor<9xi16>
  %b1 = arith.bitcast %1 : tensor<9xf16> to tensor<9xi16>
  %b2 = arith.bitcast %2 : tensor<9xbf16> to tensor<9xi16>
  %b3 = arith.bitcast %3 : tensor<9xbf16> to tensor<9xi16>
  tile.block_store %out[%zero] strides [%one] extents [%nine], %b0 : !tile.ptr<i16>, tensor<9xi16>
  tile.block_store %out[%nine] strides [%one] extents [%nine], %b1 : !tile.ptr<i16>, tensor<9xi16>
  tile.block_store %out[%eighteen] strides [%one] extents [%nine], %b2 : !tile.ptr<i16>, tensor<9xi16>
  tile.block_store %out[%twentyseven] strides [%one] extents [%nine], %b3 : !tile.ptr<i16>, tensor<9xi16>
  return
}

// N7. Integer to float rounds once: 2^62 + 2^54 + 1 lies just above the middle between two bf16 numbers, and just
// above one between two f32 numbers. An f16 that is too large is infinite, an f8 the largest.
func.func @integer_to_float(
    %x: !tile.ptr<i64> {tile.test = dense<[4629700416936869889, 4611686293305294849, -1, 65520]> : tensor<4xi64>},
    %bf: !tile.ptr<bf16> {tile.test = dense<0.0> : tensor<4xbf16>,
      tile.test_expect = dense<[0x5E81, 0x5E80, 0xBF80, 0x4780]> : tensor<4xbf16>},
    %f: !tile.ptr<f32> {tile.test = dense<0.0> : tensor<4xf32>,
      tile.test_expect = dense<[0x5E808000, 0x5E800001, 0xBF800000, 0x477FF000]> : tensor<4xf32>},
    %h: !tile.ptr<f16> {tile.test = dense<0.0> : tensor<4xf16>,
      tile.test_expect = dense<[0x7C00, 0x7C00, 0xBC00, 0x7C00]> : tensor<4xf16>},
    %e: !tile.ptr<f8E4M3FN> {tile.test = dense<0.0> : tensor<4xf8E4M3FN>,
      tile.test_expect = dense<[448.0, 448.0, -1.0, 448.0]> : tensor<4xf8E4M3FN>},
    %u: !tile.ptr<f32> {tile.test = dense<0.0> : tensor<4xf32>,
      tile.test_expect = dense<[0x5E808000, 0x5E800001, 0x5F800000, 0x477FF000]> : tensor<4xf32>})
    attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 4 : i64
  %a = tile.block_load %x[%zero] strides [%one] extents [%n] : !tile.ptr<i64> -> tensor<4xi64>
  %0 = tile.cast %a signed : tensor<4xi64> -> tensor<4xbf16>
  %1 = tile.cast %a signed : tensor<4xi64> -> tensor<4xf32>
  %2 = tile.cast %a signed : tensor<4xi64> -> tensor<4xf16>
  %3 = tile.cast %a signed : tensor<4xi64> -> tensor<4xf8E4M3FN>
  %4 = tile.cast %a : tensor<4xi64> -> tensor<4xf32>
  tile.block_store %bf[%zero] strides [%one] extents [%n], %0 : !tile.ptr<bf16>, tensor<4xbf16>
  tile.block_store %f[%zero] strides [%one] extents [%n], %1 : !tile.ptr<f32>, tensor<4xf32>
  tile.block_store %h[%zero] strides [%one] extents [%n], %2 : !tile.ptr<f16>, tensor<4xf16>
  tile.block_store %e[%zero] strides [%one] extents [%n], %3 : !tile.ptr<f8E4M3FN>, tensor<4xf8E4M3FN>
  tile.block_store %u[%zero] strides [%one] extents [%n], %4 : !tile.ptr<f32>, tensor<4xf32>
  return
}

// N8. Between integers: extended by the flag, cut to the low bits; a bool is 0 or 1 whatever the flag says.
func.func @integer_to_integer(
    %x: !tile.ptr<i16> {tile.test = dense<[-1, 300, -32768]> : tensor<3xi16>},
    %out: !tile.ptr<i32> {tile.test = dense<9> : tensor<4x3xi32>,
      tile.test_expect = dense<[[-1, 300, -32768], [65535, 300, 32768], [-1, 44, 0], [1, 1, 1]]> : tensor<4x3xi32>})
    attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  %six = arith.constant 6 : i64
  %nine = arith.constant 9 : i64
  %a = tile.block_load %x[%zero] strides [%one] extents [%three] : !tile.ptr<i16> -> tensor<3xi16>
  %0 = tile.cast %a signed : tensor<3xi16> -> tensor<3xi32>
  %1 = tile.cast %a : tensor<3xi16> -> tensor<3xi32>
  %cut = tile.cast %a : tensor<3xi16> -> tensor<3xi8>
  %2 = tile.cast %cut signed : tensor<3xi8> -> tensor<3xi32>
  %bool = tile.cast %a : tensor<3xi16> -> tensor<3xi1>
  %3 = tile.cast %bool signed : tensor<3xi1> -> tensor<3xi32>
  tile.block_store %out[%zero] strides [%one] extents [%three], %0 : !tile.ptr<i32>, tensor<3xi32>
  tile.block_store %out[%three] strides [%one] extents [%three], %1 : !tile.ptr<i32>, tensor<3xi32>
  tile.block_store %out[%six] strides [%one] extents [%three], %2 : !tile.ptr<i32>, tensor<3xi32>
  tile.block_store %out[%nine] strides [%one] extents [%three], %3 : !tile.ptr<i32>, tensor<3xi32>
  return
}
