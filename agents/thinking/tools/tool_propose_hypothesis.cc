// The tool that proposes a hypothesis, and what it says of one in the wrong shape.
#include <algorithm>

#include <fmt/format.h>

#include "agents/thinking/briefing/hypothesis_format.h"
#include "agents/thinking/tools/tool_use.h"
#include "studyfile/load.h"

namespace agents {

using kernel::Study;
using nlohmann::json;

namespace {

/// The factor that alone has this level; null if none or several have it.
const kernel::Factor* owner_of(const kernel::StudySpec& spec, const std::string& level) {
  const kernel::Factor* owner = nullptr;
  for (const kernel::Factor& factor : spec.factors) {
    if (!factor.level(level)) continue;
    if (owner) return nullptr;
    owner = &factor;
  }
  return owner;
}

std::string spelled(const json& level) {
  return level.is_string() ? level.get<std::string>() : level.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// The arm as an object, {"factor": "level"}, where its levels name their factors; else it stays as it is.
json as_cell(const kernel::StudySpec& spec, const json& arm) {
  json cell = json::object();
  const json levels = arm.is_array() ? arm : json::array({arm});
  for (const json& level : levels) {
    const kernel::Factor* factor = level.is_object() ? nullptr : owner_of(spec, spelled(level));
    if (!factor) return arm;
    cell[factor->name] = spelled(level);
  }
  return cell;
}

/// `along` and `levels` as the study file has them: {factor: [level, level]}.
void join_levels(json& test) {
  const auto levels = test.find("levels");
  if (levels == test.end()) return;
  if (const auto along = test.find("along"); along != test.end() && along->is_string() && !levels->empty())
    *along = json{{along->get<std::string>(), *levels}};
  test.erase("levels");
}

}  // namespace

std::string mended_test(const ToolInput& use) {
  const kernel::StudySpec& spec = use.study.spec;
  const auto given = use.arguments.find("test");
  const std::string example = comparison_example(spec);
  if (!use.arguments.is_object() || given == use.arguments.end() || !given->is_object())
    return example.empty() ? "" : "; write `\"test\": " + example + "`";
  json test = *given;
  for (const char* arm : {"treatment", "control", "where"})
    if (const auto found = test.find(arm); found != test.end() && !found->is_object()) *found = as_cell(spec, *found);
  if (test == *given) return "";
  return "; write `\"test\": " + test.dump(-1, ' ', false, json::error_handler_t::replace) + "`";
}

ToolResult propose_hypothesis(const ToolInput& use) {
  json item = use.arguments;
  kernel::HypothesisId id;
  for (std::size_t n = use.study.hypotheses.size() + 1; id.empty() || use.study.hypothesis(id); ++n)
    id = kernel::HypothesisId(fmt::format("H{}", n));
  item["id"] = id;
  for (const char* ours : {"confidence", "difference"}) item.erase(ours);
  join_levels(item.at("test"));
  std::vector<kernel::Hypothesis> known;
  for (const kernel::HypothesisRecord& record : use.study.hypotheses) known.push_back(record.hypothesis);
  auto hypothesis = studyfile::read_proposal(item.dump(), use.study.spec, known);
  if (!hypothesis) return refuse(hypothesis.problem().text());
  hypothesis->by = std::string(use.role);
  hypothesis->difference = use.text("difference");
  hypothesis->confidence = use.arguments.at("confidence").get<double>();
  return ask(kernel::ProposeHypothesis{std::move(*hypothesis)}, "Proposed as " + id + ".");
}

}  // namespace agents
