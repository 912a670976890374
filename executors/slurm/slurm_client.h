#pragma once
// What the executor asks of a cluster: submit, list, cancel; and how often. `slurm_programs` asks by Slurm's own
// programs, whose calls block for as long as the controller lets them wait. One thread at a time. Knows no run.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/executor_settings.h"
#include "executors/slurm/slurm_text.h"

namespace executors {

/// The answer to one question about all jobs.
struct JobListing {
  std::optional<std::vector<SlurmJob>> jobs;  ///< None if there was no answer, or none that can be read.
  std::string why;                            ///< Then the reason, on one line.
  bool may_answer_later = true;               ///< Then whether asking again may help.
};

class SlurmClient {
 public:
  virtual ~SlurmClient() = default;
  virtual SubmitAnswer submit(const Submission&) = 0;
  /// All jobs of this user that Slurm still knows, ended ones included.
  virtual JobListing list() = 0;
  /// The jobs of these submissions in Slurm's accounting, ended ones that no listing has any more included. Where there
  /// is no accounting, asking again does not help.
  virtual JobListing account(const std::vector<std::string>& tokens) = 0;
  /// Ends these jobs, as they are called in a listing. The problem on one line; none also if they have ended already.
  virtual std::optional<std::string> cancel(const std::vector<std::string>& ids) = 0;
};

/// `supervisor`: absolute path on the nodes.
std::unique_ptr<SlurmClient> slurm_programs(config::ExecutorSettings, std::string supervisor);

/// What a cluster says before anything is submitted.
struct ClusterFacts {
  bool answers = false;  ///< Whether the controller does.
  int cpus = 0;          ///< Of the partition, as far as that is known.
};
/// A problem with its remedy if a program is missing or answers nonsense, or the cluster would refuse every job: an
/// unknown partition, account or QoS. None if the controller does not answer: jobs wait for it.
kernel::Result<ClusterFacts> look_at_cluster(const config::ExecutorSettings&);

/// Cancels one job of a submission, if Slurm knows it. `index`: of the job in it.
void cancel_job(const std::string& token, int index);

/// Times in milliseconds.
struct SlurmPace {
  std::int64_t listing = 5000;         ///< Between two listings at least.
  std::int64_t longest = 60'000;       ///< Between two listings if nothing changes, or Slurm does not answer.
  std::int64_t look = 250;             ///< Between two looks at run folders.
  std::int64_t gather = 50;            ///< How long a job waits for others of its shape.
  std::int64_t settle = 2000;          ///< How long a job's end is known before an outcome counts as missing.
  std::int64_t unreachable = 120'000;  ///< How long a lock of an ended job is respected.
  std::int64_t recorded = 60'000;      ///< How long accounting may take to hear how a job ended that no listing has.
  std::int64_t accounts = 3'600'000;   ///< How long accounting that does not answer is waited for.
};

/// What the executor needs beyond the client.
struct SlurmPlace {
  std::string shared;             ///< The shared folder.
  std::size_t array = 1000;       ///< Most jobs of one array.
  std::int64_t minutes = 0;       ///< Slurm's limit for every job; 0: from the job's time-out.
  std::int64_t memory_bytes = 0;  ///< Asked for jobs without a limit of their own.
};

}  // namespace executors
