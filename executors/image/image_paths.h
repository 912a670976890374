#pragma once
// Looks up files in the folder of an image as a process would whose root it is: links are followed inside, and nothing
// outside is reached. Executes nothing. Any thread.

#include <optional>
#include <string>
#include <vector>

namespace executors {

/// Where the file or folder `path` of the image lies outside, with every link resolved; empty if it is not there.
std::string place_in_image(const std::string& folder, const std::string& path);

/// True for a regular file that may be executed.
bool is_program_of_image(const std::string& folder, const std::string& path);

/// The first program of that name in the folders `search`, as a path inside; empty if there is none.
std::string program_of_image(const std::string& folder, const std::string& name,
                             const std::vector<std::string>& search);

/// The first 64 KiB of a file; none if it is not there or cannot be read.
std::optional<std::string> text_of_image(const std::string& folder, const std::string& path);

}  // namespace executors
