#include "agents/thinking/tools.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agents/thinking/branch.h"
#include "agents/thinking/prompts.h"
#include "agents/thinking/schemas.h"
#include "embedded/tools.h"
#include "kernel/shapes.h"
#include "kernel/utf8.h"
#include "models/dialect.h"
#include "studyfile/proposal.h"

namespace agents {

using kernel::Study;
using nlohmann::json;

namespace {

constexpr std::size_t most_shown = 40000;

/// Everything a tool sees; `arguments` are sound by its schema.
struct Use {
  const json& arguments;
  std::string_view role;
  const Study& study;  ///< Of tools that look at it.
  Branch& branch;      ///< Of the others.

  std::string text(const char* key) const { return arguments.value(key, std::string()); }
};

ToolResult say(std::string text) {
  ToolResult result;
  result.text = std::move(text);
  return result;
}

ToolResult refuse(std::string why) {
  ToolResult result;
  result.text = std::move(why);
  result.refused = true;
  return result;
}

ToolResult ask(kernel::CommandBody command, std::string done) {
  ToolResult result;
  result.text = std::move(done);
  result.command = std::move(command);
  return result;
}

bool is_under(const std::string& path, std::string under) {
  while (under.ends_with('/')) under.pop_back();
  while (under.starts_with("./")) under.erase(0, 2);
  return under.empty() || under == "." || path == under || path.starts_with(under + "/");
}

ToolResult list_files(const Use& use) {
  constexpr std::size_t most = 2000;
  std::string list;
  std::size_t count = 0;
  for (const Files::Entry& entry : use.branch.entries()) {
    if (!is_under(entry.path, use.text("under"))) continue;
    if (++count <= most) list += fmt::format("{}  {} bytes\n", entry.path, entry.bytes);
  }
  if (count == 0) return say("There is no file there.");
  if (count > most) list += fmt::format("… and {} more: ask for a folder\n", count - most);
  return say(quoted("names of the workspace's files", list, 4 * most_shown));
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return lines;
}

ToolResult read_file(const Use& use) {
  const std::string path = use.text("path");
  const std::optional<std::string> text = use.branch.read(path);
  if (!text) return refuse("there is no such file in the workspace: list_files says which there are");
  if (!kernel::valid_utf8(*text) || text->find('\0') != text->npos)
    return refuse(fmt::format("it is no text, but {} bytes", text->size()));
  const auto lines = lines_of(*text);
  const std::size_t from = use.arguments.value("from_line", std::size_t{1});
  const std::size_t to = std::min(lines.size(), from - 1 + use.arguments.value("lines", std::size_t{400}));
  if (from > lines.size()) return say(fmt::format("The file has {} lines.", lines.size()));
  std::string shown;
  std::size_t line = from;
  for (; line <= to && shown.size() < most_shown; ++line)
    shown += fmt::format("{:>5}  {}\n", line, lines[line - 1].substr(0, 2000));
  const std::string rest =
      line <= lines.size() ? fmt::format("\nIt goes on at line {} of {}.", line, lines.size()) : std::string();
  return say(quoted(path, shown, 2 * most_shown) + rest);
}

ToolResult grep(const Use& use) {
  constexpr int most = 200;
  const std::string wanted = use.text("text");
  std::string found;
  int count = 0;
  for (const Files::Entry& entry : use.branch.entries()) {
    if (!is_under(entry.path, use.text("under")) || entry.bytes > (4 << 20)) continue;
    const std::optional<std::string> text = use.branch.read(entry.path);
    if (!text || text->find(wanted) == text->npos || !kernel::valid_utf8(*text)) continue;
    std::size_t number = 0;
    for (const std::string_view line : lines_of(*text)) {
      ++number;
      if (line.find(wanted) == line.npos) continue;
      if (++count <= most) found += fmt::format("{}:{}: {}\n", entry.path, number, line.substr(0, 300));
    }
  }
  if (count == 0) return say("It is in no file.");
  if (count > most) found += fmt::format("… and {} more\n", count - most);
  return say(quoted("lines of the workspace's files", found, 2 * most_shown));
}

ToolResult plan(const Use& use) {
  const json shape = kernel::study_shape(use.study, "");
  json hypotheses = json::array();
  for (const kernel::HypothesisRecord& record : use.study.hypotheses)
    hypotheses.push_back({{"id", record.hypothesis.id}, {"statement", record.hypothesis.statement}});
  const json state = {{"hypotheses", std::move(hypotheses)},
                      {"stage", kernel::name(use.study.stage())},
                      {"runs", shape.at("runs")}};  // Nothing of time and money: a replay has others.
  return say(quoted("the study file", use.study.text, most_shown) + "\n" +
             quoted("where the study stands", state.dump(1), most_shown));
}

ToolResult read_results(const Use& use) {
  json list = json::array();
  for (const kernel::HypothesisRecord& record : use.study.hypotheses)
    list.push_back(kernel::hypothesis_shape(record, use.study));
  if (list.empty()) return say("There are no hypotheses yet.");
  return say(quoted("the kernel's record", list.dump(1, ' ', false, json::error_handler_t::replace), 4 * most_shown));
}

ToolResult propose_hypothesis(const Use& use) {
  json item = use.arguments;
  std::string id;
  for (std::size_t n = use.study.hypotheses.size() + 1; id.empty() || use.study.hypothesis(id); ++n)
    id = fmt::format("H{}", n);
  item["id"] = id;
  for (const char* ours : {"confidence", "difference"}) item.erase(ours);
  std::vector<kernel::Hypothesis> known;
  for (const kernel::HypothesisRecord& record : use.study.hypotheses) known.push_back(record.hypothesis);
  auto hypothesis = studyfile::read_proposal(item.dump(), use.study.spec, known);
  if (!hypothesis) return refuse(hypothesis.problem().text());
  hypothesis->by = std::string(use.role);
  hypothesis->difference = use.text("difference");
  hypothesis->confidence = use.arguments.at("confidence").get<double>();
  return ask(kernel::ProposeHypothesis{std::move(*hypothesis)}, "Proposed as " + id + ".");
}

kernel::Node node_of(const Use& use, kernel::NodeType type, std::initializer_list<const char*> fields) {
  kernel::Node node;
  node.type = type;
  node.title = use.text("title");
  node.parents = {use.study.nodes.back().id};
  for (const char* field : fields) node.fields[field] = use.text(field);
  return node;
}

ToolResult record_decision(const Use& use) {
  kernel::Node node = node_of(use, kernel::NodeType::decision, {"choice", "rationale"});
  node.alternatives = use.arguments.at("alternatives").get<std::vector<std::string>>();
  return ask(kernel::RecordNode{std::move(node)}, "Recorded.");
}

ToolResult record_dead_end(const Use& use) {
  return ask(kernel::RecordNode{node_of(use, kernel::NodeType::dead_end,
                                        {"hypothesis", "failure_mode", "why_failed", "lesson"})},
             "Recorded.");
}

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

ToolResult read_log(const Use& use) {
  const kernel::Run* run = use.study.run(use.arguments.at("run").get<int>());
  if (!run || run->purpose != kernel::Purpose::smoke) return refuse("there is no such smoke run");
  if (!run->ended()) return refuse("it has not ended yet");
  const bool out = use.arguments.value("stream", std::string("stderr")) == "stdout";
  ToolResult result;
  result.shows = out ? run->out_log : run->err_log;
  result.label = fmt::format("{} of r{}", out ? "stdout" : "stderr", run->number);
  if (result.shows.sha256.empty()) result.text = "It printed nothing there.";
  return result;
}

ToolResult finish(const Use& use) {
  ToolResult result = say("Done.");
  result.finished = use.text("summary");
  return result;
}

struct Entry {
  json about;  ///< Its file.
  ToolResult (*act)(const Use&);
  bool of_study = false, writes = false;
};

const std::map<std::string, Entry, std::less<>>& table() {
  static const auto entries = [] {
    std::map<std::string, Entry, std::less<>> all;
    const auto add = [&](const char* name, ToolResult (*act)(const Use&), bool of_study = false,
                         bool to_branch = false) {
      all.emplace(name, Entry{json::parse(embedded::tools(std::string(name) + ".json")), act, of_study, to_branch});
    };
    add("list_files", list_files);
    add("read_file", read_file);
    add("grep", grep);
    add("plan", plan, true);
    add("read_results", read_results, true);
    add("propose_hypothesis", propose_hypothesis, true);
    add("record_decision", record_decision, true);
    add("record_dead_end", record_dead_end, true);
    add("write_file", write_file, false, true);
    add("edit_file", edit_file, false, true);
    add("read_log", read_log, true);
    add("finish", finish);
    return all;
  }();
  return entries;
}

bool has(const Entry& entry, std::string_view role) {
  const json& roles = entry.about.at("roles");
  return std::any_of(roles.begin(), roles.end(),
                     [&](const json& one) { return one.get_ref<const std::string&>() == role; });
}

std::string names_for(std::string_view role) {
  std::string list;
  for (const auto& [name, entry] : table())
    if (has(entry, role)) list += (list.empty() ? "" : ", ") + name;
  return list;
}

}  // namespace

std::vector<models::Tool> tools_of(std::string_view role) {
  std::vector<models::Tool> tools;
  for (const auto& [name, entry] : table())
    if (has(entry, role))
      tools.push_back({name, entry.about.at("description").get<std::string>(), entry.about.at("parameters").dump()});
  return tools;
}

bool looks_at_study(std::string_view tool) {
  const auto found = table().find(tool);
  return found != table().end() && found->second.of_study;
}

bool writes(std::string_view tool) {
  const auto found = table().find(tool);
  return found != table().end() && found->second.writes;
}

ToolResult use_tool(const models::ToolCall& call, std::string_view role, const Study* study, Branch& branch) {
  constexpr std::size_t most_arguments = 1 << 20;
  const auto found = table().find(call.name);
  if (found == table().end() || !has(found->second, role))
    return refuse("there is no such tool; you have " + names_for(role));
  if (call.arguments.size() > most_arguments) return refuse("the arguments are larger than 1 MB");
  if (models::is_deep(call.arguments)) return refuse("the arguments are nested too deeply");
  if (!kernel::valid_utf8(call.arguments)) return refuse("the arguments are no text in UTF-8");
  const json arguments = json::parse(call.arguments.empty() ? "{}" : call.arguments, nullptr, false);
  if (arguments.is_discarded()) return refuse("the arguments are no JSON: write one object, whole");
  if (call.arguments.find("\\u0000") != std::string::npos) return refuse("the arguments hold a NUL character");
  if (const std::string wrong = against_schema(found->second.about.at("parameters"), arguments); !wrong.empty())
    return refuse("the arguments are not as they should be: " + wrong);
  static const Study none;
  return found->second.act({arguments, role, study ? *study : none, branch});
}

}  // namespace agents
