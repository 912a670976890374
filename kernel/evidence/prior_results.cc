#include "kernel/evidence/prior_results.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "kernel/codec/json_types.h"

namespace kernel {

using nlohmann::json;

namespace {

std::string hashed(const json& value) {
  return sha256_hex(value.dump(-1, ' ', false, json::error_handler_t::replace));
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

std::vector<Predecessor> predecessors_of(const StudyTerms& terms, const Hypothesis& h) {
  std::vector<Predecessor> found;
  // Equal names of versions of the code mean different code in each study.
  if (terms.predecessors.empty() || terms.spec.code) return found;
  const std::string key = contrast_key(h);
  std::ranges::copy_if(terms.predecessors, std::back_inserter(found),
                       [&](const Predecessor& p) { return p.contrast == key; });
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
