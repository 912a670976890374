#pragma once
// Writes a new folder with files completely or not at all: prepared next to its place, then renamed. An empty folder
// counts as new. Problems are bad input (the path is in use); disk faults throw.

#include <map>
#include <optional>
#include <string>

#include "base/result.h"

namespace cli {

/// The problem if the path is in use; none if it does not exist or is an empty folder.
std::optional<kernel::Problem> in_the_way(const std::string& folder);

/// `files`: path below the folder → bytes. Precondition: the path is not in use. Throws std::runtime_error.
void write_new_folder(const std::string& folder, const std::map<std::string, std::string>& files);

}  // namespace cli
