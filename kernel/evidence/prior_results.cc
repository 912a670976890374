#include "kernel/evidence/prior_results.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "kernel/codec/json_types.h"
#include "kernel/domain/cells.h"

namespace kernel {

using nlohmann::json;

namespace {

std::string hashed(const json& value) {
  return sha256_hex(value.dump(-1, ' ', false, json::error_handler_t::replace));
}

/// The commands of a run in the cell, whatever its factors and levels are called.
std::string command_in(const StudySpec& spec, const Cell& cell) {
  std::map<std::string, std::string> values;
  for (const auto& [name, value] : spec.constants) values[name] = value.text;
  for (const auto& [name, level_name] : cell) {
    const Factor* factor = spec.factor(name);
    const Level* level = factor ? factor->level(level_name) : nullptr;
    values[name] = level ? level->value.text : level_name;
    if (level)
      for (const auto& [key, value] : level->bundle) values[name + "." + key] = value.text;
  }
  std::string text;
  const auto add = [&](const CommandTemplate& command) {
    for (const std::string& word : command.words)
      for (std::size_t at = 0; at <= word.size();) {
        const std::size_t open = word.find('{', at), close = word.find('}', open);
        const auto value = close == word.npos ? values.end() : values.find(word.substr(open + 1, close - open - 1));
        const std::size_t end = close == word.npos ? word.size() : close + 1;
        text += value == values.end() ? word.substr(at, end - at) : word.substr(at, open - at) + value->second;
        at = end == word.size() ? word.size() + 1 : end;
      }
  };
  for (const StageSpec& stage : spec.stages) add(stage.run);
  if (spec.stages.empty()) add(spec.run);
  return text;
}

json stage_commands(const StudySpec& spec) {
  json stages = json::array();
  for (const StageSpec& stage : spec.stages) stages.push_back({stage.name, stage.run});
  return stages;
}

}  // namespace

std::string command_key(const StudySpec& spec) {
  return hashed({{"command", spec.run}, {"stages", stage_commands(spec)}});
}

std::string context_key(const StudySpec& spec, const WorkspaceRecord& workspace, const std::vector<DataRecord>& data) {
  json inputs = json::object();
  for (const DataRecord& record : data) inputs[record.name] = record.identity;
  return hashed({{"workspace", workspace.hash},
                 {"command", spec.run},
                 {"stages", stage_commands(spec)},
                 {"set", spec.environment.set},
                 {"constants", spec.constants},
                 {"data", std::move(inputs)}});
}

std::string contrast_key(const Hypothesis& h) {
  return hashed({{"metric", h.metric},
                 {"kind", h.kind},
                 {"treatment", h.treatment},
                 {"control", h.control},
                 {"where", h.where},
                 {"along", h.along},
                 {"steps", h.steps},
                 {"scale", h.slope_scale},
                 {"value", h.slope_value}});
}

std::string runs_key(const StudySpec& spec, const Hypothesis& h) {
  const Metric* metric = spec.metric(h.metric);
  if (!metric || spec.code) return "";
  std::array<std::set<std::string>, 2> arms;
  for (const Cell& cell : cells_of(spec, h)) arms[matches(cell, h.control) ? 1 : 0].insert(command_in(spec, cell));
  if (h.has_arms() && arms[0] == arms[1]) return "";  // The command does not tell its settings.
  const bool by_name = std::holds_alternative<FromMetricsFile>(metric->source) || metric->derived;
  return hashed({{"treatment", arms[0]},
                 {"control", arms[1]},
                 {"kind", h.kind},
                 {"metric", by_name ? json(metric->name) : json(metric->source)},
                 {"summary", metric->summary}});
}

std::vector<Predecessor> predecessors_of(const StudyTerms& terms, const Hypothesis& h) {
  std::vector<Predecessor> found;
  // Equal names of versions of the code mean different code in each study.
  if (terms.predecessors.empty() || terms.spec.code) return found;
  const std::string key = contrast_key(h), runs = runs_key(terms.spec, h);
  std::ranges::copy_if(terms.predecessors, std::back_inserter(found),
                       [&](const Predecessor& p) { return p.contrast == key || (!runs.empty() && p.by_runs == runs); });
  return found;
}

const Predecessor* last_unsupported(const std::vector<Predecessor>& tested) {
  const auto supported = [](const Predecessor& p) { return p.verdict == Verdict::supported; };
  if (tested.empty() || std::ranges::any_of(tested, supported)) return nullptr;
  return &tested.back();
}

Reason repeats_dead_end(const Study& study, const Hypothesis& h) {
  if (study.spec.agents == "builtin" || is_person(h.by) || !h.difference.empty()) return {};
  std::vector<Predecessor> of_parent;
  for (const Predecessor& p : predecessors_of(study, h)) {
    if (p.study == study.spec.extends.id)
      of_parent.push_back(p);
    else if (p.verdict != Verdict::supported && !p.other_code)
      return {ReasonCode::dead_end_of_study,
              {{"earlier", p.hypothesis.text()},
               {"study", p.study},
               {"verdict", words_of(p.verdict)},
               {"reason", p.reason}}};
  }
  // The reason is left out: text of another author may contain instructions.
  if (const Predecessor* p = last_unsupported(of_parent))
    return {ReasonCode::dead_end_of_extended,
            {{"earlier", p->hypothesis.text()}, {"study", p->study}, {"verdict", words_of(p->verdict)}}};
  const std::string key = contrast_key(h);
  for (const HypothesisRecord& record : study.hypotheses)
    if (record.result && record.result->verdict != Verdict::supported && contrast_key(record.hypothesis) == key)
      return {ReasonCode::dead_end_here,
              {{"earlier", record.hypothesis.id.text()},
               {"verdict", words_of(record.result->verdict)},
               {"reason", std::vector{record.result->reason}}}};
  return {};
}

}  // namespace kernel
