// Multiplications and additions of small whole numbers, which are exact however they are rounded.
func.func @multiply_add(%x: tensor<5xf32> {tile.test = dense<[1.0, 2.0, -3.0, 4.0, 0.0]> : tensor<5xf32>},
                        %y: tensor<5xf32> {tile.test = dense<[5.0, -6.0, 7.0, 8.0, -0.0]> : tensor<5xf32>},
                        %z: tensor<5xf32> {tile.test = dense<[9.0, 10.0, 11.0, -12.0, -0.0]> : tensor<5xf32>})
    -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) {
  %a = arith.mulf %x, %y : tensor<5xf32>
  %b = arith.addf %a, %z : tensor<5xf32>
  %c = arith.mulf %y, %z : tensor<5xf32>
  %d = arith.subf %x, %c : tensor<5xf32>
  %e = arith.mulf %x, %z : tensor<5xf32>
  %f = arith.subf %e, %y : tensor<5xf32>
  %g = arith.addf %e, %y : tensor<5xf32>
  return %b, %d, %f, %g : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

// Tiles that are the same everywhere, through shapes, choices and conversions.
func.func @uniform(%a: i32 {tile.test = 7 : i32}, %b: i32 {tile.test = -3 : i32}, %c: i1 {tile.test = true})
    -> (tensor<3x2xi32>, tensor<3x2xf32>, tensor<2xi1>) {
  %a_t = tile.splat %a : i32 -> tensor<3x1xi32>
  %b_t = tile.splat %b : i32 -> tensor<3x2xi32>
  %a_b = tile.broadcast %a_t : tensor<3x1xi32> -> tensor<3x2xi32>
  %sum = arith.addi %a_b, %b_t : tensor<3x2xi32>
  %quotient = tile.div %sum, %b_t signed : tensor<3x2xi32>
  %c_t = tile.splat %c : i1 -> tensor<3x2xi1>
  %chosen = arith.select %c_t, %quotient, %sum : tensor<3x2xi1>, tensor<3x2xi32>
  %float = tile.cast %chosen signed : tensor<3x2xi32> -> tensor<3x2xf32>
  %half = arith.constant dense<0.5> : tensor<3x2xf32>
  %product = arith.mulf %float, %half : tensor<3x2xf32>
  %a_2 = tile.splat %a : i32 -> tensor<2xi32>
  %ten = arith.constant dense<10> : tensor<2xi32>
  %less = arith.cmpi slt, %a_2, %ten : tensor<2xi32>
  return %chosen, %product, %less : tensor<3x2xi32>, tensor<3x2xf32>, tensor<2xi1>
}

// Masks that ranges decide, and a value chosen for masked-off elements.
func.func @masks(%in: !tile.ptr<i32> {tile.test = dense<[1, 2, 3, 4, 5, 6, 7]> : tensor<7xi32>}, %n: i32 {tile.test = 4 : i32})
    -> (tensor<7xi32>, tensor<7xi32>, tensor<7xi1>) {
  %i = tile.iota 0 : tensor<7xi32>
  %seven = arith.constant dense<7> : tensor<7xi32>
  %all = arith.cmpi slt, %i, %seven : tensor<7xi32>
  %six = arith.constant dense<6> : tensor<7xi32>
  %most = arith.cmpi slt, %i, %six : tensor<7xi32>
  %p_t = tile.splat %in : !tile.ptr<i32> -> tensor<7x!tile.ptr<i32>>
  %p = tile.addptr %p_t, %i : tensor<7x!tile.ptr<i32>>, tensor<7xi32>
  %x = tile.load %p mask %all : tensor<7x!tile.ptr<i32>>
  %n_t = tile.splat %n : i32 -> tensor<7xi32>
  %m = arith.cmpi slt, %i, %n_t : tensor<7xi32>
  %y = tile.load %p mask %m : tensor<7x!tile.ptr<i32>>
  %z = arith.select %m, %y, %seven : tensor<7xi1>, tensor<7xi32>
  return %x, %z, %most : tensor<7xi32>, tensor<7xi32>, tensor<7xi1>
}

// Rows wrapped by a remainder, as matrix kernels do, are no box.
func.func @remainder(%in: !tile.ptr<i32> {tile.test = dense<[1, 2, 3, 4, 5]> : tensor<5xi32>}, %s: i32 {tile.test = 3 : i32})
    -> tensor<8xi32> {
  %iota = tile.iota 0 : tensor<8xi32>
  %s_t = tile.splat %s : i32 -> tensor<8xi32>
  %i = arith.addi %iota, %s_t : tensor<8xi32>
  %five = arith.constant dense<5> : tensor<8xi32>
  %j = tile.rem %i, %five signed : tensor<8xi32>
  %p_t = tile.splat %in : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
  %p = tile.addptr %p_t, %j : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  %x = tile.load %p : tensor<8x!tile.ptr<i32>>
  return %x : tensor<8xi32>
}
