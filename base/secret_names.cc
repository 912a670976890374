#include "base/secret_names.h"

#include <string>

namespace kernel {

bool looks_like_secret(std::string_view variable) {
  std::string word;
  for (const char c : std::string(variable) + "_") {
    if (c != '_' && c != '-') {
      word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      continue;
    }
    for (std::string_view secret : {"key", "keys", "token", "secret", "secrets", "password", "passwd", "passphrase",
                                    "credential", "credentials", "auth", "cookie"})
      if (word.ends_with(secret)) return true;
    word.clear();
  }
  return false;
}

}  // namespace kernel
