#include "apps/server/access/page_address.h"

#include <chrono>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace server {

namespace {

constexpr std::size_t longest_address = 300;

std::string path_in(const std::string& home) {
  return home + "/page";
}

/// Readers hold the lock for a moment, and other servers as long as they live.
bool take(int file) {
  constexpr int tries = 20;
  for (int i = 0; i < tries; ++i) {
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace

PageAddress::PageAddress(const std::string& home, const std::string& address)
    : file_(::open(path_in(home).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)) {
  if (!file_ || !take(file_.get()) || ::ftruncate(file_.get(), 0) != 0) return;
  memory::write_all(file_.get(), address + "\n", path_in(home));
}

std::optional<std::string> page_address(const std::string& home) {
  const memory::Fd file(::open(path_in(home).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file || ::flock(file.get(), LOCK_SH | LOCK_NB) == 0) return std::nullopt;
  char bytes[longest_address];
  const long size = memory::read_some(file.get(), bytes, sizeof bytes);
  std::string address(bytes, size < 0 ? 0 : static_cast<std::size_t>(size));
  if (!address.ends_with('\n')) return std::nullopt;
  address.pop_back();
  return address;
}

}  // namespace server
