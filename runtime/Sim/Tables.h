// The handler tables of one vector width. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/Sim/Machine.h"

#ifndef PAVAGE_SIM_VARIANT
#define PAVAGE_SIM_VARIANT base
#endif

namespace pavage::sim {

struct Table {
  const HandlerRow *rows;
  size_t count;
};

#define PAVAGE_SIM_TABLES                                                                                              \
  Table integerTable();                                                                                                \
  Table bitTable();                                                                                                    \
  Table floatTable();                                                                                                  \
  Table directedTable();                                                                                               \
  Table compareTable();                                                                                                \
  Table convertTable();                                                                                                \
  Table memoryTable();                                                                                                 \
  Table asyncLanesTable();                                                                                             \
  Table mmaTable();

namespace PAVAGE_SIM_VARIANT {
PAVAGE_SIM_TABLES
}

} // namespace pavage::sim
