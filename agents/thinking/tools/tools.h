#pragma once
// The tools that agents have: one table (agents/tools/NAME.json: what each is for, who has it, the JSON Schema of its
// arguments) and what each does. A tool looks, or asks for one command of the kernel; whatever is refused comes back as
// words that the model can act on. Pure but for the files that it is given.

#include <string>
#include <string_view>
#include <vector>

#include "agents/thinking/tools/tool_result.h"
#include "kernel/study/state.h"
#include "models/message.h"

namespace agents {

class Branch;

/// Some tool has a name that the glob fits.
bool fits_a_tool(const std::string& glob);

/// What a role may use, as a model is told.
std::vector<models::Tool> tools_of(std::string_view role, const Means& = {});

/// It looks at the study, and not at the files: it is quick, and belongs on the thread that has the study.
bool looks_at_study(std::string_view tool);

/// Checks the arguments against the tool's schema, then does what it does. Any name and any bytes may come. `study`:
/// null for a tool that does not look at it.
ToolResult use_tool(const models::ToolCall&, std::string_view role, const kernel::Study* study, Branch&,
                    const Means& = {});

/// It answers with pictures, which come from the frozen workspace again.
bool shows_pictures(std::string_view tool);

/// It changes the branch, and nothing else.
bool writes(std::string_view tool);

}  // namespace agents
