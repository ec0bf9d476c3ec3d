// Command-line options of pavage. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tools/pavage/Options.h"

#include <algorithm>

namespace pavage::tool {

std::string Arguments::get(const std::string &name, const std::string &fallback) const {
  auto it = given.find(name);
  return it == given.end() ? fallback : it->second.back();
}

static std::string known(const std::vector<Option> &options) {
  std::string text;
  for (const Option &option : options) {
    text += (text.empty() ? "" : ", ") + std::string(option.name);
  }
  return text.empty() ? "none" : text;
}

errors::Result<Arguments> parseArguments(const std::vector<std::string> &words, const std::vector<Option> &options) {
  Arguments result;
  bool isOver = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string &word = words[i];
    if (isOver || word.size() < 2 || word[0] != '-') {
      result.operands.push_back(word);
      continue;
    }
    if (word == "--") {
      isOver = true;
      continue;
    }
    size_t equals = word.find('=');
    std::string name = word.substr(0, equals);
    auto option = std::find_if(options.begin(), options.end(), [&](const Option &o) { return name == o.name; });
    if (option == options.end()) {
      return errors::Error(errors::Code::UnknownOption,
                           "unknown option '" + name + "': expected one of " + known(options));
    }
    if (!option->value) {
      if (equals != std::string::npos) {
        return errors::Error(errors::Code::BadOption,
                             "option '" + name + "' takes no value, got '" + word.substr(equals + 1) + "'");
      }
      result.given[name].emplace_back();
    } else if (equals != std::string::npos) {
      result.given[name].push_back(word.substr(equals + 1));
    } else if (i + 1 < words.size()) {
      result.given[name].push_back(words[++i]);
    } else {
      return errors::Error(errors::Code::BadOption,
                           "option '" + name + "' needs a value: " + name + " " + option->value);
    }
  }
  return result;
}

std::string describe(const std::vector<Option> &options) {
  std::string text;
  for (const Option &option : options) {
    std::string left = std::string("  ") + option.name + (option.value ? " " + std::string(option.value) : "");
    text += left + std::string(left.size() < 30 ? 30 - left.size() : 1, ' ') + option.help + "\n";
  }
  return text;
}

} // namespace pavage::tool
