// RUN: pavage-opt %s --split-input-file --verify-diagnostics

// (C1) Each pointer has its offset.
func.func @addptr_c1(%p: tensor<3x!tile.ptr<f32>>, %i: i32) {
  // expected-error @below {{expected an offset of the pointer's shape, got 'i32' for 'tensor<3x!tile.ptr<f32>>'}}
  %0 = tile.addptr %p, %i : tensor<3x!tile.ptr<f32>>, i32
  return
}

// -----

// (C1) A bitcast keeps the shape.
func.func @bitcast_c1(%p: tensor<3x!tile.ptr<f32>>) {
  // expected-error @below {{all non-scalar operands/results must have the same shape}}
  %0 = tile.bitcast %p : tensor<3x!tile.ptr<f32>> -> tensor<4xi64>
  return
}

// -----

// (C2) Numbers are arith.bitcast's.
func.func @bitcast_c2(%x: i64) {
  // expected-error @below {{expected a pointer and a pointer or i64, got 'i64' and 'i64'}}
  %0 = tile.bitcast %x : i64 -> i64
  return
}

// -----

// (C2) An address has 64 bits.
func.func @bitcast_c2_width(%p: !tile.ptr<f32>) {
  // expected-error @below {{expected a pointer and a pointer or i64, got '!tile.ptr<f32>' and 'i32'}}
  %0 = tile.bitcast %p : !tile.ptr<f32> -> i32
  return
}

// -----

// (C1) The mask has the pointer's shape.
func.func @load_c1(%p: tensor<3x!tile.ptr<f32>>, %m: tensor<4xi1>) {
  // expected-error @below {{expected a mask of type 'tensor<3xi1>', got 'tensor<4xi1>'}}
  %0 = "tile.load"(%p, %m) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<3x!tile.ptr<f32>>, tensor<4xi1>) -> tensor<3xf32>
  return
}

// -----

// (C2) other is for lanes that are masked off.
func.func @load_c2(%p: tensor<3x!tile.ptr<f32>>, %o: tensor<3xf32>) {
  // expected-error @below {{expected a mask where other is given}}
  %0 = tile.load %p other %o : tensor<3x!tile.ptr<f32>>
  return
}

// -----

// (C2) other has the result's type.
func.func @load_c2_type(%p: tensor<3x!tile.ptr<f32>>, %m: tensor<3xi1>, %o: f32) {
  // expected-error @below {{expected other of type 'tensor<3xf32>', got 'f32'}}
  %0 = "tile.load"(%p, %m, %o) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<3x!tile.ptr<f32>>, tensor<3xi1>, f32) -> tensor<3xf32>
  return
}

// -----

// (C3) What is read is what the pointer points to.
func.func @load_c3(%p: tensor<3x!tile.ptr<f32>>) {
  // expected-error @below {{expected a result of type 'tensor<3xf32>', got 'tensor<3xi32>'}}
  %0 = "tile.load"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<3x!tile.ptr<f32>>) -> tensor<3xi32>
  return
}

// -----

// Reading the pretty form wants a pointer.
func.func @load_type(%p: tensor<3x!tile.ptr<f32>>) {
  // expected-error @below {{expected a pointer or a tile of pointers, got 'tensor<3xf32>'}}
  %0 = tile.load %p : tensor<3xf32>
  return
}

// -----

// (C1) What is written is what the pointer points to.
func.func @store_c1(%p: tensor<3x!tile.ptr<f32>>, %v: tensor<3xf16>) {
  // expected-error @below {{expected a value of type 'tensor<3xf32>', got 'tensor<3xf16>'}}
  "tile.store"(%p, %v) : (tensor<3x!tile.ptr<f32>>, tensor<3xf16>) -> ()
  return
}

// -----

// (C2) The mask has the pointer's shape.
func.func @store_c2(%p: tensor<3x!tile.ptr<f32>>, %v: tensor<3xf32>, %m: i1) {
  // expected-error @below {{expected a mask of type 'tensor<3xi1>', got 'i1'}}
  "tile.store"(%p, %v, %m) : (tensor<3x!tile.ptr<f32>>, tensor<3xf32>, i1) -> ()
  return
}

// -----

// (C1) The operand is of the type in memory.
func.func @atomic_rmw_c1(%p: !tile.ptr<i32>, %v: i64) {
  // expected-error @below {{expected a value of type 'i32', got 'i64'}}
  %0 = "tile.atomic_rmw"(%p, %v) <{kind = 0 : i32}> : (!tile.ptr<i32>, i64) -> i32
  return
}

// -----

// (C2) The mask has the pointer's shape.
func.func @atomic_rmw_c2(%p: !tile.ptr<i32>, %v: i32, %m: tensor<1xi1>) {
  // expected-error @below {{expected a mask of type 'i1', got 'tensor<1xi1>'}}
  %0 = "tile.atomic_rmw"(%p, %v, %m) <{kind = 0 : i32}> : (!tile.ptr<i32>, i32, tensor<1xi1>) -> i32
  return
}

