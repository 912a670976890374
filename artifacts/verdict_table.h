#pragma once
// The hypotheses' results as text: one row per hypothesis of an experiment, the same bytes wherever they are shown or
// quoted. Pure.

#include <string>
#include <vector>

#include "artifacts/plain_table.h"
#include "kernel/shown_result.h"
#include "kernel/state.h"

namespace artifacts {

using kernel::shown;
using kernel::ShownResult;

/// "supported", "refuted", "inconclusive"; "exploratory: …" beyond the family, "open" before the analysis.
std::string verdict_text(const kernel::HypothesisRecord&);

/// evidence/tables/verdicts_E01.md
std::string verdict_table_path(const std::string& experiment);
std::vector<std::string> verdict_cells(const kernel::Study&, const kernel::HypothesisRecord&);
PlainTable verdict_table(const kernel::Study&, const std::string& experiment);

}  // namespace artifacts
