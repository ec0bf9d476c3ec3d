// Words, numbers and punctuation of PTX. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/Sim/Failure.h"

#include <string_view>
#include <vector>

namespace pavage::sim {

struct Token {
  enum class Kind : u8 { Word, Number, String, Punctuation, End };
  Kind kind = Kind::End;
  std::string_view text;
  Location where;

  bool is(std::string_view t) const { return kind != Kind::String && text == t; }
};

/// Splits the text; `::` is one token, every other punctuation character stands alone. Throws Failure.
std::vector<Token> tokenize(std::string_view text);

} // namespace pavage::sim
