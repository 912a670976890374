#pragma once
// Whether a metric tells a time, which depends on what else the machine did, and which of a hypothesis's runs had such
// company. Pure; any thread.

#include <optional>
#include <string>

#include "kernel/study/state.h"

namespace kernel {

/// By its type, or a unit of time, per time or of time per something, its own or that of what it is derived from.
bool is_timing(const StudySpec&, const Metric&);

/// How many seconds the unit of time is; none: it is not one.
std::optional<double> seconds_of(const std::string& unit);

/// How many runs ran on a busy machine, of those that count, where the hypothesis or what it requires is about a time;
/// else empty. See `was_busy`.
Reason busy_warning(const Study&, const Experiment&, const Hypothesis&);

}  // namespace kernel
