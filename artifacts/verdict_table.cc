#include "artifacts/verdict_table.h"

#include <fmt/format.h>

#include "artifacts/numbers.h"
#include "artifacts/study_words.h"
#include "kernel/shapes.h"
#include "kernel/units.h"

namespace artifacts {

using kernel::HypothesisRecord;
using kernel::HypothesisResult;

namespace {

bool is_slope(const HypothesisRecord& record) {
  return record.hypothesis.kind == kernel::HypothesisKind::slope;
}

std::string not_available(const std::string& why) {
  return "not available: " + why;
}

std::string why_no_effect(const HypothesisRecord& record) {
  const HypothesisResult& r = *record.result;
  if (is_slope(record) && r.n[0] + r.n[1] == 0) return "no run to judge by";
  if (!is_slope(record) && r.n[0] == 0) return "no treatment run to judge by";
  if (!is_slope(record) && r.n[1] == 0) return "no control run to judge by";
  return "the values allow no estimate";
}

std::string why_no_interval(const kernel::StudySpec& spec, const HypothesisRecord& record) {
  const HypothesisResult& r = *record.result;
  if (!r.effect) return "there is no effect";
  if (kernel::method_of(spec, record.hypothesis).exact) return "compared exactly";
  if (r.n[0] < 2) return "too few runs";
  return "no standard error";
}

}  // namespace

ShownResult shown(const kernel::StudySpec& spec, const HypothesisRecord& record) {
  const HypothesisResult& r = *record.result;
  const std::string unit = effect_unit(spec, record.hypothesis);
  ShownResult s;

  const auto half = half_width(r.low, r.effect, r.high);
  s.effect = r.effect ? with_unit(rounded(*r.effect, half), unit) : not_available(why_no_effect(record));
  s.interval = r.low || r.high ? with_unit(interval_text(r.low, r.high, half), unit)
                               : not_available(why_no_interval(spec, record));

  const bool about_ratio = record.hypothesis.margin && record.hypothesis.margin->kind == kernel::Margin::Kind::relative;
  s.relative = about_ratio && !is_slope(record);
  const auto relative_half = half_width(r.relative_low, r.effect_relative, r.relative_high);
  if (r.effect_relative)
    s.relative_effect = percent(*r.effect_relative, relative_half);
  else if (s.relative)
    s.relative_effect = not_available(why_no_effect(record));
  if (r.relative_low || r.relative_high)
    s.relative_interval = percent_interval_text(r.relative_low, r.relative_high, relative_half);
  else if (s.relative)
    s.relative_interval = not_available(!r.effect_relative ? why_no_effect(record)
                                        : r.low || r.high  ? "the control is too close to zero"
                                                           : why_no_interval(spec, record));

  s.level = r.level > 0 ? level_text(r.level) : not_available("nothing was tested");
  const std::string untested =
      kernel::method_of(spec, record.hypothesis).exact ? "compared exactly" : "nothing was tested";
  s.p = r.p ? probability(*r.p) : not_available(untested);
  s.p_corrected = r.p_corrected ? probability(*r.p_corrected) : not_available(untested);
  s.n = is_slope(record) ? std::to_string(r.n[0] + r.n[1]) : fmt::format("{} + {}", r.n[0], r.n[1]);
  s.failed =
      is_slope(record) ? std::to_string(r.failed[0] + r.failed[1]) : fmt::format("{} + {}", r.failed[0], r.failed[1]);
  s.power = r.power ? fmt::format("{:.2f}", *r.power) : "not known";
  s.se = r.se ? with_unit(rounded(*r.se, *r.se / 2), unit) : not_available("not estimated");
  s.df = r.df ? rounded(*r.df) : not_available("not estimated");
  s.bootstrap =
      r.bca_low || r.bca_high
          ? with_unit(interval_text(r.bca_low, r.bca_high, half_width(r.bca_low, r.effect, r.bca_high)), unit) +
                (r.bca_descriptive ? " (descriptive)" : "")
          : not_available("not computed");
  return s;
}

std::string verdict_text(const HypothesisRecord& record) {
  if (!record.result) return "open";
  const std::string verdict(kernel::name(record.result->verdict));
  return record.exploratory ? "exploratory: " + verdict : verdict;
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
  table.header = {
      "Hypothesis", "Claim",       "Verdict",     "Effect", "Interval", "Relative effect", "Relative interval",
      "Level",      "p",           "p corrected", "n",      "Failed",   "Power",           "Standard error",
      "df",         "BCa interval"};
  for (const HypothesisRecord& record : study.hypotheses)
    if (record.experiment == experiment && record.result) table.rows.push_back(verdict_cells(study, record));
  return table;
}

}  // namespace artifacts
