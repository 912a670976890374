#pragma once
// Supervisors as processes: each is started alone, or by a resident process (supervisor/resident.h), and inherits only
// one descriptor. The resident is started at the first request, and again after it has left. One thread uses it.
// Process descriptors are used by system call number, because glibc 2.36 declares its wrappers without C linkage.

#include <optional>
#include <string>

#include <sys/syscall.h>
#include <unistd.h>

#include "executors/run_protocol/small_files.h"

namespace executors {

inline int pidfd_open(int pid) {
  return static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
}
inline int pidfd_signal(int pidfd, int signal) {
  return static_cast<int>(syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0));
}
/// False before Linux 5.3: the end of a supervisor is then seen by the end of its notify pipe, or by looking again.
bool has_pidfds();
/// Signals the process with this number, unless its start (supervisor::start_time) shows that it is another one.
/// Without pidfds the number may pass to another process at the last instant.
void signal_process(int pid, long long start, int signal);

/// The executor's side of a resident process.
class Resident {
 public:
  /// `sealed`: with sealed device nodes, for sandboxed jobs of root.
  Resident(std::string program, bool sealed) : program_(std::move(program)), sealed_(sealed) {}
  Resident(const Resident&) = delete;
  Resident& operator=(const Resident&) = delete;
  /// Ends it; its supervisors continue.
  ~Resident() { dismiss(); }

  /// Result of a request.
  struct Answer {
    supervisor::Fd pidfd;  ///< Of the supervisor; empty on kernels without pidfds.
    int error = 0;         ///< errno if there is no supervisor.
    int child = -1;        ///< Its number, if it is our child.
  };
  /// Starts a supervisor for this folder with this end of its line (run_protocol/resident_messages.h). None if there
  /// was no answer: the supervisor may have been started, and the run's claim then decides between it and another.
  std::optional<Answer> start(const std::string& folder, int line);
  /// The same without a resident: the supervisor is our child, and runs no other folder.
  static Answer start_alone(const std::string& program, const std::string& folder, int line);

 private:
  bool begin();
  void dismiss();
  std::optional<Answer> hear();

  std::string program_;
  bool sealed_;
  bool useless_ = false;  ///< It never answered.
  bool answered_ = false;
  int pid_ = -1;
  supervisor::Fd socket_;
};

}  // namespace executors
