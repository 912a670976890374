#include "artifacts/seal.h"

#include <nlohmann/json.hpp>

#include "artifacts/study_words.h"
#include "kernel/json_types.h"
#include "kernel/shapes.h"

namespace artifacts {

using kernel::Study;
using nlohmann::json;
using nlohmann::ordered_json;

namespace {

/// The study as it will stand when this artifact is recorded: packaging is the last thing that happens to it.
json study_json(const PackageInput& input) {
  json shape = kernel::study_shape(input.study, input.head);
  shape["state"] = kernel::name(kernel::StudyState::ended);
  shape["stage"] = kernel::name(kernel::Stage::done);
  shape["outcome"] = kernel::name(*input.study.outcome);
  shape["head"] = input.head;
  // Where things lie on the machine that made them is no part of what they are.
  for (const char* key : {"artifact", "report", "output", "study_file", "ended"}) shape[key] = nullptr;
  return shape;
}

json registrations_json(const Study& study) {
  json list = json::array();
  for (const kernel::Experiment& e : study.experiments)
    list.push_back({{"experiment", e.registration.experiment},
                    {"hash", e.hash},
                    {"registered", kernel::iso8601(e.registered_ms)},
                    {"registration", e.registration}});
  return list;
}

json hypotheses_json(const Study& study) {
  json list = json::array();
  for (const kernel::HypothesisRecord& record : study.hypotheses) {
    json entry = kernel::hypothesis_shape(record, study);
    const std::string claim = claim_id(study, record.hypothesis.id);
    entry["claim"] = claim.empty() ? json() : json(claim);
    entry["result"] = record.result ? json(*record.result) : json();
    list.push_back(std::move(entry));
  }
  return list;
}

json runs_json(const Study& study) {
  std::map<std::string, std::string> hashes;
  for (const kernel::Experiment& e : study.experiments) hashes[e.registration.experiment] = e.hash;
  json list = json::array();
  for (const kernel::Run& run : study.runs) {
    json entry = kernel::run_shape(study, run);
    entry.erase("launch");  // A folder of the machine that ran it.
    const auto hash = hashes.find(run.experiment);
    entry["registration"] = hash == hashes.end() ? json() : json(hash->second);
    entry["cell"] = run.cell;
    entry["metrics_blob"] = run.measurement.metrics;
    entry["stdout"] = run.out_log;
    entry["stderr"] = run.err_log;
    entry["outputs"] = run.outputs;
    list.push_back(std::move(entry));
  }
  return list;
}

json files_json(const Staging& folder) {
  json files = json::object();
  for (const auto& [path, file] : folder.files())
    if (path.starts_with("evidence/") || path.starts_with("src/") || path == "trace/events.jsonl")
      files[path] = file.sha256;
  return files;
}

}  // namespace

std::string seal(const PackageInput& input, const Staging& folder, long long events) {
  const Study& study = input.study;
  const ordered_json document = {{"etude", seal_version},
                                 {"tool", "etude " + input.tool_version},
                                 {"study", study_json(input)},
                                 {"study_file", "src/study.yaml"},
                                 {"workspace",
                                  {{"hash", study.workspace.hash},
                                   {"path", "src/workspace/" + study.workspace.hash},
                                   {"files", study.workspace.files},
                                   {"bytes", study.workspace.bytes}}},
                                 {"registrations", registrations_json(study)},
                                 {"hypotheses", hypotheses_json(study)},
                                 {"environment", json(study.environment)},
                                 {"data", json(study.data)},
                                 {"runs", runs_json(study)},
                                 {"events", {{"file", "trace/events.jsonl"}, {"head", input.head}, {"count", events}}},
                                 {"files", files_json(folder)}};
  // Bytes that are no UTF-8 were replaced when they entered an event; nothing here may throw over one that was not.
  return document.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

bool is_seal(std::string_view start) {
  const auto skip = [&] {
    while (!start.empty() && (start.front() == ' ' || start.front() == '\n' || start.front() == '\t'))
      start.remove_prefix(1);
  };
  const auto take = [&](std::string_view word) {
    skip();
    if (!start.starts_with(word)) return false;
    start.remove_prefix(word.size());
    return true;
  };
  return take("{") && take("\"etude\"") && take(":");
}

}  // namespace artifacts
