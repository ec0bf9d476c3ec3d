// A recorded kernel in Interp, behind a border without MLIR. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_TESTS_UNIT_FRONTEND_BUILDER_RUNRECORDEDSUPPORT_H
#define PAVAGE_TESTS_UNIT_FRONTEND_BUILDER_RUNRECORDEDSUPPORT_H

#include <pavage/builder_c.h>
#include <string>
#include <vector>

namespace pavage::testing {

/// An empty text when all went well, else that of the finding. `kind` is its FindingKind.
std::string interpret(pv_module *m, const std::vector<pv_arg> &args, const std::vector<pv_dtype> &dtypes,
                      const int64_t (&grid)[3], std::string &printed, int &kind);

} // namespace pavage::testing

#endif // PAVAGE_TESTS_UNIT_FRONTEND_BUILDER_RUNRECORDEDSUPPORT_H
