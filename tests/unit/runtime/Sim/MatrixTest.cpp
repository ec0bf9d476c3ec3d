// mma.sync, ldmatrix and stmatrix against the closed formulas of their fragments. SPDX-License-Identifier: Apache-2.0
// WITH LLVM-exception
#include "runtime/Sim/Arguments.h"
#include "tests/unit/runtime/Sim/SimTest.h"

namespace pavage::sim {
namespace {

struct Case {
  const char *shape;
  u32 m, n, k;
  const char *d, *a, *b, *c;
  const char *suffix;
};

u32 bitsOf(const std::string &t) {
  return t == "f64"                                ? 64
         : t == "f32" || t == "tf32" || t == "s32" ? 32
         : t == "f16" || t == "bf16"               ? 16
         : t == "s4" || t == "u4"                  ? 4
         : t == "b1"                               ? 1
                                                   : 8;
}

/// The bits of an integer value in a type.
u64 encode(const std::string &t, i32 v) {
  u8 raw[8] = {};
  u64 out = 0;
  if (t == "s4" || t == "u4" || t == "b1") {
    return static_cast<u64>(v) & ((1u << bitsOf(t)) - 1);
  }
  Element e = t == "f64"                  ? Element::F64
              : t == "f32" || t == "tf32" ? Element::F32
              : t == "f16"                ? Element::F16
              : t == "bf16"               ? Element::BF16
              : t == "e4m3"               ? Element::E4M3
              : t == "e5m2"               ? Element::E5M2
              : t == "s32"                ? Element::I32
                                          : Element::I8;
  storeElement(e, v, raw);
  std::memcpy(&out, raw, 8);
  return out;
}

double decode(const std::string &t, u64 bits) {
  u8 raw[8];
  std::memcpy(raw, &bits, 8);
  Element e = t == "f64" ? Element::F64 : t == "f32" ? Element::F32 : t == "f16" ? Element::F16 : Element::I32;
  return loadElement(e, raw);
}

/// Register r, element j of lane l of A (m x k): row and column.
void placeA(u32 m, u32 e, u32 l, u32 r, u32 j, u32 &row, u32 &col) {
  u32 g = l >> 2, t = l & 3;
  row = m == 16 ? g + 8 * (r & 1) : g;
  col = t * e + j + 4 * e * (m == 16 ? r >> 1 : r);
}

class SimMma : public ::testing::TestWithParam<Case> {};

TEST_P(SimMma, MatchesTheFormula) {
  const Case &x = GetParam();
  u32 fragmentBits = std::string(x.a) == "f64" ? 64 : 32, e = fragmentBits / bitsOf(x.a);
  u32 registersA = x.m / 8 * x.k / (4 * e), registersB = x.k / (4 * e);
  u32 accumulators = x.m == 16 ? 4 : 2;
  bool halfC = std::string(x.c) == "f16", halfD = std::string(x.d) == "f16", isBit = std::string(x.a) == "b1";
  u32 registersC = halfC ? accumulators / 2 : accumulators, registersD = halfD ? accumulators / 2 : accumulators;
  u32 seed = 7;
  auto next = [&](const std::string &t) {
    seed = seed * 1664525 + 1013904223;
    i32 v = static_cast<i32>((seed >> 16) % 7) - 3;
    bool isUnsigned = t == "u8" || t == "u4";
    return t == "b1" ? v & 1 : isUnsigned ? v + 3 : v;
  };
  std::vector<i32> a(x.m * x.k), b(x.k * x.n), c(x.m * x.n);
  for (i32 &v : a) {
    v = next(x.a);
  }
  for (i32 &v : b) {
    v = next(x.b);
  }
  for (i32 &v : c) {
    v = next("s32");
  }
  std::vector<u64> ra(32 * registersA), rb(32 * registersB), rc(32 * registersC);
  for (u32 l = 0; l < 32; ++l) {
    for (u32 r = 0; r < registersA; ++r) {
      for (u32 j = 0; j < e; ++j) {
        u32 row, col;
        placeA(x.m, e, l, r, j, row, col);
        ra[l * registersA + r] |= encode(x.a, a[row * x.k + col]) << (j * bitsOf(x.a));
      }
    }
    for (u32 r = 0; r < registersB; ++r) {
      for (u32 j = 0; j < e; ++j) {
        u32 k = (l & 3) * e + j + 4 * e * r, n = l >> 2;
        rb[l * registersB + r] |= encode(x.b, b[k * x.n + n]) << (j * bitsOf(x.b));
      }
    }
    for (u32 v = 0; v < accumulators; ++v) {
      u32 row = (l >> 2) + 8 * (v >> 1), col = 2 * (l & 3) + (v & 1);
      u64 bits = encode(x.c, c[row * x.n + col]);
      if (halfC) {
        rc[l * registersC + v / 2] |= bits << (16 * (v & 1));
      } else {
        rc[l * registersC + v] = bits;
      }
    }
  }
  Session run;
  run.options.block[0] = 32;
  run.buffer(ra);
  run.buffer(rb);
  run.buffer(rc);
  run.empty(32 * registersD * 8);
  bool wide = fragmentBits == 64;
  std::string body = "mov.u32 %r0, %laneid;\n";
  auto names = [&](const char *prefix, u32 count) {
    std::string list = "{";
    for (u32 k = 0; k < count; ++k) {
      list += (k ? ", " : "") + std::string(prefix) + std::to_string(k);
    }
    return list + "}";
  };
  auto load = [&](u32 buffer, const char *prefix, u32 count, bool is64) {
    body += std::string(".reg ") + (is64 ? ".b64 " : ".b32 ") + prefix + "<" + std::to_string(count) + ">;\n";
    body += "ld.param.u64 %q0, [p" + std::to_string(buffer) + "];\nmad.wide.u32 %q0, %r0, " +
            std::to_string(count * 8) + ", %q0;\n";
    for (u32 k = 0; k < count; ++k) {
      body += std::string("ld.global.") + (is64 ? "b64 " : "b32 ") + prefix + std::to_string(k) + ", [%q0+" +
              std::to_string(8 * k) + "];\n";
    }
  };
  load(0, "xa", registersA, wide);
  load(1, "xb", registersB, wide);
  load(2, "xc", registersC, wide);
  body += std::string(".reg ") + (wide ? ".b64" : ".b32") + " xd<" + std::to_string(registersD) + ">;\n";
  body += "mma.sync.aligned." + std::string(x.shape) + ".row.col." + x.d + "." + x.a + "." + x.b + "." + x.c +
          x.suffix + " " + names("xd", registersD) + ", " + names("xa", registersA) + ", " + names("xb", registersB) +
          ", " + names("xc", registersC) + ";\n";
  body += "ld.param.u64 %q0, [p3];\nmad.wide.u32 %q0, %r0, " + std::to_string(registersD * 8) + ", %q0;\n";
  for (u32 k = 0; k < registersD; ++k) {
    body += (wide ? "st.global.b64 [%q0+" : "cvt.u64.u32 %q1, xd" + std::to_string(k) + ";\nst.global.b64 [%q0+") +
            std::to_string(8 * k) + "], " + (wide ? "xd" + std::to_string(k) : std::string("%q1")) + ";\n";
  }
  ASSERT_TRUE(run.launch(run.kernel(body))) << run.error;
  EXPECT_TRUE(run.result.findings.empty()) << run.findings();
  EXPECT_EQ(run.result.totals.mma, 1u);
  std::vector<u64> out = run.read<u64>(3, 32 * registersD);
  for (u32 l = 0; l < 32; ++l) {
    for (u32 v = 0; v < accumulators; ++v) {
      u32 row = (l >> 2) + 8 * (v >> 1), col = 2 * (l & 3) + (v & 1);
      i32 want = c[row * x.n + col];
      for (u32 k = 0; k < x.k; ++k) {
        i32 p = a[row * x.k + k], q = b[k * x.n + col];
        want += isBit ? (std::string(x.suffix).find("and") != std::string::npos ? p & q : p ^ q) : p * q;
      }
      u64 bits = halfD ? out[l * registersD + v / 2] >> (16 * (v & 1)) & 0xffff : out[l * registersD + v];
      ASSERT_EQ(decode(x.d, bits), want) << "lane " << l << " register " << v;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllShapes, SimMma,
                         ::testing::Values(Case{"m16n8k8", 16, 8, 8, "f32", "f16", "f16", "f32", ""},
                                           Case{"m16n8k16", 16, 8, 16, "f32", "f16", "f16", "f32", ""},
                                           Case{"m16n8k8", 16, 8, 8, "f16", "f16", "f16", "f16", ""},
                                           Case{"m16n8k16", 16, 8, 16, "f16", "f16", "f16", "f16", ""},
                                           Case{"m16n8k8", 16, 8, 8, "f32", "bf16", "bf16", "f32", ""},
                                           Case{"m16n8k16", 16, 8, 16, "f32", "bf16", "bf16", "f32", ""},
                                           Case{"m16n8k4", 16, 8, 4, "f32", "tf32", "tf32", "f32", ""},
                                           Case{"m16n8k8", 16, 8, 8, "f32", "tf32", "tf32", "f32", ""},
                                           Case{"m8n8k4", 8, 8, 4, "f64", "f64", "f64", "f64", ""},
                                           Case{"m16n8k4", 16, 8, 4, "f64", "f64", "f64", "f64", ""},
                                           Case{"m16n8k8", 16, 8, 8, "f64", "f64", "f64", "f64", ""},
                                           Case{"m16n8k16", 16, 8, 16, "f64", "f64", "f64", "f64", ""},
                                           Case{"m8n8k16", 8, 8, 16, "s32", "s8", "s8", "s32", ""},
                                           Case{"m16n8k16", 16, 8, 16, "s32", "u8", "s8", "s32", ".satfinite"},
                                           Case{"m16n8k32", 16, 8, 32, "s32", "s8", "u8", "s32", ""},
                                           Case{"m8n8k32", 8, 8, 32, "s32", "s4", "s4", "s32", ""},
                                           Case{"m16n8k32", 16, 8, 32, "s32", "u4", "s4", "s32", ""},
                                           Case{"m16n8k64", 16, 8, 64, "s32", "s4", "u4", "s32", ""},
                                           Case{"m8n8k128", 8, 8, 128, "s32", "b1", "b1", "s32", ".xor.popc"},
                                           Case{"m16n8k128", 16, 8, 128, "s32", "b1", "b1", "s32", ".and.popc"},
                                           Case{"m16n8k256", 16, 8, 256, "s32", "b1", "b1", "s32", ".xor.popc"},
                                           Case{"m16n8k32", 16, 8, 32, "f32", "e4m3", "e4m3", "f32", ""},
                                           Case{"m16n8k32", 16, 8, 32, "f32", "e4m3", "e5m2", "f32", ""},
                                           Case{"m16n8k32", 16, 8, 32, "f32", "e5m2", "e4m3", "f32", ""},
                                           Case{"m16n8k32", 16, 8, 32, "f16", "e5m2", "e5m2", "f16", ""},
                                           Case{"m16n8k16", 16, 8, 16, "f32", "e4m3", "e4m3", "f32", ""}));

TEST(SimMatrix, Tf32IgnoresLowBitsAndIntegersSaturate) {
  const char *tf32 = "mov.b32 %t0, 0; mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%d, %t1, %t2, %t3}, {%a, "
                     "%a}, {%b}, {%t0, %t0, %t0, %t0};";
  Values<u32> ones(32, floatBits(1)), noisy(32, floatBits(1) | 0x1fff);
  EXPECT_EQ((lanes<u32>(tf32, noisy, ones)), Values<u32>(32, floatBits(4)));
  const char *plain =
      "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%d, %t1, %t2, %t3}, {%a, %a}, {%a}, {%b, %b, %b, %b};";
  const char *clamped = "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.s8.s32 {%d, %t1, %t2, %t3}, {%a, %a}, "
                        "{%a}, {%b, %b, %b, %b};";
  Values<u32> sevens(32, 0x7f7f7f7f), top(32, 0x7fffffff);
  u32 wrapped = 0x7fffffffu + 16 * 127 * 127;
  EXPECT_EQ((lanes<u32>(plain, sevens, top)), Values<u32>(32, wrapped));
  EXPECT_EQ((lanes<u32>(clamped, sevens, top)), top);
}

/// Shared memory is filled with 16-bit numbers, row r of matrix i at 16 * (8 * i + r).
std::vector<u16> loadMatrix(const char *form, u32 count, u32 registers) {
  Session run;
  run.options.block[0] = 32;
  run.empty(32 * registers * 4);
  std::string body = "mov.u32 %r0, %laneid; mov.u32 %r1, smem;\n";
  // Each lane writes 16 halves in a row.
  body += "shl.b32 %r2, %r0, 4; mad.lo.u32 %r3, %r0, 16, %r1;\n";
  for (u32 j = 0; j < 8; ++j) {
    body +=
        "mad.lo.u32 %r4, %r0, 8, " + std::to_string(j) + "; st.shared.u16 [%r3+" + std::to_string(2 * j) + "], %r4;\n";
  }
  body += "bar.sync 0;\n.reg .b32 m<4>;\nldmatrix.sync.aligned." + std::string(form) + " {";
  for (u32 k = 0; k < registers; ++k) {
    body += (k ? ", m" : "m") + std::to_string(k);
  }
  body += "}, [%r3];\nld.param.u64 %q0, [p0]; mad.wide.u32 %q0, %r0, " + std::to_string(registers * 4) + ", %q0;\n";
  for (u32 k = 0; k < registers; ++k) {
    body += "st.global.b32 [%q0+" + std::to_string(4 * k) + "], m" + std::to_string(k) + ";\n";
  }
  EXPECT_TRUE(run.launch(run.kernel(body, 512))) << run.error;
  EXPECT_TRUE(run.result.findings.empty()) << run.findings();
  EXPECT_EQ(run.result.totals.ldmatrix, 1u);
  (void)count;
  return run.read<u16>(0, 64 * registers);
}

TEST(SimMatrix, LoadMatrix) {
  for (u32 count : {1u, 2u, 4u}) {
    std::string x = ".x" + std::to_string(count);
    std::vector<u16> plain = loadMatrix(("m8n8" + x + ".shared.b16").c_str(), count, count);
    std::vector<u16> transposed =
        loadMatrix((std::string("trans.m8n8") + x + ".shared::cta.b16").c_str(), count, count);
    for (u32 l = 0; l < 32; ++l) {
      for (u32 i = 0; i < count; ++i) {
        for (u32 h = 0; h < 2; ++h) {
          u32 at = (l * count + i) * 2 + h;
          EXPECT_EQ(plain[at], (8 * i + (l >> 2)) * 8 + 2 * (l & 3) + h);
          EXPECT_EQ(transposed[at], (8 * i + 2 * (l & 3) + h) * 8 + (l >> 2));
        }
      }
    }
  }
}

TEST(SimMatrix, StoreMatrixInverts) {
  for (const char *trans : {"", ".trans"}) {
    Session run;
    run.options.block[0] = 32;
    run.empty(512);
    std::string t = trans;
    std::string body = "mov.u32 %r0, %laneid; mov.u32 %r1, smem; mad.lo.u32 %r3, %r0, 16, %r1;\n";
    for (u32 j = 0; j < 4; ++j) {
      body += "mad.lo.u32 %r4, %r0, 4, " + std::to_string(j) + "; st.shared.u32 [%r3+" + std::to_string(4 * j) +
              "], %r4;\n";
    }
    body +=
        "bar.warp.sync 0xffffffff; ldmatrix.sync.aligned.m8n8.x4" + t + ".shared.b16 {%r5, %r6, %r7, %r8}, [%r3];\n";
    body += "stmatrix.sync.aligned.m8n8.x4" + t +
            ".shared.b16 [%r3+512], {%r5, %r6, %r7, %r8};\nbar.warp.sync 0xffffffff;\n";
    body += "ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r3+512]; ld.param.u64 %q0, [p0]; mad.wide.u32 %q0, %r0, 16, %q0; "
            "st.global.v4.u32 [%q0], {%r5, %r6, %r7, %r8};\n";
    ASSERT_TRUE(run.launch(run.kernel(body, 1024))) << run.error;
    EXPECT_TRUE(run.result.findings.empty()) << run.findings();
    std::vector<u32> out = run.read<u32>(0, 128);
    for (u32 k = 0; k < 128; ++k) {
      EXPECT_EQ(out[k], k);
    }
  }
}

TEST(SimMatrix, MoveMatrixTransposes) {
  Values<u32> a(32);
  for (u32 l = 0; l < 32; ++l) {
    a[l] = (2 * l) | (2 * l + 1) << 16;
  }
  Values<u32> out = lanes<u32>("movmatrix.sync.aligned.m8n8.trans.b16 %d, %a;", a);
  for (u32 l = 0; l < 32; ++l) {
    u32 row = l >> 2, col = 2 * (l & 3);
    EXPECT_EQ(out[l], (col * 8 + row) | ((col + 1) * 8 + row) << 16);
  }
}

TEST(SimMatrix, CountsBankConflicts) {
  // Rows 128 bytes apart fall into one bank group: eight passes instead of one.
  Session run;
  run.options.block[0] = 32;
  run.options.checks = allChecks & ~bit(Kind::Uninit);
  std::string body = "mov.u32 %r0, %laneid; mov.u32 %r1, smem; and.b32 %r0, %r0, 7; mad.lo.u32 %r3, %r0, 128, %r1; "
                     "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r3];";
  ASSERT_TRUE(run.launch(run.kernel(body, 1024))) << run.error;
  EXPECT_EQ(run.result.totals.bankConflictPasses, 7u);
}

/// Eight rows of `span` bytes, written by plain stores through the swizzle of that span and read by ldmatrix: 16-byte
/// chunk `chunk` of each row. Swizzle<B, 4, 3>: bits 4.. of the byte address ^= bits 7.., B = log2(span / 16).
Session readSwizzled(u32 span, bool swizzle, u32 chunk) {
  Session run;
  run.options.block[0] = 32;
  run.empty(128);
  std::string ones = std::to_string(swizzle ? span / 16 - 1 : 0), width = std::to_string(span);
  auto place = [&](const std::string &offset) { // of %r2, into %r3
    return "shr.u32 %r3, " + offset + ", 7; and.b32 %r3, %r3, " + ones + "; shl.b32 %r3, %r3, 4; xor.b32 %r3, %r3, " +
           offset + "; add.u32 %r3, %r3, %r1; ";
  };
  std::string body = "mov.u32 %r0, %laneid; mov.u32 %r1, smem; mov.u32 %r4, 0;\n"
                     "L: mad.lo.u32 %r5, %r4, 32, %r0; shl.b32 %r2, %r5, 2; " +
                     place("%r2") + "st.shared.u32 [%r3], %r5; add.u32 %r4, %r4, 1; setp.lt.u32 %p0, %r4, " +
                     std::to_string(span * 8 / 128) + "; @%p0 bra L; bar.sync 0;\n" +
                     "and.b32 %r6, %r0, 7; mad.lo.u32 %r2, %r6, " + width + ", " + std::to_string(16 * chunk) + "; " +
                     place("%r2") +
                     "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r7}, [%r3]; ld.param.u64 %q0, [p0]; mad.wide.u32 %q0, "
                     "%r0, 4, %q0; st.global.u32 [%q0], %r7;";
  std::string text = run.kernel(body, 1024);
  text.replace(text.find(".align 16 .b8 smem"), 18, ".align 1024 .b8 smem");
  EXPECT_TRUE(run.launch(text)) << run.error;
  EXPECT_TRUE(run.result.findings.empty()) << run.findings();
  return run;
}

TEST(SimMatrix, SwizzlesAreFreeOfBankConflicts) {
  for (u32 span : {32u, 64u, 128u}) {
    for (u32 chunk = 0; chunk < span / 16; ++chunk) {
      for (bool swizzle : {false, true}) {
        Session run = readSwizzled(span, swizzle, chunk);
        u64 conflicts = 0;
        for (const LineResult &line : run.result.lines) {
          conflicts += line.cls == Class::MatrixMove ? line.counts.conflicts : 0;
        }
        // Without, the rows meet in 128 / span groups of banks.
        EXPECT_EQ(conflicts, swizzle ? 0 : 8 * span / 128 - 1) << span << " " << chunk;
        Values<u32> out = run.read<u32>(0, 32);
        for (u32 l = 0; l < 32; ++l) {
          EXPECT_EQ(out[l], (l >> 2) * span / 4 + 4 * chunk + (l & 3)) << span << " " << chunk << " " << swizzle;
        }
      }
    }
  }
}

} // namespace
} // namespace pavage::sim
