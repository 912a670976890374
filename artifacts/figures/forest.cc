#include "artifacts/figures/forest.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "artifacts/text/escaping.h"
#include "prose/numbers.h"

namespace artifacts {

using kernel::Verdict;

namespace {

constexpr double label_right = 332, plot_left = 344, plot_right = 664, text_left = 678;
constexpr int least_width = 940;
constexpr std::size_t shortest_label = 46, longest_label = 120, most_text = 60;
constexpr double label_character = 6.4;
constexpr double row_height = 27, panel_gap = 74, top = 58;

/// A ratio as a relative change.
std::string change(double ratio) {
  const std::string text = prose::rounded(100 * (ratio - 1));
  return (ratio > 1 ? "+" : "") + text + " %";
}

/// A few round numbers within the range.
std::vector<double> linear_tics(double low, double high) {
  const double rough = (high - low) / 5;
  double step = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double m : {2.0, 2.5, 2.0}) step *= step < rough ? m : 1;
  std::vector<double> tics;
  for (double x = std::ceil(low / step) * step; x <= high; x += step) tics.push_back(std::abs(x) < step / 1e6 ? 0 : x);
  return tics;
}

/// 1, 2 and 5 times powers of ten within the range, as many as fit; the powers first.
std::vector<double> log_tics(const ForestPanel& panel) {
  constexpr double room = 50;
  const double pixels = (plot_right - plot_left) / std::log10(panel.high / panel.low);
  std::vector<double> chosen;
  for (const double m : {1.0, 2.0, 5.0})
    for (int e = -12; e <= 12; ++e) {
      const double x = m * std::pow(10.0, e);
      const bool fits = x >= panel.low && x <= panel.high && std::ranges::all_of(chosen, [&](double other) {
                          return std::abs(std::log10(x / other)) * pixels >= room;
                        });
      if (fits) chosen.push_back(x);
    }
  return chosen;
}

std::string tics(const ForestPanel& panel) {
  const std::vector<double> chosen = panel.log ? log_tics(panel) : linear_tics(panel.low, panel.high);
  return joined_text(chosen, ", ", [&](double x) {
    return fmt::format("{} {:.9g}", in_gnuplot_tic(panel.ratio ? change(x) : prose::rounded(x)), x);
  });
}

class Forest {
 public:
  Forest(const std::vector<ForestPanel>& panels, FigureStyle style, bool whole_labels)
      : panels_(panels), newest_(style == FigureStyle::newest) {
    if (whole_labels) most_label_ = longest_label;
    for (const ForestPanel& panel : panels_)
      for (const ForestRow& row : panel.rows)
        shift_ = std::max(shift_, label_character * (static_cast<double>(std::min(row.label.size(), most_label_)) -
                                                     static_cast<double>(shortest_label)));
    width_ += static_cast<int>(shift_);
    double y = top;
    for (const ForestPanel& panel : panels_) {
      y += static_cast<double>(panel.rows.size()) * row_height + panel_gap;
      for (const ForestRow& row : panel.rows) {
        irrelevant_ |= row.verdict == Verdict::no_relevant_effect;
        if (newest_)
          width_ = std::max(width_, static_cast<int>(text_left + shift_ + 12 +
                                                     6.8 * static_cast<double>(std::min(row.text.size(), most_text))));
      }
    }
    height_ = static_cast<int>(y - 18);
  }

  Drawing drawing(const std::string& name) {
    out_ = "set multiplot\n";
    double y = top;
    legend();
    for (const ForestPanel& panel : panels_) {
      const double bottom = y + static_cast<double>(panel.rows.size()) * row_height;
      draw(panel, y, bottom);
      y = bottom + panel_gap;
    }
    out_ += "unset multiplot";
    return {name, width_, height_, std::move(out_), std::move(placed_)};
  }

 private:
  double sx(double pixel) const { return pixel / width_; }
  double sy(double pixel) const { return 1 - pixel / height_; }

  static std::string symbol(Verdict verdict) {
    switch (verdict) {
      case Verdict::supported:
        return "pt 7 ps 0.95 lc rgb '#0072B2'";
      case Verdict::refuted:
        return "pt 11 ps 1.05 lc rgb '#D55E00'";
      case Verdict::no_relevant_effect:
        return "pt 5 ps 0.9 lc rgb '#009E73'";
      case Verdict::inconclusive:
        break;
    }
    return "pt 6 ps 0.95 lc rgb '#555555'";
  }

  /// Draws the legend above the first panel.
  void legend() {
    const double y = sy(20);
    const auto entry = [&](double x, Verdict verdict, const char* word) {
      out_ += fmt::format("set label '' at screen {:.4f}, screen {:.4f} point {}\n", sx(x), y, symbol(verdict));
      out_ += fmt::format("set label '{}' at screen {:.4f}, screen {:.4f} left font ',11'\n", word, sx(x + 12), y);
    };
    const bool wide = irrelevant_;
    entry(wide ? 6 : 24, Verdict::supported, "supported");
    entry(wide ? 80 : 126, Verdict::refuted, "refuted");
    if (wide) entry(136, Verdict::no_relevant_effect, "no relevant effect");
    entry(wide ? 260 : 214, Verdict::inconclusive, "inconclusive");
    out_ += fmt::format(
        "set object rectangle from screen {:.4f}, screen {:.4f} to screen {:.4f}, screen {:.4f} fc rgb "
        "'#dbe7f3' fs solid noborder\n",
        sx(plot_left + shift_), sy(27), sx(plot_left + shift_ + 26), sy(13));
    out_ += fmt::format("set label 'region claimed' at screen {:.4f}, screen {:.4f} left font ',11'\n",
                        sx(plot_left + shift_ + 34), y);
    out_ += fmt::format(
        "set label '{}' at screen {:.4f}, screen {:.4f} left font ',11' tc rgb "
        "'#444444'\n",
        newest_ ? "effect, interval and its level" : "effect and its interval", sx(text_left + shift_), y);
    out_ +=
        "unset border; unset tics; unset key\nset lmargin at screen 0; set rmargin at screen 1; set tmargin at screen "
        "1; set bmargin at screen 0\nplot [0:1][0:1] -1 notitle\nunset label; unset object\n";
  }

