// The virtual GPU's command alone: `pavage sim` without the compiler. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#include "runtime/Sim/Report.h"

int main(int argc, char **argv) { return pavage::sim::simMain(argc - 1, argv + 1); }
