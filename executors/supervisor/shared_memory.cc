#include "executors/supervisor/shared_memory.h"

#include <algorithm>
#include <cerrno>
#include <string>

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executors/run_protocol/disk_use.h"
#include "executors/run_protocol/small_files.h"

namespace supervisor {

std::int64_t memory_files(const std::vector<Process>& tree) {
  // No file made by memfd_create has a name, and all are on one file system.
  static const Fd own(memfd_create("etude", MFD_CLOEXEC));
  return own ? unlinked_use(own.get(), tree) : 0;
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
