#include "executors/local/supervisor_process.h"

#include <cerrno>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "executors/run_protocol/claim.h"
#include "executors/run_protocol/resident_messages.h"
#include "programs/run_program.h"

namespace executors {

namespace {

using supervisor::Fd;

constexpr int answer_patience_ms = 5000;  // It answers in less than 1 ms, unless it was stopped.

/// Number of the inherited descriptor in the new process.
constexpr int inherited_descriptor = 3;

/// Starts etude-supervisor in its own session, with only this descriptor of ours. The process number; -1 with `error`
/// (errno). SIGTERM is blocked until the supervisor handles it.
int spawn_supervisor(const std::string& program, const std::vector<std::string>& words, int descriptor, int& error) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDWR, 0);
  posix_spawn_file_actions_adddup2(&files, 0, 1);
  posix_spawn_file_actions_adddup2(&files, 0, 2);
  posix_spawn_file_actions_adddup2(&files, descriptor, inherited_descriptor);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
  sigset_t held;
  sigemptyset(&held);
  sigaddset(&held, SIGTERM);
  posix_spawnattr_setsigmask(&attributes, &held);
  std::vector<std::string> arguments{program};
  arguments.insert(arguments.end(), words.begin(), words.end());
  pid_t pid = -1;
  error = posix_spawn(&pid, program.c_str(), &files, &attributes, programs::c_strings(arguments).data(),
                      programs::c_strings({}).data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return error == 0 ? pid : -1;
}

}  // namespace

bool has_pidfds() {
  static const bool there = [] {
    const Fd own(pidfd_open(getpid()));
    return own || (errno != ENOSYS && errno != EPERM);
  }();
  return there;
}

void signal_process(int pid, long long start, int signal) {
  const Fd held(pidfd_open(pid));
  if (pid <= 0 || supervisor::start_time(pid) != start) return;
  if (held)
    pidfd_signal(held.get(), signal);
  else if (!has_pidfds())
    kill(pid, signal);
}

std::optional<Resident::Answer> Resident::start(const std::string& folder, int line) {
  // A resident that has left, e.g. after a mount, is replaced at once.
  for (int attempt = 0; attempt < 2 && !useless_; ++attempt) {
    if (!socket_ && !begin()) return std::nullopt;
    if (supervisor::send_message(socket_.get(), folder, line, MSG_DONTWAIT))
      if (auto answer = hear()) return answer;
    dismiss();
  }
  useless_ = !answered_;
  return std::nullopt;
}

Resident::Answer Resident::start_alone(const std::string& program, const std::string& folder, int line) {
  Answer answer;
  const int pid = spawn_supervisor(program, {folder, std::to_string(inherited_descriptor)}, line, answer.error);
  if (pid < 0) return answer;
  answer.child = pid;
  answer.pidfd.reset(pidfd_open(pid));
  if (!answer.pidfd && has_pidfds()) answer.error = errno;
  return answer;
}

bool Resident::begin() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return false;
  socket_.reset(ends[0]);
  const Fd theirs(ends[1]);
  int error = 0;
  pid_ = spawn_supervisor(
      program_,
      {supervisor::resident_option, std::to_string(inherited_descriptor),
       sealed_ ? supervisor::sealed_word : supervisor::open_word, std::string(supervisor::resident_padding, '.')},
      theirs.get(), error);
  if (pid_ < 0) dismiss();
  return pid_ >= 0;
}

void Resident::dismiss() {
  if (pid_ >= 0) {
    // SIGKILL, because it may be stopped; it holds nothing that runs need.
    kill(pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  pid_ = -1;
  socket_.reset();
}

std::optional<Resident::Answer> Resident::hear() {
  pollfd waiting{socket_.get(), POLLIN, 0};
  int ready = 0;
  while ((ready = poll(&waiting, 1, answer_patience_ms)) < 0 && errno == EINTR) {
  }
  if (ready <= 0) return std::nullopt;
  supervisor::Started started{};
  supervisor::ResidentMessage message =
      supervisor::receive_message(socket_.get(), {reinterpret_cast<char*>(&started), sizeof started}, MSG_DONTWAIT);
  if (message.size != sizeof started) return std::nullopt;
  Answer answer{std::move(message.descriptor), started.error, -1};
  if (!has_pidfds()) answer.pidfd.reset();  // Those of Linux 5.2 cannot be waited for.
  // We had no free descriptor for it.
  if (!answer.pidfd && answer.error == 0 && has_pidfds()) return std::nullopt;
  answered_ = true;
  return answer;
}

}  // namespace executors
