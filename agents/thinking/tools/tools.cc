#include "agents/thinking/tools/tools.h"

#include <algorithm>
#include <map>
#include <set>
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
#include "kernel/domain/enum_names.h"
#include "models/protocols/dialect.h"

namespace agents {

using kernel::LinePurpose;
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
  std::set<LinePurpose> tasks;
  bool of_study = false, writes = false;
};

Entry entry_of(const NamedTool& tool, bool of_study, bool to_branch) {
  Entry entry{tool.act, json::parse(embedded::tools(std::string(tool.name) + ".json")), {}, of_study, to_branch};
  for (const json& task : entry.about.at("tasks")) {
    const auto purpose = kernel::named<LinePurpose>(task.get_ref<const std::string&>());
    if (!purpose) throw std::logic_error(std::string("a tool names no task: ") + tool.name);
    entry.tasks.insert(*purpose);
  }
  return entry;
}

const std::map<std::string, Entry, std::less<>>& table() {
  static const auto entries = [] {
    std::map<std::string, Entry, std::less<>> all;
    const auto add = [&](const std::vector<NamedTool>& list, bool of_study, bool to_branch) {
      for (const NamedTool& tool : list) all.emplace(tool.name, entry_of(tool, of_study, to_branch));
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

/// The role whose work has this purpose.
std::string_view role_of(LinePurpose purpose) {
  switch (purpose) {
    case LinePurpose::propose:
      return "hypothesis";
    case LinePurpose::review:
      return "reviewer";
    case LinePurpose::analyse:
      return "analysis";
    case LinePurpose::write:
      return "writeup";
    case LinePurpose::mend:
    case LinePurpose::require:
    case LinePurpose::unmet:
    case LinePurpose::vet:
    case LinePurpose::step:
      return "engineer";
    case LinePurpose::other:
      break;
  }
  return "";
}

/// Whether it is a tool of one of the role's tasks.
bool has(const Entry& entry, std::string_view role) {
  return std::ranges::any_of(entry.tasks, [&](LinePurpose task) { return role_of(task) == role; });
}

/// Tools that write need a task that changes code, those for pictures a model that accepts them, for papers a corpus.
bool is_offered(const std::string& tool, const Entry& entry, std::string_view role, const Means& means) {
  if (means.purpose == LinePurpose::other ? !has(entry, role) : !entry.tasks.contains(means.purpose)) return false;
  if ((entry.writes && !means.may_write) || means.useless.contains(tool)) return false;
  if (tool == "search_papers" || tool == "read_paper") return !means.papers.empty();
  return means.sees || !shows_pictures(tool);
}

std::string names_for(std::string_view role, const Means& means) {
  std::string list;
  for (const auto& [name, entry] : table())
    if (is_offered(name, entry, role, means)) list += (list.empty() ? "" : ", ") + name;
  return list;
}

/// Removes a member from all objects of a schema.
void erase_member(json& schema, const std::string& member) {
  const auto members = schema.find("properties");
  if (members == schema.end()) return;
  members->erase(member);
  for (auto& [name, one] : members->items()) erase_member(one, member);
}

std::string schema_for(const std::string& tool, json schema, const Means& means) {
  for (const std::string& useless : means.useless)
    if (useless.starts_with(tool + "/")) erase_member(schema, useless.substr(tool.size() + 1));
  return schema.dump();
}

/// Models sometimes write an object or a list as a text that holds it.
void unwrap(const json& schema, json& value) {
  const auto type = schema.find("type");
  if (value.is_string() && type != schema.end() && (*type == "object" || *type == "array")) {
    json inside = json::parse(value.get_ref<const std::string&>(), nullptr, false);
    if (!inside.is_discarded() && !models::is_deep(value.get_ref<const std::string&>()) &&
        inside.is_object() == (*type == "object") && inside.is_structured())
      value = std::move(inside);
  }
  const auto members = schema.find("properties");
  if (!value.is_object() || members == schema.end()) return;
  for (auto& [name, one] : value.items())
    if (const auto known = members->find(name); known != members->end()) unwrap(*known, one);
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
    if (is_offered(name, entry, role, means))
      tools.push_back({name, entry.about.at("description").get<std::string>(),
                       schema_for(name, entry.about.at("parameters"), means)});
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
  json arguments = json::parse(call.arguments.empty() ? "{}" : call.arguments, nullptr, false);
  if (arguments.is_discarded()) return refuse("the arguments are not valid JSON: write one complete object");
  if (call.arguments.find("\\u0000") != std::string::npos) return refuse("the arguments hold a NUL character");
  const json& schema = found->second.about.at("parameters");
  unwrap(schema, arguments);
  static const Study none;
  const ToolInput input{arguments, role, study ? *study : none, branch, means};
  if (const std::string wrong = against_schema(schema, arguments); !wrong.empty())
    return refuse("the arguments do not match the schema: " + wrong +
                  (study && call.name == "propose_hypothesis" ? mended_test(input) : ""));
  return found->second.act(input);
}

}  // namespace agents