// -----

// (C3) Integers are added as integers.
func.func @atomic_rmw_c3(%p: !tile.ptr<i32>, %v: i32) {
  // expected-error @below {{has no addf of 'i32'}}
  %0 = tile.atomic_rmw addf %p, %v : !tile.ptr<i32>
  return
}

// -----

// (C3) There is no exclusive or of floats.
func.func @atomic_rmw_c3_float(%p: !tile.ptr<f32>, %v: f32) {
  // expected-error @below {{has no xor of 'f32'}}
  %0 = tile.atomic_rmw xor %p, %v : !tile.ptr<f32>
  return
}

// -----

// (C3) f8 is for storage.
func.func @atomic_rmw_c3_f8(%p: !tile.ptr<f8E5M2>, %v: f8E5M2) {
  // expected-error @below {{has no xchg of 'f8E5M2'}}
  %0 = tile.atomic_rmw xchg %p, %v : !tile.ptr<f8E5M2>
  return
}

// -----

// (C1) The new value is of the type in memory.
func.func @atomic_cas_c1(%p: !tile.ptr<i32>, %v: i64) {
  // expected-error @below {{expected a value of type 'i32', got 'i64'}}
  %0 = tile.atomic_cas %p, %v, %v : !tile.ptr<i32>, i64
  return
}

// -----

// (C1) of at least 16 bits.
func.func @atomic_cas_c1_width(%p: !tile.ptr<i8>, %v: i8) {
  // expected-error @below {{expected elements of 16, 32 or 64 bits, got 'i8'}}
  %0 = tile.atomic_cas %p, %v, %v : !tile.ptr<i8>, i8
  return
}

// -----

// (C1) An offset, a stride and an extent for each axis.
func.func @block_load_c1(%p: !tile.ptr<f32>, %i: i64) {
  // expected-error @below {{expected 2 offsets, strides and extents, got 2, 1 and 2}}
  %0 = tile.block_load %p[%i, %i] strides [%i] extents [%i, %i] : !tile.ptr<f32> -> tensor<3x5xf32>
  return
}

// -----

// (C2) checked names axes.
func.func @block_load_c2(%p: !tile.ptr<f32>, %i: i64) {
  // expected-error @below {{expected ascending axes below 2 in checked, got 2}}
  %0 = tile.block_load %p[%i, %i] strides [%i, %i] extents [%i, %i] checked [0, 2] : !tile.ptr<f32> -> tensor<3x5xf32>
  return
}

// -----

// (C2) in order, once each.
func.func @block_load_c2_order(%p: !tile.ptr<f32>, %i: i64) {
  // expected-error @below {{expected ascending axes below 2 in checked, got 1}}
  %0 = tile.block_load %p[%i, %i] strides [%i, %i] extents [%i, %i] checked [1, 1] : !tile.ptr<f32> -> tensor<3x5xf32>
  return
}

// -----

// (C3) What is read is what the pointer points to.
func.func @block_load_c3(%p: !tile.ptr<f32>, %i: i64) {
  // expected-error @below {{expected elements of type 'f32', got 'f16'}}
  %0 = tile.block_load %p[%i] strides [%i] extents [%i] : !tile.ptr<f32> -> tensor<5xf16>
  return
}

// -----

// (C4) other is one element.
func.func @block_load_c4(%p: !tile.ptr<f32>, %i: i64, %o: f64) {
  // expected-error @below {{expected other of type 'f32', got 'f64'}}
  %0 = tile.block_load %p[%i] strides [%i] extents [%i] checked [0] other %o : f64 : !tile.ptr<f32> -> tensor<5xf32>
  return
}

// -----

// (C1) An offset, a stride and an extent for each axis.
func.func @block_store_c1(%p: !tile.ptr<f32>, %i: i64, %x: tensor<3x5xf32>) {
  // expected-error @below {{expected 2 offsets, strides and extents, got 1, 2 and 2}}
  tile.block_store %p[%i] strides [%i, %i] extents [%i, %i], %x : !tile.ptr<f32>, tensor<3x5xf32>
  return
}

// -----

// (C2) checked names axes.
func.func @block_store_c2(%p: !tile.ptr<f32>, %i: i64, %x: tensor<5xf32>) {
  // expected-error @below {{expected ascending axes below 1 in checked, got -1}}
  tile.block_store %p[%i] strides [%i] extents [%i] checked [-1], %x : !tile.ptr<f32>, tensor<5xf32>
  return
}

// -----

// (C3) What is written is what the pointer points to.
func.func @block_store_c3(%p: !tile.ptr<f32>, %i: i64, %x: tensor<5xi32>) {
  // expected-error @below {{expected elements of type 'f32', got 'i32'}}
  tile.block_store %p[%i] strides [%i] extents [%i], %x : !tile.ptr<f32>, tensor<5xi32>
  return
}
