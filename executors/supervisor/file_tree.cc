#include "executors/supervisor/file_tree.h"

#include <cerrno>
#include <climits>

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "executors/run_protocol/open_resolved.h"

namespace supervisor {

namespace {

std::string failed(const char* name) {
  return std::string(name) + ": " + error_text(errno);
}

/// Up to this size, reading and writing takes less time than asking for a copy within the kernel.
constexpr off_t small_file = 1 << 16;

bool copy_bytes(int from, int to, off_t size) {
  if (size > small_file && ioctl(to, FICLONE, from) == 0) return true;
  for (bool moved = false; size > small_file; moved = true) {
    const ssize_t n = copy_file_range(from, nullptr, to, nullptr, 1 << 30, 0);
    if (n > 0) continue;
    if (n == 0) return true;
    if (errno == EINTR) continue;
    if (moved || (errno != EXDEV && errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)) return false;
    break;
  }
  char buffer[1 << 16];
  for (;;) {
    const ssize_t n = read(from, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n == 0;
    if (!write_all(to, {buffer, static_cast<std::size_t>(n)})) return false;
  }
}

std::string copy_file(int source, int target, const char* name, const struct stat& about) {
  Fd from(openat(source, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!from) return failed(name);
  Fd to(openat(target, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!to || (about.st_size > 0 && !copy_bytes(from.get(), to.get(), about.st_size))) return failed(name);
  // The job owns the copy and may write to it, even if the original was read-only.
  fchmod(to.get(), (about.st_mode & 0777) | S_IWUSR);
  const timespec times[2] = {about.st_atim, about.st_mtim};
  futimens(to.get(), times);
  return {};
}

std::string copy_link(int source, int target, const char* name, const struct stat& about) {
  char to[PATH_MAX];
  const ssize_t n = readlinkat(source, name, to, sizeof to - 1);
  if (n < 0) return failed(name);
  to[n] = '\0';
  if (symlinkat(to, target, name) != 0) return failed(name);
  const timespec times[2] = {about.st_atim, about.st_mtim};
  utimensat(target, name, times, AT_SYMLINK_NOFOLLOW);
  return {};
}

std::string copy_folder(int source, int target, const char* name, const struct stat& about, bool (*stop)()) {
  Fd from(openat(source, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!from || mkdirat(target, name, 0700) != 0) return failed(name);
  Fd to(openat(target, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!to) return failed(name);
  std::string problem = copy_tree(from.get(), to.get(), stop);
  if (!problem.empty()) return std::string(name) + "/" + problem;
  fchmod(to.get(), (about.st_mode & 0777) | S_IRWXU);
  const timespec times[2] = {about.st_atim, about.st_mtim};
  futimens(to.get(), times);
  return {};
}

std::string copy_entry(int source, int target, const char* name, bool (*stop)()) {
  struct stat about {};
  if (fstatat(source, name, &about, AT_SYMLINK_NOFOLLOW) != 0) return failed(name);
  if (S_ISREG(about.st_mode)) return copy_file(source, target, name, about);
  if (S_ISLNK(about.st_mode)) return copy_link(source, target, name, about);
  if (S_ISDIR(about.st_mode)) return copy_folder(source, target, name, about, stop);
  return {};
}

constexpr int deepest_link = 64;

/// A link to nothing here also leads to nothing for the evaluator.
bool stays_beneath(int folder, const std::string& path) {
  const Fd target(open_resolved(folder, path, O_PATH, RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS));
  return target || errno == ENOENT || errno == ENOTDIR || errno == EACCES;
}

std::string search(int root, int folder, const std::string& prefix, int depth) {
  Entries entries(folder, ".");
  std::string found;
  while (const char* entry = found.empty() ? entries.next() : nullptr) {
    const std::string name = entry;
    struct stat about {};
    if (fstatat(folder, name.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISLNK(about.st_mode) && !stays_beneath(root, prefix + name)) found = prefix + name;
    if (S_ISDIR(about.st_mode)) {
      const Fd inner(openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      // A folder too deep to search counts as unsafe.
      if (depth >= deepest_link) found = prefix + name;
      if (inner && found.empty()) found = search(root, inner.get(), prefix + name + "/", depth + 1);
    }
  }
  return found;
}

}  // namespace

std::string copy_tree(int source, int target, bool (*stop)()) {
  Entries entries(source, ".");
  if (!entries) return failed(".");
  std::string problem;
  while (const char* name = problem.empty() ? entries.next() : nullptr)
    problem = stop() ? "stopped" : copy_entry(source, target, name, stop);
  return problem;
}

std::string link_leading_out(int folder) {
  return search(folder, folder, "", 0);
}

}  // namespace supervisor
