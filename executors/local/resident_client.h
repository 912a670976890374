#pragma once
// The executor's side of a resident process that starts supervisors (supervisor/resident.h): begun when it is first
// needed, and again when it has left. One thread uses it.

#include <optional>
#include <string>

#include "executors/run_protocol/small_files.h"

namespace executors {

class Resident {
 public:
  /// `sealed`: with device nodes sealed for sandboxed jobs of root.
  Resident(std::string program, bool sealed) : program_(std::move(program)), sealed_(sealed) {}
  Resident(const Resident&) = delete;
  Resident& operator=(const Resident&) = delete;
  /// Ends it; the supervisors go on.
  ~Resident() { dismiss(); }

  /// What came of a request.
  struct Answer {
    supervisor::Fd pidfd;  ///< Of the supervisor, which is no child of ours.
    int error = 0;         ///< errno, where there is none.
  };
  /// A supervisor for this folder that says `launched` to this pipe. Nothing where nobody answers: then the supervisor
  /// may or may not have been started, and the run's claim decides between it and another.
  std::optional<Answer> start(const std::string& folder, int notify);

 private:
  bool begin();
  void dismiss();
  bool ask(const std::string& folder, int notify);
  std::optional<Answer> hear();

  std::string program_;
  bool sealed_;
  bool useless_ = false;  ///< None has ever answered.
  bool answered_ = false;
  int pid_ = -1;
  supervisor::Fd socket_;
};

}  // namespace executors
