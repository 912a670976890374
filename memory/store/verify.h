#pragma once
// Is the store what it says it is? Recomputes every chain over the stored bytes, rebuilds every read model from events
// and compares, hashes every blob that an event names, and compares frozen workspaces with their manifests. Reads only;
// works beside a writing kernel.

#include <cstdint>
#include <string>
#include <vector>

namespace memory {

struct VerifyReport {
  bool store = true;  ///< False: there is none here, and nothing that tells of one.
  std::int64_t events = 0;
  std::int64_t blobs = 0;  ///< Distinct blobs that events name, found or not.
  std::vector<std::string> problems;
  bool ok() const { return problems.empty(); }

  /// {"ok","events","blobs","problems":[]}
  std::string json() const;
};

/// A store that cannot be read for damage is a report with that problem; other faults throw. A shortened chain is
/// evidence only against a head kept elsewhere: compare it with the one printed when the study ended.
VerifyReport verify(const std::string& home);

}  // namespace memory
