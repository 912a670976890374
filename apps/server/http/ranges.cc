#include "apps/server/http/ranges.h"

#include <algorithm>
#include <utility>

#include "base/digest.h"

namespace server {

std::string entity_tag(std::string_view bytes) {
  constexpr std::size_t length = 32;
  return "\"" + kernel::sha256_hex(bytes).substr(0, length) + "\"";
}

bool is_known(const httplib::Request& request, const std::string& tag) {
  return request.get_header_value("If-None-Match").find(tag) != std::string::npos;
}

SentPart narrow_ranges(httplib::Request& request, std::string_view body) {
  const httplib::Ranges asked = std::exchange(request.ranges, {});
  if (asked.size() != 1 || body.empty()) return SentPart::whole;
  const std::string tag = entity_tag(body);
  if (is_known(request, tag)) return SentPart::whole;
  if (request.has_header("If-Range") && request.get_header_value("If-Range") != tag) return SentPart::whole;
  const auto size = static_cast<ssize_t>(body.size());
  // A number that was left out is -1. Without the first one, the second one counts bytes from the end.
  auto [first, last] = asked.front();
  if (first < 0) {
    if (last <= 0) return SentPart::nothing;
    first = std::max<ssize_t>(0, size - last);
    last = size - 1;
  }
  if (first >= size) return SentPart::nothing;
  if (last < 0 || last >= size) last = size - 1;
  request.ranges.emplace_back(first, last);
  return SentPart::range;
}

}  // namespace server
