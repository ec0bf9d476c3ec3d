// differs: argument 6 element 151: interp 0xfb, cpu 0xfc
module {
  func.func @fuzz(%arg0: i32 {tile.fuzz = "scalar:0"}, %arg1: i64 {tile.fuzz = "scalar:0"}, %arg2: f32 {tile.fuzz = "scalar:0"}, %arg3: !tile.ptr<f8E5M2> {tile.fuzz = "inout:16384"}, %arg4: !tile.ptr<f32> {tile.fuzz = "input:16384"}, %arg5: !tile.ptr<f32> {tile.fuzz = "output:16384"}, %arg6: !tile.ptr<f8E5M2> {tile.fuzz = "output:16384"}, %arg7: !tile.ptr<i32> {tile.fuzz = "output:16384"}) attributes {tile.fuzz_grid = 1 : i32, tile.kernel} {
    %c0_i32 = arith.constant 0 : i32
    %0 = tile.addptr %arg3, %c0_i32 : !tile.ptr<f8E5M2>, i32
    %1 = tile.splat %0 : !tile.ptr<f8E5M2> -> tensor<17x21x!tile.ptr<f8E5M2>>
    %2 = tile.iota 0 : tensor<21xi32>
    %c1_i32 = arith.constant 1 : i32
    %3 = tile.splat %c1_i32 : i32 -> tensor<21xi32>
    %4 = arith.muli %2, %3 : tensor<21xi32>
    %5 = tile.expand_dims %4 axis 0 : tensor<21xi32> -> tensor<1x21xi32>
    %6 = tile.broadcast %5 : tensor<1x21xi32> -> tensor<17x21xi32>
    %7 = tile.iota 0 : tensor<17xi32>
    %c21_i32 = arith.constant 21 : i32
    %8 = tile.splat %c21_i32 : i32 -> tensor<17xi32>
    %9 = arith.muli %7, %8 : tensor<17xi32>
    %10 = tile.expand_dims %9 axis 1 : tensor<17xi32> -> tensor<17x1xi32>
    %11 = tile.broadcast %10 : tensor<17x1xi32> -> tensor<17x21xi32>
    %12 = arith.addi %6, %11 : tensor<17x21xi32>
    %13 = tile.addptr %1, %12 : tensor<17x21x!tile.ptr<f8E5M2>>, tensor<17x21xi32>
    %cst = arith.constant dense<0> : tensor<17x21xi32>
    %c223_i32 = arith.constant 223 : i32
    %14 = tile.splat %c223_i32 : i32 -> tensor<17x21xi32>
    %15 = arith.cmpi slt, %cst, %14 : tensor<17x21xi32>
    %16 = tile.load %13 mask %15 : tensor<17x21x!tile.ptr<f8E5M2>>
    %17 = tile.cast %16 signed rounding rtz : tensor<17x21xf8E5M2> -> tensor<17x21xf8E5M2>
    %18 = tile.addptr %arg6, %c0_i32 : !tile.ptr<f8E5M2>, i32
    %19 = tile.iota 0 : tensor<357xi32>
    %20 = tile.reshape %19 : tensor<357xi32> -> tensor<17x21xi32>
    %21 = tile.splat %18 : !tile.ptr<f8E5M2> -> tensor<17x21x!tile.ptr<f8E5M2>>
    %22 = tile.addptr %21, %20 : tensor<17x21x!tile.ptr<f8E5M2>>, tensor<17x21xi32>
    tile.store %22, %17 : tensor<17x21x!tile.ptr<f8E5M2>>
    return
  }
}
