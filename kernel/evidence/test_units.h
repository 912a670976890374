#pragma once
// Reduces observed cells to the units a test counts: pairs per seed, independent runs, points of lines, or exact
// numbers. How is decided by metric and design, never by the values. Pure; any thread.

#include <optional>
#include <span>
#include <string>

#include "kernel/evidence/observations.h"
#include "kernel/evidence/sample.h"
#include "kernel/evidence/test_method.h"

namespace kernel {

struct Units {
  std::optional<Sample> sample;
  std::string obstacle;  ///< Why the sample cannot carry a verdict, or why there is none; empty: it can.
  int incomplete = 0;    ///< Seeds of both arms left out of the pairs because a cell lacks them.
};

/// `settings`: all of them, or one for `over: every`.
Units units_of(const StudySpec&, const Hypothesis&, std::span<const Setting> settings);

}  // namespace kernel
