#pragma once
// Draws pictures with gnuplot: two processes for all pictures, without network and user settings, within a time limit.
// Knows no study. Blocks the calling thread; owns its temporary folder.

#include <map>
#include <string>
#include <vector>

namespace artifacts {

/// `commands` draw one picture on the current terminal, in a canvas of `width` by `height` pixels.
struct Drawing {
  std::string name;  ///< Letters, digits, '-' and '_'.
  int width = 640, height = 420;
  std::string commands;
};

struct Picture {
  std::string svg, png;
};

struct Drawn {
  std::map<std::string, Picture> pictures;  ///< Only complete ones.
  std::string trouble;                      ///< Why pictures are missing; empty if none is.
};

inline constexpr const char* figure_font = "DejaVu Sans";

/// The PNG has twice the pixels of the canvas. `program`: replaces `gnuplot`, which is found on the PATH or in the
/// bundle.
Drawn draw(const std::vector<Drawing>&, int limit_s = 60, const std::string& program = "gnuplot");

}  // namespace artifacts
