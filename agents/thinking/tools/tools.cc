#include "agents/thinking/tools/tools.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include <fnmatch.h>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "base/utf8.h"
#include "embedded/tools.h"
#include "models/dialect.h"

namespace agents {

using kernel::Study;
using nlohmann::json;

namespace {

ToolResult finish(const ToolInput& use) {
  ToolResult result = say("Done.");
  result.finished = use.text("summary");
  return result;
}

struct Entry {
  ToolResult (*act)(const ToolInput&);
  json about;  ///< The content of its file.
  bool of_study = false, writes = false;
};

const std::map<std::string, Entry, std::less<>>& table() {
  static const auto entries = [] {
    std::map<std::string, Entry, std::less<>> all;
    const auto add = [&](const std::vector<NamedTool>& list, bool of_study, bool to_branch) {
      for (const NamedTool& tool : list)
        all.emplace(tool.name, Entry{tool.act, json::parse(embedded::tools(std::string(tool.name) + ".json")), of_study,
                                     to_branch});
    };
    add(tools_that_look(), false, false);
    add(tools_that_write(), false, true);
    add(tools_of_study(), true, false);
    add(tools_that_ask(), false, false);
    add({{"finish", finish}}, false, false);
    return all;
  }();
  return entries;
}

bool has(const Entry& entry, std::string_view role) {
  const json& roles = entry.about.at("roles");
  return std::ranges::any_of(roles, [&](const json& one) { return one.get_ref<const std::string&>() == role; });
}

/// Tools that write need a task that changes code, those for pictures a model that accepts them, for papers a corpus.
bool is_offered(std::string_view tool, const Means& means) {
  if (writes(tool) && !means.may_write) return false;
  if (tool == "search_papers" || tool == "read_paper") return !means.papers.empty();
  return means.sees || !shows_pictures(tool);
}

std::string names_for(std::string_view role, const Means& means) {
  std::string list;
  for (const auto& [name, entry] : table())
    if (has(entry, role) && is_offered(name, means)) list += (list.empty() ? "" : ", ") + name;
  return list;
}

/// Why the document does not match the JSON Schema, in one sentence; empty if it matches. Throws std::logic_error for
/// an invalid schema.
std::string against_schema(const json& schema, const json& document) {
  using Adapter = valijson::adapters::NlohmannJsonAdapter;
  valijson::Schema parsed;
  try {
    valijson::SchemaParser().populateSchema(Adapter(schema), parsed);
  } catch (const std::exception& e) {
    throw std::logic_error(std::string("a tool's own schema is not valid: ") + e.what());
  }
  valijson::ValidationResults results;
  if (valijson::Validator(valijson::Validator::kStrongTypes).validate(parsed, Adapter(document), &results)) return "";
  // The outer errors only say that something inside is wrong.
  valijson::ValidationResults::Error error, innermost;
  while (results.popError(error))
    if (innermost.description.empty() || error.context.size() > innermost.context.size()) innermost = error;
  std::string where;
  for (const std::string& step : innermost.context)
    if (step != "<root>") where += step;
  return (where.empty() ? "" : where + ": ") + innermost.description;
}

}  // namespace

bool fits_a_tool(const std::string& glob) {
  return std::ranges::any_of(table(),
                             [&](const auto& entry) { return fnmatch(glob.c_str(), entry.first.c_str(), 0) == 0; });
}

bool shows_pictures(std::string_view tool) {
  return tool == "view_image";
}

std::vector<models::Tool> tools_of(std::string_view role, const Means& means) {
  std::vector<models::Tool> tools;
  for (const auto& [name, entry] : table())
    if (has(entry, role) && is_offered(name, means))
      tools.push_back({name, entry.about.at("description").get<std::string>(), entry.about.at("parameters").dump()});
  return tools;
}

bool looks_at_study(std::string_view tool) {
  const auto found = table().find(tool);
  return found != table().end() && found->second.of_study;
}

bool orders_runs(std::string_view tool) {
  return tool == "run_scratch" || tool == "request_runs";
}

bool writes(std::string_view tool) {
  const auto found = table().find(tool);
  return found != table().end() && found->second.writes;
}

ToolResult use_tool(const models::ToolCall& call, std::string_view role, const Study* study, Branch& branch,
                    const Means& means) {
  constexpr std::size_t most_arguments = 1 << 20;
  const auto found = table().find(call.name);
  if (found == table().end() || !has(found->second, role) || (found->second.writes && !means.may_write))
    return refuse("there is no such tool; you have " + names_for(role, means));
  if (call.arguments.size() > most_arguments) return refuse("the arguments are larger than 1 MB");
  if (models::is_deep(call.arguments)) return refuse("the arguments are nested too deeply");
  if (!kernel::valid_utf8(call.arguments)) return refuse("the arguments are not valid UTF-8");
  const json arguments = json::parse(call.arguments.empty() ? "{}" : call.arguments, nullptr, false);
  if (arguments.is_discarded()) return refuse("the arguments are not valid JSON: write one complete object");
  if (call.arguments.find("\\u0000") != std::string::npos) return refuse("the arguments hold a NUL character");
  if (const std::string wrong = against_schema(found->second.about.at("parameters"), arguments); !wrong.empty())
    return refuse("the arguments do not match the schema: " + wrong);
  static const Study none;
  return found->second.act({arguments, role, study ? *study : none, branch, means});
}

}  // namespace agents
