#pragma once
// The results of hypotheses as tables: one row per hypothesis of an experiment, with the same bytes in every page and
// quotation, and the effects of one hypothesis in the settings that it averages over. Pure.

#include <string>
#include <vector>

#include "artifacts/text/escaping.h"
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
std::string verdict_table_path(const kernel::ExperimentId& experiment);
std::vector<std::string> verdict_cells(const kernel::Study&, const kernel::HypothesisRecord&);
/// Without withdrawn hypotheses, which have no numbers.
PlainTable verdict_table(const kernel::Study&, const kernel::ExperimentId& experiment);

/// A sentence and a table; empty if there is only one setting.
std::string settings_text(const kernel::StudyTerms&, const kernel::HypothesisRecord&);

}  // namespace artifacts
