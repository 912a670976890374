#pragma once
// Sorts an experiment's runs into a hypothesis's arms and cells, without regard to their values. Pure; any thread.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernel/domain/study_spec.h"

namespace kernel {

/// One run that counts as evidence, with its value of a hypothesis's metric.
struct RunValue {
  const Cell* cell = nullptr;  ///< Borrowed; sharing one object per cell makes matching cheap.
  std::uint64_t seed = 0;
  bool failed = false;          ///< Failed, timed out or invalid: an outcome of its arm.
  std::optional<double> value;  ///< None, NaN or infinite without a failure: not usable, and reported as such.
  bool censored = false;        ///< The true value is at least this.
  bool timed_out = false;       ///< The failure was a time-out.
  int run = 0;                  ///< The run's number; 0 if the value is made of several runs.
  const std::map<std::string, double>* items = nullptr;  ///< Its values by item; borrowed. Null if it has none.
};

/// How a test method needs its units; slopes decide on logarithms by the hypothesis.
struct UnitRules {
  bool exact = false;            ///< No error is assumed: one value per cell, and a cell whose values vary is refused.
  bool logarithms = false;       ///< Units are logarithms of the values.
  bool censored = false;         ///< Units may be censored.
  bool may_be_constant = false;  ///< Units without any variation may support a verdict.
  bool single_cells = false;     ///< Without pairing, one cell is compared with one cell.
};
/// True if the hypothesis's units are logarithms.
bool on_logarithms(const Hypothesis&, const UnitRules&);
/// True if the metric's declaration allows censored values.
bool may_be_cut(const Metric&);

/// One cell of the design with the values of its runs.
struct ObservedCell {
  struct Value {
    std::uint64_t seed = 0;
    double value = 0;
    bool censored = false;  ///< The true value is at least this; only if `UnitRules::censored`.
    int run = 0;            ///< RunValue::run
  };
  struct Failure {
    std::uint64_t seed = 0;
    bool timed_out = false;
  };
  Cell cell;
  std::vector<Value> values;  ///< Finite; sorted by seed, one per seed.
  std::vector<Failure> failed;
  int unusable = 0;
};

/// One combination of levels of the factors that a hypothesis does not name. For a slope, `treatment` holds the levels
/// of `along` and `control` is empty. For an interaction or a crossover, both arms hold all levels of `along`.
struct Setting {
  Cell levels;
  std::vector<ObservedCell> treatment, control;
};

/// One arm's cells in all settings; borrowed.
std::vector<const ObservedCell*> cells_in(std::span<const Setting>, std::vector<ObservedCell> Setting::*arm);

/// The hypothesis's cells with their runs. If the test takes censored values, a run that timed out is censored: at the
/// value that it reported as censored, or else at the longest value of all runs, since all have the same limit.
std::vector<Setting> observe(const StudySpec&, const Hypothesis&, std::span<const RunValue>, const UnitRules&);

}  // namespace kernel