  void region(const ForestPanel& panel, const ForestRow& row, std::size_t i) {
    const double middle = static_cast<double>(i);
    const auto boundary = [&](double x) {
      out_ += fmt::format(
          "set arrow from first {:.9g}, first {:.2f} to first {:.9g}, first {:.2f} nohead front lw 1.4 "
          "dt (3,2) lc rgb '#33567a'\n",
          x, middle - 0.38, x, middle + 0.38);
    };
    const auto band = [&](double from, double to) {
      out_ += fmt::format(
          "set object rectangle from first {:.9g}, first {:.2f} to first {:.9g}, first {:.2f} fc rgb "
          "'#dbe7f3' fs solid noborder behind\n",
          from, middle - 0.38, to, middle + 0.38);
    };
    if (row.claims_difference) {
      band(panel.low, *row.claimed_low);
      band(*row.claimed_high, panel.high);
    } else {
      band(std::max(panel.low, row.claimed_low.value_or(panel.low)),
           std::min(panel.high, row.claimed_high.value_or(panel.high)));
    }
    if (row.claimed_low) boundary(*row.claimed_low);
    if (row.claimed_high) boundary(*row.claimed_high);
  }

  void draw(const ForestPanel& panel, double y_top, double y_bottom) {
    const std::size_t rows = panel.rows.size();
    out_ += fmt::format(
        "set lmargin at screen {:.4f}; set rmargin at screen {:.4f}; set tmargin at screen {:.4f}; set "
        "bmargin at screen {:.4f}\n",
        sx(plot_left + shift_), sx(plot_right + shift_), sy(y_top), sy(y_bottom));
    out_ += "set border 1 lw 1 lc rgb '#666666'\nset xtics out nomirror scale 0.5 tc rgb '#222222' font ',11'\n";
    out_ += fmt::format("{}set xtics ({}) offset 0,0.3\n", panel.log ? "set logscale x\n" : "", tics(panel));
    out_ += fmt::format("set xlabel {} font ',11' offset 0,0.7\n",
                        in_gnuplot(panel.axis + (panel.log ? ", log scale of the ratio" : ""), 70));
    std::map<Verdict, std::string> marks;
    for (std::size_t i = 0; i < rows; ++i) {
      const ForestRow& row = panel.rows[i];
      region(panel, row, i);
      out_ += fmt::format("set label {} at screen {:.4f}, first {} right font ',11'\n",
                          in_gnuplot(row.label, most_label_), sx(label_right + shift_), i);
      out_ += fmt::format("set label {} at screen {:.4f}, first {} left font ',11'\n",
                          in_gnuplot(row.text, newest_ ? most_text : 40), sx(text_left + shift_), i);
      if (!row.value || !std::isfinite(*row.value)) continue;
      const double x = *row.value;
      if (newest_) place(panel, row, y_top + (static_cast<double>(i) + 0.5) * row_height);
      const double low = row.has_interval ? row.low.value_or(panel.low) : x;
      const double high = row.has_interval ? row.high.value_or(panel.high) : x;
      marks[row.verdict] += fmt::format("{:.9g} {} {:.9g} {:.9g}\n", x, i, low, high);
    }
    if (panel.ratio) out_ += "set arrow from first 1, graph 0 to first 1, graph 1 nohead lw 1 lc rgb '#999999' back\n";
    std::string plots;
    for (const auto& [verdict, data] : marks) {
      const std::string block = fmt::format("$v{}", static_cast<int>(verdict));
      out_ += block + " << EOD\n" + data + "EOD\n";
      plots += fmt::format("{}{} using 1:2:3:4 with xerrorbars lw 1.6 {} notitle", plots.empty() ? "" : ", ", block,
                           symbol(verdict));
    }
    if (plots.empty()) plots = "NaN notitle";
    out_ += fmt::format("plot [{:.9g}:{:.9g}][{:.2f}:-0.5] {}\n", panel.low, panel.high,
                        static_cast<double>(rows) - 0.5, plots);
    out_ += "unset label; unset object; unset arrow; unset logscale; unset xlabel\n";
  }

  void place(const ForestPanel& panel, const ForestRow& row, double y) {
    const double at = panel.log ? std::log(*row.value / panel.low) / std::log(panel.high / panel.low)
                                : (*row.value - panel.low) / (panel.high - panel.low);
    if (std::isfinite(at)) placed_.push_back({plot_left + shift_ + at * (plot_right - plot_left), y, row.spoken});
  }

  const std::vector<ForestPanel>& panels_;
  bool newest_ = false;
  std::size_t most_label_ = shortest_label;
  double shift_ = 0;  ///< What stands right of the labels moves, so that the longest one fits.
  int width_ = least_width, height_ = 0;
  bool irrelevant_ = false;  ///< If some verdict is no_relevant_effect, the legend has a fourth entry.
  std::vector<PlacedValue> placed_;
  std::string out_;
};

}  // namespace

Drawing forest_drawing(const std::string& name, const std::vector<ForestPanel>& panels, FigureStyle style,
                       bool whole_labels) {
  return Forest(panels, style, whole_labels).drawing(name);
}

}  // namespace artifacts
