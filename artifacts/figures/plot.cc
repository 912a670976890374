#include "artifacts/figures/plot.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "artifacts/figures/means_drawing.h"
#include "artifacts/text/escaping.h"
#include "base/assert.h"

namespace artifacts {
namespace {

constexpr double label_width = 7.2, tic_width = 6.6, note_width = 6.1, note_line = 15, sample_width = 44;
constexpr std::size_t most_placed = 3000;

class PanelPlot {
 public:
  explicit PanelPlot(const Plot& plot) : plot_(plot) {
    const std::size_t n = plot.panels.size();
    ETUDE_ASSERT(n > 0);
    columns_ = n <= 3 ? n : n == 4 ? 2 : 3;
    const std::size_t rows = (n + columns_ - 1) / columns_;
    panel_width_ = n == 1 ? 520 : columns_ == 2 ? 330 : 256;
    panel_height_ = n == 1 ? 300 : 220;
    if (plot.y.levels) panel_height_ = std::max(60.0, 25.0 * static_cast<double>(plot.y.ticks.size()));
    if (plot.y.levels) left_ = 24 + tic_width * static_cast<double>(longest(plot.y.ticks, most_level));
    for (const PlotPanel& panel : plot.panels) {
      right_ = std::max(right_, 18 + label_width * static_cast<double>(longest(panel.right, most_level)));
      if (is_slanted(panel.x))
        slant_ = std::max(slant_, 10 + tic_width / 2 * static_cast<double>(longest(panel.x.ticks, most_tic)));
      titled_ |= !panel.title.empty();
      same_x_ &= panel.x.label == plot.panels.front().x.label;
    }
    if (plot.legend.size() > 1) left_ = std::max(left_, 60.0);
    width_ = left_ + static_cast<double>(columns_) * (panel_width_ + gap_x) - gap_x + right_;
    place_legend();
    note_ = wrapped(plot.note, static_cast<std::size_t>((width_ - 24) / note_width));
    top_ = 14 + legend_height_ + (titled_ ? 24 : 0);
    below_ = slant_ + (same_x_ ? 0 : 26);
    height_ = top_ + static_cast<double>(rows) * (panel_height_ + gap_y + below_) - gap_y + (same_x_ ? 60 : 40) +
              note_line * static_cast<double>(note_.size());
    y_low_ = plot.y.low;
    y_high_ = plot.y.high;
    pad(plot.y, y_low_, y_high_);
    // Zero need not be shown, but a range that nearly reaches it includes it.
    if (!plot.y.log && !plot.y.levels && y_low_ > 0 && y_low_ < 0.3 * y_high_) y_low_ = 0;
  }

  Drawing drawing(const std::string& name) {
    out_ = "set multiplot\n";
    frame();
    for (std::size_t i = 0; i < plot_.panels.size(); ++i) panel(i);
    out_ += "unset multiplot";
    return {name, static_cast<int>(width_), static_cast<int>(height_), std::move(out_), std::move(placed_)};
  }

 private:
  static constexpr std::size_t most_level = 44, most_tic = 24;
  static constexpr double gap_x = 20, gap_y = 64;

  struct Place {
    double x = 0, y = 0;
  };
  using Ticks = std::vector<std::pair<double, std::string>>;

  static std::size_t longest(const Ticks& ticks, std::size_t most) {
    std::size_t length = 0;
    for (const auto& [at, label] : ticks) length = std::max(length, std::min(label.size(), most));
    return length;
  }

  static std::vector<std::string> wrapped(const std::string& text, std::size_t most) {
    std::vector<std::string> lines;
    for (std::size_t from = 0; from < text.size();) {
      std::size_t to = std::min(text.size(), from + most);
      if (to < text.size())
        if (const std::size_t blank = text.rfind(' ', to); blank != text.npos && blank > from) to = blank;
      lines.push_back(text.substr(from, to - from));
      from = to < text.size() && text[to] == ' ' ? to + 1 : to;
    }
    return lines;
  }

  double sx(double pixel) const { return pixel / width_; }
  double sy(double pixel) const { return 1 - pixel / height_; }
  bool has_legend() const { return plot_.legend.size() > 1; }

