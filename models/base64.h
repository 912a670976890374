#pragma once
// Bytes as text and back (RFC 4648, with padding), by OpenSSL. Pure.

#include <string>
#include <string_view>

namespace models {

std::string base64(std::string_view bytes);
/// Empty for what is no base64.
std::string from_base64(std::string_view text);

}  // namespace models
