// The order of reductions, scans and dot: docs/spec/numerics.md, section 4. Values from NumPy in the stated order; in
// another order at least one of each kernel comes out otherwise.

// N15. A sum of 1, 1/2, .., 1/129: 64 lanes, then a tree. In sequence it would end in D9, as NumPy adds in DA.
func.func @sum(
    %out: !tile.ptr<f32> {tile.test = dense<0.0> : tensor<1xf32>, tile.test_expect = dense<0x40AE1BD8> : tensor<1xf32>})
    attributes {tile.kernel} {
  %i = tile.iota 1 : tensor<129xi32>
  %f = tile.cast %i signed : tensor<129xi32> -> tensor<129xf32>
  %ones = arith.constant dense<1.0> : tensor<129xf32>
  %x = arith.divf %ones, %f : tensor<129xf32>
  %s = tile.reduce %x axis 0 : (tensor<129xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %out, %s : !tile.ptr<f32>
  return
}

// N15. The same order along every axis: columns of a 70x3 tile, and the first, second and last of its rows.
func.func @sums_along_axes(
    %columns: !tile.ptr<f32> {tile.test = dense<0.0> : tensor<3xf32>,
      tile.test_expect = dense<[0x401D668E, 0x3FED9D9A, 0x3FCE3378]> : tensor<3xf32>},
    %rows: !tile.ptr<f32> {tile.test = dense<0.0> : tensor<3xf32>,
      tile.test_expect = dense<[0x3FEAAAAB, 0x3F1DDDDE, 0x3C6B2E3E]> : tensor<3xf32>}) attributes {tile.kernel} {
  %i = tile.iota 1 : tensor<210xi32>
  %f = tile.cast %i signed : tensor<210xi32> -> tensor<210xf32>
  %ones = arith.constant dense<1.0> : tensor<210xf32>
  %flat = arith.divf %ones, %f : tensor<210xf32>
  %x = tile.reshape %flat : tensor<210xf32> -> tensor<70x3xf32>
  %0 = tile.reduce %x axis 0 : (tensor<70x3xf32>) -> tensor<3xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %1 = tile.reduce %x axis 1 : (tensor<70x3xf32>) -> tensor<70xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  tile.block_store %columns[%zero] strides [%one] extents [%three], %0 : !tile.ptr<f32>, tensor<3xf32>
  %first = tile.slice %1 offsets [0] strides [1] : tensor<70xf32> -> tensor<2xf32>
  %last = tile.slice %1 offsets [69] strides [1] : tensor<70xf32> -> tensor<1xf32>
  tile.block_store %rows[%zero] strides [%one] extents [%three], %first : !tile.ptr<f32>, tensor<2xf32>
  tile.block_store %rows[%two] strides [%one] extents [%three], %last : !tile.ptr<f32>, tensor<1xf32>
  return
}

// N15. Products too: 1 + i/1024 for i below 100.
func.func @product(
    %out: !tile.ptr<f32> {tile.test = dense<0.0> : tensor<1xf32>, tile.test_expect = dense<0x42D888F5> : tensor<1xf32>})
    attributes {tile.kernel} {
  %i = tile.iota 1024 : tensor<100xi32>
  %f = tile.cast %i signed : tensor<100xi32> -> tensor<100xf32>
  %scale = arith.constant dense<0.0009765625> : tensor<100xf32>
  %x = arith.mulf %f, %scale : tensor<100xf32>
  %s = tile.reduce %x axis 0 : (tensor<100xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %out, %s : !tile.ptr<f32>
  return
}

// N15. In bf16 and f16 each step rounds: 256 and 64 ones make 318, 2048 and 64 ones make 2110.
func.func @narrow_sums(
    %bf: !tile.ptr<bf16> {tile.test = dense<0.0> : tensor<1xbf16>, tile.test_expect = dense<318.0> : tensor<1xbf16>},
    %h: !tile.ptr<f16> {tile.test = dense<0.0> : tensor<1xf16>, tile.test_expect = dense<2110.0> : tensor<1xf16>})
    attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<65xi32>
  %zero = arith.constant dense<0> : tensor<65xi32>
  %first = arith.cmpi eq, %i, %zero : tensor<65xi32>
  %b256 = arith.constant dense<256.0> : tensor<65xbf16>
  %b1 = arith.constant dense<1.0> : tensor<65xbf16>
  %x = arith.select %first, %b256, %b1 : tensor<65xi1>, tensor<65xbf16>
  %0 = tile.reduce %x axis 0 : (tensor<65xbf16>) -> bf16 {
  ^bb0(%a: bf16, %b: bf16):
    %c = arith.addf %a, %b : bf16
    tile.yield %c : bf16
  }
  %h2048 = arith.constant dense<2048.0> : tensor<65xf16>
  %h1 = arith.constant dense<1.0> : tensor<65xf16>
  %y = arith.select %first, %h2048, %h1 : tensor<65xi1>, tensor<65xf16>
  %1 = tile.reduce %y axis 0 : (tensor<65xf16>) -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.addf %a, %b : f16
    tile.yield %c : f16
  }
  tile.store %bf, %0 : !tile.ptr<bf16>
  tile.store %h, %1 : !tile.ptr<f16>
  return
}

