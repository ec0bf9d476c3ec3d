// RUN: pavage compile %s --stop-after tile | FileCheck %s --check-prefix=TILE
// RUN: pavage compile %s --stop-after llvm | FileCheck %s --check-prefix=LLVM
// RUN: env PAVAGE_CPU=avx2 pavage compile %s --emit asm | FileCheck %s --check-prefix=ASM

// The whole way of a masked vector addition, by a few landmarks. After Normalize: blocks, and no address per element.
// TILE-LABEL: func.func @add
//       TILE: tile.block_load
//   TILE-NOT: tile.load
//       TILE: tile.block_store
// Then one function of the CPU kernel ABI, with vectors and no calls.
// LLVM-LABEL: define {{.*}}i32 @add(ptr {{.*}}, ptr {{.*}}, i64 {{.*}}, i64 {{.*}}, ptr {{.*}})
//   LLVM-NOT: call {{.*}}gather
//       LLVM: fadd <{{[0-9]+}} x float>
//  ASM-LABEL: add:
//        ASM: vaddps
func.func @add(%out: !tile.ptr<f32>, %a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %pid = tile.program_id 0
  %size = arith.constant 1024 : i32
  %start = arith.muli %pid, %size : i32
  %iota = tile.iota 0 : tensor<1024xi32>
  %start_t = tile.splat %start : i32 -> tensor<1024xi32>
  %i = arith.addi %start_t, %iota : tensor<1024xi32>
  %n_t = tile.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %i, %n_t : tensor<1024xi32>
  %a_t = tile.splat %a : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %pa = tile.addptr %a_t, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %pa mask %mask : tensor<1024x!tile.ptr<f32>>
  %b_t = tile.splat %b : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %pb = tile.addptr %b_t, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %y = tile.load %pb mask %mask : tensor<1024x!tile.ptr<f32>>
  %z = arith.addf %x, %y : tensor<1024xf32>
  %out_t = tile.splat %out : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %po = tile.addptr %out_t, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %po, %z mask %mask : tensor<1024x!tile.ptr<f32>>
  return
}
