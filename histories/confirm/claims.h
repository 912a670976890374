#pragma once
// The improvements that a history accepted, each with the gain that it was recorded with: what a confirmation tests.
// A history that decided nothing itself accepted what was better than everything before it. Pure.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "histories/read/history.h"

namespace histories {

struct ClaimChoice {
  std::string baseline;            ///< Id of an entry; empty: the first with a value (of a decided history: kept).
  std::optional<std::size_t> top;  ///< Only those with so great recorded gains; none: all.
  std::set<std::string> skipped;   ///< Ids that a person leaves out.
};

/// A version that is run: the baseline, or an improvement.
struct Version {
  std::string arm;  ///< Its level in the study: v0 for the baseline, v1, v2, … in the history's order.
  HistoryEntry entry;
};

struct Improvement {
  Version version;
  double gain = 0;             ///< Recorded, against the baseline; positive, in the metric's unit.
  std::string before;          ///< Arm of the improvement before it, or of the baseline.
  std::optional<double> step;  ///< Recorded, against `before`; none if that is the baseline, or if it was no gain.
  std::string cannot;          ///< Why it cannot be run; empty: it can. Then it is nobody's `before`.
};

struct RecordedClaims {
  Version baseline;
  std::vector<Improvement> improvements;  ///< In the history's order.
  std::size_t accepted = 0;               ///< Entries that the history accepted after the baseline.
  std::size_t cut = 0;                    ///< Improvements that `top` left out.
  /// Parameters by which improvements differ from the baseline and that the command does not use: what is run is not
  /// what was recorded. Not in the record of a confirmation.
  std::set<std::string> left_out{};
};

/// Fills gains and `before`; everything can be run. A problem if there is no baseline, or nothing was improved, or a
/// name in `ClaimChoice` is no entry.
kernel::Result<RecordedClaims> claims_of(const History&, const ClaimChoice&);

/// After `cannot` was set for some: the steps again, without these.
void settle_steps(RecordedClaims&, kernel::Goal);

}  // namespace histories
