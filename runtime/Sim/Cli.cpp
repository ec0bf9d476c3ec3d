// The command `pavage sim FILE.ptx[:ENTRY] ...`. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/Arguments.h"
#include "runtime/Sim/Report.h"
#include "runtime/Sim/Schema.h"
#include "runtime/Sim/Settings.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <new>
#include <sstream>

namespace pavage::sim {

namespace {

using errors::Error;

constexpr const char *usage =
    "usage: pavage sim FILE.ptx[:ENTRY] --block X[,Y[,Z]] [options]\n"
    "  --grid X[,Y[,Z]]           CTAs (default 1)\n"
    "  --target sm_80             the device (default: what the file targets)\n"
    "  --arg 'f16[512,512]=FILL'  the next pointer argument; FILL is randint, zeros, arange, a number or FILE.npy;\n"
    "                             out: before it marks an output, which may lack =FILL\n"
    "  --args 512,512,...         scalar arguments in order\n"
    "  --shared BYTES             dynamic shared memory\n"
    "  --check all|none|KIND,...  oob, misaligned, use-after-free, uninit, race-shared, race-global, async-read, "
    "barrier,\n"
    "                             deadlock, wrap, atomic-count; on request nan, unwritten\n"
    "  --async eager|lazy|random  when cp.async copies arrive (default lazy)\n"
    "  --schedule converged|independent   lanes of a warp together, or apart at any instruction (default converged)\n"
    "  --atomics LINE=N           threads of a CTA that are to execute the atomic in a PTX line, for atomic-count\n"
    "  --seed N                   data and, if not 0, a random schedule that replays\n"
    "  --max-instructions N       warp instructions before the launch is stopped\n"
    "  --threads N                host threads\n"
    "  --json FILE --html FILE    reports; - is the standard output\n"
    "  --out I=FILE.npy           writes the I-th --arg afterwards\n"
    "  --quiet                    findings only\n"
    "  --list-forms [FILE ...]    the PTX forms that are known, or how often each is met in files\n";

struct Options {
  std::string file, entry;
  LaunchOptions launch;
  bool hasBlock = false;
  std::vector<std::string> buffers;
  std::vector<std::string> scalars;
  std::string json, html;
  std::vector<std::pair<size_t, std::string>> outputs;
  bool quiet = false;
};

Error bad(const std::string &text) { return Error(630, text); }

bool parseUnsigned(const std::string &text, u64 &value) {
  char *end = nullptr;
  value = std::strtoull(text.c_str(), &end, 0);
  return !text.empty() && *end == 0 && text[0] != '-';
}

Error parseTriple(const std::string &name, const std::string &text, u32 *out) {
  std::istringstream stream(text);
  u32 axis = 0;
  out[1] = out[2] = 1;
  for (std::string part; std::getline(stream, part, ',');) {
    u64 value;
    if (axis >= 3 || !parseUnsigned(part, value) || value > 0xffffffffu) {
      return bad(name + " '" + text + "': expected X[,Y[,Z]]");
    }
    out[axis++] = static_cast<u32>(value);
  }
  return axis ? Error::success() : bad(name + " needs a value");
}

Error parseOptions(int argc, const char *const *argv, Options &o) {
  if (const char *threads = std::getenv("PAVAGE_NUM_THREADS")) {
    u64 n;
    o.launch.hostThreads = parseUnsigned(threads, n) && n && n <= 256 ? static_cast<u32>(n) : 1;
  }
  for (int k = 0; k < argc; ++k) {
    std::string name = argv[k];
    if (name == "--quiet") {
      o.quiet = true;
      continue;
    }
    if (name.rfind("--", 0) != 0) {
      if (!o.file.empty()) {
        return bad("unexpected argument '" + name + "'");
      }
      size_t colon = name.rfind(':');
      o.file = name.substr(0, colon);
      o.entry = colon == std::string::npos ? "" : name.substr(colon + 1);
      continue;
    }
    std::string value;
    size_t equals = name.find('=');
    if (equals != std::string::npos) {
      value = name.substr(equals + 1);
      name = name.substr(0, equals);
    } else if (k + 1 < argc) {
      value = argv[++k];
    } else {
      return bad(name + " needs a value");
    }
    u64 n = 0;
    bool isNumber = parseUnsigned(value, n);
    Error error;
    if (name == "--block") {
      error = parseTriple(name, value, o.launch.block);
      o.hasBlock = true;
    } else if (name == "--grid") {
      error = parseTriple(name, value, o.launch.grid);
    } else if (name == "--target") {
      char *end = nullptr;
      if (value.rfind("sm_", 0) != 0 || !(n = std::strtoull(value.c_str() + 3, &end, 10)) ||
          (*end && std::strcmp(end, "a") != 0)) {
        return bad("--target '" + value + "': expected sm_75, sm_80, sm_86, sm_87, sm_89, sm_90 or sm_90a");
      }
      o.launch.arch = static_cast<u32>(n);
    } else if (name == "--arg") {
      o.buffers.push_back(value);
    } else if (name == "--args") {
      std::istringstream stream(value);
      for (std::string part; std::getline(stream, part, ',');) {
        o.scalars.push_back(part);
      }
    } else if (name == "--check") {
      auto checks = parseChecks(value);
      o.launch.checks = checks ? *checks : 0;
      error = checks ? Error::success() : checks.takeError();
    } else if (name == "--async") {
      auto mode = parseAsync(value);
      o.launch.async = mode ? *mode : AsyncMode::Lazy;
      error = mode ? Error::success() : mode.takeError();
    } else if (name == "--schedule") {
      if (value != "converged" && value != "independent") {
        return bad("--schedule '" + value + "': expected converged or independent");
      }
      o.launch.schedule = value == "independent" ? Schedule::Independent : Schedule::Converged;
    } else if (name == "--atomics") {
      size_t at = value.find('=');
      u64 count = 0;
      if (at == std::string::npos || !parseUnsigned(value.substr(0, at), n) ||
          !parseUnsigned(value.substr(at + 1), count) || n > 0xffffffffu) {
        return bad("--atomics '" + value + "': expected LINE=THREADS");
      }
      o.launch.atomics.push_back({static_cast<u32>(n), count});
    } else if (name == "--json") {
      o.json = value;
    } else if (name == "--html") {
      o.html = value;
    } else if (name == "--out") {
      size_t at = value.find('=');
      if (at == std::string::npos || !parseUnsigned(value.substr(0, at), n)) {
        return bad("--out '" + value + "': expected I=FILE.npy");
      }
      o.outputs.push_back({n, value.substr(at + 1)});
    } else if (name == "--shared" || name == "--seed" || name == "--max-instructions" || name == "--threads") {
      if (!isNumber) {
        return bad(name + " '" + value + "': expected a number");
      }
      if (name == "--shared") {
        if (n > (1u << 20)) {
          return bad("--shared '" + value + "': more than any GPU has");
        }
        o.launch.dynamicShared = static_cast<u32>(n);
      } else if (name == "--seed") {
        o.launch.seed = n;
      } else if (name == "--max-instructions") {
        o.launch.maxInstructions = n;
      } else {
        o.launch.hostThreads = static_cast<u32>(std::clamp<u64>(n, 1, 256));
      }
    } else {
      return bad("unknown option '" + name + "'");
    }
    if (error) {
      return error;
    }
  }
  if (o.file.empty()) {
    return bad("expected a file");
  }
  return Error::success();
}

/// One scalar into the parameter buffer.
Error storeScalar(const KernelParam &p, const std::string &text, u8 *to) {
  char *end = nullptr;
  bool looksReal = text.find_first_of(".eEnN") != std::string::npos && text.rfind("0x", 0) != 0;
  if (p.type == Ty::F32 || p.type == Ty::F64 || looksReal) {
    double d = std::strtod(text.c_str(), &end);
    if (text.empty() || *end) {
      return bad("--args: '" + text + "' is no number");
    }
    if (p.bytes == 8) {
      std::memcpy(to, &d, 8);
    } else if (p.bytes == 4) {
      float f = static_cast<float>(d);
      std::memcpy(to, &f, 4);
    } else if (p.bytes == 2) {
      storeElement(Element::F16, d, to);
    } else {
      return bad("--args: '" + text + "' does not fit parameter '" + p.name + "'");
    }
    return Error::success();
  }
  bool minus = text[0] == '-';
  u64 value = std::strtoull(text.c_str() + (minus ? 1 : 0), &end, 0);
  if (text.empty() || *end || p.bytes > 8) {
    return bad("--args: '" + text + "' does not fit parameter '" + p.name + "'");
  }
  value = minus ? ~value + 1 : value;
  std::memcpy(to, &value, p.bytes);
  return Error::success();
}

struct Bound {
  std::vector<BufferSpec> specs;
  std::vector<u64> addresses;
  std::vector<u8> params;
};

Error bindArguments(Gpu &gpu, const Kernel &kernel, const Options &o, Bound &b) {
  for (size_t k = 0; k < o.buffers.size(); ++k) {
    auto spec = parseBufferSpec(o.buffers[k]);
    if (!spec) {
      return spec.takeError();
    }
    auto address = makeBuffer(gpu.memory(), *spec, o.launch.seed + k, "arg" + std::to_string(k));
    if (!address) {
      return address.takeError();
    }
    b.specs.push_back(*spec);
    b.addresses.push_back(*address);
  }
  b.params.assign(kernel.paramBytes, 0);
  size_t buffer = 0, scalar = 0;
  for (const KernelParam &p : kernel.params) {
    u8 *to = b.params.data() + p.offset;
    if (p.isPointer && buffer < b.addresses.size()) {
      std::memcpy(to, &b.addresses[buffer++], 8);
    } else if (p.isDeclaredPointer) {
      continue; // null
    } else if (scalar < o.scalars.size()) {
      if (Error e = storeScalar(p, o.scalars[scalar++], to)) {
        return e;
      }
    } else if (!p.isPointer) {
      return Error(624, "parameter '" + p.name + "' of kernel '" + kernel.name + "' has no value: give it in --args");
    }
  }
  if (buffer < b.addresses.size()) {
    return Error(624, "kernel '" + kernel.name + "' takes " + std::to_string(buffer) + " pointers, got " +
                          std::to_string(b.addresses.size()) + " --arg");
  }
  if (scalar < o.scalars.size()) {
    return Error(624, "kernel '" + kernel.name + "' takes " + std::to_string(scalar) + " scalars, got " +
                          std::to_string(o.scalars.size()) + " in --args");
  }
  return Error::success();
}

Error writeText(const std::string &file, const std::string &text) {
  if (file == "-") {
    std::fputs(text.c_str(), stdout);
    return Error::success();
  }
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.flush();
  return out ? Error::success() : Error(631, "cannot write '" + file + "'");
}

Error run(const Options &o, int &code) {
  std::ifstream in(o.file, std::ios::binary);
  if (!in) {
    return Error(631, "cannot read '" + o.file + "'");
  }
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  Gpu gpu;
  auto module = gpu.load(text, o.file);
  if (!module) {
    return module.takeError();
  }
  const Program &program = (*module)->program;
  const Kernel *kernel =
      o.entry.empty() && program.kernels.size() == 1 ? &program.kernels[0] : program.findKernel(o.entry);
  if (!kernel) {
    std::string names;
    for (const Kernel &k : program.kernels) {
      names += (names.empty() ? "" : ", ") + k.name;
    }
    return Error(620,
                 (o.entry.empty() ? "choose a kernel with FILE.ptx:ENTRY" : "no kernel '" + o.entry + "'") +
                     "; the file has: " + (names.empty() ? "none" : names),
                 {o.file, 0, 0});
  }
  LaunchOptions launch = o.launch;
  if (!o.hasBlock) {
    if (!kernel->reqntid[0]) {
      return bad("--block is missing");
    }
    std::copy_n(kernel->reqntid, 3, launch.block);
  }
  Bound bound;
  if (Error e = bindArguments(gpu, *kernel, o, bound)) {
    return e;
  }
  auto result = gpu.launch(**module, kernel->name, launch, bound.params);
  if (!result) {
    return result.takeError();
  }
  if (launch.checks & bit(Kind::Unwritten)) {
    addUnwritten(gpu.memory(), *result);
  }
  std::fputs(result->output.c_str(), stdout);
  std::fputs(renderFindings(**module, *result).c_str(), stderr);
  if (!o.quiet && o.json != "-" && o.html != "-") {
    std::fputs(renderCounters(**module, *result).c_str(), stdout);
    std::printf("%zu findings, %.3f s, %.1f M warp instructions per second and core\n", result->findings.size(),
                result->seconds,
                static_cast<double>(result->totals.warpInstructions) / 1e6 / std::max(result->cpuSeconds, 1e-9));
  }
  for (auto &[index, file] : o.outputs) {
    if (index >= bound.specs.size()) {
      return bad("--out " + std::to_string(index) + ": there are " + std::to_string(bound.specs.size()) + " --arg");
    }
    std::vector<u8> bytes(bound.specs[index].count() * elementInfo(bound.specs[index].element).bytes);
    gpu.memory().read(bound.addresses[index], bytes.data(), bytes.size());
    if (Error e = writeNpy(file, bound.specs[index], bytes)) {
      return e;
    }
  }
  if (!o.json.empty()) {
    if (Error e = writeText(o.json, renderJson(**module, *result))) {
      return e;
    }
  }
  if (!o.html.empty()) {
    if (Error e = writeText(o.html, renderHtml(**module, *result))) {
      return e;
    }
  }
  code = result->findings.empty() ? 0 : 1;
  return Error::success();
}

} // namespace

int simMain(int argc, const char *const *argv) {
  for (int k = 0; k < argc; ++k) {
    if (std::strcmp(argv[k], "--help") == 0 || std::strcmp(argv[k], "-h") == 0) {
      std::fputs(usage, stdout);
      return 0;
    }
    if (std::strcmp(argv[k], "--list-forms") == 0) {
      std::vector<std::string> files(argv, argv + argc);
      files.erase(files.begin() + k);
      return listForms(files);
    }
  }
  Options options;
  int code = 1;
  Error error = parseOptions(argc, argv, options);
  if (error) {
    std::fprintf(stderr, "%s\n%s", error.render().c_str(), usage);
    return 1;
  }
  try {
    if (Error e = run(options, code)) {
      std::fprintf(stderr, "%s\n", e.render().c_str());
      return 1;
    }
  } catch (const std::bad_alloc &) {
    std::fprintf(stderr, "%s\n", Error(609, "the host has not enough memory").render().c_str());
    return 1;
  }
  return code;
}

} // namespace pavage::sim
