#pragma once
// A new study from a point of another one: the same events up to there, told of the new study, with all that they name
// by hash left where it is. Reads only.

#include <string>

#include "base/result.h"
#include "kernel/domain/commands.h"

namespace session {

struct ForkRequest {
  std::string study;
  std::int64_t at = 0;  ///< The `seq` of the last event to take over; the rest of its decision comes with it.
  std::string output;   ///< Absolute folder for the new artifact; empty: the study's with the new id behind it.
};

/// What opens the fork as `id`. A Problem: there is no such study or event, or nothing is left to do after it.
kernel::Result<kernel::ForkStudy> fork_of(const std::string& home, const ForkRequest&, const std::string& id);

}  // namespace session
