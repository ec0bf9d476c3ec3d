// Finding a handler by name, for the vector width of the host. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sim/BaseTables.h"

#include <string>
#include <unordered_map>

namespace pavage::sim {

#define PAVAGE_DECLARE(variant)                                                                                        \
  namespace variant {                                                                                                  \
  PAVAGE_SIM_TABLES                                                                                                    \
  }
PAVAGE_DECLARE(base)
#ifdef PAVAGE_SIM_X86
PAVAGE_DECLARE(v3)
PAVAGE_DECLARE(v4)
#endif

namespace {

using TableFunction = Table (*)();

#define PAVAGE_LIST(variant)                                                                                           \
  variant::integerTable, variant::bitTable, variant::floatTable, variant::directedTable, variant::compareTable,        \
      variant::convertTable, variant::memoryTable, variant::asyncLanesTable, variant::mmaTable

std::unordered_map<std::string, Handler> makeTable() {
  std::vector<TableFunction> functions = {controlTable, warpTable, barrierTable, asyncTable, atomicTable, wmmaTable};
  auto add = [&](std::initializer_list<TableFunction> list) { functions.insert(functions.end(), list); };
#ifdef PAVAGE_SIM_X86
  const char *level = std::getenv("PAVAGE_CPU");
  std::string wanted = level ? level : "";
  __builtin_cpu_init();
  bool isPortable = wanted == "portable";
  if (!isPortable && wanted != "avx2" && __builtin_cpu_supports("x86-64-v4")) {
    add({PAVAGE_LIST(v4)});
  } else if (!isPortable && __builtin_cpu_supports("x86-64-v3")) {
    add({PAVAGE_LIST(v3)});
  } else {
    add({PAVAGE_LIST(base)});
  }
#else
  add({PAVAGE_LIST(base)});
#endif
  std::unordered_map<std::string, Handler> table;
  for (TableFunction function : functions) {
    Table t = function();
    for (size_t k = 0; k < t.count; ++k) {
      table.emplace(t.rows[k].name, t.rows[k].fn);
    }
  }
  return table;
}

} // namespace

Handler findHandler(const std::string &name) {
  static const std::unordered_map<std::string, Handler> table = makeTable();
  auto found = table.find(name);
  return found == table.end() ? nullptr : found->second;
}

} // namespace pavage::sim
