#pragma once
// A run folder from the executor's side (docs/run-folder.md): writes the supervisor's inputs and reads its results.
// Independent of processes. The holder of the folder's claim owns its contents.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "executors/run_protocol/job_file.h"
#include "kernel/domain/job_spec.h"

namespace executors {

/// Creates the folder (0700, with parents) with `job` and `params.json`, and the checkpoint's folder if it is
/// elsewhere. Returns why not if the disk refuses.
std::optional<kernel::Reason> write_run_folder(const kernel::JobSpec&, const supervisor::Job&);

/// True if the disk of this folder, which need not exist, is full.
bool no_room_at(const std::string& folder);

/// True if a supervisor holds the folder's lock.
bool is_supervised(const std::string& folder);

/// Removes a launch's folder, as far as permissions allow, so that a supervisor that is about to claim it starts
/// nothing. Precondition: the launch ended or was voided.
void remove_run_folder(const std::string& folder);

/// The process that may start, or has started, the job.
struct LaunchClaim {
  std::string mark;  ///< First line of the file.
  int pid = 0;       ///< The supervisor; 0 in a void claim.
  long long start = 0;
  std::string boot;
  std::int64_t started_ms = 0;  ///< Time of the job's launch; 0 before it.
};
/// None if there is no claim.
std::optional<LaunchClaim> read_claim(int folder);

/// None if there is no outcome of this token.
std::optional<kernel::JobOutcome> read_outcome(int folder, const std::string& run, const kernel::LaunchToken& token);

/// Lines of key=value, the format of the folder's small files.
class KeyLines {
 public:
  /// Reads complete lines only. A line without `=` is skipped, and the first line of a key counts.
  explicit KeyLines(std::string_view text);

  bool has(const std::string& key) const { return lines_.contains(key); }
  std::string text(const std::string& key) const;     ///< Empty if there is none.
  std::int64_t number(const std::string& key) const;  ///< 0 if there is none.
  std::optional<std::int64_t> known_number(const std::string& key) const;
  /// Entries whose key has this prefix, by the rest of the key.
  std::map<std::string, std::string> family(std::string_view beginning) const;

 private:
  std::map<std::string, std::string> lines_;
};

}  // namespace executors
