#include "artifacts/write/etude_json.h"

#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "artifacts/read/record.h"
#include "artifacts/text/untrusted_text.h"
#include "artifacts/words/study_words.h"
#include "base/utf8.h"
#include "kernel/codec/json_types.h"
#include "kernel/domain/enum_names.h"
#include "kernel/views/shapes.h"
#include "kernel/wording/wording.h"

namespace artifacts {

using kernel::Study;
using nlohmann::json;

namespace {

/// The study in its final state, because packaging is its last step.
json study_json(const Study& study, const std::string& head) {
  json shape = kernel::study_shape(study, head);
  shape["state"] = kernel::name(kernel::StudyState::ended);
  shape["stage"] = kernel::name(kernel::Phase::done);
  shape["outcome"] = kernel::name(*study.outcome);
  shape["head"] = head;
  // Paths of the machine that made the artifact are no part of it.
  for (const char* key : {"artifact", "report", "output", "study_file", "ended"}) shape[key] = nullptr;
  return shape;
}

json registrations_json(const kernel::Experiments& study) {
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
    kernel::put_in_words(entry["result"], study.wording);
    list.push_back(std::move(entry));
  }
  return list;
}

/// Whether the file is generated and never annotated.
bool is_hashed(std::string_view path) {
  return path.starts_with("evidence/") || path.starts_with("src/") || path == "trace/events.jsonl" ||
         path == "report.md" || path == "report.html";
}

json files_json(const Staging& folder, bool hashed) {
  json files = json::object();
  for (const auto& [path, file] : folder.files())
    if (is_hashed(path) == hashed) files[path] = file.sha256;
  return files;
}

/// Numbers that JSON cannot express become null, as readers will see them. Malformed UTF-8 was replaced when it entered
/// an event; nothing here may throw for it.
void make_writable(json& value) {
  if (value.is_structured()) {
    for (json& member : value) make_writable(member);
  } else if (value.is_number_float() && !std::isfinite(value.get<double>())) {
    value = nullptr;
  } else if (value.is_string() && !kernel::valid_utf8(value.get_ref<const std::string&>())) {
    value = json::parse(value.dump(-1, ' ', false, json::error_handler_t::replace));
  }
}

/// Writes a value in a document, indented by so many steps.
template <typename Json>
void add_indented(std::string& document, const Json& value, std::size_t steps) {
  for (const char c : value.dump(1, ' ', false, json::error_handler_t::replace)) {
    document += c;
    if (c == '\n') document.append(steps, ' ');
  }
}

void add_key(std::string& document, const char* key) {
  document += (document.size() > 1 ? ",\n \"" : "\n \"") + std::string(key) + "\": ";
}

template <typename Json>
void add_member(std::string& document, const char* key, const Json& value) {
  add_key(document, key);
  add_indented(document, value, 1);
}

/// Objects whose keys are names of the study, so no key may be added. Other objects may have members that this program
/// does not know.
constexpr std::array<std::string_view, 5> closed{"metrics", "factors", "treatment", "control", "where"};
/// Members that an entry must have. Others may be missing, because older programs did not write them.
constexpr std::array<std::string_view, 9> needed{"id",       "verdict",    "result", "hash", "registration",
                                                 "evidence", "experiment", "state",  "head"};

}  // namespace

json recorded_members(const Study& study, const std::string& head) {
  json members = json::object();
  members["study"] = study_json(study, head);
  members["workspace"] = {{"hash", study.workspace.hash},
                          {"path", workspace_path(study.workspace.hash.text())},
                          {"files", study.workspace.files},
                          {"bytes", study.workspace.bytes}};
  members["registrations"] = registrations_json(study);
  members["hypotheses"] = hypotheses_json(study);
  members["environment"] = study.environment;
  members["data"] = study.data;
  const kernel::Extended& extended = study.spec.extends;
  if (!extended.empty())
    members["extends"] = {{"id", extended.id},
                          {"title", extended.title},
                          {"doi", extended.doi},
                          {"files", extended.files},
                          {"head", extended.head},
                          {"code", !extended.workspace.empty()},
                          {"controls", extended.controls}};
  make_writable(members);
  return members;
}

