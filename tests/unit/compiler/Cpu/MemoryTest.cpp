// Accesses: aliasing, masks, addresses of every form, atomics, calls back to the launch. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
#include "tests/unit/compiler/Cpu/Cross.h"

#include <gtest/gtest.h>
#include <numeric>

namespace pavage::cpu {
namespace {

/// A kernel over one array of i32 with `body`, which knows %p (the pointer), %i (0 .. N-1), %pp (tile of p + i).
std::string arrayText(int64_t n, const std::string &body) {
  return fill(R"(
func.func @k(%p: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<$Nxi32>
  %p_t = tile.splat %p : !tile.ptr<i32> -> tensor<$Nx!tile.ptr<i32>>
  %pp = tile.addptr %p_t, %i : tensor<$Nx!tile.ptr<i32>>, tensor<$Nxi32>
  %n_t = tile.splat %n : i32 -> tensor<$Nxi32>
)" + body + "  return\n}\n",
              {{"PT", "tensor<" + std::to_string(n) + "x!tile.ptr<i32>>"},
               {"N", std::to_string(n)},
               {"L", std::to_string(n - 1)}});
}

std::vector<int32_t> counting(int64_t n, int32_t start = 0) {
  std::vector<int32_t> result(n);
  std::iota(result.begin(), result.end(), start);
  return result;
}

void check(int64_t n, const std::string &body, const std::vector<int32_t> &data, int32_t number = 0,
           CrossOptions options = {}) {
  options.nanOf = 0;
  cross(arrayText(n, body), {Argument::array(data), Argument::number(static_cast<uint32_t>(number))}, options);
}

TEST(CpuMemory, LoadedWholeBeforeStored) {
  for (int64_t n : {1, 5, 16, 37, 1000}) {
    // Reversal in place: every lane reads what another one writes.
    check(n, R"(
  %last = arith.constant dense<$L> : tensor<$Nxi32>
  %r = arith.subi %last, %i : tensor<$Nxi32>
  %pr = tile.addptr %p_t, %r : $PT, tensor<$Nxi32>
  %x = tile.load %pr : $PT
  tile.store %pp, %x : $PT
)",
          counting(n));
  }
}

TEST(CpuMemory, ShiftInPlace) {
  for (int shift : {1, -1, 3}) {
    std::string body = fill(R"(
  %s = arith.constant dense<$S> : tensor<$Nxi32>
  %five = arith.constant dense<5> : tensor<$Nxi32>
  %j0 = arith.addi %i, %five : tensor<$Nxi32>
  %j = arith.addi %j0, %s : tensor<$Nxi32>
  %pf = tile.addptr %p_t, %j0 : $PT, tensor<$Nxi32>
  %pt = tile.addptr %p_t, %j : $PT, tensor<$Nxi32>
  %x = tile.load %pf : $PT
  tile.store %pt, %x : $PT
)",
                            {{"S", std::to_string(shift)}});
    check(100, body, counting(120));
  }
}

TEST(CpuMemory, InPlaceWithSamePointers) {
  check(100, R"(
  %x = tile.load %pp : $PT
  %y = arith.addi %x, %x : tensor<$Nxi32>
  tile.store %pp, %y : $PT
  %z = tile.load %pp : $PT
  %w = arith.addi %z, %x : tensor<$Nxi32>
  tile.store %pp, %w : $PT
)",
        counting(100));
}

TEST(CpuMemory, DuplicatesLastLaneWins) {
  for (int64_t n : {5, 16, 100}) {
    // Pairs of lanes share an address; the load must not see what the store writes.
    check(n, R"(
  %two = arith.constant dense<2> : tensor<$Nxi32>
  %h = tile.div %i, %two signed : tensor<$Nxi32>
  %ph = tile.addptr %p_t, %h : $PT, tensor<$Nxi32>
  %x = tile.load %ph : $PT
  %y = arith.addi %x, %i : tensor<$Nxi32>
  tile.store %ph, %y : $PT
)",
          counting(n, 100));
    check(n, "  tile.store %p_t, %i : $PT\n", counting(n, 7)); // one address for all
  }
}

