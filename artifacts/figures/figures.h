#pragma once
// What is worth a picture: the means of every cell with their uncertainty, and the hypotheses' effects with intervals
// and margins. Makes gnuplot commands; runs nothing. Readable in grey: shape and dash say what colour says. Pure.

#include <string>
#include <vector>

#include "artifacts/figures/gnuplot.h"
#include "artifacts/text/plain_table.h"
#include "kernel/study/state.h"

namespace artifacts {

/// A picture and what its page says of it. Plain text.
struct Figure {
  Drawing drawing;  ///< `name` is the stem of its files.
  std::string experiment;
  std::vector<std::string> claims;
  std::string title, caption;
  std::string alt;  ///< For those who do not see it.
  std::string type;
  std::vector<std::string> axes;
};

/// At most a dozen per experiment; what is left out is said in the last caption.
std::vector<Figure> means_figures(const kernel::Study&, const kernel::Experiment&);
std::vector<Figure> effects_figures(const kernel::Study&, const kernel::Experiment&);
/// A table as a picture: its first 60 rows.
Drawing table_picture(const std::string& name, const std::string& title, const PlainTable&);

/// How the i-th series is drawn.
struct Mark {
  const char* colour;
  int point;
  const char* dash;
};
Mark mark(std::size_t series);
inline constexpr std::size_t most_series = 8;

}  // namespace artifacts
