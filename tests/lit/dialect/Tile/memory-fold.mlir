// RUN: pavage-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: @addresses
//  CHECK-SAME:   %[[P:[a-z0-9]+]]: tensor<5x!tile.ptr<f32>>, %[[Q:[a-z0-9]+]]: !tile.ptr<f16>
func.func @addresses(%p: tensor<5x!tile.ptr<f32>>, %q: !tile.ptr<f16>)
    -> (tensor<5x!tile.ptr<f32>>, !tile.ptr<f16>, !tile.ptr<f16>) {
  %zero = arith.constant dense<0> : tensor<5xi32>
  %0 = tile.addptr %p, %zero : tensor<5x!tile.ptr<f32>>, tensor<5xi32>
  %1 = tile.bitcast %q : !tile.ptr<f16> -> i64
  %2 = tile.bitcast %1 : i64 -> !tile.ptr<f16>
  %3 = tile.bitcast %q : !tile.ptr<f16> -> !tile.ptr<f16>
  // CHECK-NEXT: return %[[P]], %[[Q]], %[[Q]]
  return %0, %2, %3 : tensor<5x!tile.ptr<f32>>, !tile.ptr<f16>, !tile.ptr<f16>
}

// -----

// CHECK-LABEL: @everything_on
//  CHECK-SAME:   %[[P:[a-z0-9]+]]: tensor<5x!tile.ptr<f32>>, %[[Q:[a-z0-9]+]]: tensor<5x!tile.ptr<i32>>, %[[X:[a-z0-9]+]]: tensor<5xf32>, %[[Y:[a-z0-9]+]]: tensor<5xi32>
func.func @everything_on(%p: tensor<5x!tile.ptr<f32>>, %q: tensor<5x!tile.ptr<i32>>, %x: tensor<5xf32>, %y: tensor<5xi32>) -> tensor<5xi32> {
  %true = arith.constant true
  %m = tile.splat %true : i1 -> tensor<5xi1>
  // CHECK: %[[V:.+]] = tile.load %[[P]] : tensor<5x!tile.ptr<f32>>
  %0 = tile.load %p mask %m other %x : tensor<5x!tile.ptr<f32>>
  // CHECK: tile.store %[[P]], %[[V]] : tensor<5x!tile.ptr<f32>>
  tile.store %p, %0 mask %m : tensor<5x!tile.ptr<f32>>
  // CHECK: tile.atomic_rmw addi %[[Q]], %[[Y]] : tensor<5x!tile.ptr<i32>>
  %1 = tile.atomic_rmw addi %q, %y mask %m : tensor<5x!tile.ptr<i32>>
  return %1 : tensor<5xi32>
}

// -----

// CHECK-LABEL: @everything_off
//  CHECK-SAME:   %[[P:[a-z0-9]+]]: tensor<5x!tile.ptr<f32>>, %[[Q:[a-z0-9]+]]: tensor<5x!tile.ptr<i32>>, %[[X:[a-z0-9]+]]: tensor<5xf32>, %[[Y:[a-z0-9]+]]: tensor<5xi32>
func.func @everything_off(%p: tensor<5x!tile.ptr<f32>>, %q: tensor<5x!tile.ptr<i32>>, %x: tensor<5xf32>, %y: tensor<5xi32>)
    -> (tensor<5xf32>, tensor<5xf32>, tensor<5xi32>) {
  // CHECK-DAG: %[[F:.+]] = arith.constant dense<0.000000e+00> : tensor<5xf32>
  // CHECK-DAG: %[[I:.+]] = arith.constant dense<0> : tensor<5xi32>
  // CHECK-NOT: tile.
  %m = arith.constant dense<false> : tensor<5xi1>
  %0 = tile.load %p mask %m other %x : tensor<5x!tile.ptr<f32>>
  %1 = tile.load %p mask %m : tensor<5x!tile.ptr<f32>>
  tile.store %p, %0 mask %m : tensor<5x!tile.ptr<f32>>
  %2 = tile.atomic_rmw addi %q, %y mask %m order relaxed : tensor<5x!tile.ptr<i32>>
  // CHECK: return %[[X]], %[[F]], %[[I]]
  return %0, %1, %2 : tensor<5xf32>, tensor<5xf32>, tensor<5xi32>
}

// -----

// Not changed: a mask with both values; there is no constant pointer; the order of other accesses depends on it.
// CHECK-LABEL: @kept
func.func @kept(%p: tensor<2x!tile.ptr<f32>>, %q: !tile.ptr<!tile.ptr<f32>>, %r: !tile.ptr<i32>, %y: i32)
    -> (tensor<2xf32>, !tile.ptr<f32>, i32) {
  %m = arith.constant dense<[true, false]> : tensor<2xi1>
  // CHECK: tile.load %{{.+}} mask
  %0 = tile.load %p mask %m : tensor<2x!tile.ptr<f32>>
  // CHECK: tile.load %{{.+}} mask
  %false = arith.constant false
  %1 = tile.load %q mask %false : !tile.ptr<!tile.ptr<f32>>
  // CHECK: tile.atomic_rmw
  %2 = tile.atomic_rmw addi %r, %y mask %false : !tile.ptr<i32>
  return %0, %1, %2 : tensor<2xf32>, !tile.ptr<f32>, i32
}

