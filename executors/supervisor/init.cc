#include "executors/supervisor/init.h"

#include <cerrno>

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
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

}  // namespace

void run_init(int report, char** arguments, char** environment, const char* directory) {
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
