#include "executors/run_protocol/disk_use.h"

#include <algorithm>
#include <cerrno>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "executors/run_protocol/small_files.h"

namespace supervisor {
namespace {

constexpr int levels_at_once = 200;                // One descriptor per level.
constexpr std::size_t most_path_bytes = 16 << 20;  // Of folders that wait for a walk of their own.
constexpr int clock_lag_ms = 10;                   // File times are those of the last tick.

/// A walk over everything below a folder, of any depth.
template <typename Visit>
class FolderWalk {
 public:
  explicit FolderWalk(const Visit& visit) : visit_(visit) {}

  void walk(int folder, const char* path) {
    walk_levels(folder, path, 0);
    // Folders that were too deep; their path has more characters than a call may have.
    while (!deeper_.empty()) {
      names_ = std::move(deeper_.back());
      deeper_.pop_back();
      path_bytes_ -= bytes_of(names_);
      Fd at(openat(folder, path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      for (const std::string& name : names_)
        if (at) at.reset(openat(at.get(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (at) walk_levels(at.get(), ".", 0);
    }
  }

 private:
  using Names = std::vector<std::string>;

  static std::size_t bytes_of(const Names& names) {
    std::size_t bytes = 0;
    for (const std::string& name : names) bytes += sizeof name + name.size();
    return bytes;
  }

  void walk_levels(int folder, const char* path, int level) {
    Entries entries(folder, path, O_NOFOLLOW);
    while (const char* name = entries.next()) {
      struct stat about {};
      if (fstatat(entries.descriptor(), name, &about, AT_SYMLINK_NOFOLLOW) != 0) continue;
      visit_(entries.descriptor(), name, about);
      if (!S_ISDIR(about.st_mode)) continue;
      names_.emplace_back(name);
      if (level < levels_at_once)
        walk_levels(entries.descriptor(), name, level + 1);
      else
        put_off();
      names_.pop_back();
    }
  }

  void put_off() {
    const std::size_t bytes = bytes_of(names_);
    if (path_bytes_ + bytes > most_path_bytes) return;
    path_bytes_ += bytes;
    deeper_.push_back(names_);
  }

  const Visit& visit_;
  Names names_;  ///< Of the folders from the walk's start to here.
  std::vector<Names> deeper_;
  std::size_t path_bytes_ = 0;
};

/// Calls `visit(folder, name, stat)` for everything below `path`.
template <typename Visit>
void walk(int folder, const char* path, const Visit& visit) {
  FolderWalk<Visit>(visit).walk(folder, path);
}

}  // namespace

std::int64_t disk_use(int folder, const char* path) {
  std::int64_t total = 0;
  walk(folder, path, [&](int, const char*, const struct stat& about) { total += about.st_blocks * 512; });
  return total;
}

std::int64_t file_use(int folder, const char* path) {
  struct stat about {};
  return fstatat(folder, path, &about, AT_SYMLINK_NOFOLLOW) == 0 ? about.st_blocks * 512 : 0;
}

std::int64_t unlinked_use(int folder, const std::vector<Process>& tree) {
  struct stat here {};
  if (fstat(folder, &here) != 0) return 0;
  std::int64_t total = 0;
  std::set<ino_t> seen;
  for (const Process& p : tree) {
    Entries entries(AT_FDCWD, ("/proc/" + std::to_string(p.pid) + "/fd").c_str());
    while (const char* name = entries.next()) {
      struct stat about {};
      if (fstatat(entries.descriptor(), name, &about, 0) != 0 || !S_ISREG(about.st_mode)) continue;
      if (about.st_nlink == 0 && about.st_dev == here.st_dev && seen.insert(about.st_ino).second)
        total += about.st_blocks * 512;
    }
  }
  return total;
}

bool disk_nearly_full(int folder) {
  struct statvfs about {};
  if (fstatvfs(folder, &about) != 0 || about.f_blocks == 0) return false;
  const auto size = static_cast<std::int64_t>(about.f_blocks * about.f_frsize);
  // More than a home frees on a full disk, so that the disk still counts as full just after such a failure.
  const std::int64_t least = std::max<std::int64_t>(8 << 20, size / 50);
  return static_cast<std::int64_t>(about.f_bavail * about.f_frsize) < std::min<std::int64_t>(64 << 20, least);
}

void sync_tree(int folder, const char* path, std::int64_t since_ms) {
  // For more files one sync of the whole file system is cheaper.
  int left = 256;
  walk(folder, path, [&](int at, const char* name, const struct stat& about) {
    const std::int64_t changed = std::int64_t{about.st_mtim.tv_sec} * 1000 + about.st_mtim.tv_nsec / 1000000;
    if (!S_ISREG(about.st_mode) || about.st_size == 0 || changed < since_ms - clock_lag_ms) return;
    if (left-- <= 0) return;
    Fd fd(openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (fd) fdatasync(fd.get());
  });
  if (left < 0) syncfs(folder);
}

}  // namespace supervisor
