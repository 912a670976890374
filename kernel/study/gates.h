#pragma once
// Where a study waits for a person. Pure.

#include <optional>
#include <string>

#include "kernel/study/state.h"

namespace kernel {

/// The position in StudySpec::gates of the one that stands before what the study would do next; each opens once.
std::optional<int> due_gate(const Study&, Time now);

/// What a gate asks, one sentence without a full stop.
std::string gate_question(const Study&, const GateSpec&);

/// The id of the gate that is opened next.
std::string next_gate(const Study&);

/// The first gate that the study file puts before the use of that tool: its position; -1 where it puts none, and a
/// person is asked all the same, since what the tool leads to reaches the network.
std::optional<int> gate_before_tool(const StudyTerms&, const std::string& tool);

/// The tool that names a package which the environment is to be set up with.
inline constexpr const char* dependency_tool = "add_dependency";

/// A person has let a line of this role, which goes on, change what the environment is set up from.
bool may_change_setup(const Journal&, const std::string& role);

/// When nobody is waited for any longer at a gate that is not decided: boot clock, ms; none: never.
std::optional<std::int64_t> waits_until(const StudyTerms&, const GateRecord&);

}  // namespace kernel
