#include "base/random_token.h"

#include <stdexcept>

#include <fmt/format.h>
#include <sys/random.h>

namespace kernel {

std::string random_token(std::size_t bytes) {
  std::string drawn(bytes, '\0');
  if (getrandom(drawn.data(), bytes, 0) != static_cast<ssize_t>(bytes))
    throw std::runtime_error("no randomness to be had");
  std::string token;
  for (const char byte : drawn) token += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return token;
}

}  // namespace kernel
