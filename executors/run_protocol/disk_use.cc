#include "executors/run_protocol/disk_use.h"

#include <algorithm>
#include <cerrno>
#include <set>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "executors/run_protocol/small_files.h"

namespace supervisor {
namespace {

constexpr int deepest = 200;      // One descriptor per level.
constexpr int clock_lag_ms = 10;  // File times are those of the last tick.

/// Calls `visit(folder, name, stat)` for everything below `path`; a folder comes after its contents.
template <typename Visit>
void walk(int folder, const char* path, int depth, const Visit& visit) {
  Entries entries(folder, path, O_NOFOLLOW);
  while (const char* name = entries.next()) {
    struct stat about {};
    if (fstatat(entries.descriptor(), name, &about, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISDIR(about.st_mode) && depth < deepest) walk(entries.descriptor(), name, depth + 1, visit);
    visit(entries.descriptor(), name, about);
  }
}

}  // namespace

std::int64_t disk_use(int folder, const char* path) {
  std::int64_t total = 0;
  walk(folder, path, 0, [&](int, const char*, const struct stat& about) { total += about.st_blocks * 512; });
  return total;
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
  walk(folder, path, 0, [&](int at, const char* name, const struct stat& about) {
    const std::int64_t changed = std::int64_t{about.st_mtim.tv_sec} * 1000 + about.st_mtim.tv_nsec / 1000000;
    if (!S_ISREG(about.st_mode) || about.st_size == 0 || changed < since_ms - clock_lag_ms) return;
    if (left-- <= 0) return;
    Fd fd(openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (fd) fdatasync(fd.get());
  });
  if (left < 0) syncfs(folder);
}

}  // namespace supervisor
