#pragma once
// Writes a folder of files that was not there before, all of it or nothing: staged beside its place, then renamed. An
// empty folder counts as not there. Problems are bad input (something is in the way); faults of the disk throw.

#include <map>
#include <optional>
#include <string>

#include "base/result.h"

namespace cli {

/// What stands in the way of a new folder here; nothing when it is absent or empty.
std::optional<kernel::Problem> in_the_way(const std::string& folder);

/// `files`: path below the folder → bytes. Precondition: nothing is in the way. Throws std::runtime_error.
void write_new_folder(const std::string& folder, const std::map<std::string, std::string>& files);

}  // namespace cli
