// A masked vector addition in aligned blocks; the last block is partly off.
func.func @add(%out: !tile.ptr<f32> {tile.test = dense<0.0> : tensor<21xf32>},
               %a: !tile.ptr<f32> {tile.test = dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 20.0, 21.0]> : tensor<21xf32>},
               %b: !tile.ptr<f32> {tile.test = dense<0.5> : tensor<21xf32>}, %n: i32 {tile.test = 21 : i32})
    attributes {tile.kernel, tile.test_grid = array<i32: 3, 1, 1>} {
  %pid = tile.program_id 0
  %size = arith.constant 8 : i32
  %start = arith.muli %pid, %size : i32
  %iota = tile.iota 0 : tensor<8xi32>
  %start_t = tile.splat %start : i32 -> tensor<8xi32>
  %i = arith.addi %start_t, %iota : tensor<8xi32>
  %n_t = tile.splat %n : i32 -> tensor<8xi32>
  %mask = arith.cmpi slt, %i, %n_t : tensor<8xi32>
  %a_t = tile.splat %a : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %pa = tile.addptr %a_t, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %x = tile.load %pa mask %mask : tensor<8x!tile.ptr<f32>>
  %b_t = tile.splat %b : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %pb = tile.addptr %b_t, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %y = tile.load %pb mask %mask : tensor<8x!tile.ptr<f32>>
  %z = arith.addf %x, %y : tensor<8xf32>
  %out_t = tile.splat %out : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %po = tile.addptr %out_t, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  tile.store %po, %z mask %mask : tensor<8x!tile.ptr<f32>>
  return
}
