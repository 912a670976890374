#include "executors/run_protocol/claim.h"

#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "executors/run_protocol/process_tree.h"
#include "executors/run_protocol/run_files.h"

namespace supervisor {

Claiming claim(int folder, std::string_view content) {
  // Write a private file, then move or link it: exclusive like O_EXCL, also over NFS, and readers never see half a
  // claim.
  const std::string own = std::string(claim_file) + "." + std::to_string(getpid());
  unlinkat(folder, own.c_str(), 0);
  {
    Fd fd(openat(folder, own.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (!fd || !write_all(fd.get(), content)) return Claiming::failed;
  }
  if (renameat2(folder, own.c_str(), folder, claim_file, RENAME_NOREPLACE) == 0) return Claiming::won;
  // Not every file system can do it in one step.
  const int linked = errno == EEXIST ? -1 : linkat(folder, own.c_str(), folder, claim_file, 0);
  const int error = errno;
  unlinkat(folder, own.c_str(), 0);
  if (linked == 0) return Claiming::won;
  return error == EEXIST ? Claiming::taken : Claiming::failed;
}

Fd take_lock(int folder, int patience_ms) {
  Fd fd(openat(folder, lock_file, O_RDWR | O_CLOEXEC));
  if (!fd) {
    // A hard link to the job file is cheaper than a new file, which matters in short runs.
    linkat(folder, job_file, folder, lock_file, 0);
    fd.reset(openat(folder, lock_file, O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  }
  if (!fd) return fd;
  for (int waited = 0; flock(fd.get(), LOCK_EX | LOCK_NB) != 0; waited += 10) {
    if ((errno != EWOULDBLOCK && errno != EINTR) || waited >= patience_ms) return Fd();
    usleep(10000);
  }
  return fd;
}

long long start_time(int pid) {
  const std::string stat = stat_of(pid);
  return stat.starts_with('Z') ? 0 : stat_field(stat, 22).value_or(0);
}

std::string boot_id() {
  // It never changes during the life of a process.
  static const std::string id = [] {
    std::string text = read_file(AT_FDCWD, "/proc/sys/kernel/random/boot_id").value_or("");
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
  }();
  return id;
}

std::string own_claim(const std::string& token) {
  // As often as this process claims; it forks no other that does.
  static const long long start = start_time(getpid());
  return token + "\npid=" + std::to_string(getpid()) + "\nstart=" + std::to_string(start) + "\nboot=" + boot_id() +
         "\n";
}

bool add_started(int folder, long long started_ms) {
  Fd fd(openat(folder, claim_file, O_WRONLY | O_APPEND | O_CLOEXEC));
  return fd && write_all(fd.get(), "started=" + std::to_string(started_ms) + "\n");
}

}  // namespace supervisor
