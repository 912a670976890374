#pragma once
// Reduces observed cells to the units of a test, by the rules of its method. Pure; any thread.

#include <optional>
#include <span>

#include "kernel/domain/reason.h"
#include "kernel/evidence/observations.h"
#include "kernel/evidence/sample.h"

namespace kernel {

struct Units {
  std::optional<Sample> sample;
  Reason obstacle;     ///< Why the sample allows no verdict, or why there is no sample; empty if it allows one.
  int incomplete = 0;  ///< Seeds of both arms left out of the pairs because a cell lacks them.
};

/// `settings`: all of them, or one for `over: every`.
Units units_of(const StudySpec&, const Hypothesis&, std::span<const Setting> settings, const UnitRules&);

}  // namespace kernel
