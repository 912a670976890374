#include "executors/supervisor/resident.h"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "executors/confinement/sealed_devices.h"
#include "executors/run_protocol/claim.h"
#include "executors/run_protocol/resident_messages.h"
#include "executors/run_protocol/run_files.h"

namespace supervisor {
namespace {

constexpr int clone_pidfd = 0x1000;  // CLONE_PIDFD

struct Request {
  std::string folder;  ///< Empty: there will be no more requests.
  Fd line;
};

Request receive(int socket) {
  char path[PATH_MAX];
  ResidentMessage message = receive_message(socket, path);
  if (!message.descriptor || message.cut) return Request();
  return {std::string(path, message.size), std::move(message.descriptor)};
}

bool answer(int socket, int error, int pidfd) {
  const Started started{error};
  return send_message(socket, {reinterpret_cast<const char*>(&started), sizeof started}, pidfd);
}

/// The memory that Linux shows as a process's arguments: the program's name, and space for a run folder.
class Words {
 public:
  Words(char** words, int count) : begin_(words[0]), end_(words[count - 1] + std::strlen(words[count - 1])) {
    std::memset(words[count - 1], 0, std::strlen(words[count - 1]));
  }
  /// Sets the arguments of a supervisor that was started alone.
  void become(const std::string& folder) {
    const std::string text = begin_ + std::string(1, '\0') + folder;
    const auto room = static_cast<std::size_t>(end_ - begin_);
    if (room < text.size()) return;
    std::memcpy(begin_, text.data(), text.size());
    std::memset(begin_ + text.size(), 0, room - text.size());
  }

 private:
  char *begin_, *end_;
};

void hold_back_signals(bool held) {
  sigset_t asking;
  sigemptyset(&asking);
  for (int s : {SIGTERM, SIGINT}) sigaddset(&asking, s);
  sigprocmask(held ? SIG_BLOCK : SIG_UNBLOCK, &asking, nullptr);
}

}  // namespace

int serve(int count, char** words,
          int (*supervise)(const std::string& folder, int line, const std::function<void(const std::string&)>& show)) {
  const int socket = std::atoi(words[2]);
  const bool sealed = std::strcmp(words[3], sealed_word) == 0;
  Words shown(words, count);
  setsid();
  if (chdir("/") != 0) return io_error;
  close_descriptors(static_cast<unsigned>(socket) + 1);
  fcntl(socket, F_SETFD, FD_CLOEXEC);
  signal(SIGCHLD, SIG_IGN);  // The resident waits for no child.
  signal(SIGHUP, SIG_IGN);
  hold_back_signals(false);
  boot_id();  // Read once for all children.
  pollfd fds[] = {{socket, POLLIN, 0}, {-1, POLLPRI, 0}};
  if (sealed) {
    // Linux reports every change of the mounts through this file.
    fds[1].fd = open("/proc/self/mounts", O_RDONLY | O_CLOEXEC);
    // If this fails, each supervisor seals for itself and reports its error.
    if (fds[1].fd >= 0) share_sealed_devices();
  }
  for (;;) {
    while (poll(fds, 2, -1) < 0)
      if (errno != EINTR) return io_error;
    // The sealed mounts no longer match the machine's.
    if (fds[1].revents) return left_outcome;
    Request request = receive(socket);
    if (request.folder.empty()) return left_outcome;
    hold_back_signals(true);
    int pidfd = -1;
    const long pid = syscall(SYS_clone, clone_pidfd | SIGCHLD, nullptr, &pidfd, nullptr, nullptr);
    const int error = pid < 0 ? errno : 0;
    if (pid == 0) {
      shown.become(request.folder);
      _exit(
          supervise(request.folder, request.line.get(), [&shown](const std::string& folder) { shown.become(folder); }));
    }
    hold_back_signals(false);
    const Fd handle(pid < 0 ? -1 : pidfd);
    if (!answer(socket, error, handle.get())) return left_outcome;
  }
}

}  // namespace supervisor
