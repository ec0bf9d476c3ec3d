// RUN: pavage-opt %s --split-input-file --pavage-test-memory-roots --verify-diagnostics=only-expected

// Roots follow pointer arithmetic and loops; loads and stores tell reads from writes.
// expected-remark @below {{arguments rw, r-, --, --}}
func.func @follows(%out: !tile.ptr<f32>, %in: !tile.ptr<f32>, %unused: !tile.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // expected-remark @below {{roots 0}}
  %last = scf.for %i = %zero to %n step %one iter_args(%p = %out) -> !tile.ptr<f32> : i32 {
    // expected-remark @below {{roots 1}}
    %q = tile.addptr %in, %i : !tile.ptr<f32>, i32
    %x = tile.load %q : !tile.ptr<f32>
    tile.store %p, %x : !tile.ptr<f32>
    // expected-remark @below {{roots 0}}
    %next = tile.addptr %p, %one : !tile.ptr<f32>, i32
    scf.yield %next : !tile.ptr<f32>
  }
  %y = tile.load %last : !tile.ptr<f32>
  return
}

// -----

// A choice has both roots; an atomic reads and writes.
// expected-remark @below {{arguments rw, rw, --}}
func.func @choice(%a: !tile.ptr<i32>, %b: !tile.ptr<i32>, %c: i1) {
  %one = arith.constant 1 : i32
  // expected-remark @below {{roots 0, 1}}
  %p = arith.select %c, %a, %b : !tile.ptr<i32>
  %old = tile.atomic_rmw addi %p, %one : !tile.ptr<i32>
  return
}

// -----

// A pointer made of an integer, or out of memory, may be any: then every argument may be written.
// expected-remark @below {{arguments -w, rw, --}}
func.func @any(%a: !tile.ptr<f32>, %table: !tile.ptr<!tile.ptr<f32>>, %x: f32) {
  // expected-remark @below {{roots any}}
  %p = tile.load %table : !tile.ptr<!tile.ptr<f32>>
  tile.store %p, %x : !tile.ptr<f32>
  return
}

// -----

// A volatile load is kept when unused, but it is no write.
// expected-remark @below {{arguments r-}}
func.func @volatile(%a: !tile.ptr<f32>) {
  %x = tile.load %a volatile : !tile.ptr<f32>
  return
}
