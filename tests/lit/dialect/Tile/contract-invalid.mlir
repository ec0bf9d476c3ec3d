// RUN: pavage-opt %s --split-input-file --verify-diagnostics

// (C1) A dot is of matrices.
func.func @dot_c1(%a: tensor<5xf32>, %b: tensor<5xf32>, %c: tensor<1xf32>) {
  // expected-error @below {{expected operands of one rank, 2 or 3, got 'tensor<5xf32>', 'tensor<5xf32>', 'tensor<1xf32>'}}
  %0 = tile.dot %a, %b, %c : tensor<5xf32>, tensor<5xf32>, tensor<1xf32>
  return
}

// -----

// (C1) All have the batch axis or none has.
func.func @dot_c1_batch(%a: tensor<2x3x5xf32>, %b: tensor<5x7xf32>, %c: tensor<2x3x7xf32>) {
  // expected-error @below {{expected operands of one rank, 2 or 3}}
  %0 = tile.dot %a, %b, %c : tensor<2x3x5xf32>, tensor<5x7xf32>, tensor<2x3x7xf32>
  return
}

// -----

// (C2) The inner extents agree.
func.func @dot_c2_inner(%a: tensor<3x5xf32>, %b: tensor<4x7xf32>, %c: tensor<3x7xf32>) {
  // expected-error @below {{expected rhs inner extent 5, got 4}}
  %0 = tile.dot %a, %b, %c : tensor<3x5xf32>, tensor<4x7xf32>, tensor<3x7xf32>
  return
}

// -----

// (C2) The accumulator has the outer ones.
func.func @dot_c2_acc(%a: tensor<3x5xf32>, %b: tensor<5x7xf32>, %c: tensor<7x3xf32>) {
  // expected-error @below {{expected acc of 3x7, got 'tensor<7x3xf32>'}}
  %0 = tile.dot %a, %b, %c : tensor<3x5xf32>, tensor<5x7xf32>, tensor<7x3xf32>
  return
}

// -----

// (C2) The batch extents agree.
func.func @dot_c2_batch(%a: tensor<2x3x5xf32>, %b: tensor<4x5x7xf32>, %c: tensor<2x3x7xf32>) {
  // expected-error @below {{expected batch extent 2 in rhs and acc}}
  %0 = tile.dot %a, %b, %c : tensor<2x3x5xf32>, tensor<4x5x7xf32>, tensor<2x3x7xf32>
  return
}

// -----

// (C3) f16 and bf16 do not mix.
func.func @dot_c3(%a: tensor<3x5xf16>, %b: tensor<5x7xbf16>, %c: tensor<3x7xf32>) {
  // expected-error @below {{does not multiply 'f16' by 'bf16' into 'f32'}}
  %0 = tile.dot %a, %b, %c : tensor<3x5xf16>, tensor<5x7xbf16>, tensor<3x7xf32>
  return
}

// -----

// (C3) f8 is not accumulated in bf16.
func.func @dot_c3_f8(%a: tensor<3x5xf8E5M2>, %b: tensor<5x7xf8E5M2>, %c: tensor<3x7xbf16>) {
  // expected-error @below {{does not multiply 'f8E5M2' by 'f8E5M2' into 'bf16'}}
  %0 = tile.dot %a, %b, %c : tensor<3x5xf8E5M2>, tensor<5x7xf8E5M2>, tensor<3x7xbf16>
  return
}

// -----

// (C3) Of integers only i8.
func.func @dot_c3_i32(%a: tensor<3x5xi32>, %b: tensor<5x7xi32>, %c: tensor<3x7xi32>) {
  // expected-error @below {{does not multiply 'i32' by 'i32' into 'i32'}}
  %0 = tile.dot %a, %b, %c : tensor<3x5xi32>, tensor<5x7xi32>, tensor<3x7xi32>
  return
}

// -----

// (C4) Precision is a question for f32.
func.func @dot_c4(%a: tensor<3x5xf16>, %b: tensor<5x7xf16>, %c: tensor<3x7xf32>) {
  // expected-error @below {{expected f32 operands for precision tf32, got 'f16'}}
  %0 = tile.dot %a, %b, %c precision tf32 : tensor<3x5xf16>, tensor<5x7xf16>, tensor<3x7xf32>
  return
}

// -----

func.func @dot_precision_name(%a: tensor<3x5xf32>, %b: tensor<5x7xf32>, %c: tensor<3x7xf32>) {
  // expected-error @below {{one of the following enum values for attribute 'precision' [default, ieee, tf32, tf32x3, bf16x3, bf16x6]}}
  %0 = tile.dot %a, %b, %c precision fast : tensor<3x5xf32>, tensor<5x7xf32>, tensor<3x7xf32>
  return
}
