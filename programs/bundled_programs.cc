#include "programs/bundled_programs.h"

#include "base/own_folder.h"
#include "programs/find_program.h"

namespace programs {

std::vector<std::string> places_of_helper(const std::string& name, const std::string& path) {
  std::vector<std::string> places;
  if (std::string own = kernel::own_folder() + "/helpers/" + name; is_executable_file(own))
    places.push_back(std::move(own));
  if (std::string found = find_on_path(name, path); !found.empty()) places.push_back(std::move(found));
  return places;
}

std::string find_helper(const std::string& name, const std::string& path) {
  const std::vector<std::string> places = places_of_helper(name, path);
  return places.empty() ? "" : places.front();
}

}  // namespace programs
