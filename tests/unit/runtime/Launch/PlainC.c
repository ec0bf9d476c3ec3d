/* The public header from C, without a warning, and a use of it. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include <pavage/runtime.h>

int plainC(void) {
  pvrt_catalogue_entry entry;
  pvrt_error *error = pvrt_error_new(304, "text", "file", 1, 2, "line");
  int isFine = error && error->number == 304 && pvrt_catalogue_find("PV0304", &entry) && entry.number == 304;
  pvrt_error_free(error);
  return isFine && pvrt_version() == PVRT_VERSION;
}
