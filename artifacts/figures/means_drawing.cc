#include "artifacts/figures/means_drawing.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "artifacts/text/escaping.h"

namespace artifacts {
namespace {

constexpr double left_margin = 88, right_margin = 18, gap_x = 20, gap_y = 64, bottom_margin = 60;
constexpr double panel_title = 24, legend_row = 24, character = 7.2, sample = 44;

class Means {
 public:
  explicit Means(const MeansLayout& layout) : layout_(layout) {
    const std::size_t n = layout.panels.size();
    columns_ = n <= 3 ? n : n == 4 ? 2 : 3;
    const std::size_t rows = (n + columns_ - 1) / columns_;
    panel_width_ = n == 1 ? 520 : columns_ == 2 ? 330 : 256;
    panel_height_ = n == 1 ? 300 : 220;
    width_ = left_margin + static_cast<double>(columns_) * (panel_width_ + gap_x) - gap_x + right_margin;
    place_legend();
    // Slanted labels need more room.
    if (slanted()) low_ = 62;
    top_ = 14 + legend_height_ + (titled() ? panel_title : 0);
    height_ = top_ + static_cast<double>(rows) * (panel_height_ + gap_y + low_) - gap_y + bottom_margin;
    pad_ranges();
  }

  Drawing drawing(const std::string& name) {
    out_ = "set multiplot\n";
    legend();
    for (std::size_t i = 0; i < layout_.panels.size(); ++i) panel(i);
    out_ += "unset multiplot";
    return {name, static_cast<int>(width_), static_cast<int>(height_), out_};
  }

 private:
  double sx(double pixel) const { return pixel / width_; }
  double sy(double pixel) const { return 1 - pixel / height_; }
  bool titled() const { return layout_.panels.size() > 1 || !layout_.panels.front().title.empty(); }
  bool has_legend() const { return layout_.legend.size() > 1; }

  struct Place {
    double x = 0, y = 0;
  };

  /// Puts the entries in rows that fit the width.
  void place_legend() {
    if (!has_legend()) return;
    double x = left_margin, y = 12;
    for (const std::string& label : layout_.legend) {
      const double room = sample + static_cast<double>(std::min<std::size_t>(label.size(), 28)) * character + 22;
      if (x > left_margin && x + room > width_ - right_margin) {
        x = left_margin;
        y += legend_row;
      }
      places_.push_back({x, y});
      x += room;
    }
    legend_height_ = y + 14;
  }

  void legend() {
    if (!has_legend()) return;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const Mark m = mark(i);
      const double y = sy(places_[i].y);
      out_ += fmt::format(
          "set arrow from screen {0:.4f}, screen {2:.4f} to screen {1:.4f}, screen {2:.4f} nohead lw 1.6 "
          "dt {3} lc rgb '{4}'\n",
          sx(places_[i].x), sx(places_[i].x + sample - 10), y, m.dash, m.colour);
      out_ += fmt::format("set label '' at screen {:.4f}, screen {:.4f} point pt {} ps 0.9 lc rgb '{}'\n",
                          sx(places_[i].x + (sample - 10) / 2), y, m.point, m.colour);
      out_ += fmt::format("set label {} at screen {:.4f}, screen {:.4f} left font ',12'\n",
                          in_gnuplot(layout_.legend[i], 28), sx(places_[i].x + sample - 2), y);
    }
    out_ +=
        "unset border; unset tics; unset key\nset lmargin at screen 0; set rmargin at screen 1; set tmargin at screen "
        "1; set bmargin at screen 0\nplot [0:1][0:1] -1 notitle\nunset label; unset arrow\n";
  }

  /// The width of the axis as drawn.
  double x_span() const {
    return layout_.log_x ? std::log10(layout_.x_high / layout_.x_low) : layout_.x_high - layout_.x_low;
  }
  double shifted(double x, double by) const { return layout_.log_x ? x * std::pow(10.0, by) : x + by; }

  void pad_ranges() {
    const double pad = layout_.categorical ? 0.6 : x_span() > 0 ? 0.08 * x_span() : 0.5;
    x_low_ = shifted(layout_.x_low, -pad);
    x_high_ = shifted(layout_.x_high, pad);
    if (layout_.log_y) {
      const double factor = std::pow(layout_.y_high / layout_.y_low, 0.07);
      y_low_ = layout_.y_low / factor;
      y_high_ = layout_.y_high * factor;
      return;
    }
    const double span = layout_.y_high - layout_.y_low;
    const double room = span > 0 ? 0.07 * span : layout_.y_high != 0 ? std::abs(layout_.y_high) * 0.1 : 1;
    y_low_ = layout_.y_low - room;
    y_high_ = layout_.y_high + room;
    // Zero need not be shown, because the means are points; but a range that nearly reaches zero should include it.
    if (y_low_ > 0 && y_low_ < 0.3 * y_high_) y_low_ = 0;
  }

  bool own_tics() const { return layout_.x_ticks.size() <= 8 || layout_.categorical; }

  std::string x_tics() const {
    return joined_text(layout_.x_ticks, ", ", [](const auto& tick) {
      return fmt::format("{} {:.9g}", in_gnuplot_tic(tick.second), tick.first);
    });
  }

  bool slanted() const {
    if (!own_tics()) return false;
    std::size_t characters = 0;
    for (const auto& [x, label] : layout_.x_ticks) characters += std::min<std::size_t>(label.size(), 16) + 1;
    return static_cast<double>(characters) * 6.6 > panel_width_;
  }

