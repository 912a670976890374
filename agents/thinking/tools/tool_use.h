#pragma once
// A tool is a name, which agents/tools/NAME.json describes, and a function of its arguments. Only for the table of
// tools and the tools themselves.

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "agents/thinking/tools/tool_result.h"
#include "agents/thinking/workspace/branch.h"

namespace agents {

constexpr std::size_t most_shown = 40000;  ///< Default limit of an answer, in bytes.

/// Everything that a tool gets; `arguments` match its schema.
struct ToolInput {
  const nlohmann::json& arguments;
  std::string_view role;
  const kernel::Study& study;  ///< For tools that read the study.
  Branch& branch;              ///< For the other tools.
  const Means& means;

  std::string text(const char* key) const { return arguments.value(key, std::string()); }
};

struct NamedTool {
  const char* name;
  ToolResult (*act)(const ToolInput&);
};

/// Tools that read the workspace's files.
const std::vector<NamedTool>& tools_that_look();
/// Tools that change the branch and nothing else.
const std::vector<NamedTool>& tools_that_write();
/// Tools that read the study and may issue one command.
const std::vector<NamedTool>& tools_of_study();

/// Tools that ask the kernel, a person or the machine, and do not read the study.
const std::vector<NamedTool>& tools_that_ask();
// Tools with a file of their own, tool_NAME.cc.
ToolResult grep(const ToolInput&);
ToolResult inspect_data(const ToolInput&);
ToolResult view_image(const ToolInput&);
ToolResult recall(const ToolInput&);
ToolResult search_papers(const ToolInput&);
ToolResult read_paper(const ToolInput&);

ToolResult say(std::string text);
/// A result that issues the command; `done` is the text after it was accepted.
ToolResult ask(kernel::CommandBody command, std::string done);
ToolResult refuse(std::string why);

/// Whether `path` is `under` or lies below it; an empty `under` contains everything.
bool is_under(const std::string& path, std::string under);

}  // namespace agents
