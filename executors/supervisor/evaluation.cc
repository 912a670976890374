#include "executors/supervisor/evaluation.h"

#include <algorithm>
#include <cerrno>

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "executors/run_protocol/small_files.h"

namespace supervisor {
namespace {

constexpr int deepest_link = 64;

int open_beneath(int folder, const std::string& path) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  for (;;) {
    const long fd = syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how);
    if (fd >= 0 || (errno != EINTR && errno != EAGAIN)) return static_cast<int>(fd);
  }
}

/// A link to nothing here also leads to nothing for the evaluator.
bool stays_beneath(int folder, const std::string& path) {
  const Fd target(open_beneath(folder, path));
  return target || errno == ENOENT || errno == ENOTDIR || errno == EACCES;
}

std::string search(int root, int folder, const std::string& prefix, int depth) {
  const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* entries = again < 0 ? nullptr : fdopendir(again);
  if (!entries) return "";
  std::string found;
  while (const dirent* entry = readdir(entries)) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    struct stat about {};
    if (fstatat(folder, name.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISLNK(about.st_mode) && !stays_beneath(root, prefix + name)) found = prefix + name;
    if (S_ISDIR(about.st_mode)) {
      const Fd inner(openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      // A folder too deep to search counts as unsafe.
      if (depth >= deepest_link) found = prefix + name;
      if (inner && found.empty()) found = search(root, inner.get(), prefix + name + "/", depth + 1);
    }
    if (!found.empty()) break;
  }
  closedir(entries);
  return found;
}

}  // namespace

std::string link_leading_out(int folder) {
  return search(folder, folder, "", 0);
}

void add_evaluation(Outcome& run, const Outcome& evaluation) {
  run.ended_ms = evaluation.ended_ms;
  run.wall_ms += evaluation.wall_ms;
  // Counted for all children of this process, including the job's.
  run.cpu_us = std::max(run.cpu_us, evaluation.cpu_us);
  run.rss_peak_bytes = std::max(run.rss_peak_bytes, evaluation.rss_peak_bytes);
  run.read_bytes = std::max(run.read_bytes, evaluation.read_bytes);
  run.written_bytes = std::max(run.written_bytes, evaluation.written_bytes);
  run.logs_complete = run.logs_complete && evaluation.logs_complete;
  if (evaluation.end == End::cancelled || evaluation.end == End::no_room) {
    run.end = evaluation.end;
    run.reason = evaluation.reason;
    return;
  }
  run.evaluator.push_back({evaluation.end, evaluation.exit, evaluation.signal, evaluation.reason, evaluation.started_ms,
                           evaluation.ended_ms});
}

}  // namespace supervisor
