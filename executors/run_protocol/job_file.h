#pragma once
// What a supervisor is to run: the `job` file of its run folder. Plain values; knows nothing of how they are obeyed.
//
// Format: NUL-terminated strings; the first is `etude-job 1`, then keys and values in turn. Keys that list things may
// repeat. `evaluation` ends the job's own keys: those that follow are of the evaluation, which runs once the job has
// succeeded. An unknown key is an error: a supervisor must not run a job it understands by half.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace supervisor {

enum class Isolation {
  sandbox,        ///< bubblewrap
  pid_namespace,  ///< Sees the whole machine, dies as one; falls back to process_tree where the kernel forbids it.
  process_tree,   ///< A subreaper, and a sweep for the run's token.
};

struct Job {
  std::string token;
  std::string workspace;   ///< Absolute; copied into work/. Empty: work/ starts empty.
  std::string directory;   ///< Working directory, without a sandbox.
  std::string checkpoint;  ///< Absolute; created if missing.
  Isolation isolation = Isolation::sandbox;
  std::string powercap;                      ///< Where the machine's energy counters lie; empty: energy is not metered.
  std::string bwrap;                         ///< Absolute.
  std::vector<std::string> bwrap_arguments;  ///< Everything but environment, files and command.
  std::vector<std::pair<std::string, std::string>> files;  ///< Path inside the sandbox, content.
  std::vector<std::string> arguments;                      ///< The command.
  std::vector<std::string> environment;                    ///< NAME=VALUE, all of it.
  std::vector<std::pair<std::string, std::string>> links;  ///< Name below work/ and target, made before it runs.
  std::int64_t timeout_ms = 0;                             ///< 0: none; so for the next three.
  std::int64_t memory_bytes = 0;
  std::int64_t disk_bytes = 0;
  std::int64_t processes = 0;    ///< With their threads, at once.
  std::int64_t grace_ms = 2000;  ///< Between SIGTERM and SIGKILL on time-out and cancellation.
  std::vector<Job> evaluation;   ///< At most one, without one of its own.
};

/// The job, or what is wrong with the text.
std::variant<Job, std::string> parse_job(std::string_view text);

}  // namespace supervisor
