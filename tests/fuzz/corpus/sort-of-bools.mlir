// differs: argument 16 element 0: interp 0x1, cpu 0x0
module {
  func.func @fuzz(%arg0: i32 {tile.fuzz = "scalar:0"}, %arg1: i64 {tile.fuzz = "scalar:0"}, %arg2: f32 {tile.fuzz = "scalar:0"}, %arg3: !tile.ptr<f8E4M3FN> {tile.fuzz = "inout:16384"}, %arg4: !tile.ptr<i32> {tile.fuzz = "input:16384"}, %arg5: !tile.ptr<bf16> {tile.fuzz = "input:16384"}, %arg6: !tile.ptr<bf16> {tile.fuzz = "inout:16384"}, %arg7: !tile.ptr<f32> {tile.fuzz = "input:16384"}, %arg8: !tile.ptr<i8> {tile.fuzz = "input:16384"}, %arg9: !tile.ptr<bf16> {tile.fuzz = "output:16384"}, %arg10: !tile.ptr<i8> {tile.fuzz = "output:16384"}, %arg11: !tile.ptr<i1> {tile.fuzz = "inout:16384"}, %arg12: !tile.ptr<i64> {tile.fuzz = "inout:16384"}, %arg13: !tile.ptr<i64> {tile.fuzz = "input:16384"}, %arg14: !tile.ptr<f64> {tile.fuzz = "input:16384"}, %arg15: !tile.ptr<f64> {tile.fuzz = "output:16384"}, %arg16: !tile.ptr<i1> {tile.fuzz = "output:16384"}) attributes {tile.fuzz_grid = 1 : i32, tile.kernel} {
    %c0_i32 = arith.constant 0 : i32
    %0 = tile.addptr %arg11, %c0_i32 : !tile.ptr<i1>, i32
    %1 = tile.splat %0 : !tile.ptr<i1> -> tensor<3x!tile.ptr<i1>>
    %2 = tile.iota 0 : tensor<3xi32>
    %c3_i32 = arith.constant 3 : i32
    %3 = tile.splat %c3_i32 : i32 -> tensor<3xi32>
    %4 = arith.muli %2, %3 : tensor<3xi32>
    %5 = tile.broadcast %4 : tensor<3xi32> -> tensor<3xi32>
    %6 = tile.addptr %1, %5 : tensor<3x!tile.ptr<i1>>, tensor<3xi32>
    %cst = arith.constant dense<0> : tensor<3xi32>
    %c245_i32 = arith.constant 245 : i32
    %7 = tile.splat %c245_i32 : i32 -> tensor<3xi32>
    %8 = arith.cmpi slt, %cst, %7 : tensor<3xi32>
    %cst_0 = arith.constant dense<false> : tensor<3xi1>
    %9 = tile.load %6 mask %8 other %cst_0 : tensor<3x!tile.ptr<i1>>
    %10 = tile.sort %9 signed : tensor<3xi1>
    %11 = tile.addptr %arg16, %c0_i32 : !tile.ptr<i1>, i32
    %cst_1 = arith.constant dense<0> : tensor<3xi32>
    %12 = tile.splat %11 : !tile.ptr<i1> -> tensor<3x!tile.ptr<i1>>
    %13 = tile.addptr %12, %cst_1 : tensor<3x!tile.ptr<i1>>, tensor<3xi32>
    tile.store %13, %10 : tensor<3x!tile.ptr<i1>>
    return
  }
}
