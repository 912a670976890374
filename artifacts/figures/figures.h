#pragma once
// The figures of a study: every cell's mean with its uncertainty, every run, learning curves, the effects of hypotheses
// with intervals and margins, and the course of a search. Draws only what was measured or estimated. Makes gnuplot
// commands; runs nothing. Readable in grey, because shape and dash repeat the colour. Pure.

#include <functional>
#include <string>
#include <vector>

#include "artifacts/figures/gnuplot.h"
#include "artifacts/text/escaping.h"
#include "kernel/measure/metric_sources.h"
#include "kernel/study/state.h"

namespace artifacts {

/// How figures are drawn: artifacts of layouts 1 and 2 have them as before, newer ones in the newest style.
enum class FigureStyle { before_layout_3, newest };

/// A picture and the text of its page. Plain text.
struct Figure {
  Drawing drawing;  ///< `name` is the stem of its files.
  kernel::ExperimentId experiment;
  std::string source{};  ///< The file of the values; empty: evidence/results/EXPERIMENT.csv.
  std::vector<std::string> claims;
  std::string title, caption;
  std::string alt;  ///< The description for readers who do not see it.
  std::string type;
  std::vector<std::string> axes;
  PlainTable values{};  ///< What is drawn, with every digit; empty in wordings before 5.
};

/// At most a dozen per experiment; the last caption names what was left out.
std::vector<Figure> means_figures(const kernel::Study&, const kernel::Experiment&, FigureStyle);
/// Every run's value by cell, with quartiles: at most six per experiment. None where no cell has runs that differ, and
/// none for outcomes, of which the means say everything.
std::vector<Figure> runs_figures(const kernel::Study&, const kernel::Experiment&);
/// In the newest style without rows that have no effect, and none if no row is left.
std::vector<Figure> effects_figures(const kernel::Study&, const kernel::Experiment&, FigureStyle);

/// The points that a run reported.
using PointsOf = std::function<std::vector<kernel::MetricPoint>(const kernel::Run&)>;
/// The metrics that runs reported step by step, by arm: every run, the mean and its band. At most four per experiment.
std::vector<Figure> curve_figures(const kernel::Study&, const kernel::Experiment&, const PointsOf&);

/// Of a screening or an optimisation: its runs in their order with the best so far, the metric by each factor, and a
/// screening's effects. Empty without a search.
std::vector<Figure> search_figures(const kernel::Study&);
/// A table as a picture: its first 60 rows.
Drawing table_picture(const std::string& name, const std::string& title, const PlainTable&);

/// One metric in a cell of an experiment, for tables and figures. Descriptive only: verdicts come from the kernel.
struct CellMean {
  int cell = 0;           ///< Index into Study::cells.
  bool outcomes = false;  ///< The values are 0 or 1, and the mean is a share.
  int failed = 0;         ///< Runs that count and did not succeed.
  /// Runs that succeeded with a value that is censored or counts as worst, so that the other values give no mean.
  int skipped = 0;
  std::vector<double> values;
  std::vector<int> runs;  ///< Their runs' numbers.
  std::optional<double> mean, sd;
  std::optional<double> low, high;  ///< 95 % interval of the mean: by Student's t, of outcomes by Wilson's scores.
  std::string missing;              ///< Why there is no mean; empty if there is one.
};

/// Metrics that a hypothesis of the experiment is about, the primary first.
std::vector<const kernel::Metric*> metrics_shown(const kernel::StudyTerms&, const kernel::Experiment&);

/// In the order of the registration's cells; one pass over the runs. Before the newest style, outcomes had the
/// intervals of other values.
std::vector<CellMean> cell_means(const kernel::Study&, const kernel::Experiment&, const kernel::Metric&, FigureStyle);

/// The level of every interval of a mean.
inline constexpr double level_of_means = 0.95;
/// Mean, standard deviation and interval of the values. Precondition: they are finite, and outcomes are 0 or 1.
void describe(CellMean&);

}  // namespace artifacts
