#pragma once
// One tool, one branch, no line of work around them.

#include <map>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "agents/thinking/tools/tools.h"
#include "agents/thinking/workspace/branch.h"

namespace toolbox {

using nlohmann::json;

inline agents::Branch of(std::map<std::string, std::string> contents, std::set<std::string> frozen = {},
                         std::vector<std::string> links = {}) {
  agents::Files files;
  for (const auto& [path, content] : contents) files.entries.push_back({path, std::int64_t(content.size())});
  files.read = [contents](const std::string& path) { return contents.at(path); };
  files.links = std::move(links);
  return {std::move(files), std::move(frozen)};
}

inline agents::ToolResult used(agents::Branch& branch, const char* tool, const json& arguments) {
  return agents::use_tool({"c", tool, arguments.dump()}, "engineer", nullptr, branch);
}

/// What the tool says, which does not refuse.
inline std::string said(agents::Branch& branch, const char* tool, const json& arguments) {
  const agents::ToolResult result = used(branch, tool, arguments);
  INFO(tool << ": " << result.text);
  CHECK_FALSE(result.refused);
  return result.text;
}

inline std::string refused(agents::Branch& branch, const char* tool, const json& arguments) {
  const agents::ToolResult result = used(branch, tool, arguments);
  INFO(tool << ": " << result.text);
  CHECK(result.refused);
  return result.text;
}

}  // namespace toolbox
