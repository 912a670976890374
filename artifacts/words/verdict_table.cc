#include "artifacts/words/verdict_table.h"

#include "artifacts/words/study_words.h"
#include "kernel/domain/enum_names.h"

namespace artifacts {

using kernel::HypothesisRecord;

std::string verdict_text(const HypothesisRecord& record) {
  if (!record.withdrawn.empty()) return "withdrawn";
  if (!record.result) return "open";
  const std::string verdict(kernel::name(record.result->verdict));
  return record.exploratory ? "exploratory: " + verdict : verdict;
}

std::string corrected_name(const kernel::StudySpec& spec) {
  return spec.design.correction == kernel::Correction::holm ? "p corrected" : "q (FDR)";
}

std::string verdict_table_path(const std::string& experiment) {
  return "evidence/tables/verdicts_" + experiment + ".md";
}

std::vector<std::string> verdict_cells(const kernel::Study& study, const HypothesisRecord& record) {
  const ShownResult s = shown(study.spec, record);
  return {record.hypothesis.id,
          claim_id(study, record.hypothesis.id),
          verdict_text(record),
          s.effect,
          s.interval,
          s.relative_effect.empty() ? "not computed" : s.relative_effect,
          s.relative_interval.empty() ? "not computed" : s.relative_interval,
          s.level,
          s.p,
          s.p_corrected,
          s.n,
          s.failed,
          s.power,
          s.se,
          s.df,
          s.bootstrap};
}

PlainTable verdict_table(const kernel::Study& study, const std::string& experiment) {
  PlainTable table;
  table.header = {"Hypothesis",
                  "Claim",
                  "Verdict",
                  "Effect",
                  "Interval",
                  "Relative effect",
                  "Relative interval",
                  "Level",
                  "p",
                  corrected_name(study.spec),
                  "n",
                  "Failed",
                  "Power",
                  "Standard error",
                  "df",
                  "BCa interval"};
  for (const HypothesisRecord& record : study.hypotheses)
    if (record.experiment == experiment && record.result && record.withdrawn.empty())
      table.rows.push_back(verdict_cells(study, record));
  return table;
}

}  // namespace artifacts
