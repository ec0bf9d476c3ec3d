// A matrix read by rows and written transposed, with bounds on both axes; constant strides, so that the index is proven.
func.func @transpose(%out: !tile.ptr<i32> {tile.test = dense<-1> : tensor<5x3xi32>},
                     %in: !tile.ptr<i32> {tile.test = dense<[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15]]> : tensor<3x5xi32>},
                     %m: i32 {tile.test = 2 : i32}, %n: i32 {tile.test = 4 : i32}) attributes {tile.kernel} {
  %r = tile.iota 0 : tensor<3xi32>
  %c = tile.iota 0 : tensor<5xi32>
  %r1 = tile.expand_dims %r axis 1 : tensor<3xi32> -> tensor<3x1xi32>
  %c1 = tile.expand_dims %c axis 0 : tensor<5xi32> -> tensor<1x5xi32>
  %five = arith.constant dense<5> : tensor<3x1xi32>
  %r5 = arith.muli %r1, %five : tensor<3x1xi32>
  %rb = tile.broadcast %r5 : tensor<3x1xi32> -> tensor<3x5xi32>
  %cb = tile.broadcast %c1 : tensor<1x5xi32> -> tensor<3x5xi32>
  %i = arith.addi %rb, %cb : tensor<3x5xi32>
  %m_t = tile.splat %m : i32 -> tensor<3x1xi32>
  %n_t = tile.splat %n : i32 -> tensor<1x5xi32>
  %rm = arith.cmpi slt, %r1, %m_t : tensor<3x1xi32>
  %cm = arith.cmpi slt, %c1, %n_t : tensor<1x5xi32>
  %rmb = tile.broadcast %rm : tensor<3x1xi1> -> tensor<3x5xi1>
  %cmb = tile.broadcast %cm : tensor<1x5xi1> -> tensor<3x5xi1>
  %mask = arith.andi %rmb, %cmb : tensor<3x5xi1>
  %in_t = tile.splat %in : !tile.ptr<i32> -> tensor<3x5x!tile.ptr<i32>>
  %p = tile.addptr %in_t, %i : tensor<3x5x!tile.ptr<i32>>, tensor<3x5xi32>
  %x = tile.load %p mask %mask : tensor<3x5x!tile.ptr<i32>>
  %y = tile.trans %x order [1, 0] : tensor<3x5xi32> -> tensor<5x3xi32>
  %three = arith.constant dense<3> : tensor<1x5xi32>
  %c3 = arith.muli %c1, %three : tensor<1x5xi32>
  %ct = tile.trans %c3 order [1, 0] : tensor<1x5xi32> -> tensor<5x1xi32>
  %rt = tile.trans %r1 order [1, 0] : tensor<3x1xi32> -> tensor<1x3xi32>
  %cbt = tile.broadcast %ct : tensor<5x1xi32> -> tensor<5x3xi32>
  %rbt = tile.broadcast %rt : tensor<1x3xi32> -> tensor<5x3xi32>
  %j = arith.addi %cbt, %rbt : tensor<5x3xi32>
  %maskt = tile.trans %mask order [1, 0] : tensor<3x5xi1> -> tensor<5x3xi1>
  %out_t = tile.splat %out : !tile.ptr<i32> -> tensor<5x3x!tile.ptr<i32>>
  %q = tile.addptr %out_t, %j : tensor<5x3x!tile.ptr<i32>>, tensor<5x3xi32>
  tile.store %q, %y mask %maskt : tensor<5x3x!tile.ptr<i32>>
  return
}

// Strides only the launch knows, backwards over the columns.
func.func @strides(%out: !tile.ptr<i32> {tile.test = dense<0> : tensor<3x4xi32>},
                   %in: !tile.ptr<i32> {tile.test = dense<[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]> : tensor<3x4xi32>},
                   %sr: i64 {tile.test = 4 : i64}, %sc: i64 {tile.test = -1 : i64}) attributes {tile.kernel} {
  %r = tile.iota 0 : tensor<3xi64>
  %c = tile.iota 0 : tensor<4xi64>
  %r1 = tile.expand_dims %r axis 1 : tensor<3xi64> -> tensor<3x1xi64>
  %c1 = tile.expand_dims %c axis 0 : tensor<4xi64> -> tensor<1x4xi64>
  %sr_t = tile.splat %sr : i64 -> tensor<3x1xi64>
  %sc_t = tile.splat %sc : i64 -> tensor<1x4xi64>
  %rs = arith.muli %r1, %sr_t : tensor<3x1xi64>
  %cs = arith.muli %c1, %sc_t : tensor<1x4xi64>
  %rb = tile.broadcast %rs : tensor<3x1xi64> -> tensor<3x4xi64>
  %cb = tile.broadcast %cs : tensor<1x4xi64> -> tensor<3x4xi64>
  %i = arith.addi %rb, %cb : tensor<3x4xi64>
  %three = arith.constant 3 : i64
  %last = tile.addptr %in, %three : !tile.ptr<i32>, i64
  %in_t = tile.splat %last : !tile.ptr<i32> -> tensor<3x4x!tile.ptr<i32>>
  %p = tile.addptr %in_t, %i : tensor<3x4x!tile.ptr<i32>>, tensor<3x4xi64>
  %x = tile.load %p : tensor<3x4x!tile.ptr<i32>>
  %four = arith.constant dense<4> : tensor<3x1xi64>
  %r4 = arith.muli %r1, %four : tensor<3x1xi64>
  %r4b = tile.broadcast %r4 : tensor<3x1xi64> -> tensor<3x4xi64>
  %cb1 = tile.broadcast %c1 : tensor<1x4xi64> -> tensor<3x4xi64>
  %j = arith.addi %r4b, %cb1 : tensor<3x4xi64>
  %out_t = tile.splat %out : !tile.ptr<i32> -> tensor<3x4x!tile.ptr<i32>>
  %q = tile.addptr %out_t, %j : tensor<3x4x!tile.ptr<i32>>, tensor<3x4xi64>
  tile.store %q, %x : tensor<3x4x!tile.ptr<i32>>
  return
}
