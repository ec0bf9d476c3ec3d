// RUN: pavage-opt %s --split-input-file --pavage-verify-stage --verify-diagnostics

// A kernel of all that a tile program may hold.
func.func @good(%p: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %x = tile.load %p : !tile.ptr<f32>
  scf.for %i = %zero to %n step %n : i32 {
    %y = math.exp %x : f32
    tile.store %p, %y : !tile.ptr<f32>
  }
  return
}

// -----

// A recursive call stays a call: the author's mistake, with a number.
func.func @recursive(%n: i32) {
  // expected-error @below {{PV0203: call of 'recursive' cannot be inlined}}
  call @recursive(%n) : (i32) -> ()
  return
}

// -----

// An op of a later stage.
func.func @early(%n: index) {
  // expected-error @below {{is not an op of the stage 'tile'}}
  %x = memref.alloc(%n) : memref<?xf32>
  return
}

// -----

// A type that no tile has.
func.func @wide(%a: i32) {
  // expected-error @below {{has a result of type 'i128', which no tile program has}}
  %x = arith.extsi %a : i32 to i128
  return
}
