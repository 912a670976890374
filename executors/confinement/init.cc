#include "executors/confinement/init.h"

#include <climits>

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "executors/confinement/raw_calls.h"

// This code must not need a C library; its headers are included only for constants.

namespace supervisor {
namespace {

/// The size that Linux expects: one bit for each signal.
constexpr long signal_bytes = (_NSIG - 1) / 8;
using Signals = unsigned char[signal_bytes];

bool same(const char* a, const char* b) {
  while (*a && *a == *b) ++a, ++b;
  return *a == *b;
}

std::int64_t leading_number(const char*& text) {
  std::int64_t number = 0;
  for (; *text >= '0' && *text <= '9'; ++text) number = 10 * number + (*text - '0');
  return number;
}

const char* value_of(const char* name, char** environment) {
  for (; *environment; ++environment) {
    const char *entry = *environment, *wanted = name;
    while (*wanted && *entry == *wanted) ++entry, ++wanted;
    if (!*wanted && *entry == '=') return entry + 1;
  }
  return nullptr;
}

/// Returns errno. A file that is not a program runs as a shell script.
int try_program(const char* path, char** arguments, char** environment) {
  const long result = raw(SYS_execve, path, arguments, environment);
  if (result != -ENOEXEC) return static_cast<int>(-result);
  long count = 0;
  while (arguments[count]) ++count;
  const char* script[count + 2];  // The shell and the path replace the script's name.
  script[0] = "/bin/sh";
  script[1] = path;
  for (long i = 1; i <= count; ++i) script[i + 1] = arguments[i];
  return static_cast<int>(-raw(SYS_execve, script[0], script, environment));
}

/// FOLDER/NAME for the first folder of PATH; false if it is too long for a path.
bool join(const char* folders, const char* name, char (&path)[PATH_MAX]) {
  long n = 0;
  for (; *folders && *folders != ':'; ++folders) {
    if (n > PATH_MAX - 3) return false;
    path[n++] = *folders;
  }
  if (n > 0) path[n++] = '/';
  for (; *name; ++name) {
    if (n > PATH_MAX - 2) return false;
    path[n++] = *name;
  }
  path[n] = 0;
  return true;
}

/// Returns errno of the last attempt, or of an existing file without permission.
int try_on_path(char** arguments, char** environment) {
  const char* name = arguments[0];
  if (!*name) return ENOENT;
  for (const char* at = name; *at; ++at)
    if (*at == '/') return try_program(name, arguments, environment);
  const char* folders = value_of("PATH", environment);
  if (!folders) folders = "/bin:/usr/bin";
  bool forbidden = false;
  int error = ENOENT;
  for (;; ++folders) {
    char path[PATH_MAX];
    if (!join(folders, name, path)) return ENAMETOOLONG;
    error = try_program(path, arguments, environment);
    if (error == EACCES)
      forbidden = true;
    else if (error != ENOENT && error != ENOTDIR && error != ESTALE && error != ENODEV && error != ETIMEDOUT)
      return error;
    while (*folders && *folders != ':') ++folders;
    if (!*folders) return forbidden ? EACCES : error;
  }
}

void set_mask(unsigned char every_byte) {
  Signals mask;
  for (unsigned char& byte : mask) byte = every_byte;
  raw(SYS_rt_sigprocmask, SIG_SETMASK, mask, nullptr, signal_bytes);
}

/// SIG_DFL without flags is all zeros in the layout of every architecture.
void by_default(int signal) {
  unsigned char action[24 + signal_bytes];
  for (unsigned char& byte : action) byte = 0;
  raw(SYS_rt_sigaction, signal, action, nullptr, signal_bytes);
}

[[noreturn]] void leave(int status) {
  for (;;) raw(SYS_exit_group, status);
}

}  // namespace

void send(int pipe, Report report) {
  // Smaller than PIPE_BUF, so the write is atomic.
  while (raw(SYS_write, pipe, &report, sizeof report) == -EINTR) {
  }
}

void execute(int report, Walls walls, char** arguments, char** environment, const char* directory) {
  by_default(SIGPIPE);
  by_default(SIGHUP);
  set_mask(0);
  raw(SYS_fcntl, report, F_SETFD, FD_CLOEXEC);
  int error = directory ? static_cast<int>(-raw(SYS_chdir, directory)) : 0;
  if (const int unfiltered = filter_calls(walls); unfiltered != 0) {
    send(report, {Report::cannot_isolate, unfiltered});
    leave(126);
  }
  if (error == 0) error = try_on_path(arguments, environment);
  send(report, {Report::cannot_execute, error});
  leave(127);
}

namespace {

bool counts_by_namespace() {
  utsname system{};
  if (raw(SYS_uname, &system) != 0) return false;
  const char* release = system.release;
  const std::int64_t major = leading_number(release);
  if (*release++ != '.') return false;
  const std::int64_t minor = leading_number(release);
  return major > 5 || (major == 5 && minor >= 14);
}

}  // namespace

// Before Linux 5.14 the count covers all processes of the user, not only those of the user namespace; root is never
// counted. The limit is higher than the supervisor's, so that the supervisor reports the reason.
void limit_processes(std::int64_t processes) {
  if (processes == 0 || !counts_by_namespace()) return;
  const auto most = static_cast<std::uint64_t>(processes + 64);
  const std::uint64_t limit[2] = {most, most};
  raw(SYS_prlimit64, 0, RLIMIT_NPROC, limit, nullptr);
}

namespace {

/// Linux loses the resource usage of processes that die with their namespace, so reap them first. The time is limited,
/// because a process that waits for a device may not die at once; the end of the namespace kills it.
void reap_the_rest() {
  raw(SYS_kill, -1, SIGKILL);
  for (int round = 0; round < 1000; ++round) {
    const long pid = raw(SYS_wait4, -1, nullptr, __WALL | WNOHANG, nullptr);
    if (pid < 0 && pid != -EINTR) return;
    const long half_a_millisecond[2] = {0, 500'000};
    if (pid == 0) raw(SYS_nanosleep, half_a_millisecond, nullptr);
  }
}

[[noreturn]] void wait_for(long job, int report) {
  for (;;) {
    int status = 0;
    const long pid = raw(SYS_wait4, -1, &status, __WALL, nullptr);
    if (pid == -EINTR) continue;
    if (pid != job && pid > 0) continue;
    if (pid == job) send(report, {Report::ended, status});
    reap_the_rest();
    leave(0);
  }
}

/// Precondition: this is process 1 of its namespace. `processes`: as for `limit_processes`, itself included.
[[noreturn]] void run_init(int report, std::int64_t processes, char** arguments, char** environment) {
  raw(SYS_prctl, PR_SET_NAME, "etude-init");
  // The job must neither read nor forge reports: it cannot open our descriptors, and exec closes its own copy.
  raw(SYS_prctl, PR_SET_DUMPABLE, 0);
  raw(SYS_fcntl, report, F_SETFD, FD_CLOEXEC);
  set_mask(0xff);
  int started[2];
  if (raw(SYS_pipe2, started, O_CLOEXEC) != 0) leave(126);
  const long job = raw(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (job == 0) {
    raw(SYS_close, started[0]);
    limit_processes(processes);
    // A separate group, so that `kill 0` stays within the job; a session would only cost time.
    raw(SYS_setpgid, 0, 0);
    execute(report, Walls::sandbox, arguments, environment, nullptr);
  }
  if (job < 0) {
    send(report, {Report::cannot_execute, static_cast<std::int32_t>(-job)});
    leave(126);
  }
  raw(SYS_close, started[1]);
  raw(SYS_close, 1);
  raw(SYS_close, 2);
  char none;
  while (raw(SYS_read, started[0], &none, 1) == -EINTR) {
  }
  send(report, {Report::launched, 0});
  wait_for(job, report);
}

}  // namespace

void run_init_if_told(int count, char** words, char** environment) {
  if (count <= 4 || !same(words[1], "--init")) return;
  const char *report = words[2], *processes = words[3];
  run_init(static_cast<int>(leading_number(report)), leading_number(processes), words + 4, environment);
}

}  // namespace supervisor
