// differs: argument 5 element 2: interp 0x5c, cpu 0xffffffb9
module {
  func.func @fuzz(%arg0: i32 {tile.fuzz = "scalar:0"}, %arg1: i64 {tile.fuzz = "scalar:0"}, %arg2: f32 {tile.fuzz = "scalar:0"}, %arg3: !tile.ptr<i32> {tile.fuzz = "input:16384"}, %arg4: !tile.ptr<i32> {tile.fuzz = "inout:16384"}, %arg5: !tile.ptr<i32> {tile.fuzz = "output:16384"}, %arg6: !tile.ptr<f32> {tile.fuzz = "input:16384"}, %arg7: !tile.ptr<i32> {tile.fuzz = "output:16384"}, %arg8: !tile.ptr<i32> {tile.fuzz = "output:16384"}, %arg9: !tile.ptr<i32> {tile.fuzz = "output:16384"}, %arg10: !tile.ptr<i64> {tile.fuzz = "output:16384"}) attributes {tile.fuzz_grid = 4 : i32, tile.kernel} {
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant dense<0> : tensor<2x1xi32>
    %0 = tile.addptr %arg3, %c0_i32 : !tile.ptr<i32>, i32
    %1 = tile.splat %0 : !tile.ptr<i32> -> tensor<2x1x!tile.ptr<i32>>
    %cst_0 = arith.constant dense<0> : tensor<2x1xi32>
    %2 = tile.addptr %1, %cst_0 : tensor<2x1x!tile.ptr<i32>>, tensor<2x1xi32>
    %3 = tile.load %2 : tensor<2x1x!tile.ptr<i32>>
    %4 = tile.cat %cst, %3 axis 1 : tensor<2x1xi32>, tensor<2x1xi32> -> tensor<2x2xi32>
    %5 = tile.cast %4 signed : tensor<2x2xi32> -> tensor<2x2xi32>
    %6 = tile.addptr %arg5, %c0_i32 : !tile.ptr<i32>, i32
    %cst_1 = arith.constant dense<0> : tensor<2x2xi32>
    %7 = tile.splat %6 : !tile.ptr<i32> -> tensor<2x2x!tile.ptr<i32>>
    %8 = tile.addptr %7, %cst_1 : tensor<2x2x!tile.ptr<i32>>, tensor<2x2xi32>
    tile.store %8, %5 : tensor<2x2x!tile.ptr<i32>>
    return
  }
}