  void place_legend() {
    if (!has_legend()) return;
    double x = left_, y = 12;
    for (const std::string& label : plot_.legend) {
      const double room =
          sample_width + static_cast<double>(std::min<std::size_t>(label.size(), 28)) * label_width + 22;
      if (x > left_ && x + room > width_ - right_) {
        x = left_;
        y += 24;
      }
      legend_.push_back({x, y});
      x += room;
    }
    legend_height_ = y + 14;
  }

  /// Legend and note, in a plot of their own over the whole canvas.
  void frame() {
    for (std::size_t i = 0; i < legend_.size(); ++i) {
      const Mark m = mark(i);
      const double y = sy(legend_[i].y);
      out_ += fmt::format(
          "set arrow from screen {0:.4f}, screen {2:.4f} to screen {1:.4f}, screen {2:.4f} nohead lw 1.6 dt {3} lc rgb "
          "'{4}'\nset label '' at screen {5:.4f}, screen {2:.4f} point pt {6} ps 0.9 lc rgb '{4}'\n"
          "set label {7} at screen {8:.4f}, screen {2:.4f} left font ',12'\n",
          sx(legend_[i].x), sx(legend_[i].x + sample_width - 10), y, m.dash, m.colour,
          sx(legend_[i].x + (sample_width - 10) / 2), m.point, in_gnuplot(plot_.legend[i], 28),
          sx(legend_[i].x + sample_width - 2));
    }
    for (std::size_t i = 0; i < note_.size(); ++i)
      out_ += fmt::format("set label {} at screen {:.4f}, screen {:.4f} left font ',10' tc rgb '#555555'\n",
                          in_gnuplot(note_[i], 400), sx(12),
                          sy(height_ - 8 - note_line * static_cast<double>(note_.size() - 1 - i)));
    out_ +=
        "unset border; unset tics; unset key\nset lmargin at screen 0; set rmargin at screen 1; set tmargin at screen "
        "1; set bmargin at screen 0\nplot [0:1][0:1] -1 notitle\nunset label; unset arrow\n";
  }

  static double span_of(const PlotAxis& axis, double low, double high) {
    return axis.log ? std::log10(high / low) : high - low;
  }
  static double moved(const PlotAxis& axis, double at, double by) {
    return axis.log ? at * std::pow(10.0, by) : at + by;
  }

  static void pad(const PlotAxis& axis, double& low, double& high) {
    const double span = span_of(axis, low, high);
    const double room = axis.levels      ? 0.6
                        : span > 0       ? 0.06 * span
                        : axis.log       ? 0.3
                        : axis.high != 0 ? std::abs(axis.high) * 0.1
                                         : 1;
    low = moved(axis, low, -room);
    high = moved(axis, high, room);
  }

  static bool has_own_ticks(const PlotAxis& x) { return x.levels || (!x.ticks.empty() && x.ticks.size() <= 8); }

  bool is_slanted(const PlotAxis& x) const {
    if (!has_own_ticks(x)) return false;
    std::size_t characters = 0;
    for (const auto& [at, label] : x.ticks) characters += std::min(label.size(), most_tic) + 1;
    return static_cast<double>(characters) * tic_width > panel_width_;
  }

  static std::string tic_list(const Ticks& ticks, std::size_t most) {
    return joined_text(ticks, ", ", [&](const auto& tick) {
      return fmt::format("{} {:.9g}", in_gnuplot_tic(tick.second, most), tick.first);
    });
  }

