#pragma once
// HOME/token: the word that opens the API on TCP. 256 random bits in hex, readable by its owner only.

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace server {

/// The home's token, made on first use. A Problem: it cannot be read or written, or others can read it.
kernel::Result<std::string> token_of(const std::string& home);
/// Another one in its place: whoever has the old one, or a session that came of it, is out.
kernel::Result<std::string> renew_token(const std::string& home);

/// So many random bytes make a secret that nobody guesses.
inline constexpr std::size_t secret_bytes = 32;
/// Whether both are the same, in a time that does not tell where they differ.
bool same_secret(std::string_view, std::string_view);

}  // namespace server