TEST(CpuMemory, MaskedOffLanesTouchNothing) {
  for (int32_t length : {0, 1, 3, 16, 17, 50}) {
    std::vector<int32_t> data = counting(std::max(length, 1), 10);
    check(100, R"(
  %m = arith.cmpi slt, %i, %n_t : tensor<$Nxi32>
  %x = tile.load %pp mask %m : $PT
  %y = arith.addi %x, %x : tensor<$Nxi32>
  tile.store %pp, %y mask %m : $PT
)",
          data, length);
  }
  // Addresses of masked-off lanes are wild.
  check(40, R"(
  %big = arith.constant dense<1000000000> : tensor<$Nxi32>
  %q = arith.muli %i, %big : tensor<$Nxi32>
  %pq = tile.addptr %p_t, %q : $PT, tensor<$Nxi32>
  %zero = arith.constant dense<0> : tensor<$Nxi32>
  %m = arith.cmpi eq, %i, %zero : tensor<$Nxi32>
  %other = arith.constant dense<77> : tensor<$Nxi32>
  %x = tile.load %pq mask %m other %other : $PT
  tile.store %pp, %x : $PT
  tile.store %pq, %i mask %m : $PT
)",
        counting(40, 3));
}

TEST(CpuMemory, AddressesOfEveryForm) {
  for (int64_t n : {7, 64}) {
    // Constant stride, run-time stride, backwards, remainder, quotient, loaded indices, 64-bit offsets.
    for (const char *offset : {
             "  %o = arith.muli %i, %two : tensor<$Nxi32>\n",
             "  %o = arith.muli %i, %n_t : tensor<$Nxi32>\n",
             "  %o = arith.subi %top, %i : tensor<$Nxi32>\n",
             "  %o = tile.rem %i, %n_t signed : tensor<$Nxi32>\n",
             "  %j = arith.addi %i, %two : tensor<$Nxi32>\n  %o = tile.rem %j, %seven signed : tensor<$Nxi32>\n",
             "  %o = tile.div %i, %seven signed : tensor<$Nxi32>\n",
             "  %o = tile.rem %i, %sixtyfour : tensor<$Nxi32>\n",
             "  %l = tile.load %pp : $PT\n  %o = tile.rem %l, %sixtyfour signed : tensor<$Nxi32>\n",
             "  %o = arith.addi %n_t, %i : tensor<$Nxi32>\n",
         }) {
      SCOPED_TRACE(offset);
      check(n,
            R"(
  %two = arith.constant dense<2> : tensor<$Nxi32>
  %seven = arith.constant dense<7> : tensor<$Nxi32>
  %sixtyfour = arith.constant dense<64> : tensor<$Nxi32>
  %top = arith.constant dense<150> : tensor<$Nxi32>
)" + std::string(offset) +
                R"(
  %po = tile.addptr %p_t, %o : $PT, tensor<$Nxi32>
  %x = tile.load %po : $PT
  %half = arith.constant dense<200> : tensor<$Nxi32>
  %out = arith.addi %i, %half : tensor<$Nxi32>
  %pout = tile.addptr %p_t, %out : $PT, tensor<$Nxi32>
  tile.store %pout, %x : $PT
  %w = arith.muli %x, %two : tensor<$Nxi32>
  tile.store %po, %w : $PT
)",
            counting(400), 3);
    }
  }
}

