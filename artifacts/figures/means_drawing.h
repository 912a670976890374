#pragma once
// A figure of means: the position of each cell of an experiment on its x axis, in its series and panel, and the
// drawing. Borrows the cell means. Pure.

#include <string>
#include <vector>

#include "artifacts/figures/figures.h"
#include "artifacts/figures/gnuplot.h"

namespace artifacts {

/// The style of the i-th series.
struct Mark {
  const char* colour;
  int point;
  const char* dash;
};
Mark mark(std::size_t series);
inline constexpr std::size_t most_series = 8;  ///< In one figure.

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

Drawing means_drawing(const std::string& name, const MeansLayout&);

}  // namespace artifacts
