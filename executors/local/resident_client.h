#pragma once
// The executor's side of a resident process that starts supervisors (supervisor/resident.h). It is started at the first
// request, and again after it has left. One thread uses it.

#include <optional>
#include <string>

#include "executors/run_protocol/small_files.h"

namespace executors {

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
    supervisor::Fd pidfd;  ///< Of the supervisor, which is not our child.
    int error = 0;         ///< errno if there is no supervisor.
  };
  /// Starts a supervisor for this folder that writes `launched` to this pipe. None if there was no answer: the
  /// supervisor may have been started, and the run's claim then decides between it and another.
  std::optional<Answer> start(const std::string& folder, int notify);

 private:
  bool begin();
  void dismiss();
  bool ask(const std::string& folder, int notify);
  std::optional<Answer> hear();

  std::string program_;
  bool sealed_;
  bool useless_ = false;  ///< It never answered.
  bool answered_ = false;
  int pid_ = -1;
  supervisor::Fd socket_;
};

}  // namespace executors
