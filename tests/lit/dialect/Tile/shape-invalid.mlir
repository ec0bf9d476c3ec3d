// RUN: pavage-opt %s --split-input-file --verify-diagnostics

// (C1) An iota counts along its only axis.
func.func @iota_c1_rank() {
  // expected-error @below {{expected a rank-1 tile of i32 or i64, got 'tensor<3x5xi32>'}}
  %0 = tile.iota 0 : tensor<3x5xi32>
  return
}

// -----

// (C1) It counts in i32 or i64.
func.func @iota_c1_element() {
  // expected-error @below {{expected a rank-1 tile of i32 or i64, got 'tensor<7xi8>'}}
  %0 = tile.iota 0 : tensor<7xi8>
  return
}

// -----

// (C1) splat keeps the type of the element.
func.func @splat_c1(%x: f32) {
  // expected-error @below {{expected a result of type 'tensor<3xf32>', got 'tensor<3xf16>'}}
  %0 = tile.splat %x : f32 -> tensor<3xf16>
  return
}

// -----

// (C1) Of a tile of two elements there is no one element.
func.func @unsplat_c1(%x: tensor<1x2xf32>) {
  // expected-error @below {{expected a tile of one element, got 'tensor<1x2xf32>'}}
  %0 = tile.unsplat %x : tensor<1x2xf32> -> f32
  return
}

// -----

// (C2) unsplat keeps the type of the element.
func.func @unsplat_c2(%x: tensor<1x1xf32>) {
  // expected-error @below {{expected a result of type 'f32', got 'f64'}}
  %0 = tile.unsplat %x : tensor<1x1xf32> -> f64
  return
}

// -----

// (C1) A new axis may come last, not after that.
func.func @expand_dims_c1(%x: tensor<5xf32>) {
  // expected-error @below {{expected an axis in 0 .. 1, got 2}}
  %0 = tile.expand_dims %x axis 2 : tensor<5xf32> -> tensor<5x1xf32>
  return
}

// -----

// (C1) Axes do not count from the end.
func.func @expand_dims_c1_negative(%x: tensor<5xf32>) {
  // expected-error @below {{expected an axis in 0 .. 1, got -1}}
  %0 = tile.expand_dims %x axis -1 : tensor<5xf32> -> tensor<5x1xf32>
  return
}

// -----

// (C2) The new axis is where `axis` says.
func.func @expand_dims_c2(%x: tensor<5xf32>) {
  // expected-error @below {{expected a result of type 'tensor<1x5xf32>', got 'tensor<5x1xf32>'}}
  %0 = tile.expand_dims %x axis 0 : tensor<5xf32> -> tensor<5x1xf32>
  return
}

// -----

// (C1) broadcast adds no axes.
func.func @broadcast_c1(%x: tensor<5xf32>) {
  // expected-error @below {{expected a result of rank 1, got 'tensor<3x5xf32>'}}
  %0 = tile.broadcast %x : tensor<5xf32> -> tensor<3x5xf32>
  return
}

// -----

// (C2) Only an extent of 1 is repeated.
func.func @broadcast_c2(%x: tensor<2x5xf32>) {
  // expected-error @below {{expected extent 4 or 1 on source axis 0, got 2}}
  %0 = tile.broadcast %x : tensor<2x5xf32> -> tensor<4x5xf32>
  return
}

// -----

// (C3) broadcast keeps the type of the elements.
func.func @broadcast_c3(%x: tensor<1x5xf32>) {
  // expected-error @below {{expected elements of type 'f32', got 'i32'}}
  %0 = tile.broadcast %x : tensor<1x5xf32> -> tensor<3x5xi32>
  return
}

// -----

// (C1) reshape keeps the number of elements.
func.func @reshape_c1(%x: tensor<3x5xf32>) {
  // expected-error @below {{expected a result of 15 elements, got 'tensor<2x7xf32>'}}
  %0 = tile.reshape %x : tensor<3x5xf32> -> tensor<2x7xf32>
  return
}

// -----

// (C2) reshape keeps the type of the elements.
func.func @reshape_c2(%x: tensor<3x5xf32>) {
  // expected-error @below {{expected elements of type 'f32', got 'i32'}}
  %0 = tile.reshape %x : tensor<3x5xf32> -> tensor<15xi32>
  return
}

// -----

// (C1) Each axis comes once.
func.func @trans_c1_twice(%x: tensor<3x5xf32>) {
  // expected-error @below {{expected order to be a permutation of the axes 0 .. 1}}
  %0 = tile.trans %x order [1, 1] : tensor<3x5xf32> -> tensor<5x5xf32>
  return
}

// -----

// (C1) No axis is left out.
func.func @trans_c1_missing(%x: tensor<3x5xf32>) {
  // expected-error @below {{expected order to be a permutation of the axes 0 .. 1}}
  %0 = tile.trans %x order [1] : tensor<3x5xf32> -> tensor<5xf32>
  return
}

// -----

// (C2) The result's extents follow.
func.func @trans_c2(%x: tensor<3x5xf32>) {
  // expected-error @below {{expected a result of type 'tensor<5x3xf32>', got 'tensor<3x5xf32>'}}
  %0 = tile.trans %x order [1, 0] : tensor<3x5xf32> -> tensor<3x5xf32>
  return
}

// -----

// (C1) The new axis comes last.
func.func @join_c1(%x: tensor<5xf32>) {
  // expected-error @below {{expected a result of type 'tensor<5x2xf32>', got 'tensor<2x5xf32>'}}
  %0 = tile.join %x, %x : tensor<5xf32> -> tensor<2x5xf32>
  return
}

// -----

