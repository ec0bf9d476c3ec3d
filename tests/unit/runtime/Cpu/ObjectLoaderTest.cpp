// Objects of real compilers load and run; damaged ones are refused. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "runtime/Cpu/ObjectLoader.h"

#include "runtime/Cpu/Symbols.h"
#include "tests/unit/runtime/Cpu/CompileC.h"

#include <cmath>
#include <cstring>
#include <elf.h>
#include <random>

using namespace pavage::cpu;
using pavage::errors::Code;

static const char program[] = R"(
typedef unsigned long size_t;
void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);
double sin(double);
float expf(float);
static const double table[8] = {1, 2, 4, 8, 16, 32, 64, 128};
static int counter = 40;
static long zeroed[1000];
int shared = 5;
const char *texts[] = {"alpha", "beta"};
static int local(int x) { return x * 3; }
int (*pointer)(int) = local;
double lookup(int i) { return table[i & 7]; }
int count(void) { return ++counter + ++shared; }
long fill(int i) { zeroed[i]++; return zeroed[i] + zeroed[999]; }
double callSin(double x) { return sin(x) + 1; }
float callExp(float x) { return expf(x); }
int indirect(int x) { return pointer(x); }
char letter(int i, int j) { return texts[i][j]; }
void copy(void *to, const void *from, size_t n) { memcpy(to, from, n); }
void *address(void) { return (void *)memset; }
int choose(int x) {
  switch (x) {
  case 0: return 11; case 1: return 22; case 2: return 5; case 3: return 7;
  case 4: return 77; case 5: return 4; case 6: return 100; case 7: return 3;
  default: return -1;
  }
}
)";

template <typename Function> static Function *get(const LoadedObject &object, const char *name) {
  auto *function = reinterpret_cast<Function *>(object.function(name));
  EXPECT_NE(function, nullptr) << name;
  return function;
}

static void exercise(const LoadedObject &object) {
  EXPECT_EQ(get<double(int)>(object, "lookup")(6), 64);
  EXPECT_EQ(get<int()>(object, "count")(), 41 + 6);
  EXPECT_EQ(get<int()>(object, "count")(), 42 + 7);
  EXPECT_EQ(get<long(int)>(object, "fill")(3), 1);
  EXPECT_EQ(get<long(int)>(object, "fill")(999), 2);
  EXPECT_EQ(get<double(double)>(object, "callSin")(0.5), std::sin(0.5) + 1);
  EXPECT_EQ(get<float(float)>(object, "callExp")(0.5f), std::exp(0.5f));
  EXPECT_EQ(get<int(int)>(object, "indirect")(7), 21);
  EXPECT_EQ(get<char(int, int)>(object, "letter")(1, 2), 't');
  EXPECT_EQ(get<int(int)>(object, "choose")(4), 77);
  EXPECT_EQ(get<int(int)>(object, "choose")(8), -1);
  char to[6] = {};
  get<void(void *, const void *, unsigned long)>(object, "copy")(to, "hello", 6);
  EXPECT_STREQ(to, "hello");
  void *byAddress = get<void *()>(object, "address")();
  std::memset(to, 0, sizeof(to));
  reinterpret_cast<void *(*)(void *, int, unsigned long)>(byAddress)(to, 'x', 5);
  EXPECT_STREQ(to, "xxxxx");
  EXPECT_EQ(object.function("local"), nullptr) << "static functions are not offered";
  EXPECT_EQ(object.function("table"), nullptr) << "data is no function";
  EXPECT_EQ(object.function("nothing"), nullptr);
}

TEST(ObjectLoader, RunsWhatCompilersMake) {
  for (const char *compiler : {"clang-22", "gcc"}) {
    if (!hasCompiler(compiler)) {
      continue;
    }
    // Position-independent with and without a GOT for every global, unoptimised, and with a section per function.
    for (const char *options :
         {"-O2 -fPIC", "-O0 -fPIC", "-O2 -fPIC -fno-plt", "-O2 -fPIE -fvisibility=hidden",
          "-O3 -fPIC -ffunction-sections -fdata-sections -mavx2", "-O1 -fPIC -fno-asynchronous-unwind-tables -g"}) {
      SCOPED_TRACE(std::string(compiler) + " " + options);
      std::string bytes = compileC(program, options, compiler);
      ASSERT_FALSE(bytes.empty());
      auto object = loadObject(bytes);
      ASSERT_TRUE(object) << object.error().render();
      exercise(*object);
    }
  }
}

TEST(ObjectLoader, ReachesAbsoluteAddressesWhenItCan) {
  std::string bytes =
      compileC("int data[4] = {1, 2, 3, 4}; int at(long i) { return data[i]; }", "-O2 -fno-pic -mcmodel=small");
  auto object = loadObject(bytes);
  ASSERT_TRUE(object) << object.error().render();
  EXPECT_EQ(get<int(long)>(*object, "at")(2), 3);
}

TEST(ObjectLoader, KeepsObjectsApart) {
  std::string bytes = compileC("static int n; int next(void) { return ++n; }");
  auto a = loadObject(bytes), b = loadObject(bytes);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(get<int()>(*a, "next")(), 1);
  EXPECT_EQ(get<int()>(*a, "next")(), 2);
  EXPECT_EQ(get<int()>(*b, "next")(), 1);
  LoadedObject moved = std::move(*a);
  EXPECT_EQ(get<int()>(moved, "next")(), 3);
}

