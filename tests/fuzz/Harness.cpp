// Interp against cpu on one program. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program goes through text, as a user's would, and through the public C interfaces of compiler and runtime. Each
// buffer lies between two canaries, so that a lane that should have been masked off shows.
#include "tests/fuzz/Harness.h"

#include "dialect/Tile/TileTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>
#include <pavage/compile.h>
#include <pavage/runtime.h>

using namespace mlir;
using namespace pavage::tile;

namespace pavage::fuzz {

static constexpr size_t kCanary = 4096;
static constexpr uint8_t kCanaryByte = 0xA5;

namespace {

/// The argument buffers of one run.
class Buffers {
public:
  Buffers(const Program &program, uint64_t seed) {
    std::mt19937_64 rng(seed);
    for (const Argument &argument : program.arguments) {
      std::vector<uint8_t> bytes = fill(argument, rng);
      std::vector<uint8_t> &whole = memory.emplace_back(bytes.size() + 2 * kCanary, kCanaryByte);
      std::memcpy(whole.data() + kCanary, bytes.data(), bytes.size());
    }
    for (auto [index, argument] : llvm::enumerate(program.arguments)) {
      uint8_t *data = memory[index].data() + kCanary;
      uint64_t slot = reinterpret_cast<uint64_t>(data);
      if (argument.role == Argument::Scalar) {
        slot = scalarSlot(argument.element, data);
      } else {
        shapes.push_back(std::make_unique<int64_t>(argument.elements));
        arrays.push_back({slot, shapes.back().get(), nullptr, 1, static_cast<uint32_t>(bytesInMemory(argument.element)),
                          static_cast<uint32_t>(index), argument.role == Argument::Input ? 1u : 0u});
      }
      slots.push_back(slot);
    }
  }

  bool canariesIntact(size_t index) const {
    const std::vector<uint8_t> &whole = memory[index];
    auto intact = [](uint8_t byte) { return byte == kCanaryByte; };
    return std::all_of(whole.begin(), whole.begin() + kCanary, intact) &&
           std::all_of(whole.end() - kCanary, whole.end(), intact);
  }
  const uint8_t *data(size_t index) const { return memory[index].data() + kCanary; }

  std::vector<uint64_t> slots;
  std::vector<pvrt_array> arrays;

private:
  static uint64_t scalarSlot(Type type, const uint8_t *data) {
    uint64_t bits = 0;
    std::memcpy(&bits, data, bytesInMemory(type));
    if (type.isInteger() && !type.isInteger(1) && !type.isInteger(64)) { // scalars are signed
      unsigned shift = 64 - type.getIntOrFloatBitWidth();
      bits = static_cast<uint64_t>(static_cast<int64_t>(bits << shift) >> shift);
    }
    return bits;
  }

  std::vector<std::vector<uint8_t>> memory;
  std::vector<std::unique_ptr<int64_t>> shapes;
};

std::string compilerError(StringRef what) {
  pv_error_info info;
  pv_error(nullptr, &info);
  return llvm::formatv("{0} PV{1:04}: {2}", what, info.number, info.text ? info.text : "").str();
}

std::string take(StringRef what, pvrt_error *error) {
  std::string text = (what + " " + error->rendered).str();
  pvrt_error_free(error);
  return text;
}

struct ModuleDeleter {
  void operator()(pv_module *m) const { pv_module_destroy(m); }
};
struct ArtifactDeleter {
  void operator()(pv_artifact *a) const { pv_artifact_destroy(a); }
};

} // namespace

static double asDouble(Type type, const uint8_t *data) {
  if (type.isF32()) {
    float value;
    std::memcpy(&value, data, 4);
    return value;
  }
  if (type.isF64()) {
    double value;
    std::memcpy(&value, data, 8);
    return value;
  }
  uint64_t bits = 0;
  std::memcpy(&bits, data, bytesInMemory(type));
  auto format = cast<FloatType>(type);
  llvm::APFloat value(format.getFloatSemantics(), llvm::APInt(format.getWidth(), bits));
  bool lossy;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lossy);
  return value.convertToDouble();
}

