#include "base/digest.h"

#include <stdexcept>

#include <openssl/evp.h>
#include <sys/random.h>

namespace kernel {

std::string in_hex(std::string_view bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char byte : bytes) {
    out += digits[static_cast<unsigned char>(byte) >> 4];
    out += digits[byte & 15];
  }
  return out;
}

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  // Looked up once, because OpenSSL's own look-up takes longer than a short text.
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA2-256", nullptr);
  if (!algorithm || EVP_DigestInit_ex(state_->context, algorithm, nullptr) != 1)
    throw std::runtime_error("SHA-256 is unavailable");
}

Sha256::~Sha256() = default;

void Sha256::update(std::string_view bytes) {
  if (EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) != 1) throw std::runtime_error("SHA-256 failed");
}

std::string Sha256::hex() {
  unsigned char raw[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  if (EVP_DigestFinal_ex(state_->context, raw, &length) != 1) throw std::runtime_error("SHA-256 failed");
  return in_hex({reinterpret_cast<const char*>(raw), length});
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 digest;
  digest.update(bytes);
  return digest.hex();
}

std::string random_token(std::size_t bytes) {
  std::string drawn(bytes, '\0');
  if (getrandom(drawn.data(), bytes, 0) != static_cast<ssize_t>(bytes))
    throw std::runtime_error("no randomness to be had");
  return in_hex(drawn);
}

std::string base64(std::string_view bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

}  // namespace kernel