  void panel(std::size_t index) {
    const PlotPanel& p = plot_.panels[index];
    const std::size_t column = index % columns_, row = index / columns_;
    left_of_ = left_ + static_cast<double>(column) * (panel_width_ + gap_x);
    top_of_ = top_ + static_cast<double>(row) * (panel_height_ + gap_y + below_);
    x_low_ = p.x.low;
    x_high_ = p.x.high;
    pad(p.x, x_low_, x_high_);
    const bool lowest = index + columns_ >= plot_.panels.size();
    out_ += fmt::format(
        "set lmargin at screen {:.4f}; set rmargin at screen {:.4f}; set tmargin at screen {:.4f}; set bmargin at "
        "screen {:.4f}\nset border 3 lw 1 lc rgb '#666666'\nset grid {} lt 1 lw 0.6 lc rgb '#e2e2e2' dt solid\n",
        sx(left_of_), sx(left_of_ + panel_width_), sy(top_of_), sy(top_of_ + panel_height_),
        plot_.y.levels ? "xtics" : "ytics");
    if (p.x.log) out_ += "set logscale x\n";
    if (plot_.y.log) out_ += "set logscale y\n";
    const char* const look = "out nomirror scale 0.5 tc rgb '#222222' font ',11'";
    const bool own_x = has_own_ticks(p.x);
    out_ += fmt::format("set xtics {} {}{}\n", look, own_x ? "(" + tic_list(p.x.ticks, most_tic) + ")" : "auto",
                        is_slanted(p.x) ? " rotate by 30 right" : " offset 0,0.3");
    out_ += "set format x '%g'\n";
    out_ +=
        fmt::format("set ytics {} {} offset 0.4,0\nset format y '{}'\n", look,
                    plot_.y.levels ? "(" + tic_list(plot_.y.ticks, most_level) + ")" : "auto", column == 0 ? "%g" : "");
    if (column == 0 && !plot_.y.label.empty())
      out_ += fmt::format("set label {} at screen {:.4f}, graph 0.5 center rotate by 90 font ',12'\n",
                          in_gnuplot(plot_.y.label, 40), sx(16));
    if (lowest || !same_x_)
      out_ += fmt::format("set label {} at graph 0.5, screen {:.4f} center font ',12'\n",
                          in_gnuplot(p.x.label, static_cast<std::size_t>(panel_width_ / tic_width)),
                          sy(top_of_ + panel_height_ + 44 + slant_));
    if (!p.title.empty())
      out_ += fmt::format("set label {} at graph 0.5, graph 1 center offset 0,0.7 font ',12'\n",
                          in_gnuplot(p.title, static_cast<std::size_t>(panel_width_ / tic_width)));
    for (const auto& [y, words] : p.right)
      out_ += fmt::format("set label {} at graph 1.015, first {:.9g} left font ',11' tc rgb '#444444'\n",
                          in_gnuplot(words, most_level), y);
    std::string plots;
    for (std::size_t i = 0; i < p.layers.size(); ++i) layer(p, i, plots);
    out_ += fmt::format("plot [{:.9g}:{:.9g}][{:.9g}:{:.9g}] {}\n", x_low_, x_high_, y_low_, y_high_,
                        plots.empty() ? "NaN notitle" : plots.substr(2));
    out_ += "unset label; unset logscale; unset grid\n";
  }

  double within(double y) const { return std::clamp(y, y_low_, y_high_); }

