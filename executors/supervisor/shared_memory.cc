#include "executors/supervisor/shared_memory.h"

#include <algorithm>
#include <cerrno>
#include <set>
#include <string>

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executors/run_protocol/small_files.h"

namespace supervisor {
namespace {

/// The file system of all files in memory; 0 if there is none.
dev_t device_of_memory_files() {
  const Fd own(memfd_create("etude", MFD_CLOEXEC));
  struct stat about {};
  return own && fstat(own.get(), &about) == 0 ? about.st_dev : 0;
}

}  // namespace

std::int64_t memory_files(const std::vector<Process>& tree) {
  static const dev_t device = device_of_memory_files();
  std::int64_t total = 0;
  std::set<ino_t> seen;
  for (const Process& p : tree) {
    Entries entries(AT_FDCWD, ("/proc/" + std::to_string(p.pid) + "/fd").c_str());
    while (const char* name = entries.next()) {
      struct stat about {};
      if (fstatat(entries.descriptor(), name, &about, 0) != 0 || !S_ISREG(about.st_mode)) continue;
      if (device != 0 && about.st_dev == device && seen.insert(about.st_ino).second) total += about.st_blocks * 512;
    }
  }
  return total;
}

void limit_segments(int process, std::int64_t bytes) {
  // A process of its own, because it cannot come back from the job's namespaces.
  const pid_t helper = fork();
  if (helper == 0) {
    const Fd target(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
    struct stat own {
    }, other{};
    const std::string theirs = "/proc/" + std::to_string(process) + "/ns/ipc";
    // Never the machine's own limit.
    if (!target || stat("/proc/self/ns/ipc", &own) != 0 || stat(theirs.c_str(), &other) != 0 ||
        own.st_ino == other.st_ino)
      _exit(1);
    if (setns(target.get(), CLONE_NEWIPC) != 0 && setns(target.get(), CLONE_NEWUSER | CLONE_NEWIPC) != 0) _exit(1);
    const std::int64_t pages = std::max<std::int64_t>(bytes / sysconf(_SC_PAGESIZE), 1);
    // Opened only now: the entry shows the namespace of the process that opens it.
    _exit(write_file(AT_FDCWD, "/proc/sys/kernel/shmall", std::to_string(pages)) ? 0 : 1);
  }
  while (helper > 0 && waitpid(helper, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace supervisor
