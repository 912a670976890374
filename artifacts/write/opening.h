#pragma once
// Says whose artifact a folder has.

#include <optional>
#include <string>

namespace artifacts {

/// From the first event of the log in a study's artifact.
struct Opening {
  std::string study;  ///< The study's id, in the home where it was run.
  std::string hash;   ///< Of the event: no other study of any home has the same.
};

/// None if the folder has no artifact of a study.
std::optional<Opening> opening_of(const std::string& folder);

}  // namespace artifacts
