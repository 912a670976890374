#pragma once
// A network namespace with nothing but a loopback interface, for jobs in a sandbox. A supervisor shows it to its next
// job, too, as long as no job has used it: making and removing one costs a seventh of a short run in the sandbox.
// It ends with this process and its last job. One thread.

#include <string>

#include "executors/run_protocol/small_files.h"

namespace supervisor {

class EmptyNetwork {
 public:
  /// Whether there is one that looks new to a job: no packet, connection attempt or error was counted in it. Makes one
  /// for the second job, since for a single job bubblewrap's own costs less. Once a job has used one, or Linux refuses,
  /// it makes no more. Precondition: no process of an earlier job is left.
  bool is_ready();
  /// In the child that becomes bubblewrap. False, with errno, if Linux refuses.
  bool enter() const;

 private:
  bool make();
  std::string counters() const;

  int jobs_ = 0;
  bool given_up_ = false;
  Fd user_;  ///< The user namespace that owns it; none for root, who needs none.
  Fd network_;
  Fd counters_[4];      ///< Linux's counters of the namespace, as text.
  std::string unused_;  ///< What they were at first.
};

}  // namespace supervisor
