#pragma once
// Tells from a variable's name whether its value should never be recorded or passed on. Pure.

#include <string_view>

namespace kernel {

/// Whether the name of an environment variable suggests a key, a token or a password.
bool looks_like_secret(std::string_view variable);

}  // namespace kernel
