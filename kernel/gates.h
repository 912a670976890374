#pragma once
// Where a study waits for a person. Pure.

#include <optional>
#include <string>

#include "kernel/state.h"

namespace kernel {

/// The position in StudySpec::gates of the one that stands before what the study would do next; each opens once.
std::optional<int> due_gate(const Study&, Time now);

/// What a gate asks, one sentence without a full stop.
std::string gate_question(const Study&, const GateSpec&);

std::string_view name(GateOn);

}  // namespace kernel
