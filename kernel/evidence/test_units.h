#pragma once
// Reduces observed cells to the units of a test: pairs per seed, independent runs, points of lines, or exact numbers.
// The test method gives the rules. Pure; any thread.

#include <optional>
#include <span>
#include <string>

#include "kernel/evidence/observations.h"
#include "kernel/evidence/sample.h"

namespace kernel {

struct Units {
  std::optional<Sample> sample;
  std::string obstacle;  ///< Why the sample cannot support a verdict, or why there is none; empty if it can.
  int incomplete = 0;    ///< Seeds in both arms that are not paired because a cell lacks them.
};

/// `settings`: all of them, or one for `over: every`.
Units units_of(const StudySpec&, const Hypothesis&, std::span<const Setting> settings, const UnitRules&);

}  // namespace kernel
