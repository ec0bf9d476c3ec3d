// RUN: pavage-opt %s --split-input-file --verify-diagnostics

// (C1) Something is folded.
func.func @reduce_c1() {
  // expected-error @below {{expected at least one source}}
  "tile.reduce"() <{axis = 0 : i32}> ({
  ^bb0:
    "tile.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

// (C1) The sources have one shape.
func.func @reduce_c1_shape(%x: tensor<3xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{expected sources of one shape, got 'tensor<3xf32>' and 'tensor<4xf32>'}}
  %0:2 = tile.reduce %x, %y axis 0 : (tensor<3xf32>, tensor<4xf32>) -> (f32, f32) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tile.yield %a, %b : f32, f32
  }
  return
}

// -----

// (C2) The axis exists.
func.func @reduce_c2(%x: tensor<3x5xf32>) {
  // expected-error @below {{expected an axis in 0 .. 1, got 2}}
  %0 = tile.reduce %x axis 2 : (tensor<3x5xf32>) -> tensor<3xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

// (C2) Axes do not count from the end.
func.func @reduce_c2_negative(%x: tensor<3x5xf32>) {
  // expected-error @below {{expected an axis in 0 .. 1, got -1}}
  %0 = tile.reduce %x axis -1 : (tensor<3x5xf32>) -> tensor<3xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

// (C3) The axis goes.
func.func @reduce_c3(%x: tensor<3x5xf32>) {
  // expected-error @below {{expected a result of type 'tensor<5xf32>', got 'tensor<3xf32>'}}
  %0 = tile.reduce %x axis 0 : (tensor<3x5xf32>) -> tensor<3xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

// (C3) Of a tile of rank 1 a scalar is left.
func.func @reduce_c3_scalar(%x: tensor<3xf32>) {
  // expected-error @below {{expected a result of type 'f32', got 'tensor<1xf32>'}}
  %0 = tile.reduce %x axis 0 : (tensor<3xf32>) -> tensor<1xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

// (C4) The region combines two tuples.
func.func @reduce_c4_arguments(%x: tensor<3xf32>) {
  // expected-error @below {{expected a region with 2 arguments, got 1}}
  %0 = tile.reduce %x axis 0 : (tensor<3xf32>) -> f32 {
  ^bb0(%a: f32):
    tile.yield %a : f32
  }
  return
}

// -----

// (C4) of the elements' types.
func.func @reduce_c4_types(%x: tensor<3xf32>) {
  // expected-error @below {{expected the region to combine 'f32', got 'f64'}}
  %0 = tile.reduce %x axis 0 : (tensor<3xf32>) -> f32 {
  ^bb0(%a: f64, %b: f64):
    tile.yield %a : f64
  }
  return
}

// -----

// (C4) into one.
func.func @reduce_c4_yield(%x: tensor<3xf32>) {
  // expected-error @below {{expected the region to yield 1 values}}
  %0 = tile.reduce %x axis 0 : (tensor<3xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a, %b : f32, f32
  }
  return
}

// -----

// (C5) A combination may take place any number of times.
func.func @reduce_c5(%x: tensor<3xf32>, %p: !tile.ptr<f32>) {
  // expected-error @below {{expected a combine region without side effects}}
  %0 = tile.reduce %x axis 0 : (tensor<3xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    // expected-note @below {{'tile.store' has them}}
    tile.store %p, %a : !tile.ptr<f32>
    tile.yield %a : f32
  }
  return
}

// -----

// The region has one block.
func.func @reduce_blocks(%x: tensor<3xf32>) {
  // expected-error @below {{region #0 ('combine') failed to verify constraint: region with 1 blocks}}
  "tile.reduce"(%x) <{axis = 0 : i32}> ({
  }) : (tensor<3xf32>) -> f32
  return
}

// -----

// (C1) The sources have one shape.
func.func @scan_c1(%x: tensor<3xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{expected sources of one shape}}
  %0:2 = tile.scan %x, %y axis 0 : (tensor<3xf32>, tensor<4xf32>) -> (tensor<3xf32>, tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tile.yield %a, %b : f32, f32
  }
  return
}

// -----

// (C2) The axis exists.
func.func @scan_c2(%x: tensor<3xf32>) {
  // expected-error @below {{expected an axis in 0 .. 0, got 1}}
  %0 = tile.scan %x axis 1 : (tensor<3xf32>) -> tensor<3xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

// (C3) The type stays.
func.func @scan_c3(%x: tensor<3xf32>) {
  // expected-error @below {{expected a result of type 'tensor<3xf32>', got 'tensor<4xf32>'}}
  %0 = tile.scan %x axis 0 : (tensor<3xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

// (C4) The region combines two tuples.
func.func @scan_c4(%x: tensor<3xf32>) {
  // expected-error @below {{expected a region with 2 arguments, got 3}}
  %0 = tile.scan %x axis 0 : (tensor<3xf32>) -> tensor<3xf32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    tile.yield %a : f32
  }
  return
}

// -----

// (C5) A combination may take place any number of times.
func.func @scan_c5(%x: tensor<3xi1>) {
  // expected-error @below {{expected a combine region without side effects}}
  %0 = tile.scan %x axis 0 : (tensor<3xi1>) -> tensor<3xi1> {
  ^bb0(%a: i1, %b: i1):
    // expected-note @below {{'tile.assume' has them}}
    tile.assume %a
    tile.yield %a : i1
  }
  return
}

// -----

// yield belongs into a combine region.
func.func @yield_elsewhere(%x: f32) {
  // expected-error @below {{expects parent op to be one of 'tile.reduce, tile.scan'}}
  tile.yield %x : f32
}

// -----

// Addresses have no order.
func.func @sort_of_pointers(%x: tensor<3x!tile.ptr<f32>>) {
  // expected-error @below {{operand #0 must be tile of numbers}}
  %0 = tile.sort %x : tensor<3x!tile.ptr<f32>>
  return
}

// -----

// (C1) Counting takes rank 1.
func.func @histogram_c1(%x: tensor<3x5xi32>) {
  // expected-error @below {{expected a rank-1 source and a rank-1 result of i32, got 'tensor<3x5xi32>' and 'tensor<4xi32>'}}
  %0 = tile.histogram %x : tensor<3x5xi32> -> tensor<4xi32>
  return
}

// -----

// (C1) and gives i32.
func.func @histogram_c1_result(%x: tensor<15xi32>) {
  // expected-error @below {{expected a rank-1 source and a rank-1 result of i32}}
  %0 = tile.histogram %x : tensor<15xi32> -> tensor<4xi64>
  return
}

// -----

// (C2) The mask has the source's shape.
func.func @histogram_c2(%x: tensor<15xi32>, %m: tensor<3xi1>) {
  // expected-error @below {{expected a mask of the source's shape, got 'tensor<3xi1>'}}
  %0 = tile.histogram %x mask %m : tensor<3xi1> : tensor<15xi32> -> tensor<4xi32>
  return
}
