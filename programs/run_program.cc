#include "programs/run_program.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executors/run_protocol/small_files.h"

namespace executors {
namespace {

using supervisor::Fd;
constexpr std::size_t most = 64 << 10;

pid_t spawn(const std::vector<std::string>& argv, const std::map<std::string, std::string>& environment, int in,
            int out, int err, int& error) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (in >= 0)
    posix_spawn_file_actions_adddup2(&files, in, 0);
  else
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, out, 1);
  posix_spawn_file_actions_adddup2(&files, err, 2);
  posix_spawn_file_actions_addchdir_np(&files, "/");
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  const std::vector<std::string> variables = assignments(environment);
  pid_t pid = -1;
  error = posix_spawn(&pid, argv[0].c_str(), &files, &attributes, c_strings(argv).data(), c_strings(variables).data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return error == 0 ? pid : -1;
}

/// False once the other end is closed.
bool take(int fd, std::string& text, std::size_t most_bytes) {
  char buffer[4096];
  const ssize_t n = read(fd, buffer, sizeof buffer);
  if (n > 0 && text.size() < most_bytes) text.append(buffer, static_cast<std::size_t>(n));
  return n > 0 || (n < 0 && errno == EINTR);
}

}  // namespace

Answer ask(const std::vector<std::string>& argv, const std::map<std::string, std::string>& environment,
           int timeout_ms) {
  return ask(argv, environment, timeout_ms, Feed{-1, most});
}

Answer ask(const std::vector<std::string>& argv, const std::map<std::string, std::string>& environment, int timeout_ms,
           const Feed& feed) {
  Answer answer;
  int out[2], err[2];
  if (pipe2(out, O_CLOEXEC) != 0) return answer.why = supervisor::error_text(errno), answer;
  const Fd out_read(out[0]);
  Fd out_write(out[1]);
  if (pipe2(err, O_CLOEXEC) != 0) return answer.why = supervisor::error_text(errno), answer;
  const Fd err_read(err[0]);
  Fd err_write(err[1]);
  int error = 0;
  const pid_t pid = spawn(argv, environment, feed.in, out[1], err[1], error);
  if (pid < 0) return answer.why = supervisor::error_text(error), answer;
  out_write.reset();
  err_write.reset();

  const std::int64_t deadline = supervisor::boot_ms() + timeout_ms;
  const bool bounded = feed.most_out > most;  // Of what only says something of itself the beginning is enough.
  bool late = false, much = false;
  std::array<pollfd, 2> fds{pollfd{out_read.get(), POLLIN, 0}, pollfd{err_read.get(), POLLIN, 0}};
  while ((fds[0].fd >= 0 || fds[1].fd >= 0) && !late && !much) {
    const std::int64_t left = deadline - supervisor::boot_ms();
    late = left <= 0 || poll(fds.data(), 2, static_cast<int>(left)) == 0;
    if (fds[0].fd >= 0 && fds[0].revents && !take(fds[0].fd, answer.out, feed.most_out + 1)) fds[0].fd = -1;
    if (fds[1].fd >= 0 && fds[1].revents && !take(fds[1].fd, answer.err, most)) fds[1].fd = -1;
    much = bounded && answer.out.size() > feed.most_out;
  }
  int status = 0;
  // It may have closed its streams and stayed.
  while (!late && !much && waitpid(pid, &status, WNOHANG) == 0) {
    late = supervisor::boot_ms() >= deadline;
    usleep(500);
  }
  kill(-pid, SIGKILL);
  if (late || much) {
    waitpid(pid, &status, 0);
    answer.why = much ? "it says more than " + std::to_string(feed.most_out >> 20) + " MiB"
                      : "no answer within " + std::to_string(timeout_ms / 1000) + " s";
    return answer;
  }
  answer.ran = WIFEXITED(status);
  if (answer.ran)
    answer.exit = WEXITSTATUS(status);
  else
    answer.why = "killed by signal " + std::to_string(WTERMSIG(status));
  return answer;
}

std::vector<char*> c_strings(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& s : strings) pointers.push_back(const_cast<char*>(s.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> assignments(const std::map<std::string, std::string>& variables) {
  std::vector<std::string> list;
  for (const auto& [name, value] : variables) list.push_back(name + "=" + value);
  return list;
}

}  // namespace executors
