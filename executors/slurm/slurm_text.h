#pragma once
// What is said to Slurm's programs and what they answer, as text: words of sbatch, the batch script, the lines of
// squeue. Pure. An answer of another form is never guessed at.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/executor_settings.h"

namespace executors {

/// What jobs of one array have in common.
struct JobShape {
  int cpus = 1;
  int gpus = 0;
  std::int64_t memory_bytes = 0;  ///< 0: what the partition gives.
  std::int64_t minutes = 0;       ///< 0: the partition's limit.
  std::string node{};             ///< The one to run on; empty: any.
  std::string gpu_type{};         ///< Resources::gpu_type; empty: that of the configuration.
  auto operator<=>(const JobShape&) const = default;
};

struct Submission {
  std::string token;  ///< Random; Slurm keeps it as the job's name and comment, so that another kernel finds the job.
  JobShape shape;
  std::vector<std::string> folders;  ///< Absolute run folders on the nodes; more than one is an array in this order.
};

/// The name that a submission's jobs have in Slurm.
std::string job_name(const std::string& token);

/// The arguments of sbatch, which reads the script from its standard input.
std::vector<std::string> sbatch_words(const Submission&, const config::ExecutorSettings&);
/// The options that choose nodes and charge the work: the same for every job, also for a test of them.
std::vector<std::string> placing_words(const config::ExecutorSettings&);
/// A script that becomes the supervisor of the task's run folder, without any variable of Slurm. `supervisor`: absolute
/// path on the nodes.
std::string batch_script(const Submission&, const std::string& supervisor);

/// `unreachable`: the controller did not answer; whether it took the job is unknown. `unclear`: neither is this.
enum class Submitting { accepted, refused, unreachable, unclear };
struct SubmitAnswer {
  Submitting kind = Submitting::unclear;
  std::string job;   ///< Slurm's number, if accepted.
  std::string text;  ///< What sbatch said otherwise, on one line.
};
/// `exit`: none if it did not end by itself.
SubmitAnswer read_sbatch(std::optional<int> exit, std::string_view out, std::string_view err);
/// True if this text of a program of Slurm says that the controller or its authentication cannot be reached for now, or
/// has no room for the job yet: waiting helps.
bool passes_by_waiting(std::string_view text);
/// One line for people, without the names of the programs.
std::string as_one_line(std::string_view text);

/// One job, or one task of an array, as squeue lists it.
struct SlurmJob {
  std::string token;  ///< Of its submission.
  int index = 0;      ///< Its task in the array; 0 for a single job.
  std::string id;     ///< For scancel: `12` or `12_3`.
  std::string state;  ///< In Slurm's word, such as RUNNING.
  std::string why;    ///< Slurm's word for the reason, such as Resources.
  std::string nodes;
};

/// The argument of squeue's option for the format of its lines.
inline constexpr char squeue_format[] = "%F|%K|%T|%r|%N|%j|%k";
/// The jobs that etude submitted. None if a line has another form.
std::optional<std::vector<SlurmJob>> read_squeue(std::string_view lines);

/// The argument of sacct's option for the format of its lines.
inline constexpr char sacct_format[] = "JobName,JobID,State,NodeList";
/// The jobs and the tasks of arrays that etude submitted. None if a line has another form.
std::optional<std::vector<SlurmJob>> read_sacct(std::string_view lines);

/// `waits`: no process of it exists now; it may begin. `over`: it has ended for good.
enum class SlurmStage { waits, runs, over };
SlurmStage stage_of(const SlurmJob&);
/// True if Slurm will never start a waiting job with this reason.
bool never_starts(const SlurmJob&);

}  // namespace executors
