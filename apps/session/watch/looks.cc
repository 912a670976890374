#include "apps/session/watch/looks.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace session {

using nlohmann::json;

kernel::Node look_at(const json& run, std::string_view what) {
  const std::string id = run.at("id");
  kernel::Node node;
  node.type = kernel::NodeType::insight;
  node.title = fmt::format("A person looked at {} of {} before {} was analysed.", what, id,
                           run.at("experiment").get<std::string>());
  node.runs = {id};
  return node;
}

bool is_recorded(const memory::Reader& reader, const std::string& study, const kernel::Node& look) {
  const json graph = json::parse(reader.graph(study));
  return std::ranges::any_of(graph.at("nodes"), [&](const json& node) { return node.at("title") == look.title; });
}

}  // namespace session
