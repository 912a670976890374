#pragma once
// The figures of a study: the means of every cell with their uncertainty, and the effects of hypotheses with intervals
// and margins. Makes gnuplot commands; runs nothing. Readable in grey, because shape and dash repeat the colour. Pure.

#include <string>
#include <vector>

#include "artifacts/figures/gnuplot.h"
#include "artifacts/text/escaping.h"
#include "kernel/study/state.h"

namespace artifacts {

/// A picture and the text of its page. Plain text.
struct Figure {
  Drawing drawing;  ///< `name` is the stem of its files.
  kernel::ExperimentId experiment;
  std::vector<std::string> claims;
  std::string title, caption;
  std::string alt;  ///< The description for readers who do not see it.
  std::string type;
  std::vector<std::string> axes;
  std::string csv{};  ///< What is drawn, with every digit; empty in wordings before 5.
};

/// At most a dozen per experiment; the last caption names what was left out.
std::vector<Figure> means_figures(const kernel::Study&, const kernel::Experiment&);
std::vector<Figure> effects_figures(const kernel::Study&, const kernel::Experiment&);
/// A table as a picture: its first 60 rows.
Drawing table_picture(const std::string& name, const std::string& title, const PlainTable&);

/// One metric in a cell of an experiment, for tables and figures. Descriptive only: verdicts come from the kernel.
struct CellMean {
  int cell = 0;    ///< Index into Study::cells.
  int failed = 0;  ///< Runs that count and did not succeed.
  /// Runs that succeeded with a value that is censored or counts as worst, so that the other values give no mean.
  int skipped = 0;
  std::vector<double> values;
  std::optional<double> mean, sd;
  std::optional<double> low, high;  ///< 95 % interval of the mean, by Student's t.
  std::string missing;              ///< Why there is no mean; empty if there is one.
};

/// In the order of the registration's cells; one pass over the runs.
std::vector<CellMean> cell_means(const kernel::Study&, const kernel::Experiment&, const kernel::Metric&);

}  // namespace artifacts
