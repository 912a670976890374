// Tools that write on a branch of the workspace. What they did is done again, from their arguments alone, after a
// crash.
#include <fmt/format.h>

#include "agents/thinking/tool_use.h"

namespace agents {

namespace {

ToolResult write_file(const Use& use) {
  const std::string path = use.text("path");
  const bool known = use.branch.read(path).has_value();
  if (std::string why = use.branch.write(path, use.text("content")); !why.empty()) return refuse(std::move(why));
  return say(known ? "Written over what was there." : "Written.");
}

ToolResult edit_file(const Use& use) {
  const std::string path = use.text("path"), old = use.text("old");
  std::optional<std::string> content = use.branch.read(path);
  if (!content) return refuse("there is no such file in the workspace: list_files says which there are");
  const std::size_t at = content->find(old);
  if (at == content->npos) return refuse("the old passage is not in the file: read it again");
  if (content->find(old, at + 1) != content->npos)
    return refuse("the old passage stands there more than once: take more of what is around it");
  content->replace(at, old.size(), use.text("new"));
  if (std::string why = use.branch.write(path, std::move(*content)); !why.empty()) return refuse(std::move(why));
  return say("Changed.");
}

}  // namespace

const std::vector<NamedTool>& tools_that_write() {
  static const std::vector<NamedTool> all = {
      {"write_file", write_file},
      {"edit_file", edit_file},
  };
  return all;
}

}  // namespace agents
