// RUN: pavage-opt %s | pavage-opt | FileCheck %s
// RUN: pavage-opt %s --mlir-print-op-generic | pavage-opt | FileCheck %s

// CHECK-LABEL: @dots
func.func @dots(%a: tensor<3x5xf32>, %b: tensor<5x7xf32>, %c: tensor<3x7xf32>, %i: tensor<3x5xi8>, %j: tensor<5x7xi8>,
                %k: tensor<3x7xi32>, %u: tensor<2x3x5xf16>, %v: tensor<2x5x7xf16>, %w: tensor<2x3x7xf16>,
                %x: tensor<3x5xf8E4M3FN>, %y: tensor<5x7xf8E5M2>) {
  // CHECK: tile.dot %{{.+}}, %{{.+}}, %{{.+}} : tensor<3x5xf32>, tensor<5x7xf32>, tensor<3x7xf32>
  %0 = tile.dot %a, %b, %c : tensor<3x5xf32>, tensor<5x7xf32>, tensor<3x7xf32>
  // CHECK: tile.dot %{{.+}}, %{{.+}}, %{{.+}} precision tf32x3 : tensor<3x5xf32>, tensor<5x7xf32>, tensor<3x7xf32>
  %1 = tile.dot %a, %b, %c precision tf32x3 : tensor<3x5xf32>, tensor<5x7xf32>, tensor<3x7xf32>
  // CHECK: tile.dot %{{.+}} unsigned, %{{.+}}, %{{.+}} : tensor<3x5xi8>, tensor<5x7xi8>, tensor<3x7xi32>
  %2 = tile.dot %i unsigned, %j, %k : tensor<3x5xi8>, tensor<5x7xi8>, tensor<3x7xi32>
  // CHECK: tile.dot %{{.+}}, %{{.+}} unsigned, %{{.+}} : tensor<3x5xi8>, tensor<5x7xi8>, tensor<3x7xi32>
  %3 = tile.dot %i, %j unsigned, %k : tensor<3x5xi8>, tensor<5x7xi8>, tensor<3x7xi32>
  // CHECK: tile.dot %{{.+}}, %{{.+}}, %{{.+}} : tensor<2x3x5xf16>, tensor<2x5x7xf16>, tensor<2x3x7xf16>
  %4 = tile.dot %u, %v, %w : tensor<2x3x5xf16>, tensor<2x5x7xf16>, tensor<2x3x7xf16>
  // CHECK: tile.dot %{{.+}}, %{{.+}}, %{{.+}} {max_imprecise_acc = 32 : i32} : tensor<3x5xf8E4M3FN>, tensor<5x7xf8E5M2>, tensor<3x7xf32>
  %5 = tile.dot %x, %y, %c {max_imprecise_acc = 32 : i32} : tensor<3x5xf8E4M3FN>, tensor<5x7xf8E5M2>, tensor<3x7xf32>
  return
}
