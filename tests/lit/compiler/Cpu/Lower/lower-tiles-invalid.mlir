// RUN: pavage-opt %s --split-input-file --verify-diagnostics --pavage-cpu-plan-buffers --pavage-cpu-lower-tiles

// PTX has no meaning on a CPU.
func.func @ptx(%p: !tile.ptr<i32>, %x: i32) attributes {tile.kernel} {
  // expected-error @below {{PV0240: 'tile.inline_ptx' cannot run on the cpu}}
  %y = tile.inline_ptx "popc.b32 $0, $1;" constraints "=r,r" pack 1 pure (%x) : (i32) -> i32
  tile.store %p, %y : !tile.ptr<i32>
  return
}

