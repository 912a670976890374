#pragma once
// What a line of work can do without: tools and members of arguments that are of no use in its study, or whose answer
// stands in its task already. Pure.

#include <set>
#include <string>

#include "agents/thinking/briefing/workspace_view.h"
#include "kernel/study/state.h"

namespace agents {

/// NAME of a tool, or NAME/MEMBER of its arguments; see Means::useless.
std::set<std::string> useless_tools(const kernel::Study&, kernel::LinePurpose, const WorkspaceView&);

}  // namespace agents
