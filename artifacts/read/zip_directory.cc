#include "artifacts/read/zip_directory.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

namespace artifacts {
namespace {

constexpr std::string_view entry_mark = "PK\x01\x02", end_mark = "PK\x05\x06", end64_mark = "PK\x06\x06",
                           locator_mark = "PK\x06\x07";
constexpr std::uint64_t entry_size = 46, end_size = 22, end64_size = 56, locator_size = 20, longest_comment = 0xFFFF;
constexpr std::size_t window_size = 1u << 20;

/// A file of which a part is in memory.
class Window {
 public:
  explicit Window(int file) : file_(file) {
    struct stat status {};
    if (::fstat(file, &status) == 0) size_ = static_cast<std::uint64_t>(status.st_size);
  }

  std::uint64_t size() const { return size_; }

  /// Empty if the file does not have them all.
  std::string_view bytes(std::uint64_t at, std::uint64_t count) {
    if (at > size_ || count > size_ - at) return {};
    if (at < start_ || at + count > start_ + held_.size()) {
      held_.resize(std::min<std::uint64_t>(std::max<std::uint64_t>(count, window_size), size_ - at));
      start_ = at;
      std::size_t got = 0;
      while (got < held_.size()) {
        const ssize_t more = ::pread(file_, held_.data() + got, held_.size() - got, static_cast<off_t>(at + got));
        if (more <= 0) break;
        got += static_cast<std::size_t>(more);
      }
      held_.resize(got);
      if (got < count) return {};
    }
    return std::string_view(held_.data(), held_.size()).substr(at - start_, count);
  }

 private:
  const int file_;
  std::uint64_t size_ = 0, start_ = 0;
  std::vector<char> held_;
};

/// Little-endian.
std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = width; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

struct Directory {
  std::uint64_t stated = 0;  ///< Number of entries.
  std::uint64_t at = 0;      ///< Where the directory begins.
  std::uint64_t other = 0;   ///< The same, if something was put before the zip.
};

/// The last end of a directory in the file.
std::optional<Directory> directory_of(Window& file) {
  const std::uint64_t tail = std::min(file.size(), end_size + longest_comment), first = file.size() - tail;
  const std::string_view bytes = file.bytes(first, tail);
  const std::size_t found =
      bytes.substr(0, bytes.size() - std::min<std::size_t>(bytes.size(), end_size - 4)).rfind(end_mark);
  if (found == bytes.npos) return std::nullopt;
  const std::uint64_t end = first + found;
  const std::string_view record = bytes.substr(found, end_size);
  Directory directory{number(record, 10, 2), number(record, 16, 4), 0};
  std::uint64_t size = number(record, 12, 4), behind = end;
  if (end >= locator_size) {
    const std::string_view locator = file.bytes(end - locator_size, locator_size);
    if (locator.starts_with(locator_mark)) {
      const std::uint64_t at = number(locator, 8, 8);
      const std::string_view large = file.bytes(at, end64_size);
      if (large.starts_with(end64_mark)) {
        directory.stated = std::max(directory.stated, number(large, 32, 8));
        directory.at = number(large, 48, 8);
        size = number(large, 40, 8);
        behind = at;
      }
    }
  }
  directory.other = behind - std::min(behind, size);
  return directory;
}

}  // namespace

std::uint64_t entries_of_zip(int from, std::uint64_t most) {
  Window file(from);
  const std::optional<Directory> directory = directory_of(file);
  if (!directory || directory->stated > most) return directory ? directory->stated : 0;
  std::uint64_t at = directory->at;
  if (!file.bytes(at, entry_size).starts_with(entry_mark)) at = directory->other;
  std::uint64_t count = 0;
  for (; count <= most; ++count) {
    const std::string_view entry = file.bytes(at, entry_size);
    if (!entry.starts_with(entry_mark)) break;
    at += entry_size + number(entry, 28, 2) + number(entry, 30, 2) + number(entry, 32, 2);
  }
  return std::max(count, directory->stated);
}

}  // namespace artifacts