TEST(CpuMemory, OffsetsThatWrap) {
  // i32 offsets wrap between lanes: the address goes back by 16 GiB, and the second addptr brings it forward again.
  std::string body = R"(
  %start = arith.constant dense<2147483640> : tensor<$Nxi32>
  %o = arith.addi %start, %i : tensor<$Nxi32>
  %zero = arith.constant dense<0> : tensor<$Nxi32>
  %neg = arith.cmpi slt, %o, %zero : tensor<$Nxi32>
  %fwd = arith.constant dense<2147483648> : tensor<$Nxi64>
  %back = arith.constant dense<-2147483640> : tensor<$Nxi64>
  %fix = arith.select %neg, %fwd, %back : tensor<$Nxi1>, tensor<$Nxi64>
  %eight = arith.constant dense<8> : tensor<$Nxi64>
  %zero64 = arith.constant dense<0> : tensor<$Nxi64>
  %add = arith.select %neg, %eight, %zero64 : tensor<$Nxi1>, tensor<$Nxi64>
  %p1 = tile.addptr %p_t, %fix : $PT, tensor<$Nxi64>
  %p1b = tile.addptr %p1, %add : $PT, tensor<$Nxi64>
  %p2 = tile.addptr %p1b, %o : $PT, tensor<$Nxi32>
  %x = tile.load %p2 : $PT
  %two = arith.constant dense<2> : tensor<$Nxi32>
  %y = arith.muli %x, %two : tensor<$Nxi32>
  tile.store %pp, %y : $PT
)";
  check(30, body, counting(64, 5));
  // The same with a uniform correction: lanes before the wrap are addressed plainly, those after it 2^32 elements
  // lower.
  std::string masked = R"(
  %start = tile.splat %n : i32 -> tensor<$Nxi32>
  %o = arith.addi %start, %i : tensor<$Nxi32>
  %zero = arith.constant dense<0> : tensor<$Nxi32>
  %m = arith.cmpi sgt, %o, %zero : tensor<$Nxi32>
  %back = arith.constant dense<-2147483640> : tensor<$Nxi64>
  %p1 = tile.addptr %p_t, %back : $PT, tensor<$Nxi64>
  %p2 = tile.addptr %p1, %o : $PT, tensor<$Nxi32>
  %x = tile.load %p2 mask %m : $PT
  tile.store %pp, %x : $PT
)";
  check(30, masked, counting(64, 5), 2147483640);
}

TEST(CpuMemory, Booleans) {
  std::string text = R"(
func.func @k(%p: !tile.ptr<i1>, %q: !tile.ptr<i1>) attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<37xi32>
  %p_t = tile.splat %p : !tile.ptr<i1> -> tensor<37x!tile.ptr<i1>>
  %pp = tile.addptr %p_t, %i : tensor<37x!tile.ptr<i1>>, tensor<37xi32>
  %q_t = tile.splat %q : !tile.ptr<i1> -> tensor<37x!tile.ptr<i1>>
  %pq = tile.addptr %q_t, %i : tensor<37x!tile.ptr<i1>>, tensor<37xi32>
  %x = tile.load %pp : tensor<37x!tile.ptr<i1>>
  %true = arith.constant dense<true> : tensor<37xi1>
  %y = arith.xori %x, %true : tensor<37xi1>
  tile.store %pq, %y : tensor<37x!tile.ptr<i1>>
  return
}
)";
  CrossOptions options;
  options.nanOf = 0;
  std::vector<uint8_t> bytes = randomBits<uint8_t>(37, 1);
  for (uint8_t &byte : bytes) {
    byte &= 3; // any byte but 0 is true
  }
  cross(text, {Argument::array(bytes), Argument::array(std::vector<uint8_t>(37))}, options);
}

TEST(CpuMemory, BlocksInsideAndOutside) {
  for (auto [r, c] : std::vector<std::pair<int64_t, int64_t>>{{0, 0}, {-2, -3}, {3, 9}, {100, 0}, {8, 15}}) {
    std::string text = fill(R"(
func.func @k(%out: !tile.ptr<f32>, %in: !tile.ptr<f32>, %r: i64, %c: i64) attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %ld = arith.constant 20 : i64
  %m = arith.constant 10 : i64
  %w = arith.constant 18 : i64
  %pad = arith.constant 7.5 : f32
  %x = tile.block_load %in[%r, %c] strides [%ld, %one] extents [%m, %w] checked [0, 1] other %pad : f32 : !tile.ptr<f32> -> tensor<7x11xf32>
  %y = arith.addf %x, %x : tensor<7x11xf32>
  tile.block_store %in[%r, %c] strides [%ld, %one] extents [%m, %w] checked [0, 1], %y : !tile.ptr<f32>, tensor<7x11xf32>
  %s = arith.constant 11 : i64
  tile.block_store %out[%zero, %zero] strides [%s, %one] extents [%zero, %zero], %x : !tile.ptr<f32>, tensor<7x11xf32>
  return
}
)",
                            {});
    cross(text, {Argument::array(std::vector<float>(77)), Argument::array(randomFloats(200, 1)),
                 Argument::number(static_cast<uint64_t>(r)), Argument::number(static_cast<uint64_t>(c))});
  }
}

