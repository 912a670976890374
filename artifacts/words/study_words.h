#pragma once
// A study in words: arms, directions, units and the outcome, as plain text for every page of the artifact. States only
// what the study recorded. Pure.

#include <map>
#include <string>
#include <vector>

#include "kernel/study/state.h"
#include "kernel/views/result_text.h"

namespace artifacts {

/// "algorithm = quick, n = 4000"; "all cells" for none.
std::string cell_text(const kernel::Cell&);
/// "algorithm: quick vs. bubble", "n (slope) of algorithm = bubble": short enough for an axis.
std::string contrast_text(const kernel::Hypothesis&);
/// "lower under treatment than under control": direction only, never a number.
std::string direction_text(const kernel::StudySpec&, const kernel::Hypothesis&);
/// "on average over n", "in every cell of n and data"; empty where the hypothesis names every factor.
std::string crossed_text(const kernel::StudySpec&, const kernel::Hypothesis&);
/// What the registered test asks: "time_ms, algorithm = quick less than algorithm = bubble by more than 90 %".
std::string test_text(const kernel::StudySpec&, const kernel::Hypothesis&);
using kernel::effect_unit;
/// The command as the author wrote it.
std::string command_text(const kernel::CommandTemplate&);
/// List items: the command, or those of the stages.
std::string command_lines(const kernel::StudySpec&);
/// "median of a run's values, after dropping the first 1 value".
std::string summary_text(const kernel::Metric&);
std::string source_text(const kernel::MetricSource&);
/// Where a metric's value comes from, as the end of a sentence.
std::string origin_text(const kernel::Metric&);

const kernel::Claim* claim_on(const kernel::Study&, const std::string& hypothesis);
const kernel::Node* node_of(const kernel::Study&, const std::string& experiment);
/// "C01", or empty while there is none.
std::string claim_id(const kernel::Study&, const std::string& hypothesis);
/// Claims on the hypotheses of one experiment, in order.
std::vector<std::string> claims_of(const kernel::Study&, const std::string& experiment);
/// Those beyond the family are left out, since exploration decides nothing, and those that were withdrawn.
std::vector<std::string> hypotheses_with(const kernel::Study&, kernel::Verdict);
/// They have no verdict, no effect and no claim, and keep their slots.
std::vector<const kernel::HypothesisRecord*> withdrawn(const kernel::Study&);

struct RunCounts {
  int total = 0, superseded = 0;
  std::map<kernel::RunState, int> ended{};  ///< Every end of a run, those that no run had, too.
};
/// Of one purpose.
RunCounts run_counts(const kernel::Study&, kernel::Purpose);

/// The answer in at most four sentences, from the verdicts alone.
std::vector<std::string> answer(const kernel::Study&);
/// The same before its addresses are replaced by values.
std::vector<std::string> written_answer(const kernel::Study&);
/// What a reader must know before the verdicts: the manipulation check's findings and the like. Empty: nothing.
std::vector<std::string> cautions(const kernel::Study&);

/// " (ms)"; nothing of a pure number.
std::string in_brackets(const std::string& unit);
/// Without a final full stop or blank.
std::string without_stop(std::string text);
/// "a, b and c".
std::string listed(const std::vector<std::string>& items);

}  // namespace artifacts
