#include "agents/thinking/tools/tool_use.h"

#include <utility>

namespace agents {

ToolResult say(std::string text) {
  ToolResult result;
  result.text = std::move(text);
  return result;
}

ToolResult ask(kernel::CommandBody command, std::string done) {
  ToolResult result;
  result.text = std::move(done);
  result.command = std::move(command);
  return result;
}

ToolResult refuse(std::string why) {
  ToolResult result;
  result.text = std::move(why);
  result.refused = true;
  return result;
}

bool is_under(const std::string& path, std::string under) {
  while (under.ends_with('/')) under.pop_back();
  while (under.starts_with("./")) under.erase(0, 2);
  return under.empty() || under == "." || path == under || path.starts_with(under + "/");
}

}  // namespace agents
