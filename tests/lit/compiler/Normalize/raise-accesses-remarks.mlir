// RUN: pavage-opt %s --split-input-file --pavage-raise-accesses --remarks-filter=raise-accesses --verify-diagnostics

// The shape of a block that was found.
func.func @raised(%p: !tile.ptr<f32>) -> tensor<3xf32> {
  %r = tile.iota 0 : tensor<3xi32>
  %p_t = tile.splat %p : !tile.ptr<f32> -> tensor<3x!tile.ptr<f32>>
  %q = tile.addptr %p_t, %r : tensor<3x!tile.ptr<f32>>, tensor<3xi32>
  // expected-remark @below {{load of a 3 block}}
  %x = tile.load %q : tensor<3x!tile.ptr<f32>>
  return %x : tensor<3xf32>
}

// -----

// The op in the way.
func.func @not_linear(%p: !tile.ptr<f32>, %n: i32) -> tensor<3xf32> {
  %r = tile.iota 0 : tensor<3xi32>
  %n_t = tile.splat %n : i32 -> tensor<3xi32>
  %i = tile.rem %r, %n_t signed : tensor<3xi32>
  %p_t = tile.splat %p : !tile.ptr<f32> -> tensor<3x!tile.ptr<f32>>
  %q = tile.addptr %p_t, %i : tensor<3x!tile.ptr<f32>>, tensor<3xi32>
  // expected-remark @below {{'tile.rem' is not linear}}
  %x = tile.load %q : tensor<3x!tile.ptr<f32>>
  return %x : tensor<3xf32>
}

// -----

// A wrap that cannot be ruled out, in the address.
func.func @may_wrap(%p: !tile.ptr<f32>, %s: i32, %x: tensor<3xf32>) {
  %r = tile.iota 0 : tensor<3xi32>
  %s_t = tile.splat %s : i32 -> tensor<3xi32>
  %i = arith.addi %r, %s_t : tensor<3xi32>
  %p_t = tile.splat %p : !tile.ptr<f32> -> tensor<3x!tile.ptr<f32>>
  %q = tile.addptr %p_t, %i : tensor<3x!tile.ptr<f32>>, tensor<3xi32>
  // expected-remark @below {{the index may wrap at 32 bits inside the tile}}
  tile.store %q, %x : tensor<3x!tile.ptr<f32>>
  return
}

// -----

// A tile that a loop carries.
func.func @carried(%p0: tensor<3x!tile.ptr<f32>>, %d: tensor<3xi32>, %lo: i32, %hi: i32, %step: i32) {
  %r = scf.for %i = %lo to %hi step %step iter_args(%p = %p0) -> tensor<3x!tile.ptr<f32>> : i32 {
    // expected-remark @below {{the tile is carried by a loop}}
    %x = tile.load %p volatile : tensor<3x!tile.ptr<f32>>
    %q = tile.addptr %p, %d : tensor<3x!tile.ptr<f32>>, tensor<3xi32>
    scf.yield %q : tensor<3x!tile.ptr<f32>>
  }
  return
}
