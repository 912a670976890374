#pragma once
// The supervisor's input: the `job` file of its run folder, written by the executor. Plain values, independent of their
// execution.
//
// Format: NUL-terminated strings; the first is `etude-job 1`, then keys and values alternate. Keys of lists may repeat.
// `evaluation` ends the job's own keys; the following keys belong to the evaluation, which runs after the job has
// succeeded. An unknown key is an error: a supervisor must not run a job that it does not fully support.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace supervisor {

enum class Isolation {
  sandbox,        ///< bubblewrap
  pid_namespace,  ///< Sees the machine, and is killed as a whole; process_tree if the kernel forbids namespaces.
  process_tree,   ///< A subreaper, and a search for processes with the run's token.
};

/// Its word in the job file and in the outcome.
const char* name(Isolation);

struct Job {
  std::string token;
  std::string workspace;   ///< Absolute; copied into work/. Empty: work/ starts empty.
  std::string directory;   ///< Working directory; only without a sandbox.
  std::string checkpoint;  ///< Absolute; created if missing.
  Isolation isolation = Isolation::sandbox;
  std::string powercap;  ///< Folder of the machine's energy counters; empty if energy is not metered.
  std::string vmstat;    ///< The machine's counters of memory; empty: /proc/vmstat.
  std::string bwrap;     ///< Absolute.
  std::vector<std::string> bwrap_arguments;                ///< Everything but environment, files and command.
  std::vector<std::pair<std::string, std::string>> files;  ///< Path inside the sandbox, and content.
  std::vector<std::string> arguments;                      ///< The command.
  std::vector<std::string> environment;                    ///< NAME=VALUE; the complete environment.
  std::vector<std::pair<std::string, std::string>> links;  ///< Name below work/, target; created first.
  /// Without a sandbox, if one of these is not empty: what Landlock lets the job read or execute, and what also write.
  std::vector<std::string> may_read, may_write;
  std::int64_t offline = 0;     ///< 1: without a sandbox, the job opens no socket of a network.
  std::int64_t timeout_ms = 0;  ///< 0: no limit, here and in the next three.
  std::int64_t memory_bytes = 0;
  std::int64_t disk_bytes = 0;
  std::int64_t processes = 0;    ///< At once, including threads.
  std::int64_t grace_ms = 2000;  ///< Between SIGTERM and SIGKILL on time-out and cancellation.
  std::int64_t elsewhere = 0;    ///< 1: the outcome is read on another machine, so it is always synced.
  std::vector<Job> evaluation;   ///< At most one, which has none itself.

  bool is_confined() const { return !may_read.empty() || !may_write.empty(); }
};

/// The job, or the problem with the text.
std::variant<Job, std::string> parse_job(std::string_view text);
std::string job_text(const Job&);

}  // namespace supervisor
