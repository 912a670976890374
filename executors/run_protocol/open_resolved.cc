#include "executors/run_protocol/open_resolved.h"

#include <cerrno>
#include <climits>
#include <deque>
#include <vector>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"

namespace supervisor {
namespace {

using kernel::Fd;

constexpr int most_links = 40;  ///< As Linux allows.

int refuse(int error) {
  errno = error;
  return -1;
}

std::deque<std::string> parts_of(const std::string& path) {
  std::deque<std::string> parts;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    // A slash at the end asks for a folder.
    parts.push_back(end > at ? path.substr(at, end - at) : ".");
    at = end + 1;
  }
  return parts;
}

/// A path on its way. Each folder is held open, so that nothing that is renamed meanwhile leads out of the first one.
class Steps {
 public:
  Steps(int folder, std::uint64_t resolve) : folder_(folder), resolve_(resolve) {}

  int open(const std::string& path, int flags) {
    if (path.empty()) return refuse(ENOENT);
    if (path.front() == '/') return refuse(EXDEV);
    std::deque<std::string> ahead = parts_of(path);
    while (!ahead.empty()) {
      const std::string part = ahead.front();
      ahead.pop_front();
      if (part == ".") continue;
      if (part == "..") {
        if (way_.empty()) return refuse(EXDEV);
        way_.pop_back();
        continue;
      }
      Fd next(openat(here(), part.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
      struct stat about {};
      if (!next || fstat(next.get(), &about) != 0) return -1;
      if (S_ISLNK(about.st_mode)) {
        if (!follow(next.get(), ahead)) return -1;
      } else if ((resolve_ & RESOLVE_NO_XDEV) && is_elsewhere(about)) {
        return refuse(EXDEV);
      } else if (ahead.empty()) {
        return openat(here(), part.c_str(), flags | O_NOFOLLOW | O_CLOEXEC);
      } else if (!S_ISDIR(about.st_mode)) {
        return refuse(ENOTDIR);
      } else {
        way_.push_back(std::move(next));
      }
    }
    return openat(here(), ".", flags | O_CLOEXEC);
  }

 private:
  int here() const { return way_.empty() ? folder_ : way_.back().get(); }

  bool is_elsewhere(const struct stat& about) const {
    struct stat first {};
    return fstat(folder_, &first) != 0 || first.st_dev != about.st_dev;
  }

  /// Puts the link's path before the rest. False with errno.
  bool follow(int link, std::deque<std::string>& ahead) {
    if ((resolve_ & RESOLVE_NO_SYMLINKS) || ++links_ > most_links) return refuse(ELOOP) == 0;
    char target[PATH_MAX];
    const ssize_t size = readlinkat(link, "", target, sizeof target);
    if (size <= 0 || size == sizeof target) return refuse(ENAMETOOLONG) == 0;
    if (target[0] == '/') return refuse(EXDEV) == 0;
    const std::deque<std::string> parts = parts_of({target, static_cast<std::size_t>(size)});
    ahead.insert(ahead.begin(), parts.begin(), parts.end());
    return true;
  }

  int folder_;
  std::uint64_t resolve_;
  std::vector<Fd> way_;
  int links_ = 0;
};

}  // namespace

int open_by_steps(int folder, const std::string& path, std::uint64_t flags, std::uint64_t resolve) {
  return Steps(folder, resolve).open(path, static_cast<int>(flags));
}

int open_resolved(int folder, const std::string& path, std::uint64_t flags, std::uint64_t resolve) {
  open_how how{};
  how.flags = flags | O_CLOEXEC;
  how.resolve = resolve;
  for (;;) {
    const long fd = syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how);
    // EPERM: filters of old containers refuse by it what they do not know.
    if (fd < 0 && (errno == ENOSYS || errno == EPERM)) return open_by_steps(folder, path, flags, resolve);
    if (fd >= 0 || (errno != EINTR && errno != EAGAIN)) return static_cast<int>(fd);
  }
}

}  // namespace supervisor
