// Objects for tests: C text through the C compiler of this machine. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#ifndef PAVAGE_TESTS_UNIT_RUNTIME_CPU_COMPILEC_H
#define PAVAGE_TESTS_UNIT_RUNTIME_CPU_COMPILEC_H

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>

/// The object that `compiler options` makes of the text; empty when it fails.
inline std::string compileC(const std::string &text, const std::string &options = "-O2 -fPIC",
                            const std::string &compiler = "clang-22") {
  static int counter = 0;
  std::string stem = testing::TempDir() + "pavage-cpu-" + std::to_string(getpid()) + "-" + std::to_string(counter++);
  std::ofstream(stem + ".c") << text;
  // Not the user's settings: a hardened default would make the objects differ from machine to machine.
  std::string command = compiler + " -c -ffreestanding -fno-builtin -I" PAVAGE_SOURCE_DIR " " + options + " " + stem +
                        ".c -o " + stem + ".o";
  bool isDone = std::system(command.c_str()) == 0;
  std::ostringstream object;
  if (isDone) {
    object << std::ifstream(stem + ".o", std::ios::binary).rdbuf();
  }
  std::remove((stem + ".c").c_str());
  std::remove((stem + ".o").c_str());
  return object.str();
}

inline bool hasCompiler(const std::string &compiler) {
  return std::system(("command -v " + compiler + " >/dev/null 2>&1").c_str()) == 0;
}

#endif // PAVAGE_TESTS_UNIT_RUNTIME_CPU_COMPILEC_H
