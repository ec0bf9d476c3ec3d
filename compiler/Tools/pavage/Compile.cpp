// `pavage compile FILE.py:KERNEL|FILE.mlir`. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tools/pavage/Commands.h"
#include "compiler/Tools/pavage/Core.h"
#include "compiler/Tools/pavage/Options.h"
#include "compiler/Tools/pavage/Python.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <pavage/runtime.h>
#include <unistd.h>

namespace pavage::tool {

namespace {

const std::vector<Option> options = {
    {"--target", "T", "cpu (the default), interp, or a GPU: sm_75, sm_80, ..."},
    {"--signature", "S", "FILE.py: a type per parameter, '*fp32:16,i32,1024'"},
    {"--num-warps", "N", "FILE.py: launch option num_warps"},
    {"--num-stages", "N", "FILE.py: launch option num_stages"},
    {"--emit", "STAGE",
     "what to write: tile, llvm, asm (the default), obj; for a GPU tile, tilegpu, nvvm, llvm,\n"
     "                              ptx (the default), cubin"},
    {"--stop-after", "STAGE", "compile no further, and write this stage"},
    {"--explain", nullptr, "tell what passes did and did not do"},
    {"-o", "FILE", "write there instead of to the standard output"},
    {"--help", nullptr, "print this text"},
};

/// The parts of FILE.py:KERNEL; an empty kernel when the operand is another kind of file.
struct Source {
  std::string file;
  std::string kernel;
  bool isPython() const { return !kernel.empty(); }
};

errors::Result<Source> splitOperand(const std::string &operand) {
  size_t colon = operand.rfind(".py:");
  if (colon != std::string::npos) {
    Source source{operand.substr(0, colon + 3), operand.substr(colon + 4)};
    if (!source.kernel.empty()) {
      return source;
    }
  }
  if (colon != std::string::npos || (operand.size() > 3 && operand.compare(operand.size() - 3, 3, ".py") == 0)) {
    return errors::Error(errors::Code::BadOperand, "expected FILE.py:KERNEL, got '" + operand + "'");
  }
  return Source{operand, ""};
}

errors::Result<std::string> readFile(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.good() && !stream.eof()) {
    return errors::Error(errors::Code::BadOperand, "cannot read '" + path + "': " + std::strerror(errno));
  }
  return text;
}

/// The module's text; an empty error number with text "" means that Python has told what is wrong.
errors::Result<std::string> readModule(const Source &source, const Arguments &arguments, int &status) {
  status = 0;
  if (!source.isPython()) {
    for (const char *option : {"--signature", "--num-warps", "--num-stages"}) {
      if (arguments.has(option)) {
        return errors::Error(errors::Code::BadOption,
                             "option '" + std::string(option) + "' is for FILE.py:KERNEL, got '" + source.file + "'");
      }
    }
    return readFile(source.file);
  }
  Words words = {"record", source.file + ":" + source.kernel, "--signature=" + arguments.get("--signature")};
  for (const char *option : {"--num-warps", "--num-stages"}) {
    if (arguments.has(option)) {
      words.push_back(std::string(option) + "=" + arguments.get(option));
    }
  }
  std::string text;
  errors::Result<int> result = runPython("pavage._cli", words, &text);
  if (!result) {
    return result.takeError();
  }
  status = *result;
  return text;
}

void printRemark(void *stream, const pv_remark *remark) {
  static constexpr const char *kinds[] = {"remark", "remark", "remark: not done", "remark"};
  errors::Position at{remark->file ? remark->file : "", static_cast<unsigned>(remark->line),
                      static_cast<unsigned>(remark->column)};
  std::string text = std::string(remark->text) + " [" + remark->pass + "]";
  std::fprintf(static_cast<std::FILE *>(stream), "%s\n", errors::render(kinds[remark->kind], text, at).c_str());
}

int write(const std::string &path, const void *data, size_t size, bool isText) {
  if (path.empty()) {
    if (!isText && isatty(STDOUT_FILENO)) {
      return report(errors::Error(errors::Code::BadOption, "machine code is no text: name a file with -o"));
    }
    std::fwrite(data, 1, size, stdout);
    return std::fflush(stdout) == 0 ? 0
                                    : report(errors::Error(errors::Code::OutputFailed,
                                                           std::string("cannot write: ") + std::strerror(errno)));
  }
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream.write(static_cast<const char *>(data), static_cast<std::streamsize>(size));
  stream.close();
  if (!stream) {
    return report(errors::Error(errors::Code::OutputFailed, "cannot write '" + path + "': " + std::strerror(errno)));
  }
  return 0;
}

int compile(const Core &core, const std::string &text, const std::string &file, const Arguments &arguments) {
  pv_module *module = nullptr;
  if (core.pv_module_parse(text.data(), text.size(), file.c_str(), &module) != 0) {
    return report(core.lastError());
  }
  pv_compile_options compile;
  core.pv_compile_options_init(&compile);
  const std::string target = arguments.get("--target", "cpu");
  const std::string stop = arguments.get("--stop-after");
  const std::string stage = arguments.get("--emit", !stop.empty()        ? stop
                                                    : target == "interp" ? "tile"
                                                    : target == "cpu"    ? "asm"
                                                                         : "ptx");
  const char *level = nullptr;
  if (target == "cpu") {
    if (pvrt_error *error = pvrt_cpu_level(&level)) {
      std::fprintf(stderr, "%s\n", error->rendered);
      pvrt_error_free(error);
      core.pv_module_destroy(module);
      return 1;
    }
  }
  compile.target = target.c_str();
  compile.cpu_level = level;
  compile.emit = stage.c_str();
  // Without --stop-after nothing is compiled beyond the stage that is asked for.
  compile.stop_after = stop.empty() ? stage.c_str() : stop.c_str();
  bool showsStage =
      !arguments.has("--explain") || arguments.has("--emit") || arguments.has("--stop-after") || arguments.has("-o");
  if (arguments.has("--explain")) {
    compile.remark = printRemark;
    compile.remark_context = showsStage && !arguments.has("-o") ? stderr : stdout;
  }
  pv_artifact *artifact = nullptr;
  int status = core.pv_compile(module, &compile, &artifact);
  errors::Error error = status != 0 ? core.lastError() : errors::Error();
  core.pv_module_destroy(module);
  if (error) {
    return report(error);
  }
  if (showsStage) {
    const void *data = nullptr;
    size_t size = 0;
    if (core.pv_artifact_section(artifact, stage.c_str(), &data, &size)) {
      status = write(arguments.get("-o"), data, size, stage != "obj" && stage != "cubin");
    } else {
      status = report(errors::Error(errors::Code::BadOption,
                                    "stage '" + stage + "' lies after the stage '" + stop + "' of --stop-after"));
    }
  }
  core.pv_artifact_destroy(artifact);
  return status;
}

} // namespace

int compileCommand(const Words &words) {
  errors::Result<Arguments> arguments = parseArguments(words, options);
  if (!arguments) {
    return report(arguments.error());
  }
  if (arguments->has("--help")) {
    std::printf("usage: pavage compile FILE.py:KERNEL|FILE.mlir [OPTION...]\n\n%s", describe(options).c_str());
    return 0;
  }
  if (arguments->operands.size() != 1) {
    return report(errors::Error(errors::Code::BadOperand, "expected one FILE.py:KERNEL or FILE.mlir, got " +
                                                              std::to_string(arguments->operands.size())));
  }
  errors::Result<Source> source = splitOperand(arguments->operands.front());
  if (!source) {
    return report(source.error());
  }
  int status = 0;
  errors::Result<std::string> text = readModule(*source, *arguments, status);
  if (!text) {
    return report(text.error());
  }
  if (status != 0) {
    return status; // Python has told why
  }
  errors::Result<const Core *> core = loadCore();
  if (!core) {
    return report(core.error());
  }
  return compile(**core, *text, source->file, *arguments);
}

} // namespace pavage::tool
