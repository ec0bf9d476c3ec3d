// Indices that wrap at 32 bits inside a tile, but by luck land in the array: raising them would go far outside.
func.func @wraps_inside(%out: !tile.ptr<i8> {tile.test = dense<0> : tensor<4xi8>}, %s: i32 {tile.test = 1073741824 : i32},
                        %t: i32 {tile.test = 1073741824 : i32}) attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<4xi32>
  %t_t = tile.splat %t : i32 -> tensor<4xi32>
  %s_t = tile.splat %s : i32 -> tensor<4xi32>
  %it = arith.muli %i, %t_t : tensor<4xi32>
  %x = arith.addi %it, %s_t : tensor<4xi32>
  %three = arith.constant dense<3> : tensor<4xi32>
  %only = arith.cmpi eq, %i, %three : tensor<4xi32>
  %p_t = tile.splat %out : !tile.ptr<i8> -> tensor<4x!tile.ptr<i8>>
  %p = tile.addptr %p_t, %x : tensor<4x!tile.ptr<i8>>, tensor<4xi32>
  %v = arith.constant dense<7> : tensor<4xi8>
  tile.store %p, %v mask %only : tensor<4x!tile.ptr<i8>>
  return
}

// A bound comparison where the index passes the largest i32: elements past it are negative, hence below n.
func.func @wraps_in_mask(%out: !tile.ptr<i32> {tile.test = dense<0> : tensor<6xi32>}, %s: i32 {tile.test = 2147483645 : i32},
                         %n: i32 {tile.test = 5 : i32}) attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<6xi32>
  %s_t = tile.splat %s : i32 -> tensor<6xi32>
  %x = arith.addi %i, %s_t : tensor<6xi32>
  %n_t = tile.splat %n : i32 -> tensor<6xi32>
  %m = arith.cmpi slt, %x, %n_t : tensor<6xi32>
  %p_t = tile.splat %out : !tile.ptr<i32> -> tensor<6x!tile.ptr<i32>>
  %p = tile.addptr %p_t, %i : tensor<6x!tile.ptr<i32>>, tensor<6xi32>
  %v = arith.constant dense<1> : tensor<6xi32>
  tile.store %p, %v mask %m : tensor<6x!tile.ptr<i32>>
  return
}

// A tile moved by a loop of narrow integers wraps at their width.
func.func @narrow(%out: !tile.ptr<i8> {tile.test = dense<0> : tensor<3xi8>}, %n: i32 {tile.test = 300 : i32})
    attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant dense<[1, 2, 3]> : tensor<3xi8>
  %step = arith.constant dense<5> : tensor<3xi8>
  %r = scf.for %k = %zero to %n step %one iter_args(%x = %start) -> tensor<3xi8> : i32 {
    %y = arith.addi %x, %step : tensor<3xi8>
    scf.yield %y : tensor<3xi8>
  }
  %i = tile.iota 0 : tensor<3xi32>
  %p_t = tile.splat %out : !tile.ptr<i8> -> tensor<3x!tile.ptr<i8>>
  %p = tile.addptr %p_t, %i : tensor<3x!tile.ptr<i8>>, tensor<3xi32>
  tile.store %p, %r : tensor<3x!tile.ptr<i8>>
  return
}
