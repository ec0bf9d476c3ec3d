// Test-only passes of pavage-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_TESTS_LIB_TESTPASSES_H
#define PAVAGE_TESTS_LIB_TESTPASSES_H

namespace pavage {

/// pavage-test-axis-info, pavage-test-memory-roots
void registerTestPasses();

} // namespace pavage

#endif // PAVAGE_TESTS_LIB_TESTPASSES_H
