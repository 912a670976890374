#pragma once
// The hypotheses' results as text: one row per hypothesis of an experiment, the same bytes wherever they are shown or
// quoted. Pure.

#include <string>
#include <vector>

#include "artifacts/plain_table.h"
#include "kernel/state.h"

namespace artifacts {

/// A result's numbers, rounded by its intervals; what is missing is "not available: reason".
struct ShownResult {
  std::string effect, interval;                    ///< In the unit of the effect.
  std::string relative_effect, relative_interval;  ///< Empty: the test is not about a ratio and none was computed.
  std::string level, p, p_corrected, n, failed, power, se, df, bootstrap;

  /// What the hypothesis is about: the relative numbers where its margin is relative, else the absolute ones.
  bool relative = false;
  const std::string& main_effect() const { return relative ? relative_effect : effect; }
  const std::string& main_interval() const { return relative ? relative_interval : interval; }
};

/// Precondition: the record has its result.
ShownResult shown(const kernel::StudySpec&, const kernel::HypothesisRecord&);

/// "supported", "refuted", "inconclusive"; "exploratory: …" beyond the family, "open" before the analysis.
std::string verdict_text(const kernel::HypothesisRecord&);

/// evidence/tables/verdicts_E01.md
std::string verdict_table_path(const std::string& experiment);
std::vector<std::string> verdict_cells(const kernel::Study&, const kernel::HypothesisRecord&);
PlainTable verdict_table(const kernel::Study&, const std::string& experiment);

}  // namespace artifacts
