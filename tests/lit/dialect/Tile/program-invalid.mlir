// RUN: pavage-opt %s --split-input-file --verify-diagnostics

// A grid has three axes.
func.func @axis() {
  // expected-error @below {{attribute 'axis' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 0 whose maximum value is 2}}
  %0 = tile.program_id 3
  return
}

// -----

func.func @axis_negative() {
  // expected-error @below {{attribute 'axis' failed to satisfy constraint}}
  %0 = tile.num_programs -1
  return
}

// -----

// (C1) One entry for each axis.
func.func @hint_c1(%x: tensor<3x5xi32>) {
  // expected-error @below {{expected 2 entries, got 1}}
  %0 = tile.hint %x contiguity [5] : tensor<3x5xi32>
  return
}

// -----

// (C1) One entry for a scalar.
func.func @hint_c1_scalar(%x: i32) {
  // expected-error @below {{expected 1 entries, got 2}}
  %0 = tile.hint %x divisibility [5, 3] : i32
  return
}

// -----

// (C2) A run has at least one element.
func.func @hint_c2(%x: tensor<3x5xi32>) {
  // expected-error @below {{expected positive entries, got -7}}
  %0 = tile.hint %x constancy [1, -7] : tensor<3x5xi32>
  return
}

// -----

// A promise is about one condition.
func.func @assume_tile(%x: tensor<3xi1>) {
  // expected-error @below {{operand #0 must be 1-bit signless integer, but got 'tensor<3xi1>'}}
  "tile.assume"(%x) : (tensor<3xi1>) -> ()
  return
}

// -----

// (C1) The mask has the condition's shape.
func.func @assert_c1(%c: tensor<3xi1>, %m: i1) {
  // expected-error @below {{expected a mask of type 'tensor<3xi1>', got 'i1'}}
  tile.assert %c mask %m : i1, "text" : tensor<3xi1>
  return
}

// -----

// (C1) Each operand has its sign.
func.func @print_c1(%x: tensor<3xi32>) {
  // expected-error @below {{expected 1 entries in is_signed, got 0}}
  tile.print "x" %x {is_signed = array<i1>} : tensor<3xi32>
  return
}

// -----

// (C1) Operands and results have one shape.
func.func @inline_ptx_c1(%x: tensor<8xi32>) {
  // expected-error @below {{expected operands and results of one shape, got 'tensor<4xi32>'}}
  %0 = tile.inline_ptx "t" constraints "=r,r" pack 1 (%x) : (tensor<8xi32>) -> tensor<4xi32>
  return
}

// -----

// (C2) pack is a power of two.
func.func @inline_ptx_c2(%x: tensor<8xi32>) {
  // expected-error @below {{expected pack to be a positive power of two, got 3}}
  %0 = tile.inline_ptx "t" constraints "=r,r" pack 3 (%x) : (tensor<8xi32>) -> tensor<8xi32>
  return
}

// -----

// (C2) and not 0.
func.func @inline_ptx_c2_zero(%x: tensor<8xi32>) {
  // expected-error @below {{expected pack to be a positive power of two, got 0}}
  %0 = tile.inline_ptx "t" constraints "=r,r" pack 0 (%x) : (tensor<8xi32>) -> tensor<8xi32>
  return
}

// -----

// Attributes of kernels and their arguments.

// expected-error @below {{expected 'tile.kernel' without a value, got 1 : i32}}
func.func @kernel_with_a_value() attributes {tile.kernel = 1 : i32} {
  return
}

// -----

// A program hands out what it computed through pointers.
// expected-error @below {{expected a kernel without results, got 1}}
func.func @kernel_with_a_result() -> i32 attributes {tile.kernel} {
  %0 = arith.constant 0 : i32
  return %0 : i32
}

// -----

func.func @kernel_elsewhere() {
  // expected-error @below {{expected 'tile.kernel' on a function}}
  %0 = arith.constant {tile.kernel} 0 : i32
  return
}

// -----

// expected-error @below {{expected a positive integer as 'tile.num_warps', got 0 : i32}}
func.func @no_warps() attributes {tile.kernel, tile.num_warps = 0 : i32} {
  return
}

// -----

// expected-error @below {{expected a positive integer as 'tile.num_stages', got "two"}}
func.func @stages_in_words() attributes {tile.kernel, tile.num_stages = "two"} {
  return
}

// -----

// expected-error @below {{expected a positive integer as 'tile.num_ctas', got -1 : i64}}
func.func @less_than_no_ctas() attributes {tile.kernel, tile.num_ctas = -1 : i64} {
  return
}

// -----

// expected-error @below {{expected a positive integer as 'tile.maxnreg', got 1.000000e+00 : f32}}
func.func @fraction_of_registers() attributes {tile.kernel, tile.maxnreg = 1.0 : f32} {
  return
}

// -----

// expected-error @below {{argument 1: expected a string that is not empty as 'tile.name', got "" on 'f32'}}
func.func @name_is_empty(%a: i32, %b: f32 {tile.name = ""}) attributes {tile.kernel} {
  return
}

// -----

// expected-error @below {{argument 0: expected a positive integer, on an integer or pointer, as 'tile.divisibility', got 0 : i64 on 'i32'}}
func.func @divisible_by_zero(%a: i32 {tile.divisibility = 0 : i64}) attributes {tile.kernel} {
  return
}

// -----

// expected-error @below {{expected a positive integer, on an integer or pointer, as 'tile.divisibility', got 16 : i64 on 'f32'}}
func.func @divisible_float(%a: f32 {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  return
}

// -----

// expected-error @below {{expected a bool, on an integer or a pointer to integers, as 'tile.signed', got true on '!tile.ptr<f32>'}}
func.func @signed_float(%a: !tile.ptr<f32> {tile.signed = true}) attributes {tile.kernel} {
  return
}

// -----

// expected-error @below {{as 'tile.signed', got 1 : i32 on 'i32'}}
func.func @signed_number(%a: i32 {tile.signed = 1 : i32}) attributes {tile.kernel} {
  return
}

// -----

// expected-error @below {{expected a positive integer, on a pointer, as 'tile.memory', got 1 : i64 on 'i32'}}
func.func @memory_of_a_number(%a: i32 {tile.memory = 1 : i64}) attributes {tile.kernel} {
  return
}

// -----

// expected-error @below {{as 'tile.memory', got 0 : i64 on '!tile.ptr<f32>'}}
func.func @memory_zero(%a: !tile.ptr<f32> {tile.memory = 0 : i64}) attributes {tile.kernel} {
  return
}

// -----

func.func @argument_attribute_elsewhere() {
  // expected-error @below {{expected 'tile.memory' on an argument of a kernel}}
  %0 = arith.constant {tile.memory = 1 : i64} 0 : i32
  return
}