/// Equal bits, two NaN, or (approximate results) two numbers close enough for any of the functions.
static bool agree(const Argument &argument, const uint8_t *a, const uint8_t *b) {
  int64_t width = bytesInMemory(argument.element);
  if (std::memcmp(a, b, width) == 0) {
    return true;
  }
  if (!isa<FloatType>(argument.element)) {
    return false;
  }
  double x = asDouble(argument.element, a), y = asDouble(argument.element, b);
  if (std::isnan(x) || std::isnan(y)) {
    return std::isnan(x) && std::isnan(y);
  }
  if (argument.role != Argument::Approximate || std::isinf(x) || std::isinf(y)) {
    return false;
  }
  double relative = argument.element.isF64() ? 1e-13 : 4e-6, absolute = argument.element.isF64() ? 1e-15 : 2e-7;
  return std::abs(x - y) <= relative * std::abs(x) + absolute;
}

std::optional<std::string> compare(const Program &program, uint64_t seed, const HarnessOptions &options) {
  if (failed(mlir::verify(program.module.get()))) {
    return "verify: the generator made an invalid module";
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  ModuleOp(program.module.get()).print(stream);
  pv_module *raw = nullptr;
  if (pv_module_parse(text.data(), text.size(), "fuzz.mlir", &raw)) {
    return compilerError("verify");
  }
  std::unique_ptr<pv_module, ModuleDeleter> module(raw);

  Buffers expected(program, seed), got(program, seed);
  pv_interpret_args interpret{};
  interpret.struct_size = sizeof interpret;
  interpret.grid[0] = program.grid;
  interpret.grid[1] = interpret.grid[2] = 1;
  interpret.slots = expected.slots.data();
  interpret.num_slots = expected.slots.size();
  interpret.arrays = reinterpret_cast<const pv_launch_array *>(expected.arrays.data());
  interpret.num_arrays = expected.arrays.size();
  if (pv_interpret(module.get(), &interpret)) {
    return compilerError("interp");
  }

  pv_compile_options compile;
  compile.struct_size = sizeof compile;
  pv_compile_options_init(&compile);
  compile.cpu_level = options.cpuLevel;
  compile.check = options.check;
  compile.no_fp_fusion = 1;
  pv_artifact *rawArtifact = nullptr;
  if (pv_compile(module.get(), &compile, &rawArtifact)) {
    return compilerError("compile");
  }
  std::unique_ptr<pv_artifact, ArtifactDeleter> artifact(rawArtifact);
  const void *bytes;
  size_t size;
  pv_artifact_bytes(artifact.get(), &bytes, &size);

  pvrt_device *device;
  pvrt_variant *variant;
  if (pvrt_error *error = pvrt_device_open("cpu", &device)) {
    return take("launch", error);
  }
  if (pvrt_error *error = pvrt_load(device, bytes, size, &variant)) {
    return take("launch", error);
  }
  pvrt_launch_args launch{};
  launch.struct_size = sizeof launch;
  launch.grid[0] = program.grid;
  launch.grid[1] = launch.grid[2] = 1;
  launch.slots = got.slots.data();
  launch.slot_count = got.slots.size();
  launch.arrays = got.arrays.data();
  launch.array_count = got.arrays.size();
  pvrt_error *failed = pvrt_launch(variant, &launch);
  pvrt_variant_free(variant);
  if (failed) {
    return take("launch", failed);
  }

  for (auto [index, argument] : llvm::enumerate(program.arguments)) {
    if (!got.canariesIntact(index)) {
      return llvm::formatv("canary: wrote outside argument {0}", index).str();
    }
    int64_t width = bytesInMemory(argument.element);
    for (int64_t i = 0; i < argument.elements; ++i) {
      const uint8_t *a = expected.data(index) + i * width, *b = got.data(index) + i * width;
      if (!agree(argument, a, b)) {
        uint64_t left = 0, right = 0;
        std::memcpy(&left, a, width);
        std::memcpy(&right, b, width);
        return llvm::formatv("differs: argument {0} element {1}: interp {2:x}, cpu {3:x}", index, i, left, right).str();
      }
    }
  }
  return std::nullopt;
}

} // namespace pavage::fuzz
