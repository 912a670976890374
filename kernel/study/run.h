#pragma once
// The state of one run of a study, folded from events.

#include <string>
#include <vector>

#include "kernel/domain/enum_names.h"
#include "kernel/domain/records.h"

namespace kernel {

struct Run {
  int number = 0;
  Purpose purpose = Purpose::registered;
  std::string experiment;
  int cell = 0;     ///< Index into Study::cells.
  int account = 0;  ///< Index into Study::accounts: the account that is charged.
  std::uint64_t seed = 0;
  int replicate = 0;
  int retry_of = 0;
  int attempt = 1;
  std::string label;
  std::string stage;       ///< An earlier stage's name; empty if the run measures.
  std::vector<int> needs;  ///< As planned; a retry of such a run replaces it.
  Tier tier{};             ///< The evaluator command that scores it.
  int retried_as = 0;      ///< Number of the next attempt.
  RunState state = RunState::queued;
  LaunchToken token;
  Lease lease;
  int beside = 0;           ///< The largest number of other runs live at the same time.
  bool superseded = false;  ///< Replaced by a retry: shown, but never evidence.
  std::int64_t started_ms = 0, ended_ms = 0;
  JobOutcome outcome;
  Measurement measurement;
  BlobRef out_log, err_log;
  std::vector<OutputFile> outputs;
  LeftOut left_out;
  std::vector<KeptOutput> kept;
  std::string output_digest;
  Reason reason;
  std::string fingerprint;
  std::string cached_from;  ///< RunEnded::cached_from

  bool ended() const { return is_end(state); }
  /// True if the run counts for or against a hypothesis: a registered run with a final outcome, good or bad.
  bool evidence() const {
    return purpose == Purpose::registered && stage.empty() && !superseded && ended() && state != RunState::lost &&
           state != RunState::cancelled;
  }
};

}  // namespace kernel
