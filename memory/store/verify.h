#pragma once
// Checks a store: recomputes every chain over the stored bytes, rebuilds every read model from events, hashes every
// blob that an event names, and compares frozen workspaces with their manifests. Reads only; works while a kernel
// writes.

#include <cstdint>
#include <string>
#include <vector>

namespace memory {

struct VerifyReport {
  bool store = true;  ///< False if there is no store here, and no sign of a lost one.
  std::int64_t events = 0;
  std::int64_t blobs = 0;  ///< Number of distinct blobs that events name, found or not.
  std::vector<std::string> problems;
  bool ok() const { return problems.empty(); }

  /// {"ok","events","blobs","problems":[]}
  std::string json() const;
};

/// A damaged, unreadable store is a report with that problem; other faults throw. A shortened chain can be found only
/// by comparing its head with one kept elsewhere, such as the one printed when the study ended.
VerifyReport verify(const std::string& home);

}  // namespace memory
