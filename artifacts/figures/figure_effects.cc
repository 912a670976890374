#include <algorithm>

#include <fmt/format.h>

#include "artifacts/figures/figures.h"
#include "artifacts/figures/forest.h"
#include "artifacts/text/untrusted_text.h"
#include "artifacts/words/study_words.h"
#include "artifacts/words/verdict_table.h"

namespace artifacts {

using kernel::HypothesisRecord;

namespace {

/// The reason in "not available: why"; empty if the value is available.
std::string why_missing(const std::string& shown) {
  constexpr std::string_view missing = "not available: ";
  return shown.starts_with(missing) ? shown.substr(missing.size()) : "";
}

std::string alt_text(const kernel::Study& study, const std::vector<const HypothesisRecord*>& records) {
  std::string text = "Forest plot. ";
  for (const HypothesisRecord* record : records) {
    const ShownResult s = shown(study.spec, *record);
    const std::string effect = why_missing(s.main_effect()), interval = why_missing(s.main_interval());
    text += fmt::format("{}: {}, {}. ", record->hypothesis.id,
                        !effect.empty()     ? "no effect is drawn (" + effect + ")"
                        : !interval.empty() ? fmt::format("{} without an interval ({})", s.main_effect(), interval)
                                            : s.main_effect() + " " + s.main_interval(),
                        verdict_text(*record));
  }
  text.pop_back();
  return shortened(text, 900);
}

}  // namespace

std::vector<Figure> effects_figures(const kernel::Study& study, const kernel::Experiment& experiment) {
  constexpr std::size_t most_rows = 30, most_figures = 4;
  const std::string& id = experiment.registration.experiment;
  std::vector<const HypothesisRecord*> records;
  std::vector<std::string> gone;
  for (const HypothesisRecord& record : study.hypotheses)
    if (record.experiment == id && !record.withdrawn.empty())
      gone.push_back(record.hypothesis.id);
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
    figure.drawing = forest_drawing(name, panels);
    figure.experiment = id;
    for (const HypothesisRecord* record : part)
      if (const std::string claim = claim_id(study, record->hypothesis.id); !claim.empty())
        figure.claims.push_back(claim);
    figure.title = "Effects of the hypotheses of " + id;
    figure.caption =
        "Every hypothesis's effect with its interval (bars; the level stands in the verdict table), the region that "
        "the hypothesis claims (shaded) and the boundary of that region (dashed). A hypothesis is supported when its "
        "whole interval lies inside the region.";
    if (records.size() > most_rows * most_figures)
      figure.caption += " Further hypotheses stand in the verdict table only.";
    if (!gone.empty())
      figure.caption += fmt::format(" {} {} withdrawn and {} no effect.", listed(gone),
                                    gone.size() == 1 ? "was" : "were", gone.size() == 1 ? "has" : "have");
    figure.alt = alt_text(study, part);
    figure.type = "forest plot (points with confidence intervals)";
    for (const ForestPanel& panel : panels)
      figure.axes.push_back(
          fmt::format("X = {} ({} scale); Y = hypotheses", panel.axis, panel.log ? "logarithmic" : "linear"));
    figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace artifacts
