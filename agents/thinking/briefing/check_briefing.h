#pragma once
// What the manipulation check found, for the engineer who mends the code and for the analysis. Pure except for reading
// blobs.

#include <string>

#include "agents/thinking/briefing/code_briefing.h"
#include "kernel/study/state.h"

namespace agents {

/// Every finding with the command of its smoke run and the end of its log, and the other smoke runs.
std::string check_note(const kernel::Study&, const FetchText&);

/// For the analysis: a check that found something, and what an agent changed of the person's code; empty if neither.
std::string changes_note(const kernel::Study&, const FetchText&);

/// The command of a run as it stands in the study file, with the values of its setting; values of the machine stay
/// placeholders.
std::string command_text(const kernel::Study&, const kernel::Run&);

}  // namespace agents
