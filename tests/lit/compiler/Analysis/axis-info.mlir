// RUN: pavage-opt %s --split-input-file --pavage-test-axis-info --verify-diagnostics=only-expected

// Aligned power-of-two blocks have whole runs: a multiple of 128 plus 0 .. 127 crosses no wrap.
func.func @aligned_block() -> tensor<128xi32> {
  // expected-remark @below {{contiguity [1] divisibility [1] constancy [1] nonnegative}}
  %pid = tile.program_id 0
  // expected-remark @below {{constancy [1] nonnegative constant 128}}
  %size = arith.constant 128 : i32
  // expected-remark @below {{contiguity [1] divisibility [128] constancy [1]}}
  %start = arith.muli %pid, %size : i32
  // expected-remark @below {{contiguity [128] divisibility [any] constancy [1] nonnegative}}
  %iota = tile.iota 0 : tensor<128xi32>
  // expected-remark @below {{contiguity [1] divisibility [128] constancy [128]}}
  %tile = tile.splat %start : i32 -> tensor<128xi32>
  // expected-remark @below {{contiguity [128] divisibility [128] constancy [1]}}
  %sum = arith.addi %tile, %iota : tensor<128xi32>
  return %sum : tensor<128xi32>
}

// -----

// Blocks of 1000 may wrap inside: only runs of 8, the power of two in 1000, are sure.
func.func @odd_block() -> tensor<1000xi32> {
  // expected-remark @below {{divisibility [1]}}
  %pid = tile.program_id 0
  // expected-remark @below {{divisibility [8]}}
  %size = arith.constant 1000 : i32
  // expected-remark @below {{divisibility [8]}}
  %start = arith.muli %pid, %size : i32
  // expected-remark @below {{contiguity [1000]}}
  %iota = tile.iota 0 : tensor<1000xi32>
  // expected-remark @below {{constancy [1000]}}
  %tile = tile.splat %start : i32 -> tensor<1000xi32>
  // expected-remark @below {{contiguity [8] divisibility [8] constancy [1]}}
  %sum = arith.addi %tile, %iota : tensor<1000xi32>
  return %sum : tensor<1000xi32>
}

// -----

// In 64 bits addresses wrap where indices do, so runs stay whole; divisibility of a pointer is in bytes.
func.func @pointers(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %s: i64) -> tensor<6x!tile.ptr<f32>> {
  // expected-remark @below {{contiguity [6] divisibility [any]}}
  %iota = tile.iota 0 : tensor<6xi64>
  // expected-remark @below {{constancy [6]}}
  %s_t = tile.splat %s : i64 -> tensor<6xi64>
  // expected-remark @below {{contiguity [6] divisibility [1] constancy [1]}}
  %i = arith.addi %s_t, %iota : tensor<6xi64>
  // expected-remark @below {{contiguity [1] divisibility [16] constancy [6]}}
  %p_t = tile.splat %p : !tile.ptr<f32> -> tensor<6x!tile.ptr<f32>>
  // expected-remark @below {{contiguity [6] divisibility [4] constancy [1]}}
  %q = tile.addptr %p_t, %i : tensor<6x!tile.ptr<f32>>, tensor<6xi64>
  return %q : tensor<6x!tile.ptr<f32>>
}

// -----

// Rows of a matrix: along a row runs as long as the row stride's divisibility allows, along a column equal steps.
func.func @matrix(%stride: i32 {tile.divisibility = 16 : i64}) -> tensor<3x32xi32> {
  // expected-remark @below {{contiguity [3]}}
  %r = tile.iota 0 : tensor<3xi32>
  // expected-remark @below {{contiguity [3, 1] divisibility [any, 1] constancy [1, 1] nonnegative}}
  %r1 = tile.expand_dims %r axis 1 : tensor<3xi32> -> tensor<3x1xi32>
  // expected-remark @below {{divisibility [16, 16] constancy [3, 1]}}
  %s = tile.splat %stride : i32 -> tensor<3x1xi32>
  // expected-remark @below {{contiguity [1, 1] divisibility [16, 16] constancy [1, 1]}}
  %rs = arith.muli %r1, %s : tensor<3x1xi32>
  // expected-remark @below {{contiguity [1, 1] divisibility [16, 16] constancy [1, 32]}}
  %rb = tile.broadcast %rs : tensor<3x1xi32> -> tensor<3x32xi32>
  // expected-remark @below {{contiguity [32]}}
  %c = tile.iota 0 : tensor<32xi32>
  // expected-remark @below {{contiguity [1, 32] divisibility [1, any] constancy [1, 1] nonnegative}}
  %c1 = tile.expand_dims %c axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  // expected-remark @below {{contiguity [1, 32] divisibility [1, any] constancy [3, 1] nonnegative}}
  %cb = tile.broadcast %c1 : tensor<1x32xi32> -> tensor<3x32xi32>
  // expected-remark @below {{contiguity [1, 16] divisibility [1, 16] constancy [1, 1]}}
  %x = arith.addi %rb, %cb : tensor<3x32xi32>
  // expected-remark @below {{contiguity [16, 1] divisibility [16, 1] constancy [1, 1]}}
  %y = tile.trans %x order [1, 0] : tensor<3x32xi32> -> tensor<32x3xi32>
  return %x : tensor<3x32xi32>
}

