// How device_print shows a tile, on every device. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_RUNTIME_ARTIFACT_PRINTTILE_H
#define PAVAGE_RUNTIME_ARTIFACT_PRINTTILE_H

#include "runtime/Artifact/Artifact.h"

#include <string>

namespace pavage::artifact {

/// One element. Floats have the fewest digits that tell them from their neighbours in that dtype, and always a point.
std::string formatElement(Dtype dtype, const void *bytes, bool hex = false);

/// The line(s) that a print site makes, with the final newline: "pid (0, 0, 0) x: [1.0, 2.0]\n". `data` as in Abi.h.
std::string formatPrint(const Site &site, const int64_t (&program)[3], const void *data);

/// Program coordinates from a linear id.
void splitProgram(int64_t program, const int64_t (&grid)[3], int64_t (&out)[3]);

} // namespace pavage::artifact

#endif // PAVAGE_RUNTIME_ARTIFACT_PRINTTILE_H
