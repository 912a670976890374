#include "apps/cli/draft/init_templates.h"

#include <set>

#include "embedded/cli_templates.h"

namespace cli {

std::vector<std::string> template_names() {
  std::set<std::string> names;
  for (const std::string_view file : embedded::cli_templates_files()) names.emplace(file.substr(0, file.find('/')));
  return {names.begin(), names.end()};
}

std::map<std::string, std::string> template_files(const std::string& name) {
  std::map<std::string, std::string> files;
  for (const std::string_view file : embedded::cli_templates_files())
    if (!name.empty() && file.rfind(name + "/", 0) == 0)
      files.emplace(file.substr(name.size() + 1), embedded::cli_templates(file));
  return files;
}

}  // namespace cli
