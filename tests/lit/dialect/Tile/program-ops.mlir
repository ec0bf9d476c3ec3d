// RUN: pavage-opt %s | pavage-opt | FileCheck %s
// RUN: pavage-opt %s --mlir-print-op-generic | pavage-opt | FileCheck %s

// CHECK-LABEL: @place_in_the_grid
func.func @place_in_the_grid() -> (i32, i32) {
  // CHECK: tile.program_id 2
  %0 = tile.program_id 2
  // CHECK: tile.num_programs 0
  %1 = tile.num_programs 0
  return %0, %1 : i32, i32
}

// CHECK-LABEL: @promises
func.func @promises(%x: tensor<3x5xi32>, %p: !tile.ptr<f32>, %c: i1) {
  // CHECK: tile.hint %{{.+}} contiguity [1, 5] divisibility [1, 16] constancy [3, 1] : tensor<3x5xi32>
  %0 = tile.hint %x contiguity [1, 5] divisibility [1, 16] constancy [3, 1] : tensor<3x5xi32>
  // CHECK: tile.hint %{{.+}} divisibility [16] : !tile.ptr<f32>
  %1 = tile.hint %p {divisibility = array<i64: 16>} : !tile.ptr<f32>
  // CHECK: tile.assume %{{.+}}
  tile.assume %c
  return
}

// CHECK-LABEL: @checks
func.func @checks(%c: tensor<7xi1>, %b: i1) {
  // CHECK: tile.assert %{{.+}}, "index below n" : tensor<7xi1>
  tile.assert %c, "index below n" : tensor<7xi1>
  // CHECK: tile.assert %{{.+}} mask %{{.+}} : tensor<7xi1>, "a \22quoted\22 text" : tensor<7xi1>
  tile.assert %c mask %c : tensor<7xi1>, "a \22quoted\22 text" : tensor<7xi1>
  // CHECK: tile.assert %{{.+}}, "" : i1
  tile.assert %b, "" : i1
  return
}

// CHECK-LABEL: @output
func.func @output(%x: tensor<7xi32>, %y: f16) {
  // CHECK: tile.print "x = " %{{.+}}, %{{.+}} {hex, is_signed = array<i1: true, false>} : tensor<7xi32>, f16
  tile.print "x = " %x, %y {is_signed = array<i1: true, false>, hex} : tensor<7xi32>, f16
  // CHECK: tile.print "here" {is_signed = array<i1>}
  tile.print "here" {is_signed = array<i1>}
  // CHECK: tile.barrier
  tile.barrier
  return
}

// CHECK-LABEL: @ptx
func.func @ptx(%x: tensor<8xi32>, %y: tensor<8xf32>) {
  // CHECK: tile.inline_ptx "popc.b32 $0, $1;" constraints "=r,r" pack 1 pure(%{{.+}}) : (tensor<8xi32>) -> tensor<8xi32>
  %0 = tile.inline_ptx "popc.b32 $0, $1;" constraints "=r,r" pack 1 pure (%x) : (tensor<8xi32>) -> tensor<8xi32>
  // CHECK: tile.inline_ptx "two" constraints "=r,=f,r,f" pack 2(%{{.+}}, %{{.+}}) : (tensor<8xi32>, tensor<8xf32>) -> (tensor<8xi32>, tensor<8xf32>)
  %1:2 = tile.inline_ptx "two" constraints "=r,=f,r,f" pack 2 (%x, %y) : (tensor<8xi32>, tensor<8xf32>) -> (tensor<8xi32>, tensor<8xf32>)
  return
}
