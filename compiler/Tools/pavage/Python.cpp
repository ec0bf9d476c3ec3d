// The Python beside this program, for commands on FILE.py. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A wheel puts this program beside its interpreter (.venv/bin); in a build tree the interpreter is in the source tree's
// .venv, and the package in build/python. Else the python3 of PATH is asked.
#include "compiler/Tools/pavage/Python.h"

#include "compiler/Tools/pavage/Core.h"

#include <cstdlib>
#include <cstring>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace pavage::tool {

static std::string interpreter() {
  const std::string folder = programFolder();
  for (const char *place : {"/python3", "/../../.venv/bin/python"}) {
    std::string path = folder + place;
    if (access(path.c_str(), X_OK) == 0) {
      return path;
    }
  }
  return "python3";
}

/// The environment, with the build tree's package first on Python's path.
static std::vector<std::string> environment() {
  std::vector<std::string> result;
  std::string path = programFolder() + "/../python";
  bool hasPackage = access((path + "/pavage").c_str(), F_OK) == 0;
  for (char **entry = environ; *entry; ++entry) {
    if (hasPackage && std::strncmp(*entry, "PYTHONPATH=", 11) == 0) {
      path += std::string(":") + (*entry + 11);
    } else {
      result.emplace_back(*entry);
    }
  }
  if (hasPackage) {
    result.push_back("PYTHONPATH=" + path);
  }
  return result;
}

static std::vector<char *> pointers(std::vector<std::string> &words) {
  std::vector<char *> result;
  for (std::string &word : words) {
    result.push_back(word.data());
  }
  result.push_back(nullptr);
  return result;
}

errors::Result<int> runPython(const std::string &module, const std::vector<std::string> &words, std::string *output) {
  std::vector<std::string> command = {interpreter(), "-m", module};
  command.insert(command.end(), words.begin(), words.end());
  std::vector<std::string> variables = environment();

  int ends[2] = {-1, -1};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (output) {
    if (pipe(ends) != 0) {
      posix_spawn_file_actions_destroy(&actions);
      return errors::Error(errors::Code::PythonMissing, std::string("cannot make a pipe: ") + std::strerror(errno));
    }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
  }
  pid_t child = 0;
  int failure = posix_spawnp(&child, command.front().c_str(), &actions, nullptr, pointers(command).data(),
                             pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (output) {
    close(ends[1]);
  }
  if (failure != 0) {
    if (output) {
      close(ends[0]);
    }
    return errors::Error(errors::Code::PythonMissing,
                         "cannot run '" + command.front() + "': " + std::strerror(failure));
  }
  if (output) {
    char buffer[65536];
    for (;;) {
      ssize_t size = read(ends[0], buffer, sizeof(buffer));
      if (size > 0) {
        output->append(buffer, static_cast<size_t>(size));
      } else if (size == 0 || errno != EINTR) {
        break;
      }
    }
    close(ends[0]);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace pavage::tool
