#include "apps/server/page/page_files.h"

#include "embedded/page.h"

namespace server {

std::vector<std::string_view> page_files() {
  return embedded::page_files();
}

std::string_view page_file(std::string_view name) {
  return embedded::page(name);
}

}  // namespace server
