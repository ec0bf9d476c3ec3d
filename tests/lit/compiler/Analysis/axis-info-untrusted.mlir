// RUN: pavage-opt %s --pavage-test-axis-info --verify-diagnostics=only-expected

// Interp and cpu do not rely on hints, so by default nothing follows from one.
func.func @hint(%x: tensor<8xi32>) -> tensor<8xi32> {
  // expected-remark @below {{contiguity [1] divisibility [1] constancy [1]}}
  %y = tile.hint %x {contiguity = array<i64: 8>, divisibility = array<i64: 16>} : tensor<8xi32>
  return %y : tensor<8xi32>
}
