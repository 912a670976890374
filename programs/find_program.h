#pragma once
// Where a program lies, as a shell would find it. Pure lookups; executes nothing.

#include <string>
#include <vector>

namespace programs {

/// The first regular, executable file of that name; empty when there is none. Relative and empty entries are skipped.
std::string find_on_path(const std::string& name, const std::string& path);
std::vector<std::string> split_path(const std::string& path);
bool is_folder(const std::string& path);
bool is_executable_file(const std::string& path);
/// Every link resolved; empty when the file is not there.
std::string real_path(const std::string& path);
std::string parent_of(const std::string& path);
std::string name_of(const std::string& path);

}  // namespace programs