TEST(CpuAtomic, EveryKindAndType) {
  for (const char *type : {"i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"}) {
    bool isFloat = type[0] == 'f' || type[0] == 'b';
    size_t bytes = type == std::string("i8")                                  ? 1
                   : type == std::string("i32") || type == std::string("f32") ? 4
                   : type == std::string("i64") || type == std::string("f64") ? 8
                                                                              : 2;
    std::vector<std::string> kinds{"xchg"};
    for (const char *kind : {"addi", "maxs", "maxu", "mins", "minu", "and", "or", "xor"}) {
      if (!isFloat) {
        kinds.push_back(kind);
      }
    }
    for (const char *kind : {"addf", "maxf", "minf"}) {
      if (isFloat) {
        kinds.push_back(kind);
      }
    }
    for (const std::string &kind : kinds) {
      SCOPED_TRACE(kind + " " + type);
      std::string text = fill(R"(
func.func @k(%p: !tile.ptr<$T>, %v: !tile.ptr<$T>, %out: !tile.ptr<$T>) attributes {tile.kernel} {
  %i = tile.iota 0 : tensor<21xi32>
  %three = arith.constant dense<3> : tensor<21xi32>
  %j = tile.rem %i, %three signed : tensor<21xi32>
  %two = arith.constant dense<2> : tensor<21xi32>
  %m = arith.cmpi ne, %j, %two : tensor<21xi32>
  %p_t = tile.splat %p : !tile.ptr<$T> -> tensor<21x!tile.ptr<$T>>
  %pp = tile.addptr %p_t, %j : tensor<21x!tile.ptr<$T>>, tensor<21xi32>
  %v_t = tile.splat %v : !tile.ptr<$T> -> tensor<21x!tile.ptr<$T>>
  %pv = tile.addptr %v_t, %i : tensor<21x!tile.ptr<$T>>, tensor<21xi32>
  %x = tile.load %pv : tensor<21x!tile.ptr<$T>>
  %old = tile.atomic_rmw $K %pp, %x mask %m : tensor<21x!tile.ptr<$T>>
  %one = tile.load %v : !tile.ptr<$T>
  %s = tile.atomic_rmw $K %p, %one : !tile.ptr<$T>
  %o_t = tile.splat %out : !tile.ptr<$T> -> tensor<21x!tile.ptr<$T>>
  %po = tile.addptr %o_t, %i : tensor<21x!tile.ptr<$T>>, tensor<21xi32>
  tile.store %po, %old : tensor<21x!tile.ptr<$T>>
  tile.store %v, %s : !tile.ptr<$T>
  return
}
)",
                              {{"T", type}, {"K", kind}});
      CrossOptions options;
      options.nanOf = type == std::string("f32")    ? 'f'
                      : type == std::string("f64")  ? 'd'
                      : type == std::string("f16")  ? 'h'
                      : type == std::string("bf16") ? 'b'
                                                    : 0;
      cross(text,
            {Argument::array(randomBits<uint8_t>(3 * bytes, 4)), Argument::array(randomBits<uint8_t>(21 * bytes, 5)),
             Argument::array(std::vector<uint8_t>(21 * bytes))},
            options);
    }
  }
}

