#pragma once
// Draws pictures with gnuplot: at most two processes for all pictures, without network and user settings, within a time
// limit. Knows no study. Blocks the calling thread; owns its temporary folder.

#include <map>
#include <string>
#include <vector>

namespace artifacts {

/// A value at its place in a picture, in pixels from the canvas's top left corner.
struct PlacedValue {
  double x = 0, y = 0;
  std::string text;
};

/// `commands` draw one picture on the current terminal, in a canvas of `width` by `height` pixels.
struct Drawing {
  std::string name;  ///< Letters, digits, '-' and '_'.
  int width = 640, height = 420;
  std::string commands;
  std::vector<PlacedValue> values{};  ///< For readers who point at them; at most 3000.
};

struct Picture {
  std::string svg{}, png{}, pdf{};  ///< Those that were asked for.
};

struct Drawn {
  std::map<std::string, Picture> pictures;  ///< Only complete ones.
  std::string trouble;                      ///< Why pictures are missing; empty if none is.
};

inline constexpr const char* figure_font = "DejaVu Sans";

/// A PNG takes thirty times as long as an SVG.
enum class Formats { svg, svg_and_png, pdf, all };

/// Draws with the gnuplot on the PATH or in the bundle. The PNG has twice the pixels of the canvas. A PDF has no date,
/// so that the same gnuplot and cairo give the same bytes.
Drawn draw(const std::vector<Drawing>&, Formats, int limit_s = 60);

}  // namespace artifacts
