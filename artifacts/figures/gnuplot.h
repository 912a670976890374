#pragma once
// Draws pictures with gnuplot: two processes for all of them, without network, settings of the user, or patience
// without end. Knows nothing of studies. Blocks the calling thread; owns its temporary folder.

#include <map>
#include <string>
#include <vector>

namespace artifacts {

/// `commands` draw one picture on whatever terminal is set, in a canvas of `width` by `height` pixels.
struct Drawing {
  std::string name;  ///< Letters, digits, '-' and '_'.
  int width = 640, height = 420;
  std::string commands;
};

struct Picture {
  std::string svg, png;
};

struct Drawn {
  std::map<std::string, Picture> pictures;  ///< Only those that came out whole.
  std::string trouble;                      ///< Why some are missing; empty: none is.
};

inline constexpr const char* figure_font = "DejaVu Sans";

/// The PNG has twice the pixels of the canvas. `program`: what to run instead of `gnuplot` on the PATH.
Drawn draw(const std::vector<Drawing>&, int limit_s = 60, const std::string& program = "gnuplot");

}  // namespace artifacts
