#pragma once
// The results of hypotheses as text: one row per hypothesis of an experiment, with the same bytes in every page and
// quotation. Pure.

#include <string>
#include <vector>

#include "artifacts/text/plain_table.h"
#include "kernel/study/state.h"
#include "kernel/views/result_text.h"

namespace artifacts {

using kernel::shown;
using kernel::ShownResult;

/// "supported", "refuted", "inconclusive"; "exploratory: …" outside the family, "open" before the analysis;
/// "withdrawn".
std::string verdict_text(const kernel::HypothesisRecord&);

/// The name of the family's corrected p: "p corrected", or "q (FDR)".
std::string corrected_name(const kernel::StudySpec&);

/// Such as evidence/tables/verdicts_E01.md.
std::string verdict_table_path(const std::string& experiment);
std::vector<std::string> verdict_cells(const kernel::Study&, const kernel::HypothesisRecord&);
/// Without withdrawn hypotheses, which have no numbers.
PlainTable verdict_table(const kernel::Study&, const std::string& experiment);

}  // namespace artifacts
