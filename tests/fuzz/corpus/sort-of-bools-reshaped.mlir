// differs: argument 15 element 0: interp 0x1, cpu 0x0
module {
  func.func @fuzz(%arg0: i32 {tile.fuzz = "scalar:0"}, %arg1: i64 {tile.fuzz = "scalar:0"}, %arg2: f32 {tile.fuzz = "scalar:0"}, %arg3: !tile.ptr<i16> {tile.fuzz = "input:16384"}, %arg4: !tile.ptr<i1> {tile.fuzz = "inout:16384"}, %arg5: !tile.ptr<i1> {tile.fuzz = "input:16384"}, %arg6: !tile.ptr<f8E4M3FN> {tile.fuzz = "input:16384"}, %arg7: !tile.ptr<f8E4M3FN> {tile.fuzz = "inout:16384"}, %arg8: !tile.ptr<i64> {tile.fuzz = "input:16384"}, %arg9: !tile.ptr<f8E5M2> {tile.fuzz = "input:16384"}, %arg10: !tile.ptr<f32> {tile.fuzz = "input:16384"}, %arg11: !tile.ptr<f32> {tile.fuzz = "approximate:16384"}, %arg12: !tile.ptr<f16> {tile.fuzz = "input:16384"}, %arg13: !tile.ptr<i16> {tile.fuzz = "output:16384"}, %arg14: !tile.ptr<i16> {tile.fuzz = "output:16384"}, %arg15: !tile.ptr<i32> {tile.fuzz = "output:16384"}) attributes {tile.fuzz_grid = 1 : i32, tile.kernel} {
    %c0_i32 = arith.constant 0 : i32
    %0 = tile.addptr %arg5, %c0_i32 : !tile.ptr<i1>, i32
    %1 = tile.splat %0 : !tile.ptr<i1> -> tensor<12x11x!tile.ptr<i1>>
    %2 = tile.iota 0 : tensor<11xi32>
    %c1_i32 = arith.constant 1 : i32
    %3 = tile.splat %c1_i32 : i32 -> tensor<11xi32>
    %4 = arith.muli %2, %3 : tensor<11xi32>
    %5 = tile.expand_dims %4 axis 0 : tensor<11xi32> -> tensor<1x11xi32>
    %6 = tile.broadcast %5 : tensor<1x11xi32> -> tensor<12x11xi32>
    %cst = arith.constant dense<0> : tensor<12x11xi32>
    %7 = arith.addi %6, %cst : tensor<12x11xi32>
    %8 = tile.addptr %1, %7 : tensor<12x11x!tile.ptr<i1>>, tensor<12x11xi32>
    %9 = tile.load %8 : tensor<12x11x!tile.ptr<i1>>
    %10 = tile.sort %9 signed : tensor<12x11xi1>
    %true = arith.constant true
    %11 = tile.splat %true : i1 -> tensor<12x11xi1>
    %12 = arith.andi %10, %11 : tensor<12x11xi1>
    %13 = tile.reshape %12 : tensor<12x11xi1> -> tensor<22x1x6xi1>
    %14 = tile.cast %13 signed : tensor<22x1x6xi1> -> tensor<22x1x6xi32>
    %15 = tile.addptr %arg15, %c0_i32 : !tile.ptr<i32>, i32
    %cst_0 = arith.constant dense<0> : tensor<22x1x6xi32>
    %16 = tile.splat %15 : !tile.ptr<i32> -> tensor<22x1x6x!tile.ptr<i32>>
    %17 = tile.addptr %16, %cst_0 : tensor<22x1x6x!tile.ptr<i32>>, tensor<22x1x6xi32>
    tile.store %17, %14 : tensor<22x1x6x!tile.ptr<i32>>
    return
  }
}
