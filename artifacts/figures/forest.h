#pragma once
// Hypotheses' effects in rows, with intervals and the regions claimed: one panel per axis that they can share. Pure.

#include <string>
#include <vector>

#include "artifacts/figures/figures.h"
#include "artifacts/figures/gnuplot.h"
#include "kernel/study/state.h"

namespace artifacts {

/// One hypothesis on the axis of its panel.
struct ForestRow {
  std::string label, text;
  std::string spoken{};  ///< Both and the verdict, for readers who point at it.
  kernel::Verdict verdict = kernel::Verdict::inconclusive;
  std::optional<double> value, low, high;
  bool has_interval = false;
  std::optional<double> claimed_low, claimed_high;  ///< The region claimed; a missing end is unbounded.
  bool claims_difference = false;                   ///< The region is outside the two ends.
};

struct ForestPanel {
  std::string axis;
  bool ratio = false;  ///< Values are treatment / control.
  bool log = false;
  std::vector<ForestRow> rows;
  double low = 0, high = 1;
};

/// In the newest style wide enough for every row's text, and with its values. `whole_labels`: for every row's label,
/// too, which is cut otherwise.
Drawing forest_drawing(const std::string& name, const std::vector<ForestPanel>&, FigureStyle, bool whole_labels);

}  // namespace artifacts
