#pragma once
// One run of a study, as far as its events say.

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
  int account = 0;  ///< Index into Study::accounts: who pays.
  std::uint64_t seed = 0;
  int replicate = 0;
  int retry_of = 0;
  int attempt = 1;
  std::string label;
  std::string stage;       ///< An earlier stage's name; empty: the run measures.
  std::vector<int> needs;  ///< As planned; a retry of one of them stands for it.
  Tier tier{};             ///< What scores it.
  int retried_as = 0;      ///< The next attempt's number.
  RunState state = RunState::queued;
  LaunchToken token;
  Lease lease;
  int beside = 0;           ///< The most other runs that lived beside it at once.
  bool superseded = false;  ///< A retry replaced it: shown, never evidence.
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
  /// Counts for or against a hypothesis: a registered run whose outcome, good or bad, stands.
  bool evidence() const {
    return purpose == Purpose::registered && stage.empty() && !superseded && ended() && state != RunState::lost &&
           state != RunState::cancelled;
  }
};

}  // namespace kernel
