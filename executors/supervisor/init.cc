#include "executors/supervisor/init.h"

#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

namespace supervisor {

void send(int pipe, Report report) {
  // Smaller than PIPE_BUF: whole or not at all.
  while (write(pipe, &report, sizeof report) < 0 && errno == EINTR) {
  }
}

void execute(int report, char** arguments, char** environment, const char* directory) {
  signal(SIGPIPE, SIG_DFL);
  signal(SIGHUP, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  fcntl(report, F_SETFD, FD_CLOEXEC);
  if (!directory || chdir(directory) == 0) {
    environ = environment;  // execvp looks for PATH there.
    execvp(arguments[0], arguments);
  }
  send(report, {Report::cannot_execute, errno});
  _exit(127);
}

namespace {

bool counts_by_namespace() {
  utsname system{};
  int major = 0, minor = 0;
  if (uname(&system) != 0 || std::sscanf(system.release, "%d.%d", &major, &minor) != 2) return false;
  return major > 5 || (major == 5 && minor >= 14);
}

/// Linux drops the account of what dies with its namespace, so that whoever is left is reaped before. Not for long: a
/// set-user-ID program may be beyond our signals, though not beyond the namespace's end.
void reap_the_rest() {
  kill(-1, SIGKILL);
  for (int round = 0; round < 1000; ++round) {
    const pid_t pid = waitpid(-1, nullptr, __WALL | WNOHANG);
    if (pid < 0 && errno != EINTR) return;
    if (pid == 0) usleep(500);
  }
}

/// Only since Linux 5.14 is the count that of our own user namespace, and not of everything that the user runs; root is
/// never counted. Above the number at which the supervisor ends the job, so that it is the one who says why.
void limit_processes(std::int64_t processes) {
  if (processes == 0 || !counts_by_namespace()) return;
  const auto most = static_cast<rlim_t>(processes + 64);
  const rlimit limit{most, most};
  setrlimit(RLIMIT_NPROC, &limit);
}

}  // namespace

void run_init(int report, std::int64_t processes, char** arguments, char** environment, const char* directory) {
  prctl(PR_SET_NAME, "etude-init");
  fcntl(report, F_SETFD, FD_CLOEXEC);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  int started[2];
  if (pipe2(started, O_CLOEXEC) != 0) _exit(126);
  const pid_t job = fork();
  if (job == 0) {
    close(started[0]);
    limit_processes(processes);
    // A group of its own, so that `kill 0` stays within the job; a session more would only cost time.
    setpgid(0, 0);
    execute(report, arguments, environment, directory);
  }
  if (job < 0) {
    send(report, {Report::cannot_execute, errno});
    _exit(126);
  }
  // The job must neither read nor forge what we say.
  prctl(PR_SET_DUMPABLE, 0);
  close(started[1]);
  close(STDOUT_FILENO);
  close(STDERR_FILENO);
  char none;
  while (read(started[0], &none, 1) < 0 && errno == EINTR) {
  }
  send(report, {Report::launched, 0});
  for (;;) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, __WALL);
    if (pid < 0 && errno == EINTR) continue;
    if (pid != job && pid > 0) continue;
    if (pid == job) send(report, {Report::ended, status});
    reap_the_rest();
    _exit(0);
  }
}

}  // namespace supervisor
