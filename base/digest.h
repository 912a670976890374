#pragma once
// Bytes as text, by OpenSSL: in lower-case hex SHA-256, the only hash the product uses (for blobs, the event chain and
// registrations), and tokens that cannot be guessed, from the system's random numbers; and base64.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace kernel {

/// Lower-case hex of the SHA-256 of `bytes`.
std::string sha256_hex(std::string_view bytes);
/// Two digits a byte.
std::string in_hex(std::string_view bytes);

/// Incremental SHA-256. Not thread-safe; owned by its user.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void update(std::string_view bytes);
  /// Lower-case hex. The object must not be used afterwards.
  std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// `bytes` random bytes, at most 256, in hex. Throws std::runtime_error if the system has no random numbers.
std::string random_token(std::size_t bytes);

/// RFC 4648, with padding.
std::string base64(std::string_view bytes);

}  // namespace kernel