// N15. A sum starts with the elements, not with a zero: of -0s it is -0. One element is itself.
func.func @sums_of_zeros(
    %x: !tile.ptr<f32> {tile.test = dense<-0.0> : tensor<5xf32>},
    %out: !tile.ptr<f32> {tile.test = dense<9.0> : tensor<2xf32>, tile.test_expect = dense<-0.0> : tensor<2xf32>})
    attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %five = arith.constant 5 : i64
  %a = tile.block_load %x[%zero] strides [%one] extents [%five] : !tile.ptr<f32> -> tensor<5xf32>
  %b = tile.block_load %x[%zero] strides [%one] extents [%five] : !tile.ptr<f32> -> tensor<1xf32>
  %0 = tile.reduce %a axis 0 : (tensor<5xf32>) -> f32 {
  ^bb0(%p: f32, %q: f32):
    %c = arith.addf %p, %q : f32
    tile.yield %c : f32
  }
  %1 = tile.reduce %b axis 0 : (tensor<1xf32>) -> f32 {
  ^bb0(%p: f32, %q: f32):
    %c = arith.addf %p, %q : f32
    tile.yield %c : f32
  }
  %c1 = arith.constant 1 : i32
  %q = tile.addptr %out, %c1 : !tile.ptr<f32>, i32
  tile.store %out, %0 : !tile.ptr<f32>
  tile.store %q, %1 : !tile.ptr<f32>
  return
}

// N16. A scan adds in sequence, from either end, with the running value on the left.
func.func @scans(
    %out: !tile.ptr<f32> {tile.test = dense<0.0> : tensor<9xf32>, tile.test_expect = dense<[0x3DCCCCCD, 0x3E99999A,
      0x3F19999A, 0x3F800000, 0x3FC00000, 0x40066666, 0x40333333, 0x40666666, 0x40900000]> : tensor<9xf32>},
    %reverse: !tile.ptr<f32> {tile.test = dense<0.0> : tensor<9xf32>, tile.test_expect = dense<[0x40900000, 0x408CCCCD,
      0x40866667, 0x4079999A, 0x40600000, 0x40400000, 0x4019999A, 0x3FD9999A, 0x3F666667]> : tensor<9xf32>})
    attributes {tile.kernel} {
  %i = tile.iota 1 : tensor<9xi32>
  %f = tile.cast %i signed : tensor<9xi32> -> tensor<9xf32>
  %tenth = arith.constant dense<0x3DCCCCCD> : tensor<9xf32>
  %x = arith.mulf %f, %tenth : tensor<9xf32>
  %0 = tile.scan %x axis 0 : (tensor<9xf32>) -> tensor<9xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %1 = tile.scan %x axis 0 reverse : (tensor<9xf32>) -> tensor<9xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %nine = arith.constant 9 : i64
  tile.block_store %out[%zero] strides [%one] extents [%nine], %0 : !tile.ptr<f32>, tensor<9xf32>
  tile.block_store %reverse[%zero] strides [%one] extents [%nine], %1 : !tile.ptr<f32>, tensor<9xf32>
  return
}

// N17. dot: the accumulator first, then k ascending, each step fused.
func.func @dot(
    %a: !tile.ptr<f32> {tile.test = dense<[[0x3F800000, 0x3F000000, 0x3EAAAAAB, 0x3E800000, 0x3E4CCCCD],
      [0x3E2AAAAB, 0x3E124925, 0x3E000000, 0x3DE38E39, 0x3DCCCCCD]]> : tensor<2x5xf32>},
    %b: !tile.ptr<f32> {tile.test = dense<[[0x3F000000, 0x3EAAAAAB, 0x3E800000], [0x3E4CCCCD, 0x3E2AAAAB, 0x3E124925],
      [0x3E000000, 0x3DE38E39, 0x3DCCCCCD], [0x3DBA2E8C, 0x3DAAAAAB, 0x3D9D89D9],
      [0x3D924925, 0x3D888889, 0x3D800000]]> : tensor<5x3xf32>},
    %c: !tile.ptr<f32> {tile.test = dense<[[0x00000000, 0x3DCCCCCD, 0x3E4CCCCD], [0x3DCCCCCD, 0x3E4CCCCD, 0x3E99999A]]>
      : tensor<2x3xf32>, tile.test_expect = dense<[[0x3F2DBDF4, 0x3F167EAB, 0x3F162463],
      [0x3E7AA5F0, 0x3E9E4CD4, 0x3EC75BBE]]> : tensor<2x3xf32>}) attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %five = arith.constant 5 : i64
  %x = tile.block_load %a[%zero, %zero] strides [%five, %one] extents [%two, %five] : !tile.ptr<f32> -> tensor<2x5xf32>
  %y = tile.block_load %b[%zero, %zero] strides [%three, %one] extents [%five, %three] : !tile.ptr<f32> -> tensor<5x3xf32>
  %z = tile.block_load %c[%zero, %zero] strides [%three, %one] extents [%two, %three] : !tile.ptr<f32> -> tensor<2x3xf32>
  %0 = tile.dot %x, %y, %z : tensor<2x5xf32>, tensor<5x3xf32>, tensor<2x3xf32>
  tile.block_store %c[%zero, %zero] strides [%three, %one] extents [%two, %three], %0 : !tile.ptr<f32>, tensor<2x3xf32>
  return
}

