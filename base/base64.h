#pragma once
// Bytes as text (RFC 4648, with padding), by OpenSSL. Pure.

#include <string>
#include <string_view>

namespace kernel {

std::string base64(std::string_view bytes);

}  // namespace kernel
