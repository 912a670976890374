#pragma once
// The files of the page, which the program holds (cmake/page.cmake).

#include <string_view>
#include <vector>

namespace server {

/// Their names; only `index.html` if the program was built without the page.
std::vector<std::string_view> page_files();
/// The bytes of one of them.
std::string_view page_file(std::string_view name);

}  // namespace server
