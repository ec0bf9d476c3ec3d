// RUN: pavage-opt %s --split-input-file --pavage-raise-accesses --canonicalize --cse | FileCheck %s

// The usual masked block: relative to its first address, with what is left of n as extent.
// CHECK-LABEL: @masked
//  CHECK-SAME:   %[[P:[a-z0-9]+]]: !tile.ptr<f32>, %[[N:[a-z0-9]+]]: i32
func.func @masked(%p: !tile.ptr<f32>, %n: i32) -> tensor<128xf32> {
  // CHECK-DAG: %[[ZERO:.+]] = arith.constant 0 : i64
  // CHECK-DAG: %[[ONE:.+]] = arith.constant 1 : i64
  // CHECK-DAG: %[[O:.+]] = arith.constant 2.0{{.*}} : f32
  %pid = tile.program_id 0
  %size = arith.constant 128 : i32
  // CHECK: %[[S:.+]] = arith.muli
  %s = arith.muli %pid, %size : i32
  %iota = tile.iota 0 : tensor<128xi32>
  %s_t = tile.splat %s : i32 -> tensor<128xi32>
  %i = arith.addi %s_t, %iota : tensor<128xi32>
  %n_t = tile.splat %n : i32 -> tensor<128xi32>
  %m = arith.cmpi slt, %i, %n_t : tensor<128xi32>
  %p_t = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %q = tile.addptr %p_t, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %o = arith.constant dense<2.0> : tensor<128xf32>
  //  CHECK-DAG: %[[S64:.+]] = arith.extsi %[[S]] : i32 to i64
  //  CHECK-DAG: %[[N64:.+]] = arith.extsi %[[N]] : i32 to i64
  //  CHECK-DAG: %[[E:.+]] = arith.subi %[[N64]], %[[S64]]
  //  CHECK-DAG: %[[Q:.+]] = tile.addptr %[[P]], %[[S64]] : !tile.ptr<f32>, i64
  //      CHECK: tile.block_load %[[Q]][%[[ZERO]]] strides[%[[ONE]]] extents[%[[E]]] checked [0] other %[[O]] : f32
  %x = tile.load %q mask %m other %o : tensor<128x!tile.ptr<f32>>
  return %x : tensor<128xf32>
}

// -----

// Two axes, strides known at launch, bounds on the rows from both sides; hints of the store go along.
// CHECK-LABEL: @rows
//  CHECK-SAME:   %[[P:[a-z0-9]+]]: !tile.ptr<f16>, %[[X:[a-z0-9]+]]: tensor<3x5xf16>, %[[SR:[a-z0-9]+]]: i64, %[[LO:[a-z0-9]+]]: i32, %[[HI:[a-z0-9]+]]: i32
func.func @rows(%p: !tile.ptr<f16>, %x: tensor<3x5xf16>, %sr: i64, %lo: i32, %hi: i32) {
  %r = tile.iota 0 : tensor<3xi32>
  %r1 = tile.expand_dims %r axis 1 : tensor<3xi32> -> tensor<3x1xi32>
  %r64 = arith.extsi %r1 : tensor<3x1xi32> to tensor<3x1xi64>
  %sr_t = tile.splat %sr : i64 -> tensor<3x1xi64>
  %rs = arith.muli %r64, %sr_t : tensor<3x1xi64>
  %rb = tile.broadcast %rs : tensor<3x1xi64> -> tensor<3x5xi64>
  %c = tile.iota 0 : tensor<5xi64>
  %c1 = tile.expand_dims %c axis 0 : tensor<5xi64> -> tensor<1x5xi64>
  %cb = tile.broadcast %c1 : tensor<1x5xi64> -> tensor<3x5xi64>
  %i = arith.addi %rb, %cb : tensor<3x5xi64>
  %lo_t = tile.splat %lo : i32 -> tensor<3x1xi32>
  %hi_t = tile.splat %hi : i32 -> tensor<3x1xi32>
  %above = arith.cmpi sge, %r1, %lo_t : tensor<3x1xi32>
  %below = arith.cmpi sle, %r1, %hi_t : tensor<3x1xi32>
  %rm = arith.andi %above, %below : tensor<3x1xi1>
  %m = tile.broadcast %rm : tensor<3x1xi1> -> tensor<3x5xi1>
  %p_t = tile.splat %p : !tile.ptr<f16> -> tensor<3x5x!tile.ptr<f16>>
  %q = tile.addptr %p_t, %i : tensor<3x5x!tile.ptr<f16>>, tensor<3x5xi64>
  //  CHECK-DAG: %[[L:.+]] = arith.extsi %[[LO]] : i32 to i64
  //  CHECK-DAG: %[[H:.+]] = arith.extsi %[[HI]] : i32 to i64
  //  CHECK-DAG: %[[E0:.+]] = arith.addi %[[H]], %{{.+}} : i64
  //  CHECK-DAG: %[[E:.+]] = arith.subi %[[E0]], %[[L]]
  //  CHECK-DAG: %[[OFF:.+]] = arith.subi %{{.+}}, %[[L]]
  //  CHECK-DAG: %[[MOVED:.+]] = arith.muli %[[L]], %[[SR]]
  //  CHECK-DAG: %[[B:.+]] = tile.addptr %[[P]], %[[MOVED]]
  //      CHECK: tile.block_store %[[B]][%[[OFF]], %{{.+}}] strides[%[[SR]], %{{.+}}] extents[%[[E]], %{{.+}}] checked [0]
  // CHECK-SAME:   cache cs
  tile.store %q, %x mask %m cache cs : tensor<3x5x!tile.ptr<f16>>
  return
}

