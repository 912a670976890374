#pragma once
// The gates at which a study waits for a person. Pure.

#include <optional>
#include <set>
#include <string>

#include "kernel/study/state.h"

namespace kernel {

/// Index into StudySpec::gates of the gate before the study's next step; each gate opens once.
std::optional<int> due_gate(const Study&, Time now);

/// The gate's question, one sentence without a full stop.
Reason gate_question(const Study&, const GateSpec&);

std::string next_gate(const Study&);

/// True if a person must allow each use of the tool: a gate stands before it, or it opens the network.
bool needs_leave(const StudyTerms&, const std::string& tool);

/// Index of the study file's first gate for the tool.
std::optional<int> gate_before_tool(const StudyTerms&, const std::string& tool);

/// The tool that adds a package to the environment's set-up.
inline constexpr const char* dependency_tool = "add_dependency";

/// True if a person allowed an open line of this role to change the environment's set-up.
bool may_change_setup(const Journal&, const std::string& role);

/// The gate before files that look like secrets are published; null if there is none. A study has at most one.
const GateRecord* gate_of_secrets(const Journal&);

/// Paths below the workspace that a person did not allow to publish: they are in the manifest, not in the artifact.
std::set<std::string> withheld_files(const Journal&);

/// When the wait at an undecided gate ends (boot clock, ms); none if it never ends.
std::optional<std::int64_t> waits_until(const StudyTerms&, const GateRecord&);

}  // namespace kernel
