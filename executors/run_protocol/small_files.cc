#include "executors/run_protocol/small_files.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace supervisor {
namespace {

std::int64_t clock_ms(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1000000;
}

}  // namespace

Entries::Entries(int folder, const char* path, int flags) {
  const int fd = openat(folder, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
  entries_ = fd < 0 ? nullptr : fdopendir(fd);
  if (!entries_ && fd >= 0) close(fd);
}
Entries::~Entries() {
  if (entries_) closedir(entries_);
}
int Entries::descriptor() const {
  return dirfd(entries_);
}
const char* Entries::next() {
  while (const dirent* entry = entries_ ? readdir(entries_) : nullptr) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") return entry->d_name;
  }
  return nullptr;
}

void close_descriptors(unsigned from, unsigned to) {
  if (syscall(SYS_close_range, from, to, 0u) == 0) return;
  constexpr long most = 1 << 16;
  const long end = std::min<long>(to, std::clamp(sysconf(_SC_OPEN_MAX), 1024l, most) - 1);
  for (long fd = from; fd <= end; ++fd) close(static_cast<int>(fd));
}

std::optional<std::string> read_file(int folder, const char* path, std::size_t most) {
  Fd fd(openat(folder, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return std::nullopt;
  std::string text;
  char buffer[4096];
  while (text.size() < most) {
    const ssize_t n = read(fd.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::nullopt;
    if (n == 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  return text;
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

bool write_file(int folder, const char* path, std::string_view bytes) {
  Fd fd(openat(folder, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  return fd && write_all(fd.get(), bytes);
}

std::optional<std::int64_t> to_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::int64_t wall_ms() {
  return clock_ms(CLOCK_REALTIME);
}
std::int64_t boot_ms() {
  return clock_ms(CLOCK_BOOTTIME);
}

std::string error_text(int error) {
  const char* text = strerrordesc_np(error);
  return text ? text : "error " + std::to_string(error);
}

}  // namespace supervisor
