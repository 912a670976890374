#pragma once
// A study in words: arms, directions, units and the outcome, as plain text for all pages of the artifact. States only
// what the study recorded. Pure.

#include <map>
#include <string>
#include <vector>

#include "kernel/domain/cells.h"
#include "kernel/study/state.h"
#include "kernel/views/finding.h"
#include "kernel/views/result_text.h"

namespace artifacts {

using kernel::cell_text;
/// "algorithm=quick, n=4000".
std::string assigned(const kernel::Cell&);
/// The value with that key, such as a factor's level in a cell; empty if there is none.
std::string value_in(const std::map<std::string, std::string>&, const std::string& key);
const kernel::Cell& cell_of(const kernel::RunBoard&, const kernel::Run&);
/// Every digit, because files of values are the evidence, unlike pages.
std::string exact(double value);
/// "algorithm: quick vs. bubble", "n (slope) of algorithm = bubble": short enough for an axis.
std::string contrast_text(const kernel::Hypothesis&);
/// "lower under treatment than under control": direction only, never a number.
/// `newer`: in the words since wording 6 (`tells_scale`).
std::string direction_text(const kernel::StudySpec&, const kernel::Hypothesis&, bool newer);
using kernel::effect_unit;
using kernel::tested_words;
/// The command as written in the study file.
std::string command_text(const kernel::CommandTemplate&);
/// List items: the command, or those of the stages.
std::string command_lines(const kernel::StudySpec&);
/// "median of a run's values, after dropping the first 1 value".
std::string summary_text(const kernel::Metric&);
/// The source of a metric's value, as the end of a sentence.
std::string origin_text(const kernel::Metric&);

const kernel::Node* node_of(const kernel::Exploration&, const kernel::ExperimentId& experiment);
/// "C01"; empty if there is no claim yet.
std::string claim_id(const kernel::Exploration&, const kernel::HypothesisId& hypothesis);
/// The claims about the hypotheses of one experiment, in order.
std::vector<std::string> claims_of(const kernel::Exploration&, const kernel::ExperimentId& experiment);
/// Without withdrawn hypotheses, and without exploratory ones, which decide nothing.
std::vector<kernel::HypothesisId> hypotheses_with(const kernel::Hypotheses&, kernel::Verdict);
/// Withdrawn hypotheses: they have no verdict, no effect and no claim, and keep their slots.
std::vector<const kernel::HypothesisRecord*> withdrawn(const kernel::Hypotheses&);

struct PurposeCounts {
  int total = 0, superseded = 0;
  std::map<kernel::RunState, int> ended{};  ///< Every end of a run, those that no run had, too.
};
/// Counts runs of one purpose.
PurposeCounts counts_of_purpose(const kernel::RunBoard&, kernel::Purpose);

/// Whether percentages say of what they are, interactions and crossovers have words of their own, and figures show
/// whole labels and tables with each column's name once: since wording 6.
inline bool tells_scale(const kernel::Study& study) {
  return study.wording >= 6 || study.wording == kernel::codes_only;
}

/// Whether pages show sizes in the answer, and the graph every step: since wording 5.
inline bool shows_sizes(const kernel::Study& study) {
  return study.wording >= 5 || study.wording == kernel::codes_only;
}

/// "H1 (supported): time_ms under a is 97.9 % less than that under b, …." Precondition: it has its result.
std::string sized_sentence(const kernel::Study&, const kernel::HypothesisRecord&);
/// The answer, from the verdicts only: how many of each kind, then a sentence for each hypothesis, with its size. Of
/// wordings before 5 at most four sentences without sizes.
std::vector<std::string> answer(const kernel::Study&);
/// What a reader must know before the verdicts, such as findings of the manipulation check. Empty if there is nothing.
std::vector<std::string> cautions(const kernel::Study&);

/// "AMD EPYC, 2 cores and 23.5 GB memory", or that it was not recorded.
std::string hardware_words(const kernel::StudyTerms&);
/// The names of metrics and factors.
std::vector<std::string> keywords(const kernel::StudySpec&);

/// " (ms)"; empty for a pure number.
std::string in_brackets(const std::string& unit);
/// Without a final full stop and blanks.
std::string without_stop(std::string text);
/// With one full stop. Since wording 6, none follows a question mark.
std::string with_stop(std::string text, int wording);
/// "a, b and c".
template <typename Item = std::string>
std::string listed(const std::vector<Item>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i)
    text += (i == 0 ? "" : i + 1 == items.size() ? " and " : ", ") + items[i];
  return text;
}

}  // namespace artifacts
