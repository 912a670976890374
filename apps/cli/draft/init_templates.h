#pragma once
// The study templates inside the program, by name.

#include <map>
#include <string>
#include <vector>

namespace cli {

/// Sorted.
std::vector<std::string> template_names();
/// Path below the study's folder → bytes; empty for an unknown name.
std::map<std::string, std::string> template_files(const std::string& name);

}  // namespace cli