  void panel(std::size_t index) {
    const MeansPanel& p = layout_.panels[index];
    const std::size_t column = index % columns_, row = index / columns_;
    const double left = left_margin + static_cast<double>(column) * (panel_width_ + gap_x);
    const double above = top_ + static_cast<double>(row) * (panel_height_ + gap_y + low_);
    // The last panel of a column has the axis label, even if it is not in the last row.
    const bool lowest = index + columns_ >= layout_.panels.size();
    out_ += fmt::format(
        "set lmargin at screen {:.4f}; set rmargin at screen {:.4f}; set tmargin at screen {:.4f}; set "
        "bmargin at screen {:.4f}\n",
        sx(left), sx(left + panel_width_), sy(above), sy(above + panel_height_));
    out_ += "set border 3 lw 1 lc rgb '#666666'\n";
    out_ += "set grid ytics lt 1 lw 0.6 lc rgb '#e2e2e2' dt solid\n";
    if (layout_.log_x) out_ += "set logscale x\n";
    if (layout_.log_y) out_ += "set logscale y\n";
    const char* const look = "out nomirror scale 0.5 tc rgb '#222222' font ',11'";
    out_ += fmt::format("set xtics {} {}{}\n", look, own_tics() ? "(" + x_tics() + ")" : "auto",
                        slanted() ? " rotate by -30" : " offset 0,0.3");
    out_ += fmt::format("set ytics {} auto offset 0.4,0\nset format y '{}'\n", look, column == 0 ? "%g" : "");
    // Placed explicitly, since gnuplot moves labels with the width of tic labels, possibly off the canvas.
    if (column == 0)
      out_ += fmt::format("set label {} at screen {:.4f}, graph 0.5 center rotate by 90 font ',12'\n",
                          in_gnuplot(layout_.y_label, 40), sx(16));
    if (lowest)
      out_ += fmt::format("set label {} at graph 0.5, screen {:.4f} center font ',12'\n",
                          in_gnuplot(layout_.x_label, 40), sy(above + panel_height_ + 44 + low_));
    if (titled())
      out_ += fmt::format("set label {} at graph 0.5, graph 1 center offset 0,0.7 font ',12'\n",
                          in_gnuplot(p.title, static_cast<std::size_t>(panel_width_ / 6.6)));
    std::string raw, lines, bars;
    for (std::size_t i = 0; i < p.series.size(); ++i) series(p, i, raw, lines, bars);
    out_ += fmt::format("plot [{:.9g}:{:.9g}][{:.9g}:{:.9g}] {}\n", x_low_, x_high_, y_low_, y_high_,
                        (raw + lines + bars).substr(2));
    out_ += "unset label; unset logscale; unset grid\n";
  }

  void series(const MeansPanel& p, std::size_t index, std::string& raw, std::string& lines, std::string& bars) {
    const MeansSeries& s = p.series[index];
    const Mark m = mark(s.mark);
    // Side by side, so that error bars at the same x do not overlap.
    const double between = 0.011 * (layout_.categorical ? 1 : x_span());
    const double shift = between * (static_cast<double>(s.mark) - (static_cast<double>(layout_.legend.size()) - 1) / 2);
    const double by = has_legend() ? shift : 0;
    std::string mean_data, run_data;
    for (const MeansPoint& point : s.points) {
      const CellMean& cell = *point.cell;
      const double x = shifted(point.x, by);
      const double low = std::max(cell.low.value_or(*cell.mean), layout_.log_y ? y_low_ : -HUGE_VAL);
      mean_data += fmt::format("{:.9g} {:.9g} {:.9g} {:.9g}\n", x, *cell.mean, low, cell.high.value_or(*cell.mean));
      for (std::size_t i = 0; i < std::min<std::size_t>(cell.values.size(), 200); ++i)
        run_data += fmt::format("{:.9g} {:.9g}\n", x, cell.values[i]);
    }
    out_ += fmt::format("$m{0} << EOD\n{1}EOD\n$r{0} << EOD\n{2}EOD\n", index, mean_data, run_data);
    raw += fmt::format(", $r{} using 1:2 with points pt 7 ps 0.35 lc rgb '#a0{}' notitle", index, m.colour + 1);
    if (!layout_.categorical && s.points.size() > 1)
      lines += fmt::format(", $m{} using 1:2 with lines lw 1.6 dt {} lc rgb '{}' notitle", index, m.dash, m.colour);
    bars += fmt::format(", $m{} using 1:2:3:4 with yerrorbars lw 1.6 pt {} ps 0.9 lc rgb '{}' notitle", index, m.point,
                        m.colour);
  }

  const MeansLayout& layout_;
  std::size_t columns_ = 1;
  double panel_width_ = 0, panel_height_ = 0, width_ = 0, height_ = 0, top_ = 0, legend_height_ = 0, low_ = 0;
  double x_low_ = 0, x_high_ = 1, y_low_ = 0, y_high_ = 1;
  std::vector<Place> places_;
  std::string out_;
};

}  // namespace

// The palette of Okabe and Ito, which colour-blind readers can distinguish; without yellow, which vanishes on white.
Mark mark(std::size_t series) {
  static constexpr std::array<Mark, most_series> marks = {{{"#0072B2", 7, "solid"},
                                                           {"#D55E00", 5, "(12,5)"},
                                                           {"#009E73", 9, "(4,3)"},
                                                           {"#CC79A7", 13, "(14,4,3,4)"},
                                                           {"#000000", 6, "(2,4)"},
                                                           {"#E69F00", 11, "(20,5)"},
                                                           {"#56B4E9", 4, "(8,3,2,3,2,3)"},
                                                           {"#7F7F7F", 8, "(6,6)"}}};
  return marks[series % marks.size()];
}

Drawing means_drawing(const std::string& name, const MeansLayout& layout) {
  return Means(layout).drawing(name);
}

}  // namespace artifacts
