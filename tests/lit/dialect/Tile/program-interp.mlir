// RUN: pavage-opt %s --pavage-interp | FileCheck %s

// Programs run in ascending order, x fastest.
// CHECK-LABEL: @grid
// CHECK-NEXT: pid (0, 0, 0) n: 6
// CHECK-NEXT: pid (1, 0, 0) n: 6
// CHECK-NEXT: pid (0, 1, 0) n: 6
// CHECK-NEXT: pid (1, 1, 0) n: 6
// CHECK-NEXT: pid (0, 2, 0) n: 6
// CHECK-NEXT: pid (1, 2, 0) n: 6
// CHECK-NEXT: arg 0: [0, 1, 10, 11, 20, 21]
func.func @grid(%p: !tile.ptr<i32> {tile.test = dense<0> : tensor<6xi32>}) attributes {tile.test_grid = array<i32: 2, 3, 1>} {
  %x = tile.program_id 0
  %y = tile.program_id 1
  %nx = tile.num_programs 0
  %ny = tile.num_programs 1
  %n = arith.muli %nx, %ny : i32
  tile.print "n" %n {is_signed = array<i1: true>} : i32
  %row = arith.muli %y, %nx : i32
  %i = arith.addi %row, %x : i32
  %ten = arith.constant 10 : i32
  %t = arith.muli %y, %ten : i32
  %v = arith.addi %t, %x : i32
  %q = tile.addptr %p, %i : !tile.ptr<i32>, i32
  tile.store %q, %v : !tile.ptr<i32>
  return
}

// CHECK-LABEL: @prints
func.func @prints() {
  %x = arith.constant dense<[[1, -2], [3, 4]]> : tensor<2x2xi8>
  %f = arith.constant dense<[1.5, 0x7F800000]> : tensor<2xf32>
  %b = arith.constant true
  // CHECK-NEXT: pid (0, 0, 0) a: {{\[}}[1, -2],
  // CHECK-NEXT: {{^ +}}[3, 4]]
  // CHECK-NEXT: pid (0, 0, 0) a: [1.5, inf]
  tile.print "a" %x, %f {is_signed = array<i1: true, true>} : tensor<2x2xi8>, tensor<2xf32>
  // CHECK-NEXT: pid (0, 0, 0) u: {{\[}}[1, 254],
  tile.print "u" %x {is_signed = array<i1: false>} : tensor<2x2xi8>
  // CHECK: pid (0, 0, 0) h: {{\[}}[0x01, 0xfe],
  tile.print "h" %x {is_signed = array<i1: true>, hex} : tensor<2x2xi8>
  // CHECK: pid (0, 0, 0) b: True
  tile.print "b" %b {is_signed = array<i1: false>} : i1
  // CHECK-NEXT: pid (0, 0, 0) only text
  tile.print "only text" {is_signed = array<i1>}
  return
}

// The first false lane under the mask ends the launch, with its message.
// CHECK-LABEL: @assertion
// CHECK-NEXT: error assert-failed {{.*}} in program (1, 0, 0): index below n (lane 2)
func.func @assertion() attributes {tile.test_grid = array<i32: 3, 1, 1>} {
  %x = tile.program_id 0
  %s = tile.splat %x : i32 -> tensor<4xi32>
  %i = tile.iota 0 : tensor<4xi32>
  %j = arith.addi %s, %i : tensor<4xi32>
  %n = arith.constant dense<3> : tensor<4xi32>
  %c = arith.cmpi slt, %j, %n : tensor<4xi32>
  %m = arith.constant dense<[true, true, true, false]> : tensor<4xi1>
  tile.assert %c mask %m : tensor<4xi1>, "index below n" : tensor<4xi1>
  return
}

// CHECK-LABEL: @assumption
// CHECK-NEXT: error assume-failed {{.*}}: the assumption does not hold
func.func @assumption() {
  %f = arith.constant false
  tile.assume %f
  return
}

// CHECK-LABEL: @uses_of_poison
// CHECK-NEXT: error poison-use {{.*}}: the printed value has no value on this path
func.func @uses_of_poison() {
  %x = ub.poison : i32
  %y = arith.addi %x, %x : i32
  tile.print "y" %y {is_signed = array<i1: false>} : i32
  return
}

// CHECK-LABEL: @gpu_only
// CHECK-NEXT: error unsupported {{.*}}: 'tile.inline_ptx' runs on GPU targets only
func.func @gpu_only() {
  %x = arith.constant 1 : i32
  %0 = tile.inline_ptx "t" constraints "=r,r" pack 1 (%x) : (i32) -> i32
  return
}

// CHECK-LABEL: @hints_change_nothing
// CHECK-NEXT: result 0: [0, 1, 2]
func.func @hints_change_nothing() -> tensor<3xi32> {
  %x = tile.iota 0 : tensor<3xi32>
  %0 = tile.hint %x divisibility [16] : tensor<3xi32>
  tile.barrier
  return %0 : tensor<3xi32>
}
