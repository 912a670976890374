#pragma once
// Requests for part of a file: the `Range` header with its conditions, as RFC 9110 (section 14) has them. httplib cuts
// the body, but takes the bounds as they were sent.

#include <string>
#include <string_view>

#include <httplib.h>

namespace server {

/// The `ETag` of these bytes.
std::string entity_tag(std::string_view bytes);
/// Whether the client already has what this tag is of.
bool is_known(const httplib::Request&, const std::string& tag);

/// What is sent of a body.
enum class SentPart {
  whole,
  range,   ///< The only one of `Request::ranges`.
  nothing  ///< None of its bytes was asked for.
};

/// Leaves one range within the body, or none. A request for several ranges, or for a range of a body with another tag,
/// gets the whole body.
SentPart narrow_ranges(httplib::Request&, std::string_view body);

}  // namespace server
