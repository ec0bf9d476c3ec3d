// RUN: pavage-opt %s --split-input-file --verify-diagnostics

// (C1) A cast keeps the shape.
func.func @cast_c1(%x: tensor<3x5xf32>) {
  // expected-error @below {{all non-scalar operands/results must have the same shape}}
  %0 = tile.cast %x signed : tensor<3x5xf32> -> tensor<5x3xi8>
  return
}

// -----

// (C1) Also between a scalar and a tile of one element.
func.func @cast_c1_scalar(%x: f32) {
  // expected-error @below {{if a result is non-scalar, then at least one operand must be non-scalar}}
  %0 = tile.cast %x : f32 -> tensor<1xf16>
  return
}

// -----

// (C2) Only conversions between floats have a rounding to choose.
func.func @cast_c2(%x: tensor<7xf32>) {
  // expected-error @below {{expected float types for a rounding other than rtne, got 'tensor<7xf32>' and 'tensor<7xi32>'}}
  %0 = tile.cast %x rounding rtz : tensor<7xf32> -> tensor<7xi32>
  return
}

// -----

// A pointer is no number.
func.func @cast_of_pointer(%x: !tile.ptr<f32>) {
  // expected-error @below {{operand #0 must be number or tile of numbers, but got '!tile.ptr<f32>'}}
  %0 = tile.cast %x : !tile.ptr<f32> -> i64
  return
}

// -----

// Division is for integers.
func.func @div_of_floats(%x: tensor<7xf32>) {
  // expected-error @below {{operand #0 must be integer or tile of integers, but got 'tensor<7xf32>'}}
  %0 = tile.div %x, %x : tensor<7xf32>
  return
}

// -----

// A tile has extents of at least 1.
func.func @empty_tile(%x: tensor<0xi32>) {
  // expected-error @below {{operand #0 must be integer or tile of integers, but got 'tensor<0xi32>'}}
  %0 = tile.shl %x, %x : tensor<0xi32>
  return
}

// -----

// A tile has static extents.
func.func @dynamic_tile(%x: tensor<?xi32>) {
  // expected-error @below {{operand #0 must be integer or tile of integers, but got 'tensor<?xi32>'}}
  %0 = tile.rem %x, %x : tensor<?xi32>
  return
}

// -----

// A tensor of rank 0 is no tile; a number is a scalar.
func.func @rank_zero(%x: tensor<i32>) {
  // expected-error @below {{operand #0 must be integer or tile of integers, but got 'tensor<i32>'}}
  %0 = tile.shr %x, %x : tensor<i32>
  return
}

// -----

// Integers have the widths 1, 8, 16, 32 and 64 and no sign.
func.func @odd_width(%x: i24) {
  // expected-error @below {{operand #0 must be integer or tile of integers, but got 'i24'}}
  %0 = tile.shr %x, %x : i24
  return
}

// -----

// expected-error @below {{expected a pointee of i1, i8, i16, i32, i64, f8E4M3FN, f8E5M2, f16, bf16, f32, f64 or a pointer, got 'f80'}}
func.func @pointee(%x: !tile.ptr<f80>) {
  return
}
