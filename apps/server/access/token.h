#pragma once
// HOME/token: the secret for the API on TCP. 256 random bits in hex, readable by its owner only.

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace server {

/// The home's token, made on first use. A problem if it cannot be read or written, or if others can read it.
kernel::Result<std::string> token_of(const std::string& home);
/// Replaces the token; the old one and its sessions become invalid.
kernel::Result<std::string> renew_token(const std::string& home);

/// Number of random bytes in a secret that cannot be guessed.
inline constexpr std::size_t secret_bytes = 32;
/// Whether both are equal, in a time that does not depend on where they differ.
bool same_secret(std::string_view, std::string_view);

}  // namespace server
