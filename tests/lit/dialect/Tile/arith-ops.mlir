// RUN: pavage-opt %s | pavage-opt | FileCheck %s
// RUN: pavage-opt %s --mlir-print-op-generic | pavage-opt | FileCheck %s

// CHECK-LABEL: @casts_between_all_kinds
func.func @casts_between_all_kinds(%i: tensor<3x5xi8>, %f: tensor<7xf32>, %b: i1, %d: f64) {
  // CHECK: tile.cast %{{.+}} signed : tensor<3x5xi8> -> tensor<3x5xf16>
  %0 = tile.cast %i signed : tensor<3x5xi8> -> tensor<3x5xf16>
  // CHECK: tile.cast %{{.+}} : tensor<3x5xi8> -> tensor<3x5xi64>
  %1 = tile.cast %i : tensor<3x5xi8> -> tensor<3x5xi64>
  // CHECK: tile.cast %{{.+}} rounding rtz : tensor<7xf32> -> tensor<7xbf16>
  %2 = tile.cast %f rounding rtz : tensor<7xf32> -> tensor<7xbf16>
  // CHECK: tile.cast %{{.+}} : tensor<7xf32> -> tensor<7xf8E4M3FN>
  %3 = tile.cast %f rounding rtne : tensor<7xf32> -> tensor<7xf8E4M3FN>
  // CHECK: tile.cast %{{.+}} : i1 -> f8E5M2
  %4 = tile.cast %b : i1 -> f8E5M2
  // CHECK: tile.cast %{{.+}} signed : f64 -> i16
  %5 = tile.cast %d signed : f64 -> i16
  return
}

// CHECK-LABEL: @total_integer_ops
func.func @total_integer_ops(%x: tensor<3x5xi16>, %y: tensor<3x5xi16>, %a: i64, %b: i64) {
  // CHECK: tile.div %{{.+}}, %{{.+}} signed : tensor<3x5xi16>
  %0 = tile.div %x, %y signed : tensor<3x5xi16>
  // CHECK: tile.div %{{.+}}, %{{.+}} : i64
  %1 = tile.div %a, %b : i64
  // CHECK: tile.rem %{{.+}}, %{{.+}} signed : tensor<3x5xi16>
  %2 = tile.rem %x, %y signed : tensor<3x5xi16>
  // CHECK: tile.rem %{{.+}}, %{{.+}} : i64
  %3 = tile.rem %a, %b : i64
  // CHECK: tile.shl %{{.+}}, %{{.+}} : tensor<3x5xi16>
  %4 = tile.shl %x, %y : tensor<3x5xi16>
  // CHECK: tile.shr %{{.+}}, %{{.+}} signed : i64
  %5 = tile.shr %a, %b signed : i64
  // CHECK: tile.shr %{{.+}}, %{{.+}} : tensor<3x5xi16>
  %6 = tile.shr %x, %y : tensor<3x5xi16>
  return
}
