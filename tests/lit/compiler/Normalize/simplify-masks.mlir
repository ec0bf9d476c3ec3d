// RUN: pavage-opt %s --split-input-file --pavage-simplify-masks | FileCheck %s

// Ranges decide comparisons of index tiles, on either side.
// CHECK-LABEL: @decided
func.func @decided() -> (tensor<5xi1>, tensor<5xi1>, tensor<5xi1>) {
  %i = tile.iota 2 : tensor<5xi32>
  %seven = arith.constant dense<7> : tensor<5xi32>
  %two = arith.constant dense<2> : tensor<5xi32>
  // CHECK-DAG: %[[T:.+]] = arith.constant dense<true> : tensor<5xi1>
  // CHECK-DAG: %[[F:.+]] = arith.constant dense<false> : tensor<5xi1>
  %a = arith.cmpi slt, %i, %seven : tensor<5xi32>
  %b = arith.cmpi ugt, %two, %i : tensor<5xi32>
  %c = arith.cmpi sge, %i, %two : tensor<5xi32>
  // CHECK: return %[[T]], %[[F]], %{{.+}}
  return %a, %b, %c : tensor<5xi1>, tensor<5xi1>, tensor<5xi1>
}

// -----

// Not changed: the last element is not below the bound.
// CHECK-LABEL: @one_off
func.func @one_off() -> tensor<5xi1> {
  // CHECK: arith.cmpi
  %i = tile.iota 2 : tensor<5xi32>
  %six = arith.constant dense<6> : tensor<5xi32>
  %a = arith.cmpi slt, %i, %six : tensor<5xi32>
  return %a : tensor<5xi1>
}

// -----

// Not changed: the index may wrap.
// CHECK-LABEL: @may_wrap
func.func @may_wrap(%s: i32) -> tensor<5xi1> {
  // CHECK: arith.cmpi
  %i = tile.iota 0 : tensor<5xi32>
  %s_t = tile.splat %s : i32 -> tensor<5xi32>
  %x = arith.addi %i, %s_t : tensor<5xi32>
  %least = arith.constant dense<-2147483647> : tensor<5xi32>
  %a = arith.cmpi sge, %x, %least : tensor<5xi32>
  return %a : tensor<5xi1>
}

// -----

// What is chosen for masked-off elements becomes the load's other value.
// CHECK-LABEL: @other
//  CHECK-SAME:   %[[P:[a-z0-9]+]]: tensor<5x!tile.ptr<f32>>, %[[M:[a-z0-9]+]]: tensor<5xi1>, %[[O:[a-z0-9]+]]: tensor<5xf32>
func.func @other(%p: tensor<5x!tile.ptr<f32>>, %m: tensor<5xi1>, %o: tensor<5xf32>) -> tensor<5xf32> {
  // CHECK: %[[X:.+]] = tile.load %[[P]] mask %[[M]] other %[[O]]
  // CHECK-NEXT: return %[[X]]
  %x = tile.load %p mask %m : tensor<5x!tile.ptr<f32>>
  %y = arith.select %m, %x, %o : tensor<5xi1>, tensor<5xf32>
  return %y : tensor<5xf32>
}

// -----

// Not changed: another mask; and a value that is not there yet when the load runs.
// CHECK-LABEL: @not_other
func.func @not_other(%p: tensor<5x!tile.ptr<f32>>, %m: tensor<5xi1>, %n: tensor<5xi1>, %o: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  // CHECK-NOT: other
  // CHECK: return
  %x = tile.load %p mask %m : tensor<5x!tile.ptr<f32>>
  %y = arith.select %n, %x, %o : tensor<5xi1>, tensor<5xf32>
  %z = tile.load %p mask %m : tensor<5x!tile.ptr<f32>>
  %late = arith.negf %y : tensor<5xf32>
  %w = arith.select %m, %z, %late : tensor<5xi1>, tensor<5xf32>
  return %y, %w : tensor<5xf32>, tensor<5xf32>
}