// (C1) Only an axis of extent 2 is split.
func.func @split_c1(%x: tensor<5x4xf32>) {
  // expected-error @below {{expected a last extent of 2, got 'tensor<5x4xf32>'}}
  %0:2 = tile.split %x : tensor<5x4xf32> -> tensor<5xf32>
  return
}

// -----

// (C2) The axis goes.
func.func @split_c2(%x: tensor<5x2xf32>) {
  // expected-error @below {{expected a result of type 'tensor<5xf32>', got 'tensor<5x1xf32>'}}
  %0:2 = tile.split %x : tensor<5x2xf32> -> tensor<5x1xf32>
  return
}

// -----

// (C1) Both tiles have one rank.
func.func @cat_c1_rank(%x: tensor<5xf32>, %y: tensor<1x5xf32>) {
  // expected-error @below {{expected operands of one rank, got 'tensor<5xf32>' and 'tensor<1x5xf32>'}}
  %0 = tile.cat %x, %y axis 0 : tensor<5xf32>, tensor<1x5xf32> -> tensor<10xf32>
  return
}

// -----

// (C1) Both tiles have one element type.
func.func @cat_c1_element(%x: tensor<5xf32>, %y: tensor<3xf16>) {
  // expected-error @below {{expected elements of type 'f32', got 'f16'}}
  %0 = tile.cat %x, %y axis 0 : tensor<5xf32>, tensor<3xf16> -> tensor<8xf32>
  return
}

// -----

// (C1) The axis exists.
func.func @cat_c1_axis(%x: tensor<5xf32>) {
  // expected-error @below {{expected an axis in 0 .. 0, got 1}}
  %0 = tile.cat %x, %x axis 1 : tensor<5xf32>, tensor<5xf32> -> tensor<10xf32>
  return
}

// -----

// (C2) The other extents agree.
func.func @cat_c2(%x: tensor<2x5xf32>, %y: tensor<3x4xf32>) {
  // expected-error @below {{expected extent 5 on rhs axis 1, got 4}}
  %0 = tile.cat %x, %y axis 0 : tensor<2x5xf32>, tensor<3x4xf32> -> tensor<5x5xf32>
  return
}

// -----

// (C2) The result has the sum.
func.func @cat_c2_result(%x: tensor<2x5xf32>, %y: tensor<3x5xf32>) {
  // expected-error @below {{expected a result of type 'tensor<5x5xf32>', got 'tensor<6x5xf32>'}}
  %0 = tile.cat %x, %y axis 0 : tensor<2x5xf32>, tensor<3x5xf32> -> tensor<6x5xf32>
  return
}

// -----

// (C1) An offset and a stride for each axis.
func.func @slice_c1(%x: tensor<4x8xf32>) {
  // expected-error @below {{expected 2 offsets and strides and a result of that rank, got 'tensor<1x4xf32>'}}
  %0 = tile.slice %x offsets [2] strides [1, 2] : tensor<4x8xf32> -> tensor<1x4xf32>
  return
}

// -----

// (C1) The type of the elements stays.
func.func @slice_c1_element(%x: tensor<8xf32>) {
  // expected-error @below {{expected elements of type 'f32', got 'i32'}}
  %0 = tile.slice %x offsets [0] strides [1] : tensor<8xf32> -> tensor<4xi32>
  return
}

// -----

// (C2) No index beyond the extent.
func.func @slice_c2(%x: tensor<4x8xf32>) {
  // expected-error @below {{expected indices in 0 .. 7 on axis 1, got 2 .. 8}}
  %0 = tile.slice %x offsets [0, 2] strides [1, 2] : tensor<4x8xf32> -> tensor<1x4xf32>
  return
}

// -----

// (C2) No index below 0.
func.func @slice_c2_negative(%x: tensor<8xf32>) {
  // expected-error @below {{expected indices in 0 .. 7 on axis 0, got 2 .. -1}}
  %0 = tile.slice %x offsets [2] strides [-1] : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

// (C2) Also where the last index does not fit 64 bits.
func.func @slice_c2_overflow(%x: tensor<8xf32>) {
  // expected-error @below {{expected indices in 0 .. 7 on axis 0}}
  %0 = tile.slice %x offsets [0] strides [4611686018427387904] : tensor<8xf32> -> tensor<5xf32>
  return
}

// -----

// (C1) Source and index have one rank.
func.func @gather_c1(%x: tensor<3x5xf32>, %i: tensor<3xi32>) {
  // expected-error @below {{expected an index of rank 2, got 'tensor<3xi32>'}}
  %0 = tile.gather %x[%i] axis 1 : tensor<3x5xf32>, tensor<3xi32> -> tensor<3xf32>
  return
}

// -----

// (C1) The axis exists.
func.func @gather_c1_axis(%x: tensor<3x5xf32>, %i: tensor<3x2xi32>) {
  // expected-error @below {{expected an axis in 0 .. 1, got 2}}
  %0 = tile.gather %x[%i] axis 2 : tensor<3x5xf32>, tensor<3x2xi32> -> tensor<3x2xf32>
  return
}

// -----

// (C2) The other extents agree.
func.func @gather_c2(%x: tensor<3x5xf32>, %i: tensor<4x2xi32>) {
  // expected-error @below {{expected extent 3 on index axis 0, got 4}}
  %0 = tile.gather %x[%i] axis 1 : tensor<3x5xf32>, tensor<4x2xi32> -> tensor<4x2xf32>
  return
}

// -----

// (C3) The result has the index's shape.
func.func @gather_c3(%x: tensor<3x5xf32>, %i: tensor<3x2xi32>) {
  // expected-error @below {{expected a result of type 'tensor<3x2xf32>', got 'tensor<3x5xf32>'}}
  %0 = tile.gather %x[%i] axis 1 : tensor<3x5xf32>, tensor<3x2xi32> -> tensor<3x5xf32>
  return
}
