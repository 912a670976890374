#pragma once
// Draws pictures with gnuplot: at most two processes for all pictures, without network and user settings, within a time
// limit. Knows no study. Blocks the calling thread; owns its temporary folder.

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
  std::string svg{}, png{}, pdf{};  ///< Those that were asked for.
};

struct Drawn {
  std::map<std::string, Picture> pictures;  ///< Only complete ones.
  std::string trouble;                      ///< Why pictures are missing; empty if none is.
};

inline constexpr const char* figure_font = "DejaVu Sans";

/// A PNG takes thirty times as long as an SVG.
enum class Formats { svg, svg_and_png, pdf };

/// Draws with the gnuplot on the PATH or in the bundle. The PNG has twice the pixels of the canvas.
Drawn draw(const std::vector<Drawing>&, Formats = Formats::svg_and_png, int limit_s = 60);

}  // namespace artifacts
