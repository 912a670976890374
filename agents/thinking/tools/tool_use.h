#pragma once
// What a tool is: a name, whose file agents/tools/NAME.json says the rest, and a function of what it was called with.
// Only for the table of tools and for the tools themselves.

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "agents/thinking/tools/tool_result.h"
#include "agents/thinking/workspace/branch.h"

namespace agents {

constexpr std::size_t most_shown = 40000;  ///< Bytes of an answer, as a rule.

/// Everything a tool sees; `arguments` are sound by its schema.
struct Use {
  const nlohmann::json& arguments;
  std::string_view role;
  const kernel::Study& study;  ///< Of tools that look at it.
  Branch& branch;              ///< Of the others.
  const Means& means;

  std::string text(const char* key) const { return arguments.value(key, std::string()); }
};

struct NamedTool {
  const char* name;
  ToolResult (*act)(const Use&);
};

/// They look at the workspace's files.
const std::vector<NamedTool>& tools_that_look();
/// They change the branch, and nothing else.
const std::vector<NamedTool>& tools_that_write();
/// They look at the study, and may ask for one command.
const std::vector<NamedTool>& tools_of_study();

/// They ask something of the kernel, of a person or of the machine, and look at no study.
const std::vector<NamedTool>& tools_that_ask();
// Tools with a file of their own, tool_NAME.cc.
ToolResult grep(const Use&);
ToolResult inspect_data(const Use&);
ToolResult view_image(const Use&);
ToolResult recall(const Use&);
ToolResult search_papers(const Use&);
ToolResult read_paper(const Use&);

ToolResult say(std::string text);
/// A command of the kernel, and what is said once it was followed.
ToolResult ask(kernel::CommandBody command, std::string done);
ToolResult refuse(std::string why);

/// It is below the folder, or the file itself; everything is below an empty one.
bool is_under(const std::string& path, std::string under);

}  // namespace agents
