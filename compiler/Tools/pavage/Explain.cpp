// `pavage explain PV0123`. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tools/pavage/Commands.h"
#include "compiler/Tools/pavage/Options.h"

#include <cstdio>

namespace pavage::tool {

int explainCommand(const Words &words) {
  static const std::vector<Option> options = {{"--all", nullptr, "list all errors"},
                                              {"--help", nullptr, "print this text"}};
  errors::Result<Arguments> arguments = parseArguments(words, options);
  if (!arguments) {
    return report(arguments.error());
  }
  if (arguments->has("--help")) {
    std::printf("usage: pavage explain PV0123\n\n%s", describe(options).c_str());
    return 0;
  }
  if (arguments->has("--all")) {
    for (const errors::Entry *entry : errors::all()) {
      std::printf("%s  %s\n", errors::formatNumber(entry->number).c_str(), entry->summary);
    }
    return 0;
  }
  if (arguments->operands.size() != 1) {
    return report(errors::Error(errors::Code::BadOperand, "expected one error number, such as PV0304, got " +
                                                              std::to_string(arguments->operands.size())));
  }
  const std::string &operand = arguments->operands.front();
  std::optional<unsigned> number = errors::parseNumber(operand);
  const errors::Entry *entry = number ? errors::find(*number) : nullptr;
  if (!entry) {
    return report(errors::Error(errors::Code::BadOperand,
                                "no error is called '" + operand + "': pavage explain --all lists them"));
  }
  std::printf("%s: %s\n\n%s\n", errors::formatNumber(entry->number).c_str(), entry->summary, entry->explanation);
  return 0;
}

} // namespace pavage::tool
