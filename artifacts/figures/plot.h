#pragma once
// A picture of panels with layers (dots, marks with intervals, lines, bands, boxes), and the place of each value in it,
// for readers who point at one. Knows no study. Pure.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "artifacts/figures/gnuplot.h"

namespace artifacts {

struct PlotAxis {
  std::string label;
  double low = 0, high = 1;  ///< The range of the values; the drawing adds some room.
  bool log = false;
  std::vector<std::pair<double, std::string>> ticks{};  ///< Empty: round numbers.
  bool levels = false;                                  ///< The ticks are levels, one apart.
};

struct PlotPoint {
  double x = 0, y = 0;                  ///< A `y` that is NaN ends a thread.
  std::optional<double> low{}, high{};  ///< An interval: along x in `spans` and `boxes`, else along y.
  std::string text{};                   ///< Its values in words; empty for a point that needs none.
};

/// `dots` are small and faint. `marks` and `spans` are symbols with intervals, which may be missing. `boxes` go from
/// `low` to `high`, with a stroke at x. `threads` are faint lines. `rule` is a dashed line through its points. `words`
/// are the points' texts, to their right.
enum class PlotShape { dots, marks, spans, boxes, line, steps, threads, band, rule, words };

struct PlotLayer {
  PlotShape shape = PlotShape::dots;
  std::size_t mark = 0;  ///< Its style.
  std::vector<PlotPoint> points{};
};

struct PlotPanel {
  std::string title{};
  PlotAxis x{};
  std::vector<PlotLayer> layers{};                      ///< Later ones cover earlier ones.
  std::vector<std::pair<double, std::string>> right{};  ///< Words to the right of the panel, at y.
};

struct Plot {
  std::vector<PlotPanel> panels{};
  PlotAxis y{};                       ///< Of all panels.
  std::vector<std::string> legend{};  ///< By mark; a single entry needs no legend.
  std::string note{};                 ///< What dots, bars and bands are, with levels; below the panels.
};

Drawing plot_drawing(const std::string& name, const Plot&);

/// The range of an axis, from its values. Precondition: there is one.
void set_range(PlotAxis&, const std::vector<double>& values);

/// A number between −1/2 and 1/2 that spreads the i-th of overlapping points; the same on every machine.
double spread_of(std::size_t i);

}  // namespace artifacts
