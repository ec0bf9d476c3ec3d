// RUN: pavage-opt %s --split-input-file --verify-diagnostics --pavage-cpu-plan-buffers --pavage-cpu-lower-tiles

// PTX has no meaning on a CPU.
func.func @ptx(%p: !tile.ptr<i32>, %x: i32) attributes {tile.kernel} {
  // expected-error @below {{PV0240: 'tile.inline_ptx' cannot run on the cpu}}
  %y = tile.inline_ptx "popc.b32 $0, $1;" constraints "=r,r" pack 1 pure (%x) : (i32) -> i32
  tile.store %p, %y : !tile.ptr<i32>
  return
}

// -----

// A loop in a combine region would run a different number of rounds in each lane.
func.func @loop(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<7xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = tile.reduce %i axis 0 : (tensor<7xi32>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    // expected-error @below {{PV0240: 'scf.for' cannot run on the cpu}}
    %c = scf.for %k = %c0 to %b step %c1 iter_args(%s = %a) -> (i32) : i32 {
      %t = arith.addi %s, %s : i32
      scf.yield %t : i32
    }
    tile.yield %c : i32
  }
  tile.store %p, %s : !tile.ptr<i32>
  return
}
