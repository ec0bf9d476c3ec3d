// differs: argument 9 element 0: interp 0x0, cpu 0x1
module {
  func.func @fuzz(%arg0: i32 {tile.fuzz = "scalar:0"}, %arg1: i64 {tile.fuzz = "scalar:0"}, %arg2: f32 {tile.fuzz = "scalar:0"}, %arg3: !tile.ptr<i64> {tile.fuzz = "inout:16384"}, %arg4: !tile.ptr<i64> {tile.fuzz = "input:16384"}, %arg5: !tile.ptr<f16> {tile.fuzz = "inout:16384"}, %arg6: !tile.ptr<i32> {tile.fuzz = "inout:16384"}, %arg7: !tile.ptr<i32> {tile.fuzz = "input:16384"}, %arg8: !tile.ptr<f32> {tile.fuzz = "input:16384"}, %arg9: !tile.ptr<i1> {tile.fuzz = "output:16384"}, %arg10: !tile.ptr<f16> {tile.fuzz = "output:16384"}, %arg11: !tile.ptr<i32> {tile.fuzz = "output:16384"}) attributes {tile.fuzz_grid = 1 : i32, tile.kernel} {
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant dense<0.000000e+00> : tensor<8x8xf32>
    %0 = tile.addptr %arg8, %c0_i32 : !tile.ptr<f32>, i32
    %1 = tile.splat %0 : !tile.ptr<f32> -> tensor<8x8x!tile.ptr<f32>>
    %2 = tile.iota 0 : tensor<8xi32>
    %c1_i32 = arith.constant 1 : i32
    %3 = tile.splat %c1_i32 : i32 -> tensor<8xi32>
    %4 = arith.muli %2, %3 : tensor<8xi32>
    %5 = tile.expand_dims %4 axis 0 : tensor<8xi32> -> tensor<1x8xi32>
    %6 = tile.broadcast %5 : tensor<1x8xi32> -> tensor<8x8xi32>
    %cst_0 = arith.constant dense<0> : tensor<8x8xi32>
    %7 = arith.addi %6, %cst_0 : tensor<8x8xi32>
    %8 = tile.addptr %1, %7 : tensor<8x8x!tile.ptr<f32>>, tensor<8x8xi32>
    %9 = tile.load %8 : tensor<8x8x!tile.ptr<f32>>
    %10 = arith.cmpf oge, %cst, %9 : tensor<8x8xf32>
    %11 = tile.sort %10 descending signed : tensor<8x8xi1>
    %12 = tile.addptr %arg9, %c0_i32 : !tile.ptr<i1>, i32
    %cst_1 = arith.constant dense<0> : tensor<8x8xi32>
    %13 = tile.splat %12 : !tile.ptr<i1> -> tensor<8x8x!tile.ptr<i1>>
    %14 = tile.addptr %13, %cst_1 : tensor<8x8x!tile.ptr<i1>>, tensor<8x8xi32>
    tile.store %14, %11 : tensor<8x8x!tile.ptr<i1>>
    return
  }
}
