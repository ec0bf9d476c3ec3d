// The command-line tool: chooses a command. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Commands that need no compiler do not load it: libpavage_core.so is opened at its first use.
#include "compiler/Tools/pavage/Commands.h"

#include <cstdio>
#include <cstring>

using namespace pavage;

namespace {

struct Command {
  const char *name;
  const char *operands;
  const char *help;
  int (*run)(const tool::Words &words);
};

constexpr Command commands[] = {
    {"cache", "list|clear|verify", "look after the cache of compiled kernels", tool::cacheCommand},
    {"compile", "FILE.py:KERNEL|FILE.mlir", "compile a kernel and show a stage of it", tool::compileCommand},
    {"explain", "PV0123", "explain an error number", tool::explainCommand},
    {"run", "FILE.py:KERNEL", "launch a kernel on arrays made here", tool::runCommand},
    {"sim", "FILE.py:KERNEL|FILE.ptx", "launch on the virtual GPU, with checks and counters", tool::simCommand},
};

void printHelp(std::FILE *stream) {
  std::fputs("usage: pavage COMMAND ...\n\n", stream);
  for (const Command &command : commands) {
    std::fprintf(stream, "  %-8s %-26s %s\n", command.name, command.operands, command.help);
  }
  std::fputs("\npavage COMMAND --help tells the options of a command.\n", stream);
}

std::string commandList() {
  std::string text;
  for (const Command &command : commands) {
    text += (text.empty() ? "" : ", ") + std::string(command.name);
  }
  return text;
}

} // namespace

int tool::report(const errors::Error &error) {
  std::fprintf(stderr, "%s\n", error.render().c_str());
  return 1;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    printHelp(stderr);
    return 1;
  }
  if (std::strcmp(argv[1], "--help") == 0 || std::strcmp(argv[1], "-h") == 0) {
    printHelp(stdout);
    return 0;
  }
  if (std::strcmp(argv[1], "--version") == 0) {
    std::puts("pavage " PAVAGE_VERSION);
    return 0;
  }
  for (const Command &command : commands) {
    if (std::strcmp(argv[1], command.name) == 0) {
      return command.run(tool::Words(argv + 2, argv + argc));
    }
  }
  return tool::report(errors::Error(errors::Code::UnknownCommand, "unknown command '" + std::string(argv[1]) +
                                                                      "': expected one of " + commandList()));
}
