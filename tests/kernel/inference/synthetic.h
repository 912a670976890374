#pragma once
// Studies and runs made up for tests: a small spec, and runs whose true means are known.

#include <functional>
#include <list>
#include <string>
#include <vector>

#include "kernel/evidence/observations.h"
#include "stats/basics/random.h"

namespace synthetic {

using kernel::Cell;

inline kernel::Factor factor(const std::string& name, const std::vector<std::string>& levels) {
  kernel::Factor f;
  f.name = name;
  for (const std::string& level : levels) {
    kernel::Level l{level, {level, std::nullopt}, {}};
    char* end = nullptr;
    const double number = std::strtod(level.c_str(), &end);
    if (end != level.c_str() && *end == '\0') l.value.number = number;
    f.levels.push_back(l);
  }
  return f;
}

/// One factor `arm` with levels t and c, a metric `y` in ms to be minimised.
inline kernel::StudySpec study(int replicates = 10, std::vector<kernel::Factor> more = {}) {
  kernel::StudySpec spec;
  spec.factors = {factor("arm", {"t", "c"})};
  for (kernel::Factor& f : more) spec.factors.push_back(std::move(f));
  kernel::Metric y;
  y.name = "y";
  y.unit = "ms";
  y.primary = true;
  spec.metrics = {y};
  spec.design.rule = kernel::VerdictRule::one_interval;
  spec.design.replicates_min = spec.design.replicates_max = replicates;
  return spec;
}

inline kernel::Margin relative(double r) {
  return {kernel::Margin::Kind::relative, r};
}
inline kernel::Margin absolute(double x) {
  return {kernel::Margin::Kind::absolute, x};
}

inline kernel::Hypothesis compare(kernel::Direction direction, std::optional<kernel::Margin> margin = {}) {
  kernel::Hypothesis h;
  h.id = "H1";
  h.metric = "y";
  h.treatment = {{"arm", "t"}};
  h.control = {{"arm", "c"}};
  h.direction = direction;
  h.margin = margin;
  return h;
}

inline kernel::Hypothesis slope(kernel::Direction direction, double value, std::optional<kernel::Margin> margin = {}) {
  kernel::Hypothesis h;
  h.id = "H1";
  h.metric = "y";
  h.kind = kernel::HypothesisKind::slope;
  h.along = "n";
  h.direction = direction;
  h.slope_value = value;
  h.margin = margin;
  return h;
}

/// Standard normal, the same for the same arm and seed.
inline double noise(const std::string& arm, std::uint64_t seed) {
  std::uint64_t mixed = seed;
  for (const char c : arm) mixed = (mixed ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return stats::Xoshiro(mixed).normal();
}

/// Runs under construction; owns the cells that they point to.
class Runs {
 public:
  void add(const Cell& cell, std::uint64_t seed, std::optional<double> value, bool failed = false) {
    values_.push_back({&*cells_.insert(cells_.end(), cell), seed, failed, value});
  }
  /// A run that was cut off at that time; none: by the time limit, without a word.
  void add_cut(const Cell& cell, std::uint64_t seed, std::optional<double> value) {
    add(cell, seed, value, !value);
    values_.back().censored = value.has_value();
    values_.back().timed_out = !value;
  }
  /// One run per value, seeds from 1.
  void add_all(const Cell& cell, const std::vector<double>& values) {
    const Cell* shared = &*cells_.insert(cells_.end(), cell);
    for (std::size_t i = 0; i < values.size(); ++i) values_.push_back({shared, i + 1, false, values[i]});
  }
  const std::vector<kernel::RunValue>& values() const { return values_; }

 private:
  std::list<Cell> cells_;
  std::vector<kernel::RunValue> values_;
};

/// n paired or unpaired normal runs of the arms t and c.
inline Runs two_arms(stats::Xoshiro& random, int n, double t, double c, double sd, double shared_sd = 0) {
  std::vector<double> ts, cs;
  for (int i = 0; i < n; ++i) {
    const double shared = shared_sd * random.normal();
    ts.push_back(t + shared + sd * random.normal());
    cs.push_back(c + shared + sd * random.normal());
  }
  Runs runs;
  runs.add_all({{"arm", "t"}}, ts);
  runs.add_all({{"arm", "c"}}, cs);
  return runs;
}

}  // namespace synthetic
