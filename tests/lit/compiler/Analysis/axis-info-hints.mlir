// RUN: pavage-opt %s --split-input-file --pavage-test-axis-info=trust-hints=true --verify-diagnostics=only-expected

// A trusted hint raises what is known, to a power of two.
func.func @hint(%x: tensor<8xi32>) -> tensor<8xi32> {
  // expected-remark @below {{contiguity [8] divisibility [16] constancy [1]}}
  %y = tile.hint %x {contiguity = array<i64: 8>, divisibility = array<i64: 48>} : tensor<8xi32>
  return %y : tensor<8xi32>
}
