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
  std::string experiment;
  std::vector<std::string> claims;
  std::string title, caption;
  std::string alt;  ///< The description for readers who do not see it.
  std::string type;
  std::vector<std::string> axes;
};

/// At most a dozen per experiment; the last caption names what was left out.
std::vector<Figure> means_figures(const kernel::Study&, const kernel::Experiment&);
std::vector<Figure> effects_figures(const kernel::Study&, const kernel::Experiment&);
/// A table as a picture: its first 60 rows.
Drawing table_picture(const std::string& name, const std::string& title, const PlainTable&);

/// The style of the i-th series.
struct Mark {
  const char* colour;
  int point;
  const char* dash;
};
Mark mark(std::size_t series);
inline constexpr std::size_t most_series = 8;

}  // namespace artifacts
