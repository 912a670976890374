#pragma once
// Text in Prometheus' exposition format (version 0.0.4), and histograms for it. Knows nothing of studies.

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace session {

/// Counts of observed values by upper bounds. The bounds must ascend and outlive it.
class Histogram {
 public:
  explicit Histogram(std::span<const double> bounds) : bounds_(bounds), counts_(bounds.size() + 1) {}

  void observe(double value) {
    ++counts_[static_cast<std::size_t>(std::ranges::lower_bound(bounds_, value) - bounds_.begin())];
    ++count_;
    sum_ += value;
  }
  std::span<const double> bounds() const { return bounds_; }
  /// The number of values up to each bound and above the one before; the last one is of those above all bounds.
  const std::vector<std::int64_t>& counts() const { return counts_; }
  std::int64_t count() const { return count_; }
  double sum() const { return sum_; }

 private:
  std::span<const double> bounds_;
  std::vector<std::int64_t> counts_;
  std::int64_t count_ = 0;
  double sum_ = 0;
};

using Labels = std::vector<std::pair<std::string_view, std::string>>;

/// Builds the text, one family after the other.
class Exposition {
 public:
  enum class Type { counter, gauge, histogram };

  /// Begins a family. `help`: one sentence without a full stop.
  void family(std::string_view name, Type, std::string_view help);
  /// Adds a sample to the present family.
  void sample(const Labels& labels, double value) { line(family_, labels, value); }
  void sample(const Labels&, const Histogram&);
  std::string take() { return std::move(text_); }

 private:
  void line(std::string_view name, const Labels&, double value);

  std::string text_, family_;
};

}  // namespace session
