#pragma once
// Finds a program as a shell would. Executes nothing.

#include <string>
#include <vector>

namespace programs {

/// The first regular, executable file of that name; empty if there is none. Relative and empty entries are skipped.
std::string find_on_path(const std::string& name, const std::string& path);
std::vector<std::string> split_path(const std::string& path);
bool is_folder(const std::string& path);
bool is_file(const std::string& path);
bool is_executable_file(const std::string& path);
/// The path with every link resolved; empty if the file does not exist.
std::string real_path(const std::string& path);
std::string parent_of(const std::string& path);
std::string name_of(const std::string& path);

}  // namespace programs
