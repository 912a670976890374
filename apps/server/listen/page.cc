#include "apps/server/listen/page.h"

#include <httplib.h>

#include "embedded/page.h"

namespace server {

namespace {

const char* type_of(std::string_view file) {
  if (file.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (file.ends_with(".css")) return "text/css; charset=utf-8";
  if (file.ends_with(".svg")) return "image/svg+xml";
  return "text/html; charset=utf-8";
}

}  // namespace

void install_page(httplib::Server& http) {
  for (const std::string_view file : embedded::page_files()) {
    const auto show = [file](const httplib::Request&, httplib::Response& response) {
      response.set_content(std::string(embedded::page(file)), type_of(file));
    };
    if (file == "index.html") http.Get("/", show);
    std::string pattern = "/";
    for (const char c : file) pattern += c == '.' ? "\\." : std::string(1, c);
    http.Get(pattern, show);
  }
}

}  // namespace server