// -----

// A volatile load stays when unused, another one goes.
// CHECK-LABEL: @unused
func.func @unused(%p: !tile.ptr<f32>, %i: i64) {
  // CHECK-NEXT: tile.load %{{.+}} volatile
  %0 = tile.load %p volatile : !tile.ptr<f32>
  %1 = tile.load %p : !tile.ptr<f32>
  // CHECK-NEXT: tile.block_load {{.+}} volatile
  %2 = tile.block_load %p[%i] strides [%i] extents [%i] volatile : !tile.ptr<f32> -> tensor<3xf32>
  %3 = tile.block_load %p[%i] strides [%i] extents [%i] : !tile.ptr<f32> -> tensor<3xf32>
  // CHECK-NEXT: return
  return
}

// -----

// CHECK-LABEL: @blocks_known_to_be_inside
//  CHECK-SAME:   %[[P:[a-z0-9]+]]: !tile.ptr<f32>, %[[I:[a-z0-9]+]]: i64, %[[O:[a-z0-9]+]]: f32
func.func @blocks_known_to_be_inside(%p: !tile.ptr<f32>, %i: i64, %o: f32) -> (tensor<3x5xf32>, tensor<5xf32>) {
  %zero = arith.constant 0 : i64
  %five = arith.constant 5 : i64
  %one = arith.constant 1 : i64
  // CHECK: tile.block_load {{.+}} checked [0] other %[[O]] : f32 : !tile.ptr<f32>
  %0 = tile.block_load %p[%i, %zero] strides [%five, %one] extents [%i, %five] checked [0, 1] other %o : f32
    : !tile.ptr<f32> -> tensor<3x5xf32>
  // CHECK: tile.block_load
  // CHECK-NOT: checked
  // CHECK-NOT: other
  // CHECK: tile.block_store
  // CHECK-NOT: checked
  // CHECK: return
  %1 = tile.block_load %p[%zero] strides [%one] extents [%five] checked [0] other %o : f32 : !tile.ptr<f32> -> tensor<5xf32>
  tile.block_store %p[%zero] strides [%one] extents [%five] checked [0], %1 : !tile.ptr<f32>, tensor<5xf32>
  return %0, %1 : tensor<3x5xf32>, tensor<5xf32>
}

// -----

// CHECK-LABEL: @blocks_known_to_be_outside
//  CHECK-SAME:   %[[P:[a-z0-9]+]]: !tile.ptr<f32>, %[[I:[a-z0-9]+]]: i64, %[[O:[a-z0-9]+]]: f32
func.func @blocks_known_to_be_outside(%p: !tile.ptr<f32>, %i: i64, %o: f32) -> (tensor<3x5xf32>, tensor<5xf32>) {
  // CHECK-DAG: %[[Z:.+]] = arith.constant dense<0.000000e+00> : tensor<5xf32>
  %five = arith.constant 5 : i64
  %minus = arith.constant -5 : i64
  // CHECK-DAG: %[[S:.+]] = tile.splat %[[O]]
  %0 = tile.block_load %p[%i, %five] strides [%i, %i] extents [%i, %five] checked [0, 1] other %o : f32
    : !tile.ptr<f32> -> tensor<3x5xf32>
  %1 = tile.block_load %p[%minus] strides [%i] extents [%five] checked [0] : !tile.ptr<f32> -> tensor<5xf32>
  // CHECK-NOT: tile.block_store
  tile.block_store %p[%minus] strides [%i] extents [%i] checked [0], %1 : !tile.ptr<f32>, tensor<5xf32>
  // CHECK: return %[[S]], %[[Z]]
  %c = arith.constant 0 : i64
  tile.block_store %p[%five] strides [%i] extents [%c] checked [0], %1 : !tile.ptr<f32>, tensor<5xf32>
  return %0, %1 : tensor<3x5xf32>, tensor<5xf32>
}

// -----

// Not changed: partly inside; an unchecked axis; an index that wraps.
// CHECK-LABEL: @blocks_kept
// CHECK-COUNT-3: tile.block_store
func.func @blocks_kept(%p: !tile.ptr<f32>, %i: i64, %x: tensor<5xf32>) {
  %three = arith.constant 3 : i64
  %most = arith.constant 9223372036854775807 : i64
  %one = arith.constant 1 : i64
  tile.block_store %p[%one] strides [%i] extents [%three] checked [0], %x : !tile.ptr<f32>, tensor<5xf32>
  tile.block_store %p[%three] strides [%i] extents [%three], %x : !tile.ptr<f32>, tensor<5xf32>
  tile.block_store %p[%most] strides [%i] extents [%three] checked [0], %x : !tile.ptr<f32>, tensor<5xf32>
  return
}
