// differs: argument 4 element 257: interp 0x7b, cpu 0x7c
module {
  func.func @fuzz(%arg0: i32 {tile.fuzz = "scalar:0"}, %arg1: i64 {tile.fuzz = "scalar:0"}, %arg2: f32 {tile.fuzz = "scalar:0"}, %arg3: !tile.ptr<f8E5M2> {tile.fuzz = "inout:16384"}, %arg4: !tile.ptr<f8E5M2> {tile.fuzz = "output:16384"}, %arg5: !tile.ptr<i64> {tile.fuzz = "output:16384"}) attributes {tile.fuzz_grid = 3 : i32, tile.kernel} {
    %0 = tile.program_id 0
    %c4096_i32 = arith.constant 4096 : i32
    %1 = arith.muli %0, %c4096_i32 : i32
    %2 = tile.addptr %arg3, %1 : !tile.ptr<f8E5M2>, i32
    %3 = tile.splat %2 : !tile.ptr<f8E5M2> -> tensor<128x8x!tile.ptr<f8E5M2>>
    %cst = arith.constant dense<0> : tensor<128x8xi32>
    %4 = tile.iota 0 : tensor<128xi32>
    %c8_i32 = arith.constant 8 : i32
    %5 = tile.splat %c8_i32 : i32 -> tensor<128xi32>
    %6 = arith.muli %4, %5 : tensor<128xi32>
    %7 = tile.expand_dims %6 axis 1 : tensor<128xi32> -> tensor<128x1xi32>
    %8 = tile.broadcast %7 : tensor<128x1xi32> -> tensor<128x8xi32>
    %9 = arith.addi %cst, %8 : tensor<128x8xi32>
    %10 = tile.addptr %3, %9 : tensor<128x8x!tile.ptr<f8E5M2>>, tensor<128x8xi32>
    %11 = tile.load %10 : tensor<128x8x!tile.ptr<f8E5M2>>
    %12 = tile.cast %11 signed : tensor<128x8xf8E5M2> -> tensor<128x8xf8E5M2>
    %13 = tile.addptr %arg4, %1 : !tile.ptr<f8E5M2>, i32
    %14 = tile.iota 0 : tensor<1024xi32>
    %15 = tile.reshape %14 : tensor<1024xi32> -> tensor<128x8xi32>
    %16 = tile.splat %13 : !tile.ptr<f8E5M2> -> tensor<128x8x!tile.ptr<f8E5M2>>
    %17 = tile.addptr %16, %15 : tensor<128x8x!tile.ptr<f8E5M2>>, tensor<128x8xi32>
    tile.store %17, %12 : tensor<128x8x!tile.ptr<f8E5M2>>
    return
  }
}