// N17. f16 is accumulated in f32 and rounded once at the end: 2048 + 1 + 1 is 2050.
func.func @dot_of_f16(
    %a: !tile.ptr<f16> {tile.test = dense<1.0> : tensor<1x2xf16>},
    %c: !tile.ptr<f16> {tile.test = dense<2048.0> : tensor<1x1xf16>, tile.test_expect = dense<2050.0> : tensor<1x1xf16>})
    attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %x = tile.block_load %a[%zero, %zero] strides [%two, %one] extents [%one, %two] : !tile.ptr<f16> -> tensor<1x2xf16>
  %y = tile.block_load %a[%zero, %zero] strides [%one, %two] extents [%two, %one] : !tile.ptr<f16> -> tensor<2x1xf16>
  %z = tile.block_load %c[%zero, %zero] strides [%one, %one] extents [%one, %one] : !tile.ptr<f16> -> tensor<1x1xf16>
  %0 = tile.dot %x, %y, %z : tensor<1x2xf16>, tensor<2x1xf16>, tensor<1x1xf16>
  tile.block_store %c[%zero, %zero] strides [%one, %one] extents [%one, %one], %0 : !tile.ptr<f16>, tensor<1x1xf16>
  return
}

// N18. argmax with the value: NaN is skipped, of equal values the lower index; 67 elements over all lanes.
func.func @argmax(
    %x: !tile.ptr<f32> {tile.test = dense<[1.0, 0x7FC00000, 3.0, 3.0, -1.0]> : tensor<5xf32>},
    %value: !tile.ptr<f32> {tile.test = dense<0.0> : tensor<1xf32>, tile.test_expect = dense<3.0> : tensor<1xf32>},
    %index: !tile.ptr<i32> {tile.test = dense<0> : tensor<1xi32>, tile.test_expect = dense<2> : tensor<1xi32>})
    attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<67xi32>
  %fives = arith.constant dense<5> : tensor<67xi32>
  %j = tile.rem %i, %fives : tensor<67xi32>
  %s = tile.splat %x : !tile.ptr<f32> -> tensor<67x!tile.ptr<f32>>
  %p = tile.addptr %s, %j : tensor<67x!tile.ptr<f32>>, tensor<67xi32>
  %v = tile.load %p : tensor<67x!tile.ptr<f32>>
  %0:2 = tile.reduce %v, %i axis 0 : (tensor<67xf32>, tensor<67xi32>) -> (f32, i32) {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %gt = arith.cmpf ogt, %a, %b : f32
    %eq = arith.cmpf oeq, %a, %b : f32
    %lower = arith.cmpi slt, %ai, %bi : i32
    %tie = arith.andi %eq, %lower : i1
    %bnan = arith.cmpf uno, %b, %b : f32
    %anan = arith.cmpf uno, %a, %a : f32
    %numbers = arith.ori %gt, %tie : i1
    %either = arith.ori %numbers, %bnan : i1
    %true = arith.constant true
    %isnumber = arith.xori %anan, %true : i1
    %left = arith.andi %either, %isnumber : i1
    %c = arith.select %left, %a, %b : f32
    %ci = arith.select %left, %ai, %bi : i32
    tile.yield %c, %ci : f32, i32
  }
  tile.store %value, %0#0 : !tile.ptr<f32>
  tile.store %index, %0#1 : !tile.ptr<i32>
  return
}

// N19. Sorting puts NaN last in both directions and -0 below +0.
func.func @sort(
    %x: !tile.ptr<f32> {tile.test = dense<[2.0, 0x7FC00000, 0.0, -1.0, -0.0, 0x7F800000, 2.0]> : tensor<7xf32>},
    %up: !tile.ptr<f32> {tile.test = dense<9.0> : tensor<7xf32>,
      tile.test_expect = dense<[-1.0, -0.0, 0.0, 2.0, 2.0, 0x7F800000, 0x7FC00000]> : tensor<7xf32>},
    %down: !tile.ptr<f32> {tile.test = dense<9.0> : tensor<7xf32>,
      tile.test_expect = dense<[0x7F800000, 2.0, 2.0, 0.0, -0.0, -1.0, 0x7FC00000]> : tensor<7xf32>})
    attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %seven = arith.constant 7 : i64
  %a = tile.block_load %x[%zero] strides [%one] extents [%seven] : !tile.ptr<f32> -> tensor<7xf32>
  %0 = tile.sort %a : tensor<7xf32>
  %1 = tile.sort %a descending : tensor<7xf32>
  tile.block_store %up[%zero] strides [%one] extents [%seven], %0 : !tile.ptr<f32>, tensor<7xf32>
  tile.block_store %down[%zero] strides [%one] extents [%seven], %1 : !tile.ptr<f32>, tensor<7xf32>
  return
}
