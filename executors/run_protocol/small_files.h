#pragma once
// Reading and writing small files, names in folders, and numbers as text. Paths are
// relative to an open folder. All descriptors are close-on-exec.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <dirent.h>

#include "base/fd.h"

namespace supervisor {

using kernel::Fd;

/// The names in a folder, without `.` and `..`; none if it cannot be opened.
class Entries {
 public:
  /// `flags`: further ones for openat, such as O_NOFOLLOW.
  Entries(int folder, const char* path, int flags = 0);
  Entries(const Entries&) = delete;
  Entries& operator=(const Entries&) = delete;
  ~Entries();
  /// False: the folder could not be opened; `errno` says why.
  explicit operator bool() const { return entries_ != nullptr; }
  int descriptor() const;
  /// Null at the end.
  const char* next();

 private:
  DIR* entries_;
};

/// Closes the descriptors with these numbers, without close_range on kernels before Linux 5.9.
void close_descriptors(unsigned from, unsigned to = ~0u);

/// The first `most` bytes or a little more; none if the file cannot be opened or read.
std::optional<std::string> read_file(int folder, const char* path, std::size_t most = 64 << 20);
bool write_all(int fd, std::string_view bytes);
/// Creates or replaces; not synced.
bool write_file(int folder, const char* path, std::string_view bytes);

std::optional<std::int64_t> to_number(std::string_view text);

std::int64_t wall_ms();
/// CLOCK_BOOTTIME: also counts while the machine sleeps, and cannot be set.
std::int64_t boot_ms();

/// `Permission denied`
std::string error_text(int error);

}  // namespace supervisor
