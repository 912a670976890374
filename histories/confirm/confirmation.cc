#include "histories/confirm/confirmation.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "studyfile/yaml/scalars.h"

namespace histories {

namespace {

using nlohmann::json;

constexpr int format = 1;

/// A YAML scalar that reads back as this text.
std::string in_quotes(const std::string& text) {
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string level(const std::string& text) {
  return studyfile::as_number(text) ? text : in_quotes(text);
}

/// On one line, without control characters, at most so long.
std::string plain(const std::string& text, std::size_t most) {
  std::string out;
  for (const char c : text) {
    const bool blank = static_cast<unsigned char>(c) <= ' ' || c == 0x7f;
    if (!blank)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  if (out.size() <= most) return out;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xc0U) == 0x80) --end;
  return out.substr(0, end) + "…";
}

/// "v1 (a1b2c3d)". Names that are no hash and no number could contradict the test, and are left out.
std::string named(const Version& version) {
  const bool is_hash = version.entry.id.find_first_not_of("0123456789abcdef") == std::string::npos;
  return is_hash && !version.entry.id.empty() ? fmt::format("{} ({})", version.arm, version.entry.id.substr(0, 12))
                                              : version.arm;
}

const Version& version_of(const RecordedClaims& claims, const std::string& arm) {
  for (const Improvement& improvement : claims.improvements)
    if (improvement.version.arm == arm) return improvement.version;
  return claims.baseline;
}

std::string levels_text(const Confirmation& confirmation, const Setup& setup) {
  std::vector<const Version*> versions = {&confirmation.claims.baseline};
  for (const Improvement& improvement : confirmation.claims.improvements)
    if (improvement.cannot.empty()) versions.push_back(&improvement.version);
  std::string text;
  if (setup.names.empty()) {
    for (const Version* version : versions) text += (text.empty() ? "" : ", ") + version->arm;
    return "[" + text + "]";
  }
  for (const Version* version : versions) {
    std::string values;
    for (const std::string& name : setup.names)
      values += (values.empty() ? "" : ", ") + key_of(name) + ": " + level(version->entry.parameters.at(name));
    text += fmt::format("\n      {}: {{{}}}", version->arm, values);
  }
  return text;
}

std::string hypothesis_text(const Confirmation& confirmation, const Improvement& improvement, const std::string& id,
                            const Version& control, double gain) {
  const bool less = confirmation.history.goal == kernel::Goal::minimize;
  const HistoryEntry& entry = improvement.version.entry;
  std::string mechanism = fmt::format("the history recorded {} against {}", *entry.value, *control.entry.value);
  if (const std::string words = plain(entry.description, 200); !words.empty()) mechanism += ", and calls it: " + words;
  return fmt::format(
      "  - id: {}\n    statement: {}\n    mechanism: {}\n"
      "    test: {{metric: {}, treatment: {{version: {}}}, control: {{version: {}}}, direction: {},\n"
      "           smallest_effect: {{absolute: {:.10g}}}}}\n",
      id,
      in_quotes(fmt::format("{} has a {} {} than {}.", named(improvement.version), less ? "lower" : "higher",
                            confirmation.metric, named(control))),
      in_quotes(mechanism), confirmation.metric, improvement.version.arm, control.arm, less ? "less" : "greater", gain);
}

std::string mapping(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string text;
  for (const auto& [key, value] : entries) text += (text.empty() ? "" : ", ") + key + ": " + value;
  return "{" + text + "}";
}

std::string file_name(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

json entry_json(const HistoryEntry& entry) {
  json one = {{"id", entry.id},
              {"status", name_of(entry.status)},
              {"value", entry.value ? json(*entry.value) : json()},
              {"description", entry.description}};
  if (!entry.parameters.empty()) one["parameters"] = entry.parameters;
  if (!entry.program.empty()) one["program_sha256"] = kernel::sha256_hex(entry.program);
  if (entry.line > 0) one["line"] = entry.line;
  return one;
}

HistoryEntry entry_of(const json& one) {
  HistoryEntry entry;
  entry.id = one.at("id");
  for (const Status status : {Status::kept, Status::discarded, Status::crashed})
    if (one.at("status") == name_of(status)) entry.status = status;
  if (one.at("value").is_number()) entry.value = one.at("value").get<double>();
  entry.description = one.at("description");
  if (one.contains("parameters")) entry.parameters = one.at("parameters");
  entry.line = one.value("line", 0);
  return entry;
}

json number_or_null(const std::optional<double>& value) {
  return value ? json(*value) : json();
}

constexpr std::pair<Against, const char*> against_names[] = {
    {Against::both, "both"}, {Against::baseline, "baseline"}, {Against::before, "before"}};

Source source_of(const std::string& name) {
  for (const Source source : {Source::autoresearch, Source::optuna, Source::wandb, Source::mlflow, Source::trackio,
                              Source::aide, Source::openevolve, Source::shinka})
    if (name == name_of(source)) return source;
  throw json::other_error::create(501, "unknown source", nullptr);
}

}  // namespace

std::optional<std::string> against_baseline(const Confirmation& confirmation, const Improvement& improvement) {
  const bool first = improvement.before == confirmation.claims.baseline.arm;
  if (!improvement.cannot.empty() || (confirmation.against == Against::before && !first)) return std::nullopt;
  return "H" + improvement.version.arm.substr(1);
}

std::optional<std::string> against_before(const Confirmation& confirmation, const Improvement& improvement) {
  if (!improvement.cannot.empty() || confirmation.against == Against::baseline || !improvement.step)
    return std::nullopt;
  return "S" + improvement.version.arm.substr(1);
}

std::string study_text(const Confirmation& confirmation, const Setup& setup) {
  const RecordedClaims& claims = confirmation.claims;
  const std::string history = plain(file_name(confirmation.history.path), 80);
  std::string text = fmt::format(
      "# Written by `etude confirm`. The improvements that a search accepted are run again, on seeds that it did not\n"
      "# use. confirm.json says which entry of the history each version is. What the history recorded is no evidence "
      "here.\n"
      "etude: 1\ntitle: {}\nquestion: {}\n\n",
      in_quotes("Confirmation of " + history),
      in_quotes(fmt::format("Which of the improvements that {} accepted are found again on fresh seeds?", history)));
  if (setup.exclude.empty()) {
    text += "workspace: " + in_quotes(setup.workspace) + "\n";
  } else {
    std::string patterns;
    for (const std::string& pattern : setup.exclude) patterns += (patterns.empty() ? "" : ", ") + in_quotes(pattern);
    text += fmt::format("workspace: {{path: {}, exclude: [{}]}}\n", in_quotes(setup.workspace), patterns);
  }
  if (!setup.environment.empty()) text += "environment: {use: " + in_quotes(setup.environment) + "}\n";
  if (!setup.data.empty()) {
    text += "data:\n";
    for (const auto& [name, path] : setup.data) text += fmt::format("  {}: {{path: {}}}\n", name, in_quotes(path));
  }
  if (!setup.seed_remark.empty()) text += "# " + setup.seed_remark + "\n";
  text += "run: " + in_quotes(setup.run) + "\n";
  const char* layout = setup.names.empty() ? "\nfactors:\n  version: {{levels: {}, baseline: {}}}\n"
                                           : "\nfactors:\n  version:\n    baseline: {1}\n    levels:{0}\n";
  text += fmt::format(fmt::runtime(layout), levels_text(confirmation, setup), claims.baseline.arm);
  text += fmt::format("metrics:\n  {}: {{goal: {}, primary: true{}}}\n", confirmation.metric,
                      confirmation.history.goal == kernel::Goal::minimize ? "minimize" : "maximize",
                      setup.pattern.empty() ? "" : ", from: {stdout: " + in_quotes(setup.pattern) + "}");
  text += "\n# The size of each test is the gain that the history recorded.\nhypotheses:\n";
  for (const Improvement& improvement : claims.improvements) {
    if (const auto id = against_baseline(confirmation, improvement))
      text += hypothesis_text(confirmation, improvement, *id, claims.baseline, improvement.gain);
    if (const auto id = against_before(confirmation, improvement))
      text +=
          hypothesis_text(confirmation, improvement, *id, version_of(claims, improvement.before), *improvement.step);
  }
  text += fmt::format("design: {{alpha: {}, power: {}, replicates: {{min: {}, max: {}}}}}\n", setup.alpha, setup.power,
                      setup.least, setup.most);
  if (!setup.resources.empty()) text += "resources: " + mapping(setup.resources) + "\n";
  if (!setup.budget.empty()) text += "budget: " + mapping(setup.budget) + "\n";
  return text;
}

json to_json(const Confirmation& confirmation) {
  const History& history = confirmation.history;
  json entries = json::array(), improvements = json::array();
  for (const HistoryEntry& entry : history.entries) entries.push_back(entry_json(entry));
  for (const Improvement& improvement : confirmation.claims.improvements)
    improvements.push_back({{"version", improvement.version.arm},
                            {"entry", entry_json(improvement.version.entry)},
                            {"gain", improvement.gain},
                            {"before", improvement.before},
                            {"step", number_or_null(improvement.step)},
                            {"cannot", improvement.cannot.empty() ? json() : json(improvement.cannot)}});
  const char* against = "";
  for (const auto& [value, name] : against_names)
    if (value == confirmation.against) against = name;
  return {{"confirm", format},
          {"source", name_of(history.source)},
          {"path", history.path},
          {"recorded_metric", history.metric},
          {"metric", confirmation.metric},
          {"goal", history.goal == kernel::Goal::minimize ? "minimize" : "maximize"},
          {"against", against},
          {"accepted", confirmation.claims.accepted},
          {"left_out", confirmation.claims.cut},
          {"baseline",
           {{"version", confirmation.claims.baseline.arm}, {"entry", entry_json(confirmation.claims.baseline.entry)}}},
          {"improvements", std::move(improvements)},
          {"entries", std::move(entries)}};
}

kernel::Result<Confirmation> confirmation_of(const std::string& text, const std::string& file) {
  const kernel::Problem wrong{file, 0, "", "was not written by this version of `etude confirm`",
                              "name the history, and another folder with -o"};
  try {
    const json read = json::parse(text);
    if (read.at("confirm") != format) return wrong;
    Confirmation confirmation;
    History& history = confirmation.history;
    history.source = source_of(read.at("source"));
    history.path = read.at("path");
    history.metric = read.at("recorded_metric");
    history.goal = read.at("goal") == "minimize" ? kernel::Goal::minimize : kernel::Goal::maximize;
    confirmation.metric = read.at("metric");
    for (const auto& [value, name] : against_names)
      if (read.at("against") == name) confirmation.against = value;
    for (const json& entry : read.at("entries")) history.entries.push_back(entry_of(entry));
    RecordedClaims& claims = confirmation.claims;
    claims.accepted = read.at("accepted");
    claims.cut = read.at("left_out");
    claims.baseline = {read.at("baseline").at("version"), entry_of(read.at("baseline").at("entry"))};
    for (const json& one : read.at("improvements")) {
      Improvement improvement;
      improvement.version = {one.at("version"), entry_of(one.at("entry"))};
      improvement.gain = one.at("gain");
      improvement.before = one.at("before");
      if (one.at("step").is_number()) improvement.step = one.at("step").get<double>();
      if (one.at("cannot").is_string()) improvement.cannot = one.at("cannot");
      claims.improvements.push_back(std::move(improvement));
    }
    return confirmation;
  } catch (const json::exception&) {
    return wrong;
  }
}

}  // namespace histories
