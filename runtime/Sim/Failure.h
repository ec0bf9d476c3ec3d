// A numbered error of the virtual GPU. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading and decoding PTX throw a Failure, which the room's public functions turn into a Status. Executing never
// throws: a fault is a finding plus a stopped launch.
#pragma once

#include "runtime/Sim/Types.h"

#include <string>
#include <utility>

namespace pavage::sim {

struct Location {
  u32 line = 0;
  u32 column = 0;
};

struct Failure {
  u32 number;
  Location where;
  std::string text;
};

[[noreturn]] inline void fail(u32 number, Location where, std::string text) {
  throw Failure{number, where, std::move(text)};
}

} // namespace pavage::sim
