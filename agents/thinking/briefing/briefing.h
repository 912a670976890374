#pragma once
// A role's instructions at the beginning of its turn: its rules, and the study as the kernel knows it, so that no turn
// depends on an earlier one. Pure except for the blobs that it is given a reader for.

#include <functional>
#include <string>

#include "agents/thinking/briefing/code_briefing.h"
#include "agents/thinking/briefing/prompts.h"
#include "agents/thinking/briefing/workspace_view.h"
#include "kernel/study/state.h"

namespace agents {

/// The purpose of a role's work; for lines of older logs, which have none, the role's usual one.
kernel::LinePurpose purpose_of(const std::string& role, const kernel::LineSubject&);

/// Whether its task quotes small text files. The others do not judge or change code.
bool quotes_files(kernel::LinePurpose);

/// The system prompt. An engineer's depends on the subject of its line of work. `offered`: names of its tools.
std::string rules_for(const std::string& role, const kernel::LineSubject&, const kernel::Study&, Given offered);

/// The first message. `fetch` returns a blob's bytes.
std::string task_for(const std::string& role, const kernel::LineSubject&, const kernel::Study&, const WorkspaceView&,
                     const FetchText& fetch);

/// Messages of people to the agents, from the `from`-th on; empty if there are none.
std::string words_of_people(const kernel::Journal&, int from);

}  // namespace agents
