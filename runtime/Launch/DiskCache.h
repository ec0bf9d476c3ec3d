// The process's one disk cache. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PAVAGE_RUNTIME_LAUNCH_DISKCACHE_H
#define PAVAGE_RUNTIME_LAUNCH_DISKCACHE_H

#include "runtime/Cache/Cache.h"

namespace pavage::launch {

/// As the environment says; null when it is off. Read once, and again after reloadDiskCache().
errors::Result<std::shared_ptr<cache::Cache>> diskCache();
void reloadDiskCache();

/// What an error of the cache means for a launch. An unsafe folder, or an unusable one that the user has named, is an
/// error; anything else costs only time, so it is told once and success is returned.
errors::Error diskTrouble(errors::Error error);

} // namespace pavage::launch

#endif // PAVAGE_RUNTIME_LAUNCH_DISKCACHE_H