// -----

// Not changed: the row stride may make the index wrap at 32 bits inside of the tile.
// CHECK-LABEL: @may_wrap
func.func @may_wrap(%p: !tile.ptr<f32>, %s: i32) -> tensor<3xf32> {
  %r = tile.iota 0 : tensor<3xi32>
  %s_t = tile.splat %s : i32 -> tensor<3xi32>
  %i = arith.muli %r, %s_t : tensor<3xi32>
  %p_t = tile.splat %p : !tile.ptr<f32> -> tensor<3x!tile.ptr<f32>>
  %q = tile.addptr %p_t, %i : tensor<3x!tile.ptr<f32>>, tensor<3xi32>
  // CHECK: tile.load
  %x = tile.load %q : tensor<3x!tile.ptr<f32>>
  return %x : tensor<3xf32>
}

// -----

// Not changed: rows that wrap around are no box.
// CHECK-LABEL: @remainder
func.func @remainder(%p: !tile.ptr<f32>, %n: i32) -> tensor<3xf32> {
  %r = tile.iota 0 : tensor<3xi32>
  %n_t = tile.splat %n : i32 -> tensor<3xi32>
  %i = tile.rem %r, %n_t signed : tensor<3xi32>
  %p_t = tile.splat %p : !tile.ptr<f32> -> tensor<3x!tile.ptr<f32>>
  %q = tile.addptr %p_t, %i : tensor<3x!tile.ptr<f32>>, tensor<3xi32>
  // CHECK: tile.load
  %x = tile.load %q : tensor<3x!tile.ptr<f32>>
  return %x : tensor<3xf32>
}

// -----

// Not changed: a triangle is no box.
// CHECK-LABEL: @triangle
func.func @triangle(%p: !tile.ptr<f32>, %x: tensor<3x5xf32>) {
  %r = tile.iota 0 : tensor<3xi32>
  %c = tile.iota 0 : tensor<5xi32>
  %r1 = tile.expand_dims %r axis 1 : tensor<3xi32> -> tensor<3x1xi32>
  %c1 = tile.expand_dims %c axis 0 : tensor<5xi32> -> tensor<1x5xi32>
  %rb = tile.broadcast %r1 : tensor<3x1xi32> -> tensor<3x5xi32>
  %cb = tile.broadcast %c1 : tensor<1x5xi32> -> tensor<3x5xi32>
  %m = arith.cmpi sge, %rb, %cb : tensor<3x5xi32>
  %i = arith.addi %rb, %cb : tensor<3x5xi32>
  %p_t = tile.splat %p : !tile.ptr<f32> -> tensor<3x5x!tile.ptr<f32>>
  %q = tile.addptr %p_t, %i : tensor<3x5x!tile.ptr<f32>>, tensor<3x5xi32>
  // CHECK: tile.store
  tile.store %q, %x mask %m : tensor<3x5x!tile.ptr<f32>>
  return
}

// -----

// Not changed: masked-off elements get different values.
// CHECK-LABEL: @others_differ
func.func @others_differ(%p: !tile.ptr<f32>, %n: i32, %o: tensor<3xf32>) -> tensor<3xf32> {
  %r = tile.iota 0 : tensor<3xi32>
  %n_t = tile.splat %n : i32 -> tensor<3xi32>
  %m = arith.cmpi slt, %r, %n_t : tensor<3xi32>
  %p_t = tile.splat %p : !tile.ptr<f32> -> tensor<3x!tile.ptr<f32>>
  %q = tile.addptr %p_t, %r : tensor<3x!tile.ptr<f32>>, tensor<3xi32>
  // CHECK: tile.load
  %x = tile.load %q mask %m other %o : tensor<3x!tile.ptr<f32>>
  return %x : tensor<3xf32>
}