TEST(CpuAtomic, CompareAndSwap) {
  check(9, R"(
  %five = arith.constant dense<5> : tensor<$Nxi32>
  %zero = arith.constant dense<0> : tensor<$Nxi32>
  %old = tile.atomic_cas %p_t, %five, %i : $PT, tensor<$Nxi32>
  %one = arith.constant dense<1> : tensor<$Nxi32>
  %j = arith.addi %i, %one : tensor<$Nxi32>
  %pj = tile.addptr %p_t, %j : $PT, tensor<$Nxi32>
  tile.store %pj, %old : $PT
)",
        counting(10, 5));
}

TEST(CpuLaunch, AssertAndPrint) {
  std::string body = R"(
  %m = arith.cmpi slt, %i, %n_t : tensor<$Nxi32>
  %x = tile.load %pp : $PT
  tile.assert %m, "below n" : tensor<$Nxi1>
  tile.store %pp, %i : $PT
)";
  check(37, body, counting(37, 3), 37);
  CrossOptions failing;
  failing.expectedError = 501;
  check(37, body, counting(37, 3), 36, failing);

  std::vector<int32_t> printed;
  CrossOptions options;
  options.onPrint = [&](uint32_t, int64_t, const void *data) {
    const auto *values = static_cast<const int32_t *>(data);
    printed.insert(printed.end(), values, values + 21);
  };
  for (const target::CpuTarget *target : levelsHere()) {
    printed.clear();
    CpuObject object = compileText(arrayText(21, R"(
  %x = tile.load %pp : $PT
  %r = tile.reshape %x : tensor<$Nxi32> -> tensor<3x7xi32>
  tile.print "x = " %r {is_signed = array<i1: true>} : tensor<3x7xi32>
)"),
                                   *target, options);
    ASSERT_EQ(object.sites.size(), 1u);
    EXPECT_EQ(object.sites[0].text, "x = ");
    EXPECT_EQ(object.sites[0].dtype, artifact::Dtype::I32);
    EXPECT_EQ(object.sites[0].shape, (std::vector<int64_t>{3, 7}));
    Arguments arguments{Argument::array(counting(21, 5)), Argument::number(0)};
    EXPECT_EQ(runObject(object, arguments, options), 0);
    EXPECT_EQ(printed, counting(21, 5));
  }
}

TEST(CpuLaunch, ChecksAccessesOfActiveLanes) {
  std::string text = arrayText(20, R"(
  %m = arith.cmpi slt, %i, %n_t : tensor<$Nxi32>
  %x = tile.load %pp mask %m : $PT
  tile.store %pp, %x mask %m : $PT
  %old = tile.atomic_rmw addi %p, %n : !tile.ptr<i32>
)");
  for (int32_t length : {0, 5, 20}) {
    for (const target::CpuTarget *target : levelsHere()) {
      CrossOptions options;
      options.check = true;
      Arguments arguments{Argument::array(counting(20)), Argument::number(static_cast<uint64_t>(length))};
      uint64_t base = reinterpret_cast<uint64_t>(arguments[0].bytes.data());
      int reads = 0, writes = 0;
      bool isInside = true;
      options.onAccess = [&](uint32_t, int32_t argument, uint64_t address, int64_t bytes, bool isWrite) -> int32_t {
        ++(isWrite ? writes : reads);
        isInside &= argument == 0 && bytes == 4 && address >= base && address < base + 80;
        return 0;
      };
      CpuObject object = compileText(text, *target, options);
      EXPECT_EQ(runObject(object, arguments, options), 0);
      EXPECT_EQ(reads, length);
      EXPECT_EQ(writes, length + 1);
      EXPECT_TRUE(isInside);
      options.onAccess = [&](uint32_t, int32_t, uint64_t, int64_t, bool isWrite) -> int32_t {
        return isWrite ? 500 : 0;
      };
      Arguments untouched{Argument::array(counting(20)), Argument::number(static_cast<uint64_t>(length))};
      EXPECT_EQ(runObject(object, untouched, options), 500);
      EXPECT_EQ(untouched[0].as<int32_t>(), counting(20));
    }
  }
}

} // namespace
} // namespace pavage::cpu