  void layer(const PlotPanel& panel, std::size_t index, std::string& plots) {
    const PlotLayer& l = panel.layers[index];
    const Mark m = mark(l.mark);
    if (l.shape == PlotShape::words) return words(l);
    std::string with, without;
    for (const PlotPoint& p : l.points) {
      if (std::isnan(p.y)) {
        without += "\n";
        continue;
      }
      place(panel.x, p);
      const bool along_x = l.shape == PlotShape::spans || l.shape == PlotShape::boxes;
      const auto end = [&](const std::optional<double>& at, bool low) {
        if (!at) return low ? (along_x ? x_low_ : y_low_) : (along_x ? x_high_ : y_high_);
        return along_x ? std::clamp(*at, x_low_, x_high_) : within(*at);
      };
      if (p.low || p.high)
        with += fmt::format("{:.9g} {:.9g} {:.9g} {:.9g}\n", p.x, p.y, end(p.low, true), end(p.high, false));
      else
        without += fmt::format("{:.9g} {:.9g}\n", p.x, p.y);
    }
    const auto add = [&](const char* block, const std::string& data, const std::string& how) {
      if (data.empty()) return;
      out_ += fmt::format("${}{} << EOD\n{}EOD\n", block, index, data);
      plots += fmt::format(", ${}{} {} notitle", block, index, how);
    };
    const std::string symbol = fmt::format("lw 1.6 pt {} ps 0.9 lc rgb '{}'", m.point, m.colour);
    const std::string colour = m.colour + 1;
    switch (l.shape) {
      case PlotShape::dots:
        return add("d", with + without, fmt::format("using 1:2 with points pt 7 ps 0.38 lc rgb '#90{}'", colour));
      case PlotShape::marks:
        add("m", with, "using 1:2:3:4 with yerrorbars " + symbol);
        return add("n", without, "using 1:2 with points " + symbol);
      case PlotShape::spans:
        add("m", with, "using 1:2:3:4 with xerrorbars " + symbol);
        return add("n", without, "using 1:2 with points " + symbol);
      case PlotShape::boxes:
        add("b", with,
            "using 1:2:3:4:($2-0.3):($2+0.3) with boxxyerror fs solid 0.9 border lc rgb '#9fb3c8' fc rgb '#e9eff5'");
        if (!with.empty())
          plots +=
              fmt::format(", $b{} using 1:($2-0.3):(0):(0.6) with vectors nohead lw 2 lc rgb '#33567a' notitle", index);
        return;
      case PlotShape::line:
        return add("l", with + without, fmt::format("using 1:2 with lines lw 1.6 dt {} lc rgb '{}'", m.dash, m.colour));
      case PlotShape::steps:
        return add("s", with + without, fmt::format("using 1:2 with steps lw 1.6 lc rgb '{}'", m.colour));
      case PlotShape::threads:
        return add("t", without, fmt::format("using 1:2 with lines lw 0.6 lc rgb '#b0{}'", colour));
      case PlotShape::band:
        return add(
            "a", with,
            fmt::format("using 1:3:4 with filledcurves fs transparent solid 0.2 noborder fc rgb '{}'", m.colour));
      case PlotShape::rule:
        return add("r", without, "using 1:2 with lines lw 1.2 dt (6,4) lc rgb '#777777'");
      case PlotShape::words:
        return;
    }
  }

  void words(const PlotLayer& l) {
    for (const PlotPoint& p : l.points)
      out_ += fmt::format("set label {} at first {:.9g}, first {:.9g} center offset 0,{} font ',10' tc rgb '#333333'\n",
                          in_gnuplot(p.text, 24), p.x, p.y, p.high ? "0.6" : "-0.6");
  }

  static double share(const PlotAxis& axis, double low, double high, double at) {
    return axis.log ? std::log(at / low) / std::log(high / low) : (at - low) / (high - low);
  }

  void place(const PlotAxis& x, const PlotPoint& p) {
    if (p.text.empty() || placed_.size() >= most_placed) return;
    const double across = share(x, x_low_, x_high_, p.x), up = share(plot_.y, y_low_, y_high_, p.y);
    if (!std::isfinite(across) || !std::isfinite(up)) return;
    placed_.push_back({left_of_ + across * panel_width_, top_of_ + (1 - up) * panel_height_, p.text});
  }

  const Plot& plot_;
  std::size_t columns_ = 1;
  double panel_width_ = 0, panel_height_ = 0, left_ = 88, right_ = 18, width_ = 0, height_ = 0;
  double top_ = 0, below_ = 0, legend_height_ = 0, left_of_ = 0, top_of_ = 0;
  double x_low_ = 0, x_high_ = 1, y_low_ = 0, y_high_ = 1;
  double slant_ = 0;  ///< Room for slanted tick labels.
  bool titled_ = false, same_x_ = true;
  std::vector<Place> legend_;
  std::vector<std::string> note_;
  std::vector<PlacedValue> placed_;
  std::string out_;
};

}  // namespace

Drawing plot_drawing(const std::string& name, const Plot& plot) {
  return PanelPlot(plot).drawing(name);
}

void set_range(PlotAxis& axis, const std::vector<double>& values) {
  ETUDE_ASSERT(!values.empty());
  const auto [low, high] = std::ranges::minmax_element(values);
  axis.low = *low;
  axis.high = *high;
}

double spread_of(std::size_t i) {
  constexpr double golden = 0.6180339887498949;
  const double x = static_cast<double>(i + 1) * golden;
  return x - std::floor(x) - 0.5;
}

}  // namespace artifacts
