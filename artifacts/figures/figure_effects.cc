#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "artifacts/figures/figures.h"
#include "artifacts/figures/forest.h"
#include "artifacts/text/untrusted_text.h"
#include "artifacts/words/result_tables.h"
#include "artifacts/words/study_words.h"
#include "base/assert.h"
#include "prose/numbers.h"

namespace artifacts {

using kernel::Direction;
using kernel::Hypothesis;
using kernel::HypothesisRecord;
using kernel::HypothesisResult;

namespace {

void claim_region(ForestRow& row, Direction direction, double centre, double margin, bool maximize) {
  const double below = centre - margin, above = centre + margin;
  switch (direction) {
    case Direction::less:
      row.claimed_high = below;
      break;
    case Direction::greater:
      row.claimed_low = above;
      break;
    case Direction::equal:
      row.claimed_low = below;
      row.claimed_high = above;
      break;
    case Direction::not_worse:
      (maximize ? row.claimed_low : row.claimed_high) = maximize ? below : above;
      break;
    case Direction::different:
      row.claimed_low = below;
      row.claimed_high = above;
      row.claims_difference = true;
      break;
  }
}

std::optional<double> plus_one(std::optional<double> x) {
  return x ? std::optional(*x + 1) : std::nullopt;
}

/// Without units, which are on the axis.
std::string numbers_of(const HypothesisResult& r, bool ratio, bool with_level) {
  const std::optional<double> value = ratio ? r.effect_relative : r.effect;
  const std::optional<double> low = ratio ? r.relative_low : r.low, high = ratio ? r.relative_high : r.high;
  if (!value) return ratio && r.effect && (r.low || r.high) ? "no percentage: control near zero" : "no estimate";
  const std::optional<double> half = prose::half_width(low, value, high);
  const std::string text = ratio ? prose::percent(*value, half) : prose::rounded(*value, half);
  if (!low && !high) return text + "  no interval";
  return text + "  " + (ratio ? prose::percent_interval_text(low, high, half) : prose::interval_text(low, high, half)) +
         (with_level && r.level > 0 ? "  " + prose::level_text(r.level) : "");
}

std::string exact_or_empty(const std::optional<double>& value) {
  return value ? exact(*value) : "";
}

PlainTable effects_table(const kernel::Study& study, const std::vector<const HypothesisRecord*>& records) {
  PlainTable table;
  table.header = {"hypothesis", "claim",           "verdict",      "unit",          "effect", "low",
                  "high",       "relative_effect", "relative_low", "relative_high", "level"};
  for (const HypothesisRecord* record : records) {
    const HypothesisResult& r = *record->result;
    table.rows.push_back({record->hypothesis.id.text(), claim_id(study, record->hypothesis.id), verdict_text(*record),
                          effect_unit(study.spec, record->hypothesis), exact_or_empty(r.effect), exact_or_empty(r.low),
                          exact_or_empty(r.high), exact_or_empty(r.effect_relative), exact_or_empty(r.relative_low),
                          exact_or_empty(r.relative_high), r.level > 0 ? exact(r.level) : ""});
  }
  return table;
}

/// Whether the row's axis is the ratio of the arms.
bool is_ratio(const Hypothesis& h) {
  return h.has_arms() && h.margin && h.margin->kind == kernel::Margin::Kind::relative;
}

/// Whether the row has an effect on its axis.
bool is_estimated(const HypothesisRecord& record) {
  const auto& value = is_ratio(record.hypothesis) ? record.result->effect_relative : record.result->effect;
  return value && std::isfinite(*value);
}

ForestRow row_of(const kernel::StudySpec& spec, const HypothesisRecord& record, bool ratio, bool with_level) {
  ETUDE_ASSERT(record.result);
  const Hypothesis& h = record.hypothesis;
  const HypothesisResult& r = *record.result;
  const kernel::Metric* metric = spec.metric(h.metric);
  ForestRow row;
  row.label = h.id + "  " + contrast_text(h);
  row.text = numbers_of(r, ratio, with_level);
  row.spoken = fmt::format("{}: {}, {}", row.label, row.text, verdict_text(record));
  row.verdict = r.verdict;
  row.value = ratio ? plus_one(r.effect_relative) : r.effect;
  row.low = ratio ? plus_one(r.relative_low) : r.low;
  row.high = ratio ? plus_one(r.relative_high) : r.high;
  row.has_interval = row.value && (row.low || row.high);
  const double margin = h.margin ? h.margin->value : 0;
  const bool slope = h.kind == kernel::HypothesisKind::slope;
  const double centre = slope ? h.slope_value : ratio ? 1 : 0;
  const bool scaled = slope && h.margin && h.margin->kind == kernel::Margin::Kind::relative;
  claim_region(row, h.direction, centre, scaled ? margin * std::abs(h.slope_value) : margin,
               metric && metric->goal == kernel::Goal::maximize);
  return row;
}

std::string axis_of(const kernel::StudySpec& spec, const Hypothesis& h) {
  if (h.kind == kernel::HypothesisKind::slope) {
    const std::string unit = effect_unit(spec, h);
    static constexpr const char* scales[] = {"", ", log-log", ", semi-log", ", lin-log"};
    return fmt::format("slope of {} along {}{}{}", h.metric, h.along, scales[static_cast<std::size_t>(h.slope_scale)],
                       unit.empty() ? "" : " (" + unit + ")");
  }
  const std::string unit = effect_unit(spec, h);
  if (h.kind == kernel::HypothesisKind::interaction)
    return fmt::format("{}: interaction{}", h.metric, unit.empty() ? "" : " (" + unit + ")");
  return fmt::format("{}: treatment minus control{}", h.metric, unit.empty() ? "" : " (" + unit + ")");
}

void set_range(ForestPanel& panel) {
  std::vector<double> values;
  for (const ForestRow& row : panel.rows)
    for (const auto& x : {row.value, row.low, row.high, row.claimed_low, row.claimed_high})
      if (x && std::isfinite(*x)) values.push_back(*x);
  if (panel.ratio) values.push_back(1);
  if (values.empty()) values = {0, 1};
  auto [low, high] = std::ranges::minmax_element(values);
  panel.low = *low;
  panel.high = *high;
  panel.log = panel.ratio && panel.low > 0 && panel.high / panel.low > 4;
  if (panel.log) {
    const double pad = std::pow(panel.high / panel.low, 0.08);
    panel.low /= pad;
    panel.high *= pad;
    return;
  }
  const double span = panel.high > panel.low ? panel.high - panel.low : std::max(1e-9, std::abs(panel.high));
  panel.low -= 0.1 * span;
  panel.high += 0.1 * span;
}

std::string alt_text(const kernel::StudyTerms& terms, const std::vector<const HypothesisRecord*>& records) {
  std::string text = "Forest plot. ";
  for (const HypothesisRecord* record : records) {
    const ShownResult s = shown(terms.spec, *record);
    const kernel::ShownNumber &effect = s.main_effect(), &interval = s.main_interval();
    text += fmt::format("{}: {}, {}. ", record->hypothesis.id,
                        effect.missing     ? "no effect is drawn (" + *effect.missing + ")"
                        : interval.missing ? effect.text + " without an interval (" + *interval.missing + ")"
                                           : effect.text + " " + interval.text,
                        verdict_text(*record));
  }
  text.pop_back();
  return shortened(text, 900);
}

std::vector<ForestPanel> forest_panels(const kernel::Study& study,
                                       const std::vector<const HypothesisRecord*>& records) {
  std::vector<ForestPanel> panels;
  for (const HypothesisRecord* record : records) {
    const Hypothesis& h = record->hypothesis;
    const bool ratio = is_ratio(h);
    const std::string axis = !ratio                                          ? axis_of(study.spec, h)
                             : h.kind == kernel::HypothesisKind::interaction ? h.metric + ": change of the ratio"
                                                                             : h.metric + ": change from control";
    auto panel = std::ranges::find_if(panels, [&](const ForestPanel& p) { return p.axis == axis; });
    if (panel == panels.end()) {
      panels.push_back({axis, ratio, false, {}, 0, 1});
      panel = panels.end() - 1;
    }
    panel->rows.push_back(row_of(study.spec, *record, ratio, shows_sizes(study)));
  }
  for (ForestPanel& panel : panels) set_range(panel);
  return panels;
}

}  // namespace

std::vector<Figure> effects_figures(const kernel::Study& study, const kernel::Experiment& experiment,
                                    FigureStyle style) {
  constexpr std::size_t most_rows = 30, most_figures = 4;
  const kernel::ExperimentId& id = experiment.registration.experiment;
  std::vector<const HypothesisRecord*> records, without;
  std::vector<kernel::HypothesisId> gone;
  for (const HypothesisRecord& record : study.hypotheses)
    if (record.experiment == id && !record.withdrawn.empty())
      gone.push_back(record.hypothesis.id);
    else if (record.experiment == id && record.result && style == FigureStyle::newest && !is_estimated(record))
      without.push_back(&record);
    else if (record.experiment == id && record.result)
      records.push_back(&record);
  std::vector<Figure> figures;
  for (std::size_t i = 0; i < records.size() && figures.size() < most_figures; i += most_rows) {
    const std::vector<const HypothesisRecord*> part(
        records.begin() + static_cast<std::ptrdiff_t>(i),
        records.begin() + static_cast<std::ptrdiff_t>(std::min(records.size(), i + most_rows)));
    Figure figure;
    const std::string name = "effects_" + id + (i ? fmt::format("_{}", figures.size() + 1) : "");
    const std::vector<ForestPanel> panels = forest_panels(study, part);
    figure.drawing = forest_drawing(name, panels, style, tells_scale(study));
    figure.experiment = id;
    for (const HypothesisRecord* record : part)
      if (const std::string claim = claim_id(study, record->hypothesis.id); !claim.empty())
        figure.claims.push_back(claim);
    figure.title = "Effects of the hypotheses of " + id;
    figure.caption =
        (shows_sizes(study)
             ? std::string("Every hypothesis's effect with its interval (bars) and the interval's level, ")
             : std::string("Every hypothesis's effect with its interval (bars; the level stands in the "
                           "verdict table), ")) +
        "the region that the hypothesis claims (shaded) and the boundary of that region (dashed). A hypothesis is "
        "supported when its whole interval lies inside the region.";
    if (records.size() > most_rows * most_figures)
      figure.caption += " Further hypotheses stand in the verdict table only.";
    if (!gone.empty())
      figure.caption += fmt::format(" {} {} withdrawn and {} no effect.", listed(gone),
                                    gone.size() == 1 ? "was" : "were", gone.size() == 1 ? "has" : "have");
    if (!without.empty())
      figure.caption += fmt::format(
          " Not drawn, since nothing was estimated on {} axis: {}.", without.size() == 1 ? "its" : "their",
          joined_text(without, ", ", [](const HypothesisRecord* record) { return record->hypothesis.id.text(); }));
    std::vector<const HypothesisRecord*> told = part;
    told.insert(told.end(), without.begin(), without.end());
    figure.alt = alt_text(study, told);
    figure.type = "forest plot (points with confidence intervals)";
    for (const ForestPanel& panel : panels)
      figure.axes.push_back(
          fmt::format("X = {} ({} scale); Y = hypotheses", panel.axis, panel.log ? "logarithmic" : "linear"));
    if (shows_sizes(study)) figure.values = effects_table(study, part);
    figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace artifacts
