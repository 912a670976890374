#pragma once
// The instructions of a role at the beginning of its turn: its rules, and the study as the kernel knows it, so that no
// turn depends on an earlier one. Pure.

#include <string>

#include "agents/thinking/workspace/branch.h"
#include "kernel/study/state.h"

namespace agents {

/// The system prompt. An engineer's depends on the subject of its line of work.
std::string rules_for(const std::string& role, const kernel::LineSubject&, const kernel::Study&);

/// The first message.
std::string task_for(const std::string& role, const kernel::LineSubject&, const kernel::Study&,
                     const std::vector<Files::Entry>& files, const std::string& more = "");

/// Messages of people to the agents, from the `from`-th on; empty if there are none.
std::string words_of_people(const kernel::Study&, int from);

}  // namespace agents
