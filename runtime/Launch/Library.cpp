// libpavage.so is made of archives; a shared library wants a source of its own. SPDX-License-Identifier: Apache-2.0
// WITH LLVM-exception
#include "runtime/Launch/include/pavage/runtime.h"
