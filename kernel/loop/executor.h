#pragma once
// What the kernel asks of an executor: start, adopt, cancel. The outcome of each job comes back as a message. An
// executor does not depend on studies, agents or the database.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kernel/domain/job_spec.h"

namespace kernel {

/// Posted once, when a launched or adopted job is known to run.
struct JobStarted {
  std::string run;
  LaunchToken token;
  std::int64_t started_ms = 0;
};

/// The executor's own thread calls all callbacks.
struct JobListener {
  std::function<void(JobStarted)> started;
  std::function<void(JobOutcome)> ended;
  /// For runs with devices, after their end: the devices' memory is free again. `launch`: the end of the run folder's
  /// path, STUDY/LAUNCH.
  std::function<void(const std::string& launch)> freed = {};
  /// Jobs wait for the reason in `why`: the place where they run does not answer, or devices of ended runs are not
  /// free. An empty text: they wait no longer.
  std::function<void(const std::string& why)> waits = {};
  /// Devices of an ended run are not free after the longest wait; said again after each such time. They may become free
  /// later.
  std::function<void(Reason why)> held = {};
};

class Executor {
 public:
  virtual ~Executor() = default;
  virtual void start(const JobSpec&) = 0;  ///< Never blocks; posts an outcome also if the start fails.
  /// Queues the job: it starts once fewer than `below` jobs of its study run. Jobs of a study have their folders in the
  /// same folder, and start in the order of these calls. A job that is cancelled while it waits posts `voided`. Called
  /// only if the machine has `starts_in_turn`.
  virtual void start_in_turn(const JobSpec& job, int /*below*/) { start(job); }
  /// Empties the queue of the study with this folder: its jobs never start, and each posts `voided`, the last first.
  virtual void withdraw(const std::string& /*study_folder*/) {}
  /// Finds the job of this run folder and token after a restart. A live job is watched from now on; an ended job posts
  /// its outcome. A job that never started loses its claim and posts `voided`; a vanished job posts `lost`.
  virtual void adopt(const JobSpec&) = 0;
  virtual void cancel(const std::string& run) = 0;  ///< Idempotent; kills the whole process tree.
  /// Called before the first job: launches of earlier kernels below `runs`, as for `freed`, that may still run, or
  /// whose devices' memory may not be free yet, with their devices. This kernel may not work on their studies. `freed`
  /// is called for each once it has ended and its devices are free, unless it is adopted before.
  virtual std::map<std::string, std::vector<std::string>> held_devices(const std::string& /*runs*/) { return {}; }
};

}  // namespace kernel
