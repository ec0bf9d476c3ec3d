// What launches on virtual GPUs left behind: findings, and profiles while somebody collects them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   launch ended ──► Record (module, findings, counters) ──┬─► the list of findings, until cleared
//                                                          └─► every Profile that is open
#pragma once

#include "runtime/Sim/Launch.h"

#include <memory>
#include <string>
#include <vector>

namespace pavage::sim {

/// A launch that has ended.
struct Record {
  std::string kernel; // as its author named it
  std::string device; // "sim:sm_80"
  std::shared_ptr<const LoadedModule> module;
  u32 grid[3] = {1, 1, 1};
  u32 block[3] = {1, 1, 1};
  LaunchResult result;
};

/// Launches that ended while it was open. Any number may be open at the same time, each sees the launches of all
/// threads.
class Profile {
public:
  Profile();
  ~Profile() { close(); }
  Profile(const Profile &) = delete;
  Profile &operator=(const Profile &) = delete;

  void close();
  std::vector<std::shared_ptr<const Record>> records() const;

private:
  friend void remember(std::shared_ptr<const Record> record);
  std::vector<std::shared_ptr<const Record>> ended; // under the lock of Record.cpp
};

/// Adds a launch to the list of findings, if it has any, and to the open profiles.
void remember(std::shared_ptr<const Record> record);

/// Launches with findings since the last clearFindings(), in order; of very many the first ones.
std::vector<std::shared_ptr<const Record>> recordsWithFindings();
void clearFindings();

/// Where a finding is shown: the line of the source that the PTX was made of, else the line of the PTX.
errors::Position placeOf(const LoadedModule &module, const Finding &finding);
/// The finding as an error: its number, text and place.
errors::Error asError(const Record &record, const Finding &finding);

} // namespace pavage::sim
