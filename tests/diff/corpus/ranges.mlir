// Masks with bounds from both sides, of equality, reversed operands, a condition on the whole tile, and other values.
func.func @both_sides(%out: !tile.ptr<i32> {tile.test = dense<-1> : tensor<10xi32>},
                      %in: !tile.ptr<i32> {tile.test = dense<[10, 11, 12, 13, 14, 15, 16, 17, 18, 19]> : tensor<10xi32>},
                      %lo: i32 {tile.test = 3 : i32}, %hi: i32 {tile.test = 7 : i32})
    attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<10xi32>
  %lo_t = tile.splat %lo : i32 -> tensor<10xi32>
  %hi_t = tile.splat %hi : i32 -> tensor<10xi32>
  %above = arith.cmpi sge, %i, %lo_t : tensor<10xi32>
  %below = arith.cmpi sgt, %hi_t, %i : tensor<10xi32>
  %m = arith.andi %above, %below : tensor<10xi1>
  %p_t = tile.splat %in : !tile.ptr<i32> -> tensor<10x!tile.ptr<i32>>
  %p = tile.addptr %p_t, %i : tensor<10x!tile.ptr<i32>>, tensor<10xi32>
  %other = arith.constant dense<77> : tensor<10xi32>
  %x = tile.load %p mask %m other %other : tensor<10x!tile.ptr<i32>>
  %q_t = tile.splat %out : !tile.ptr<i32> -> tensor<10x!tile.ptr<i32>>
  %q = tile.addptr %q_t, %i : tensor<10x!tile.ptr<i32>>, tensor<10xi32>
  tile.store %q, %x : tensor<10x!tile.ptr<i32>>
  return
}

func.func @one_element(%out: !tile.ptr<i32> {tile.test = dense<-1> : tensor<10xi32>}, %at: i32 {tile.test = 4 : i32},
                       %v: i32 {tile.test = 5 : i32}) attributes {tile.kernel} {
  %i = tile.iota 2 : tensor<7xi32>
  %at_t = tile.splat %at : i32 -> tensor<7xi32>
  %m = arith.cmpi eq, %i, %at_t : tensor<7xi32>
  %v_t = tile.splat %v : i32 -> tensor<7xi32>
  %q_t = tile.splat %out : !tile.ptr<i32> -> tensor<7x!tile.ptr<i32>>
  %q = tile.addptr %q_t, %i : tensor<7x!tile.ptr<i32>>, tensor<7xi32>
  tile.store %q, %v_t mask %m : tensor<7x!tile.ptr<i32>>
  return
}

func.func @condition_on(%out: !tile.ptr<i32> {tile.test = dense<0> : tensor<3xi32>}, %c: i1 {tile.test = true})
    attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<3xi32>
  %c_t = tile.splat %c : i1 -> tensor<3xi1>
  %q_t = tile.splat %out : !tile.ptr<i32> -> tensor<3x!tile.ptr<i32>>
  %q = tile.addptr %q_t, %i : tensor<3x!tile.ptr<i32>>, tensor<3xi32>
  tile.store %q, %i mask %c_t : tensor<3x!tile.ptr<i32>>
  return
}

func.func @condition_off(%out: !tile.ptr<i32> {tile.test = dense<9> : tensor<3xi32>}, %c: i1 {tile.test = false},
                         %lo: i32 {tile.test = 1 : i32}) attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<3xi32>
  %lo_t = tile.splat %lo : i32 -> tensor<3xi32>
  %above = arith.cmpi sge, %i, %lo_t : tensor<3xi32>
  %c_t = tile.splat %c : i1 -> tensor<3xi1>
  %m = arith.andi %above, %c_t : tensor<3xi1>
  %q_t = tile.splat %out : !tile.ptr<i32> -> tensor<3x!tile.ptr<i32>>
  %q = tile.addptr %q_t, %i : tensor<3x!tile.ptr<i32>>, tensor<3xi32>
  tile.store %q, %i mask %m : tensor<3x!tile.ptr<i32>>
  return
}

// An upper bound below the lower one, and one far beyond: nothing, and everything from 1 up.
func.func @empty_and_full(%out: !tile.ptr<i32> {tile.test = dense<9> : tensor<5xi32>}, %lo: i32 {tile.test = 1 : i32},
                          %hi: i32 {tile.test = -2147483648 : i32}, %far: i32 {tile.test = 2147483647 : i32})
    attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<5xi32>
  %lo_t = tile.splat %lo : i32 -> tensor<5xi32>
  %hi_t = tile.splat %hi : i32 -> tensor<5xi32>
  %far_t = tile.splat %far : i32 -> tensor<5xi32>
  %above = arith.cmpi sge, %i, %lo_t : tensor<5xi32>
  %below = arith.cmpi slt, %i, %hi_t : tensor<5xi32>
  %near = arith.cmpi sle, %i, %far_t : tensor<5xi32>
  %none = arith.andi %above, %below : tensor<5xi1>
  %some = arith.andi %above, %near : tensor<5xi1>
  %q_t = tile.splat %out : !tile.ptr<i32> -> tensor<5x!tile.ptr<i32>>
  %q = tile.addptr %q_t, %i : tensor<5x!tile.ptr<i32>>, tensor<5xi32>
  %one = arith.constant dense<1> : tensor<5xi32>
  tile.store %q, %one mask %none : tensor<5x!tile.ptr<i32>>
  tile.store %q, %i mask %some : tensor<5x!tile.ptr<i32>>
  return
}

// Bounds of 64 bits at the far end.
func.func @wide_bound(%out: !tile.ptr<i32> {tile.test = dense<0> : tensor<6xi32>},
                      %n: i64 {tile.test = 9223372036854775807 : i64}, %lo: i64 {tile.test = -9223372036854775808 : i64})
    attributes {tile.kernel} {
  %i = tile.iota 1 : tensor<5xi64>
  %n_t = tile.splat %n : i64 -> tensor<5xi64>
  %lo_t = tile.splat %lo : i64 -> tensor<5xi64>
  %below = arith.cmpi slt, %i, %n_t : tensor<5xi64>
  %above = arith.cmpi sgt, %i, %lo_t : tensor<5xi64>
  %m = arith.andi %below, %above : tensor<5xi1>
  %v = arith.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  %q_t = tile.splat %out : !tile.ptr<i32> -> tensor<5x!tile.ptr<i32>>
  %q = tile.addptr %q_t, %i : tensor<5x!tile.ptr<i32>>, tensor<5xi64>
  tile.store %q, %v mask %m : tensor<5x!tile.ptr<i32>>
  return
}

// What an unsigned comparison hides: the index -1 is not below n.
func.func @unsigned(%out: !tile.ptr<i32> {tile.test = dense<0> : tensor<4xi32>}, %n: i32 {tile.test = 3 : i32},
                    %s: i32 {tile.test = -1 : i32}) attributes {tile.kernel} {
  %iota = tile.iota 0 : tensor<4xi32>
  %s_t = tile.splat %s : i32 -> tensor<4xi32>
  %i = arith.addi %iota, %s_t : tensor<4xi32>
  %n_t = tile.splat %n : i32 -> tensor<4xi32>
  %m = arith.cmpi ult, %i, %n_t : tensor<4xi32>
  %p_t = tile.splat %out : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %p = tile.addptr %p_t, %i : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  %v = arith.constant dense<8> : tensor<4xi32>
  tile.store %p, %v mask %m : tensor<4x!tile.ptr<i32>>
  return
}
