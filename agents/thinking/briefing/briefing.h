#pragma once
// What a role is told when its turn begins: its rules, and the study as the kernel knows it, so that no turn has to
// remember an earlier one. Pure.

#include <string>

#include "agents/thinking/workspace/workspace_files.h"
#include "kernel/study/state.h"

namespace agents {

/// The system prompt. An engineer's depends on the subject of its line of work.
std::string rules_for(const std::string& role, const kernel::LineSubject&, const kernel::Study&);

/// The first message.
std::string task_for(const std::string& role, const kernel::LineSubject&, const kernel::Study&,
                     const std::vector<Files::Entry>& files, const std::string& more = "");

/// What people said to the agents, from the `from`-th on; empty: nothing.
std::string words_of_people(const kernel::Study&, int from);

}  // namespace agents