// -----

// Masks: a bound that is a multiple of 16 cuts runs of 16 nowhere; any other bound may.
func.func @masks(%n: i32 {tile.divisibility = 16 : i64}, %m: i32) -> (tensor<64xi1>, tensor<64xi1>) {
  // expected-remark @below {{contiguity [64]}}
  %i = tile.iota 0 : tensor<64xi32>
  // expected-remark @below {{divisibility [16]}}
  %n_t = tile.splat %n : i32 -> tensor<64xi32>
  // expected-remark @below {{constancy [16]}}
  %a = arith.cmpi slt, %i, %n_t : tensor<64xi32>
  // expected-remark @below {{divisibility [1]}}
  %m_t = tile.splat %m : i32 -> tensor<64xi32>
  // expected-remark @below {{constancy [1]}}
  %b = arith.cmpi slt, %i, %m_t : tensor<64xi32>
  return %a, %b : tensor<64xi1>, tensor<64xi1>
}

// -----

// Quotients and remainders of numbers from zero up fall into runs; of numbers of unknown sign they may not.
func.func @quotients(%x: tensor<32xi32>) -> tensor<32xi32> {
  // expected-remark @below {{contiguity [32] divisibility [any] constancy [1] nonnegative}}
  %i = tile.iota 0 : tensor<32xi32>
  // expected-remark @below {{constant 8}}
  %eight = arith.constant dense<8> : tensor<32xi32>
  // expected-remark @below {{contiguity [1] divisibility [1] constancy [8] nonnegative}}
  %q = tile.div %i, %eight signed : tensor<32xi32>
  // expected-remark @below {{contiguity [8] divisibility [any] constancy [1] nonnegative}}
  %r = tile.rem %i, %eight signed : tensor<32xi32>
  // expected-remark @below {{contiguity [1] divisibility [1] constancy [1]}}
  %s = tile.div %x, %eight signed : tensor<32xi32>
  // expected-remark @below {{contiguity [1] divisibility [1] constancy [1]}}
  %t = tile.rem %x, %eight signed : tensor<32xi32>
  return %q : tensor<32xi32>
}

// -----

// What a loop carries keeps what the initial value and every step have in common.
func.func @loop(%p: !tile.ptr<f32> {tile.divisibility = 64 : i64}, %n: i32) -> tensor<8x!tile.ptr<f32>> {
  // expected-remark @below {{constant 0}}
  %zero = arith.constant 0 : i32
  // expected-remark @below {{constant 4}}
  %four = arith.constant 4 : i32
  // expected-remark @below {{contiguity [8]}}
  %i = tile.iota 0 : tensor<8xi32>
  // expected-remark @below {{divisibility [64]}}
  %p_t = tile.splat %p : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  // expected-remark @below {{contiguity [8] divisibility [64]}}
  %p0 = tile.addptr %p_t, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  // expected-remark @below {{contiguity [8] divisibility [16]}}
  %r = scf.for %k = %zero to %n step %four iter_args(%q = %p0) -> tensor<8x!tile.ptr<f32>> : i32 {
    // expected-remark @below {{divisibility [4] constancy [8] nonnegative}}
    %k_t = tile.splat %k : i32 -> tensor<8xi32>
    // expected-remark @below {{contiguity [8] divisibility [16]}}
    %next = tile.addptr %q, %k_t : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
    scf.yield %next : tensor<8x!tile.ptr<f32>>
  }
  return %r : tensor<8x!tile.ptr<f32>>
}

// -----

// A new axis of extent 1 leaves the runs of the others; rows of a reshaped line keep the runs that they hold whole.
func.func @reshapes() -> (tensor<1x64x1xi32>, tensor<4x16xi32>, tensor<16x4xi32>) {
  %iota = tile.iota 0 : tensor<64xi32>
  // expected-remark @below {{contiguity [1, 64, 1] divisibility [1, any, 1] constancy [1, 1, 1] nonnegative}}
  %a = tile.reshape %iota : tensor<64xi32> -> tensor<1x64x1xi32>
  // expected-remark @below {{contiguity [1, 16] divisibility [1, 16] constancy [1, 1] nonnegative}}
  %b = tile.reshape %iota : tensor<64xi32> -> tensor<4x16xi32>
  // expected-remark @below {{contiguity [1, 4] divisibility [1, 4] constancy [1, 1] nonnegative}}
  %c = tile.reshape %b : tensor<4x16xi32> -> tensor<16x4xi32>
  return %a, %b, %c : tensor<1x64x1xi32>, tensor<4x16xi32>, tensor<16x4xi32>
}
