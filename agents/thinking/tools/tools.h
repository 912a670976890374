#pragma once
// The tools of the agents: one table (agents/tools/NAME.json: purpose, tasks that need it, JSON Schema of the
// arguments) and their functions. A role may use the tools of all its tasks; it is offered those of its present one. A
// tool reads something or issues commands to the kernel. A refusal comes back as text that the model can act on. Pure
// except for the files that it is given.

#include <string>
#include <string_view>
#include <vector>

#include "agents/thinking/tools/tool_use.h"
#include "kernel/study/state.h"
#include "models/message.h"

namespace agents {

/// Whether the glob matches the name of a tool.
bool fits_a_tool(const std::string& glob);

/// The tools that a role is offered for its task, as the model sees them.
std::vector<models::Tool> tools_of(std::string_view role, const Means& = {});

/// Whether the tool orders a run whose end the conversation waits for.
bool orders_runs(std::string_view tool);

/// Whether the tool reads the study and not the files. It is quick, and runs on the thread that owns the study.
bool looks_at_study(std::string_view tool);

/// Checks the arguments against the tool's schema, then runs the tool. Takes any name and any bytes. `study` may be
/// null for a tool that does not read it.
ToolResult use_tool(const models::ToolCall&, std::string_view role, const kernel::Study* study, Branch&,
                    const Means& = {});

/// Whether its answers contain pictures, which are read again from the frozen workspace.
bool shows_pictures(std::string_view tool);

/// Whether it changes the branch and nothing else.
bool writes(std::string_view tool);

}  // namespace agents
