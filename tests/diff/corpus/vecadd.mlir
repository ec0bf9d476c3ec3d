func.func @add(%out: !tile.ptr<f32>, %a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %pid = tile.program_id 0
  %size = arith.constant 128 : i32
  %start = arith.muli %pid, %size : i32
  %iota = tile.iota 0 : tensor<128xi32>
  %start_t = tile.splat %start : i32 -> tensor<128xi32>
  %i = arith.addi %start_t, %iota : tensor<128xi32>
  %n_t = tile.splat %n : i32 -> tensor<128xi32>
  %mask = arith.cmpi slt, %i, %n_t : tensor<128xi32>
  %a_t = tile.splat %a : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %pa = tile.addptr %a_t, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %x = tile.load %pa mask %mask : tensor<128x!tile.ptr<f32>>
  %b_t = tile.splat %b : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %pb = tile.addptr %b_t, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %y = tile.load %pb mask %mask : tensor<128x!tile.ptr<f32>>
  %z = arith.addf %x, %y : tensor<128xf32>
  %out_t = tile.splat %out : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %po = tile.addptr %out_t, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  tile.store %po, %z mask %mask : tensor<128x!tile.ptr<f32>>
  return
}
