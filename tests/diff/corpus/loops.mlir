// Pointer tiles that loops move: up, down, in two steps, in nested loops, with trip counts of several, one and none.
func.func @advance(%out: !tile.ptr<i32> {tile.test = dense<0> : tensor<4xi32>},
                   %in: !tile.ptr<i32> {tile.test = dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]> : tensor<20xi32>},
                   %n: i32 {tile.test = 5 : i32}) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %i = tile.iota 0 : tensor<4xi32>
  %in_t = tile.splat %in : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %p0 = tile.addptr %in_t, %i : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  %acc0 = arith.constant dense<0> : tensor<4xi32>
  %step = arith.constant dense<4> : tensor<4xi32>
  %r:2 = scf.for %k = %zero to %n step %one iter_args(%p = %p0, %acc = %acc0) -> (tensor<4x!tile.ptr<i32>>, tensor<4xi32>) : i32 {
    %x = tile.load %p : tensor<4x!tile.ptr<i32>>
    %sum = arith.addi %acc, %x : tensor<4xi32>
    %q = tile.addptr %p, %step : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
    scf.yield %q, %sum : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  }
  %out_t = tile.splat %out : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %q = tile.addptr %out_t, %i : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  tile.store %q, %r#1 : tensor<4x!tile.ptr<i32>>
  return
}

func.func @index_tile(%out: !tile.ptr<i32> {tile.test = dense<0> : tensor<12xi32>}, %n: i32 {tile.test = 4 : i32},
                      %d: i32 {tile.test = 3 : i32}) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %i0 = tile.iota 0 : tensor<3xi32>
  %d_t = tile.splat %d : i32 -> tensor<3xi32>
  %two = arith.constant dense<2> : tensor<3xi32>
  %out_t = tile.splat %out : !tile.ptr<i32> -> tensor<3x!tile.ptr<i32>>
  %last = scf.for %k = %zero to %n step %one iter_args(%i = %i0) -> tensor<3xi32> : i32 {
    %q = tile.addptr %out_t, %i : tensor<3x!tile.ptr<i32>>, tensor<3xi32>
    %v = tile.splat %k : i32 -> tensor<3xi32>
    tile.store %q, %v : tensor<3x!tile.ptr<i32>>
    %a = arith.addi %d_t, %i : tensor<3xi32>
    %b = arith.addi %a, %two : tensor<3xi32>
    %c = arith.subi %b, %two : tensor<3xi32>
    scf.yield %c : tensor<3xi32>
  }
  return
}

func.func @nested(%out: !tile.ptr<i32> {tile.test = dense<0> : tensor<24xi32>}, %n: i32 {tile.test = 3 : i32},
                  %m: i32 {tile.test = 4 : i32}) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %i = tile.iota 0 : tensor<2xi32>
  %two = arith.constant dense<2> : tensor<2xi64>
  %out_t = tile.splat %out : !tile.ptr<i32> -> tensor<2x!tile.ptr<i32>>
  %q0 = tile.addptr %out_t, %i : tensor<2x!tile.ptr<i32>>, tensor<2xi32>
  %r = scf.for %j = %zero to %n step %one iter_args(%q1 = %q0) -> tensor<2x!tile.ptr<i32>> : i32 {
    %s = scf.for %k = %zero to %m step %one iter_args(%q2 = %q1) -> tensor<2x!tile.ptr<i32>> : i32 {
      %jk = arith.addi %j, %k : i32
      %v = tile.splat %jk : i32 -> tensor<2xi32>
      tile.store %q2, %v : tensor<2x!tile.ptr<i32>>
      %q3 = tile.addptr %q2, %two : tensor<2x!tile.ptr<i32>>, tensor<2xi64>
      scf.yield %q3 : tensor<2x!tile.ptr<i32>>
    }
    scf.yield %s : tensor<2x!tile.ptr<i32>>
  }
  return
}

func.func @zero_trips(%out: !tile.ptr<i32> {tile.test = dense<0> : tensor<3xi32>}, %n: i32 {tile.test = 0 : i32})
    attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %i = tile.iota 0 : tensor<3xi32>
  %one_t = arith.constant dense<1> : tensor<3xi32>
  %out_t = tile.splat %out : !tile.ptr<i32> -> tensor<3x!tile.ptr<i32>>
  %q0 = tile.addptr %out_t, %i : tensor<3x!tile.ptr<i32>>, tensor<3xi32>
  %r = scf.for %k = %zero to %n step %one iter_args(%q = %q0) -> tensor<3x!tile.ptr<i32>> : i32 {
    %next = tile.addptr %q, %one_t : tensor<3x!tile.ptr<i32>>, tensor<3xi32>
    scf.yield %next : tensor<3x!tile.ptr<i32>>
  }
  tile.store %r, %i : tensor<3x!tile.ptr<i32>>
  return
}

// A while loop that stops by data, and a choice of pointers inside a loop: both stay as they are.
func.func @data_dependent(%out: !tile.ptr<i32> {tile.test = dense<0> : tensor<5xi32>},
                          %in: !tile.ptr<i32> {tile.test = dense<[3, 1, 4, 1, 5]> : tensor<5xi32>})
    attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %four = arith.constant 4 : i32
  %five = arith.constant 5 : i32
  %k = scf.while (%i = %zero) : (i32) -> i32 {
    %p = tile.addptr %in, %i : !tile.ptr<i32>, i32
    %x = tile.load %p : !tile.ptr<i32>
    %go = arith.cmpi ne, %x, %four : i32
    scf.condition(%go) %i : i32
  } do {
  ^bb0(%i: i32):
    %next = arith.addi %i, %one : i32
    scf.yield %next : i32
  }
  %last = scf.for %j = %zero to %five step %one iter_args(%p = %out) -> !tile.ptr<i32> : i32 {
    %is = arith.cmpi eq, %j, %k : i32
    %next = scf.if %is -> !tile.ptr<i32> {
      scf.yield %p : !tile.ptr<i32>
    } else {
      tile.store %p, %j : !tile.ptr<i32>
      %q = tile.addptr %p, %one : !tile.ptr<i32>, i32
      scf.yield %q : !tile.ptr<i32>
    }
    scf.yield %next : !tile.ptr<i32>
  }
  return
}