void each_recorded_run(const Study& study, const std::function<void(const json&)>& each) {
  std::map<kernel::ExperimentId, std::string> hashes;
  for (const kernel::Experiment& e : study.experiments) hashes[e.registration.experiment] = e.hash;
  if (study.search) hashes[study.search->plan.registered.experiment] = study.search->hash;
  for (const kernel::Run& run : study.runs) {
    json entry = kernel::run_shape(study, run);
    entry.erase("launch");  // A path of the machine that ran it.
    const auto hash = hashes.find(run.experiment);
    entry["registration"] = hash == hashes.end() ? json() : json(hash->second);
    entry["cell"] = run.cell;
    entry["metrics_blob"] = run.measurement.metrics;
    entry["stdout"] = run.out_log;
    entry["stderr"] = run.err_log;
    entry["outputs"] = run.outputs;
    make_writable(entry);
    each(entry);
  }
}

std::string recorded_beginning(const PackageInput& input) {
  const json members = recorded_members(input.study, input.head);
  std::string document = "{";
  const auto add = [&](const char* key, const json& value) { add_member(document, key, value); };
  add("etude", etude_json_version);
  add("tool", "etude " + input.tool_version);
  add("wording", input.study.wording);
  add("layout", input.layout);
  add("study", members.at("study"));
  add("study_file", "src/study.yaml");
  if (members.contains("extends")) add("extends", members.at("extends"));
  for (const char* key : {"workspace", "registrations", "hypotheses", "environment", "data"}) add(key, members.at(key));
  add_key(document, "runs");
  document += '[';
  const std::size_t empty = document.size();
  each_recorded_run(input.study, [&](const json& run) {
    document += document.size() == empty ? "\n  " : ",\n  ";
    add_indented(document, run, 2);
  });
  document += document.size() == empty ? "]" : "\n ]";
  return document;
}

std::string etude_json(std::string record, const std::string& head, const Staging& folder, long long events) {
  add_member(record, "events",
             nlohmann::ordered_json{{"file", "trace/events.jsonl"}, {"head", head}, {"count", events}});
  add_member(record, "files", files_json(folder, true));
  add_member(record, "pages", files_json(folder, false));
  return record + "\n}\n";
}

std::optional<int> wording_of(const json& etude_json) {
  const json wording = etude_json.value("wording", json(1));
  const bool known = wording.is_number_integer() && wording >= 1 && wording <= kernel::wording_version;
  return known ? std::optional(wording.get<int>()) : std::nullopt;
}

int layout_of(const json& etude_json) {
  const json layout = etude_json.value("layout", json(1));
  const bool known = layout.is_number_integer() && layout >= 1 && layout <= newest_layout;
  return known ? layout.get<int>() : newest_layout;
}

void put_in_words(Study& study, int wording) {
  study.wording = wording;
  for (kernel::Node& node : study.nodes) kernel::put_in_words(node, wording);
}

std::optional<std::string> first_difference(const json& found, const json& expected, bool exactly) {
  if (expected.is_object() && found.is_object()) {
    // An older program omits members and a newer one adds some; if both happens, a member was renamed.
    bool more = false;
    for (const auto& [key, value] : found.items()) more = more || !expected.contains(key);
    for (const auto& [key, value] : expected.items()) {
      const auto member = found.find(key);
      const bool known = exactly || is_one_of(closed, key);
      if (member == found.end() && !known && !more && !is_one_of(needed, key)) continue;
      if (member == found.end()) return "." + key;
      if (const auto below = first_difference(*member, value, known)) return "." + key + *below;
    }
    for (const auto& [key, value] : found.items())
      if (exactly && !expected.contains(key)) return "." + key;
    return std::nullopt;
  }
  if (expected.is_array() && found.is_array() && expected.size() == found.size()) {
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (const auto below = first_difference(found[i], expected[i], exactly)) return fmt::format("[{}]{}", i, *below);
    return std::nullopt;
  }
  return found == expected ? std::nullopt : std::optional<std::string>("");
}

}  // namespace artifacts
