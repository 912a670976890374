#include "apps/server/http/framing.h"

#include <charconv>

#include <strings.h>

namespace server {

std::optional<std::size_t> body_size(const httplib::Request& request) {
  if (request.has_header("Transfer-Encoding")) return std::nullopt;
  const std::string text = request.get_header_value("Content-Length");
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (!text.empty() && (error != std::errc() || end != text.data() + text.size())) return std::nullopt;
  return size;
}

void normalise_body_headers(httplib::Request& request) {
  if (request.method != "GET" || !request.path.ends_with("/log")) request.ranges.clear();
  const bool may_have_one = request.method == "POST" || request.method == "PUT" || request.method == "PATCH";
  if (may_have_one && !request.has_header("Transfer-Encoding") && !request.has_header("Content-Length"))
    request.headers.emplace("Content-Length", "0");
}

std::optional<Refusal> refuses_framing(const httplib::Request& request) {
  if (!request.has_header("Transfer-Encoding")) {
    if (body_size(request)) return std::nullopt;
    return Refusal{400, "the length of the body is no number", request.get_header_value("Content-Length")};
  }
  const std::string coding = request.get_header_value("Transfer-Encoding");
  if (::strcasecmp(coding.c_str(), "chunked") == 0) return std::nullopt;
  return Refusal{501, "bodies come with their length, or chunked", coding};
}

}  // namespace server
