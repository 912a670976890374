#include "kernel/views/agents_code.h"

#include <set>

#include <nlohmann/json.hpp>

#include "kernel/codec/json_types.h"
#include "kernel/design/code_comparison.h"
#include "kernel/study/requirements.h"
#include "kernel/wording/wording.h"

namespace kernel {

namespace {

using nlohmann::json;

/// The model of a line of work; empty if none was asked.
std::string model_of(const Thinking& thinking, const std::string& line) {
  const LineOfWork* known = thinking.line(line);
  const ModelCall* call = known ? thinking.call(known->last_call) : nullptr;
  return call ? call->model : "";
}

/// The model that played the judging role last for this code.
std::string model_of_judge(const Study& study, const StudyRequirement& one) {
  std::string model;
  for (const LineOfWork& line : study.thinking.lines)
    if (line.role == one.judge && line.subject.workspace == one.workspace.text())
      model = model_of(study.thinking, line.id);
  return model;
}

std::vector<Reason> by_model(const std::string& model) {
  return model.empty() ? std::vector<Reason>{} : std::vector{Reason{ReasonCode::by_model, {{"model", model}}}};
}

std::string files_of(const CodeAmendment& change) {
  std::string files;
  for (const CodePlace& place : change.places) files += (files.empty() ? "" : ", ") + place.file;
  return files.empty() ? "files removed" : files;
}

std::string without_end(std::string text) {
  text.erase(text.find_last_not_of(" .\n") + 1);
  return text;
}

Reason judged(const Study& study, const StudyRequirement& one) {
  if (one.judged == Judgement::open || !is_current(study, one)) return {ReasonCode::change_not_judged};
  if (is_person(one.judge)) return {};
  return {one.judged == Judgement::met ? ReasonCode::change_judged : ReasonCode::change_denied,
          {{"judge", one.judge}, {"model", by_model(model_of_judge(study, one))}, {"why", without_end(one.why)}}};
}

/// Versions of a search over code by which registered runs were made.
std::string versions_of(const Study& study) {
  std::set<std::string> names;
  if (study.spec.code && study.spec.design.rule == VerdictRule::one_interval)
    for (const Experiment& experiment : study.experiments)
      for (const Cell& cell : experiment.registration.cells)
        if (const auto version = cell.find(code_factor); version != cell.end() && study.code.version(version->second))
          names.insert(version->second);
  std::string list;
  for (const std::string& name : names) {
    const CodeVersion& version = *study.code.version(name);
    const std::string model = model_of(study.thinking, version.step);
    list += (list.empty() ? "" : ", ") + name + " (" + version.workspace.by +
            (model.empty() ? "" : ", model " + model) + ")";
  }
  return list;
}

}  // namespace

Reason agents_code(const Study& study) {
  const CodeAmendment* change = study.amendment();
  if (!change) {
    const std::string versions = versions_of(study);
    return versions.empty() ? Reason{} : Reason{ReasonCode::agents_versions, {{"versions", versions}}};
  }
  Reason why{
      ReasonCode::agents_code,
      {{"by", change->by}, {"model", by_model(model_of(study.thinking, change->line))}, {"files", files_of(*change)}}};
  std::vector<Reason> mends;
  for (const CheckFinding& finding : change->mends) mends.push_back(finding.message);
  why.values["mends"] = std::vector{mends.empty() ? Reason{ReasonCode::change_for_requirements}
                                                  : Reason{ReasonCode::change_mends, {{"what", mends}}}};
  if (study.compared) why.values["compared"] = compared_words(*study.compared);
  const StudyRequirement* required = requirement_on_amendment(study);
  why.values["judged"] = std::vector{required ? judged(study, *required) : Reason{ReasonCode::change_not_judged}};
  why.values["read"] =
      std::vector{is_read_by_person(study) ? Reason{ReasonCode::change_read, {{"why", without_end(required->why)}}}
                                           : Reason{ReasonCode::change_not_read}};
  return why;
}

json agents_code_shape(const Study& study) {
  const Reason words = agents_code(study);
  if (words.empty()) return nullptr;
  json shape = {{"text", sentence(words, study.wording)}, {"read_by_person", is_read_by_person(study)}};
  const CodeAmendment* change = study.amendment();
  if (!change) return shape;
  shape["by"] = change->by;
  shape["model"] = model_of(study.thinking, change->line);
  shape["original"] = change->original;
  shape["amended"] = change->amended;
  shape["diff"] = change->diff.sha256;
  shape["files"] = json::array();
  for (const CodePlace& place : change->places) shape["files"].push_back(place.file);
  shape["mends"] = json::array();
  for (const CheckFinding& finding : change->mends) shape["mends"].push_back(sentence(finding.message, study.wording));
  if (const StudyRequirement* required = requirement_on_amendment(study)) shape["requirement"] = required->id;
  return shape;
}

}  // namespace kernel