TEST(ObjectLoader, AlignsConstants) {
  auto object =
      loadObject(compileC("typedef float v __attribute__((vector_size(64)));"
                          "const v c = {1}; char pad = 1; static v d = {2};"
                          "unsigned long where(void) { d[0] += pad; return (unsigned long)&c | (unsigned long)&d; }"));
  ASSERT_TRUE(object);
  EXPECT_EQ(get<unsigned long()>(*object, "where")() % 64, 0u);
}

TEST(ObjectLoader, CodeIsNotWritableAndConstantsNeither) {
  auto object = loadObject(compileC("const int c[3] = {1, 2, 3}; const int *where(void) { return c; }"));
  ASSERT_TRUE(object);
  auto *where = get<int *()>(*object, "where");
  EXPECT_DEATH(*where() = 5, "");
  EXPECT_DEATH(*reinterpret_cast<volatile char *>(where) = 0, "");
}

static void expectError(const std::string &bytes, Code code, const std::string &part) {
  SCOPED_TRACE(part);
  ASSERT_FALSE(bytes.empty());
  auto object = loadObject(bytes);
  ASSERT_FALSE(object);
  EXPECT_TRUE(object.error().is(code)) << object.error().render();
  EXPECT_NE(object.error().text().find(part), std::string::npos) << object.error().text();
}

TEST(ObjectLoader, RefusesWhatKernelsMustNotDo) {
  expectError(compileC("int system(const char *); int f(void) { return system(\"x\"); }"), Code::UnknownSymbol,
              "'system'");
  expectError(compileC("extern int environment; int f(void) { return environment; }"), Code::UnknownSymbol,
              "'environment'");
  expectError(compileC("static __thread int t; int f(void) { return ++t; }"), Code::BadObject, "thread-local");
  expectError(compileC("volatile int n; __attribute__((constructor)) void f(void) { n = n + 1; }"), Code::BadObject,
              "of type");
  expectError(compileC("int f(void) { return 1; }", "-O2 -m32"), Code::BadObject, "another machine");
  expectError(compileC("static int data[9]; int f(int i) { return ++data[i]; }", "-O2 -fPIC -mcmodel=large"),
              Code::UnsupportedRelocation, "got type");
  EXPECT_TRUE(loadObject("").error().is(Code::BadObject));
  expectError("not an object at all, but long enough to hold a header of an ELF file, one would think......",
              Code::BadObject, "ELF");
}

TEST(ObjectLoader, RefusesLinkedFiles) {
  std::ifstream self("/proc/self/exe", std::ios::binary);
  std::ostringstream bytes;
  bytes << self.rdbuf();
  expectError(bytes.str(), Code::BadObject, "relocatable");
}

TEST(ObjectLoader, EmptyObjectHasNoFunctions) {
  auto object = loadObject(compileC(""));
  ASSERT_TRUE(object) << object.error().render();
  EXPECT_EQ(object->function("f"), nullptr);
}

// Damage may make another well-formed object, so nothing is run here: loading must neither crash nor write outside its
// image, which AddressSanitizer would see for heap memory and the kernel for the rest.
TEST(ObjectLoader, SurvivesDamage) {
  std::mt19937_64 random(11);
  const std::string bytes = compileC(program, "-O1 -fPIC");
  ASSERT_FALSE(bytes.empty());
  int loaded = 0, refused = 0;
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = bytes;
    for (int changes = 1 + static_cast<int>(random() % 3); changes != 0; --changes) {
      // Half of the damage goes into the headers, where it matters most.
      size_t at = random() % 2
                      ? random() % damaged.size()
                      : std::min<size_t>(random() % 4 ? header.e_shoff + random() % (damaged.size() - header.e_shoff)
                                                      : random() % 64,
                                         damaged.size() - 1);
      switch (random() % 3) {
      case 0:
        damaged[at] = static_cast<char>(random());
        break;
      case 1:
        std::memset(damaged.data() + at, random() % 2 ? 0xff : 0, std::min<size_t>(8, damaged.size() - at));
        break;
      default:
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
      }
    }
    (loadObject(damaged) ? loaded : refused)++;
  }
  EXPECT_GT(loaded, 0);
  EXPECT_GT(refused, 0);
  for (size_t length = 0; length < bytes.size(); length += 7) {
    EXPECT_FALSE(loadObject(std::string_view(bytes).substr(0, length))) << length;
  }
}

TEST(Symbols, AreThereOnce) {
  auto names = symbolNames();
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  for (auto name : names) {
    EXPECT_NE(findSymbol(name), nullptr) << name;
  }
  EXPECT_EQ(reinterpret_cast<double (*)(double, double)>(findSymbol("pow"))(2, 10), 1024);
  EXPECT_EQ(reinterpret_cast<float (*)(float, int)>(findSymbol("ldexpf"))(3, 4), 48);
  EXPECT_EQ(reinterpret_cast<float (*)(float)>(findSymbol("roundevenf"))(2.5f), 2);
  EXPECT_EQ(findSymbol("malloc"), nullptr);
  EXPECT_EQ(findSymbol(""), nullptr);
}
