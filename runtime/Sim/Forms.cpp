// Listing PTX forms, known or met. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Errors/Errors.h"
#include "runtime/Sim/Parser.h"
#include "runtime/Sim/Schema.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>

namespace pavage::sim {

int listForms(const std::vector<std::string> &files) {
  std::map<const SchemaRow *, u64> met;
  for (const std::string &file : files) {
    std::ifstream in(file, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (!in && text.empty()) {
      std::fprintf(stderr, "%s\n", errors::Error(631, "cannot read '" + file + "'").render().c_str());
      return 1;
    }
    try {
      for (const Function &f : parseModule(text).functions) {
        for (const Instruction &i : f.instructions) {
          ++met[i.row];
        }
      }
    } catch (const Failure &f) {
      std::fprintf(stderr, "%s\n",
                   errors::Error(f.number, f.text, {file, f.where.line, f.where.column}).render().c_str());
      return 1;
    }
  }
  for (const SchemaRow &row : schema()) {
    if (!files.empty()) {
      auto found = met.find(&row);
      if (found == met.end()) {
        continue;
      }
      std::printf("%8llu ", static_cast<unsigned long long>(found->second));
    }
    std::printf("sm_%u ptx_%u.%u %s\n", std::max(row.arch, 75u), row.ptxVersion / 10, row.ptxVersion % 10,
                describe(row).c_str());
  }
  return 0;
}

} // namespace pavage::sim
