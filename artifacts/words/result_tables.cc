#include "artifacts/words/result_tables.h"

#include <algorithm>

#include <fmt/format.h>

#include "artifacts/words/study_words.h"
#include "kernel/domain/enum_names.h"
#include "prose/numbers.h"

namespace artifacts {

using kernel::HypothesisRecord;
using kernel::SettingResult;

std::string verdict_text(const HypothesisRecord& record) {
  if (!record.withdrawn.empty()) return "withdrawn";
  if (!record.result) return "open";
  const std::string verdict(kernel::name(record.result->verdict));
  return record.exploratory ? "exploratory: " + verdict : verdict;
}

std::string corrected_name(const kernel::StudySpec& spec) {
  return spec.design.correction == kernel::Correction::holm ? "p corrected" : "q (FDR)";
}

std::string verdict_table_path(const kernel::ExperimentId& experiment) {
  return "evidence/tables/verdicts_" + experiment + ".md";
}

std::vector<std::string> verdict_cells(const kernel::Study& study, const HypothesisRecord& record) {
  const ShownResult s = shown(study.spec, record);
  return {record.hypothesis.id.text(),
          claim_id(study, record.hypothesis.id),
          verdict_text(record),
          s.effect.text,
          s.interval.text,
          s.relative_effect.text,
          s.relative_interval.text,
          s.level.text,
          s.p.text,
          s.p_corrected.text,
          s.n.text,
          s.failed.text,
          s.power.text,
          s.se.text,
          s.df.text,
          s.bootstrap.text};
}

PlainTable verdict_table(const kernel::Study& study, const kernel::ExperimentId& experiment) {
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

namespace {

using Settings = std::vector<SettingResult>;

std::string effect_text(const SettingResult& one, const std::string& unit) {
  if (!one.effect) return "not available: no value in both arms";
  return prose::with_unit(prose::rounded(*one.effect, prose::half_width(one.low, one.effect, one.high)), unit);
}

std::string interval_of(const SettingResult& one, const std::string& unit) {
  if (!one.low && !one.high) return "none";
  return prose::with_unit(prose::interval_text(one.low, one.high, prose::half_width(one.low, one.effect, one.high)),
                          unit);
}

/// The levels of the settings whose effect has that sign.
std::string places(const Settings& settings, bool above) {
  constexpr std::size_t most = 6;
  std::vector<std::string> list;
  for (const SettingResult& one : settings)
    if (one.effect && (above ? *one.effect > 0 : *one.effect < 0)) list.push_back(cell_text(one.levels));
  const std::size_t all = list.size();
  if (all > most) {
    list.resize(most);
    list.push_back(fmt::format("{} more", all - most));
  }
  std::string text;
  for (std::size_t i = 0; i < list.size(); ++i) text += (i == 0 ? "" : i + 1 == list.size() ? " and " : "; ") + list[i];
  return text;
}

/// The directions of the effects. If a slope is compared with a number, its sign says nothing.
std::string signs(const kernel::Hypothesis& h, const Settings& settings) {
  if (h.kind == kernel::HypothesisKind::slope && h.slope_value != 0) return "";
  const auto any = [&](bool above) {
    return std::ranges::any_of(
        settings, [&](const SettingResult& one) { return one.effect && (above ? *one.effect > 0 : *one.effect < 0); });
  };
  const bool all = std::ranges::all_of(settings, [](const auto& one) { return one.effect.has_value(); });
  if (any(true) && any(false))
    return fmt::format(" Signs differ: the effect is above zero at {}, and below zero at {}.", places(settings, true),
                       places(settings, false));
  if (!all || any(true) == any(false)) return "";
  const bool strict = std::ranges::all_of(settings, [](const auto& one) { return *one.effect != 0; });
  if (!strict) return "";
  return fmt::format(" The effect is {} zero in {}.", any(true) ? "above" : "below",
                     settings.size() == 2 ? "both" : fmt::format("all {} of them", settings.size()));
}

}  // namespace

std::string settings_text(const kernel::StudyTerms& study, const kernel::HypothesisRecord& record) {
  if (!record.result || record.result->settings.size() < 2) return "";
  const Settings& settings = record.result->settings;
  if (std::ranges::none_of(settings, [](const auto& one) { return one.effect.has_value(); })) return "";
  const std::string unit = effect_unit(study.spec, record.hypothesis);
  const auto levelled = std::ranges::find_if(settings, [](const SettingResult& one) { return one.level > 0; });
  PlainTable table;
  for (const auto& [factor, level] : settings.front().levels) table.header.push_back(factor);
  table.header.push_back("Effect");
  if (levelled != settings.end()) table.header.push_back(prose::level_text(levelled->level) + " interval");
  for (const SettingResult& one : settings) {
    std::vector<std::string> row;
    for (const auto& [factor, level] : one.levels) row.push_back(level);
    row.push_back(effect_text(one, unit));
    if (levelled != settings.end()) row.push_back(interval_of(one, unit));
    table.rows.push_back(std::move(row));
  }
  return fmt::format("\nThe average is over these settings, each described by itself and not tested.{}\n\n{}",
                     in_markdown(signs(record.hypothesis, settings)), markdown_table(table));
}

}  // namespace artifacts
