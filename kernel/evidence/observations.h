#pragma once
// Sorts an experiment's runs into a hypothesis's arms and cells. It looks at cells, seeds and outcomes, never at
// whether the values favour anybody. Pure; any thread.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernel/domain/study_spec.h"

namespace kernel {

/// One run that counts, with its value of a hypothesis's metric.
struct RunValue {
  const Cell* cell = nullptr;  ///< Borrowed; sharing one object per cell makes matching cheap.
  std::uint64_t seed = 0;
  bool failed = false;          ///< failed, timed out or invalid: an outcome of its arm.
  std::optional<double> value;  ///< None, NaN or infinite in a run that did not fail: not usable, and said so.
  bool censored = false;        ///< The true value is at least this.
  bool timed_out = false;       ///< How it failed.
  int run = 0;                  ///< Its number; 0: it is made of several.
};

/// What a method of testing makes of the runs before it tests them; slopes take their logarithms from the hypothesis.
struct UnitRules {
  bool exact = false;            ///< Compared without error: one value per cell, and one that varies is refused.
  bool logarithms = false;       ///< Units are of the values' logarithms.
  bool censored = false;         ///< Units may be known to be at least so much, and no more.
  bool may_be_constant = false;  ///< Units that never vary carry a verdict, too.
  bool single_cells = false;     ///< Without pairing, one cell is compared with one.
};
/// Whether the hypothesis's units are of logarithms.
bool on_logarithms(const Hypothesis&, const UnitRules&);
/// Declared so that some of its values may be known to be at least so much, and no more.
bool may_be_cut(const Metric&);

/// One cell of the design and what its runs measured.
struct ObservedCell {
  struct Value {
    std::uint64_t seed = 0;
    double value = 0;
    bool censored = false;  ///< The true value is at least this; only where `UnitRules::censored`.
    int run = 0;            ///< RunValue::run
  };
  struct Failure {
    std::uint64_t seed = 0;
    bool timed_out = false;
  };
  Cell cell;
  std::vector<Value> values;  ///< Finite; by seed, one per seed.
  std::vector<Failure> failed;
  int unusable = 0;
};

/// One combination of levels of the factors a hypothesis names nowhere. Of a slope, `treatment` holds the levels it
/// runs along and `control` is empty; of an interaction and a crossover both arms hold all the levels of theirs.
struct Setting {
  Cell levels;
  std::vector<ObservedCell> treatment, control;
};

/// One arm's cells of all settings. Borrowed.
std::vector<const ObservedCell*> cells_in(std::span<const Setting>, std::vector<ObservedCell> Setting::*arm);

/// The hypothesis's cells as the design crosses them, filled with the runs; runs of other cells are ignored. Where the
/// test holds censored values, a run that timed out is one: at least what it reported as such, else at least as much as
/// any run that ended, since all have one limit.
std::vector<Setting> observe(const StudySpec&, const Hypothesis&, std::span<const RunValue>, const UnitRules&);

}  // namespace kernel
