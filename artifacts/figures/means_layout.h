#pragma once
// The position of each cell of an experiment in a figure of means: x axis, series, panel. Borrows the cell means. Pure.

#include <string>
#include <vector>

#include "artifacts/figures/cell_means.h"
#include "artifacts/figures/gnuplot.h"

namespace artifacts {

struct MeansPoint {
  double x = 0;
  const CellMean* cell = nullptr;
};
struct MeansSeries {
  std::string label;
  std::size_t mark = 0;  ///< The same for one level in all panels.
  std::vector<MeansPoint> points;
};
struct MeansPanel {
  std::string title;  ///< Empty if there is only one panel.
  std::vector<MeansSeries> series;
};

struct MeansLayout {
  std::vector<MeansPanel> panels;
  std::string x_label, y_label;
  std::vector<std::pair<double, std::string>> x_ticks;
  std::vector<std::string> legend;  ///< By mark; a single entry needs no legend.
  bool categorical = false;
  bool log_x = false, log_y = false;
  double x_low = 0, x_high = 1, y_low = 0, y_high = 1;
  int cells_without_mean = 0;
};

/// One layout per figure; none if fewer than two cells have a mean. x is the factor of a slope, else a numeric factor,
/// else the series factor; series is the factor of most contrasts.
std::vector<MeansLayout> means_layouts(const kernel::Study&, const kernel::Experiment&, const kernel::Metric&,
                                       const std::vector<CellMean>&);
Drawing means_drawing(const std::string& name, const MeansLayout&);

}  // namespace artifacts
