#pragma once
// Forks a study at one of its events: the new study begins with the same events under its own id, and uses the same
// blobs and workspaces. Reads only.

#include <string>

#include "base/result.h"
#include "kernel/domain/commands.h"

namespace session {

struct ForkRequest {
  std::string study;
  std::int64_t at = 0;  ///< The `seq` of the last event to copy; the rest of its decision is copied too.
  std::string output;   ///< Absolute folder for the new artifact; empty for the original's with the new id appended.
};

/// The event that opens the fork as `id`. A problem if there is no such study or event, or if nothing is left to do
/// after it.
kernel::Result<kernel::ForkStudy> fork_of(const std::string& home, const ForkRequest&, const std::string& id);

}  // namespace session
