#include "apps/server/access/token.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <openssl/crypto.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "memory/files/file.h"

namespace server {

namespace {

constexpr std::size_t length = 2 * secret_bytes;

std::string token_path(const std::string& home) {
  return home + "/token";
}

kernel::Problem unusable(const std::string& path, const std::string& why, const std::string& todo) {
  return {"", 0, path, why, todo, true};
}

kernel::Problem failed(const std::string& path, const char* doing) {
  return unusable(path, std::string(doing) + " (" + std::strerror(errno) + ")", "see whose home it is");
}

}  // namespace

bool same_secret(std::string_view a, std::string_view b) {
  // Hashes of secrets of different lengths have the same length.
  const std::string one = kernel::sha256_hex(a), other = kernel::sha256_hex(b);
  return CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

kernel::Result<std::string> token_of(const std::string& home) {
  const std::string path = token_path(home);
  const memory::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file && errno == ENOENT) return renew_token(home);
  if (!file) return failed(path, "cannot be read");
  struct stat about {};
  if (::fstat(file.get(), &about) != 0) return failed(path, "cannot be read");
  if ((about.st_mode & 077) != 0)
    return unusable(path, "others may read it", "`etude serve --new-token` makes another one");
  char bytes[length + 2];
  const long size = memory::read_some(file.get(), bytes, sizeof bytes);
  std::string token(bytes, size < 0 ? 0 : static_cast<std::size_t>(size));
  while (!token.empty() && token.back() == '\n') token.pop_back();
  if (token.size() != length || token.find_first_not_of("0123456789abcdef") != std::string::npos)
    return unusable(path, "holds no token", "`etude serve --new-token` makes another one");
  return token;
}

kernel::Result<std::string> renew_token(const std::string& home) {
  const std::string path = token_path(home), fresh = path + ".new", token = kernel::random_token(secret_bytes);
  ::unlink(fresh.c_str());
  const memory::Fd file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) return failed(fresh, "cannot be written");
  memory::write_all(file.get(), token + "\n", fresh);
  memory::sync_file(file.get(), fresh);
  // Atomic, so that no reader sees part of a token.
  if (::rename(fresh.c_str(), path.c_str()) != 0) return failed(path, "cannot be written");
  return token;
}

}  // namespace server
