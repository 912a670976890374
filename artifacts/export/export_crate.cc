#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "artifacts/export/export.h"
#include "artifacts/read/references.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

using nlohmann::json;

constexpr const char* run_terms = "https://w3id.org/ro/terms/workflow-run#";

struct MediaType {
  std::string_view ending, type;
};
constexpr MediaType media_types[] = {
    {".md", "text/markdown"},        {".csv", "text/csv"},          {".json", "application/json"},
    {".jsonl", "application/jsonl"}, {".yaml", "application/yaml"}, {".yml", "application/yaml"},
    {".html", "text/html"},          {".svg", "image/svg+xml"},     {".png", "image/png"},
    {".py", "text/x-python"},        {".txt", "text/plain"},        {".log", "text/plain"},
    {".pdf", "application/pdf"}};

std::string_view media_type(std::string_view path) {
  for (const MediaType& one : media_types)
    if (path.ends_with(one.ending)) return one.type;
  return "application/octet-stream";
}

/// A path as a relative URI reference (RFC 3986).
std::string uri_of(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = is_alnum(c) || std::string_view("-._~/").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
}

json id(const std::string& of) {
  return {{"@id", of}};
}

std::string string_at(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// The versions that belong together: of RO-Crate, of Workflow RO-Crate, and of Process and Workflow Run Crate.
struct Versions {
  std::string crate, workflow, run;
};

Versions versions_of(RunProfile profile) {
  return profile == RunProfile::v0_5 ? Versions{"1.1", "1.0", "0.5"} : Versions{"1.3", "1.1", "0.6"};
}

/// An identifier of the SPDX list, by its looks: no expression and no text.
bool is_spdx(const std::string& license) {
  return !license.empty() && !license.starts_with("LicenseRef-") &&
         std::ranges::all_of(license, [](char c) { return is_alnum(c) || c == '-' || c == '.' || c == '+'; });
}

/// One value as itself, as RO-Crate recommends; several as a list.
json one_or_list(json list) {
  return list.size() == 1 ? list.front() : list;
}

class Crate {
 public:
  Crate(const Artifact& artifact, const json& seal, const ExportFiles& files, RunProfile profile)
      : artifact_(artifact),
        seal_(seal.is_object() ? seal : json::object()),
        files_(files),
        versions_(versions_of(profile)) {}

  std::string text(const std::string& published) {
    add_files();
    add_claims();
    add_runs();
    add_workflow();
    json root = {{"@id", "./"},
                 {"@type", "Dataset"},
                 {"name", artifact_.paper.title.empty() ? "An untitled artifact" : artifact_.paper.title},
                 {"description",
                  artifact_.paper.abstract.empty() ? "An Agent-Native Research Artifact." : artifact_.paper.abstract},
                 {"datePublished", published},
                 {"license", licence()}};
    if (!parts_.empty()) root["hasPart"] = one_or_list(std::move(parts_));
    if (!profiles_.empty()) root["conformsTo"] = one_or_list(std::move(profiles_));
    if (!workflow_.empty()) root["mainEntity"] = id(workflow_);
    if (!artifact_.paper.keywords.empty()) root["keywords"] = one_or_list(artifact_.paper.keywords);
    if (!artifact_.paper.authors.empty()) root["creator"] = authors();
    add_lineage(root);
    if (!mentions_.empty()) root["mentions"] = one_or_list(std::move(mentions_));
    const std::string crate = "https://w3id.org/ro/crate/" + versions_.crate;
    json graph = {{{"@id", crate_file},
                   {"@type", "CreativeWork"},
                   {"name", "Description of this crate"},
                   {"conformsTo", id(crate)},
                   {"about", id("./")}},
                  std::move(root),
                  {{"@id", crate_preview},
                   {"@type", "CreativeWork"},
                   {"name", "The artifact as one page"},
                   {"encodingFormat", "text/html"},
                   {"about", id("./")}}};
    for (json& one : entities_) graph.push_back(std::move(one));
    return json{{"@context",
                 {crate + "/context",
                  {{"sha256", std::string(run_terms) + "sha256"},
                   {"prov", "http://www.w3.org/ns/prov#"},
                   {"wasDerivedFrom", "prov:wasDerivedFrom"},
                   {"wasGeneratedBy", "prov:wasGeneratedBy"}}}},
                {"@graph", std::move(graph)}}
               .dump(1, ' ', false, json::error_handler_t::replace) +
           "\n";
  }

 private:
  json licence() {
    const YamlValue* found = artifact_.paper.front.find("license");
    if (!found || found->text.empty()) return "not stated in the artifact";
    if (!is_spdx(found->text)) return found->text;
    const std::string url = "https://spdx.org/licenses/" + found->text;
    entities_.push_back({{"@id", url},
                         {"@type", "CreativeWork"},
                         {"name", found->text},
                         {"identifier", url},
                         {"description", "The license " + found->text + " of the SPDX list."}});
    return id(url);
  }

  /// Says that the crate follows a profile.
  void add_profile(const std::string& permalink, const std::string& name, const std::string& version) {
    const std::string url = permalink + version;
    profiles_.push_back(id(url));
    entities_.push_back({{"@id", url}, {"@type", "CreativeWork"}, {"name", name}, {"version", version}});
    if (versions_.crate != "1.1") entities_.back()["@type"] = {"CreativeWork", "Profile"};
  }

  /// Adds the artifact that the study extends.
  void add_lineage(json& root) {
    const json extended = seal_.value("extends", json::object());
    const std::string files = extended.is_object() ? string_at(extended, "files") : "";
    if (files.empty()) return;
    const std::string doi = string_at(extended, "doi"), title = string_at(extended, "title");
    const std::string name = doi.starts_with("10.") ? "https://doi.org/" + uri_of(doi) : "#extended";
    root["isBasedOn"] = id(name);
    root["wasDerivedFrom"] = id(name);
    entities_.push_back({{"@id", name},
                         {"@type", {"CreativeWork", "prov:Entity"}},
                         {"name", title.empty() ? "An untitled artifact" : title},
                         {"identifier", files},
                         {"description", "The artifact whose list of files has this SHA-256."}});
  }

  json authors() {
    json list = json::array();
    for (std::size_t i = 0; i < artifact_.paper.authors.size(); ++i) {
      const std::string name = fmt::format("#author-{}", i + 1);
      entities_.push_back({{"@id", name}, {"@type", "Person"}, {"name", artifact_.paper.authors[i]}});
      // People may have added their names to that of the program.
      if (!string_at(seal_, "tool").empty() && artifact_.paper.authors[i].starts_with("etude "))
        entities_.back()["@type"] = "Organization";
      list.push_back(id(name));
    }
    return one_or_list(std::move(list));
  }

  void add_files() {
    const json hashes = seal_.value("files", json::object());
    const json pages = seal_.value("pages", json::object());
    for (const Entry& entry : files_.entries) {
      if (entry.kind != FileKind::regular || entry.link || files_.added.contains(entry.path)) continue;
      json file = {{"@id", uri_of(entry.path)},
                   {"@type", "File"},
                   {"name", entry.path},
                   {"encodingFormat", media_type(entry.path)},
                   {"contentSize", std::to_string(entry.size)}};
      std::string hash = string_at(hashes, entry.path.c_str());
      if (hash.empty()) hash = string_at(pages, entry.path.c_str());
      if (!hash.empty()) file["sha256"] = hash;
      const auto row = std::ranges::find(artifact_.layer_index, entry.path, &IndexRow::target);
      if (row != artifact_.layer_index.end() && !row->rest.empty()) file["description"] = row->rest;
      parts_.push_back(id(uri_of(entry.path)));
      paths_.insert(entry.path);
      entities_.push_back(std::move(file));
    }
  }

  void add_claims() {
    for (const Block& block : artifact_.claims.blocks) {
      if (block.id.empty()) continue;
      const Field* statement = block.field("Statement");
      const Field* status = block.field("Status");
      json claim = {{"@id", "#" + uri_of(block.id)},
                    {"@type", {"Claim", "prov:Entity"}},
                    {"name", block.title.empty() ? block.id : block.title},
                    {"isPartOf", id("logic/claims.md")}};
      if (statement) claim["text"] = statement->text;
      if (status) claim["creativeWorkStatus"] = status->text;
      json from = json::array();
      for (const std::string& path : evidence_of(block)) from.push_back(id(uri_of(path)));
      if (!from.empty()) claim["wasDerivedFrom"] = one_or_list(std::move(from));
      mentions_.push_back(id("#" + uri_of(block.id)));
      entities_.push_back(std::move(claim));
    }
  }

  /// The records of the experiments that a claim names as proof.
  std::vector<std::string> evidence_of(const Block& claim) const {
    std::vector<std::string> found;
    const Field* proof = claim.field("Proof");
    if (!proof) return found;
    const std::vector<Reference> named = ids_in(proof->text, "E", proof->line);
    for (const Block& experiment : artifact_.experiments.blocks) {
      const auto is_named = [&](const Reference& one) { return one.text == experiment.id; };
      if (experiment.id.empty() || std::ranges::none_of(named, is_named)) continue;
      for (const char* ending : {".csv", ".md"}) {
        std::string path = "evidence/results/" + experiment.id + ending;
        if (paths_.contains(path)) found.push_back(std::move(path));
      }
    }
    return found;
  }

  void add_runs() {
    const json runs = seal_.value("runs", json::array());
    if (!runs.is_array() || runs.empty()) return;
    add_profile("https://w3id.org/ro/wfrun/process/", "Process Run Crate", versions_.run);
    entities_.push_back({{"@id", "#etude"}, {"@type", "Organization"}, {"name", string_at(seal_, "tool")}});
    const json workspace = seal_.value("workspace", json::object());
    json code = {{"@id", "#code"},
                 {"@type", "SoftwareApplication"},
                 {"name", "the code of the study"},
                 {"version", string_at(workspace, "hash")}};
    if (const std::string path = string_at(workspace, "path"); !path.empty()) {
      const std::string folder = uri_of(path) + "/";
      code["url"] = id(folder);
      parts_.push_back(id(folder));
      entities_.push_back({{"@id", folder},
                           {"@type", "Dataset"},
                           {"name", "Code of the study"},
                           {"description", "The workspace that ran, byte for byte."}});
    }
    entities_.push_back(std::move(code));
    for (const json& run : runs)
      if (run.is_object()) add_run(run);
  }

  void add_run(const json& run) {
    const std::string name = "#" + uri_of(string_at(run, "id")), state = string_at(run, "state");
    const std::string experiment = string_at(run, "experiment");
    json action = {{"@id", name},
                   {"@type", "CreateAction"},
                   {"name", fmt::format("Run {}{}", string_at(run, "id"),
                                        experiment.empty() ? "" : " of experiment " + experiment)},
                   {"instrument", id("#code")},
                   {"agent", id("#etude")},
                   {"actionStatus", state == "succeeded" ? "http://schema.org/CompletedActionStatus"
                                                         : "http://schema.org/FailedActionStatus"}};
    for (const auto& [ours, theirs] : {std::pair{"started", "startTime"}, {"ended", "endTime"}, {"reason", "error"}})
      if (const std::string value = string_at(run, ours); !value.empty()) action[theirs] = value;
    json objects = json::array();
    const json factors = run.value("factors", json::object());
    for (const auto& [factor, level] : factors.items()) objects.push_back(parameter(factor, level));
    if (run.contains("seed")) objects.push_back(parameter("seed", run["seed"]));
    if (!objects.empty()) action["object"] = one_or_list(std::move(objects));
    const std::string record = "evidence/results/" + experiment + ".csv";
    if (!experiment.empty() && paths_.contains(record)) action["result"] = id(uri_of(record));
    mentions_.push_back(id(name));
    entities_.push_back(std::move(action));
  }

  /// The study file is the workflow, and the study its one execution, which ran all runs.
  void add_workflow() {
    const std::string file = string_at(seal_, "study_file");
    const auto entity = std::ranges::find(entities_, json(uri_of(file)), [](const json& one) { return one["@id"]; });
    const json runs = seal_.value("runs", json::array());
    if (!paths_.contains(file) || entity == entities_.end() || !runs.is_array() || runs.empty()) return;
    workflow_ = uri_of(file);
    (*entity)["@type"] = {"File", "SoftwareSourceCode", "ComputationalWorkflow"};
    (*entity)["programmingLanguage"] = id("#yaml");
    if (const std::string hash = string_at(seal_.value("files", json::object()), file.c_str()); !hash.empty())
      (*entity)["version"] = hash;
    entities_.push_back({{"@id", "#yaml"},
                         {"@type", "ComputerLanguage"},
                         {"name", "YAML"},
                         {"version", "1.2"},
                         {"url", id("https://yaml.org/spec/1.2.2/")}});
    add_profile("https://w3id.org/ro/wfrun/workflow/", "Workflow Run Crate", versions_.run);
    add_profile("https://w3id.org/workflowhub/workflow-ro-crate/", "Workflow RO-Crate", versions_.workflow);
    std::string first, last;
    std::set<std::string> records;
    for (const json& run : runs) {
      if (!run.is_object()) continue;
      const std::string started = string_at(run, "started"), ended = string_at(run, "ended");
      if (!started.empty() && (first.empty() || started < first)) first = started;
      last = std::max(last, ended);
      const std::string record = "evidence/results/" + string_at(run, "experiment") + ".csv";
      if (paths_.contains(record)) records.insert(uri_of(record));
    }
    json action = {{"@id", "#study"},
                   {"@type", "CreateAction"},
                   {"name", "The study"},
                   {"description", fmt::format("All {} recorded runs, as the study file asks.", runs.size())},
                   {"instrument", id(workflow_)},
                   {"agent", id("#etude")}};
    if (!first.empty()) action["startTime"] = first;
    if (!last.empty()) action["endTime"] = last;
    json results = json::array();
    for (const std::string& record : records) results.push_back(id(record));
    if (!results.empty()) action["result"] = one_or_list(std::move(results));
    mentions_.push_back(id("#study"));
    entities_.push_back(std::move(action));
  }

  /// Runs of the same setting share the parameter.
  json parameter(const std::string& name, const json& value) {
    const std::string shown = value.is_string() ? value.get<std::string>() : value.dump();
    const std::string of = "#" + uri_of(name + "=" + shown);
    if (parameters_.insert(of).second)
      entities_.push_back({{"@id", of}, {"@type", "PropertyValue"}, {"name", name}, {"value", shown}});
    return id(of);
  }

  const Artifact& artifact_;
  const json seal_;
  const ExportFiles& files_;
  const Versions versions_;
  std::set<std::string> paths_, parameters_;
  std::string workflow_;  ///< The entity of the study file; empty if there is none.
  json parts_ = json::array(), mentions_ = json::array(), profiles_ = json::array();
  std::vector<json> entities_;
};

}  // namespace

std::string crate_metadata(const Artifact& artifact, const json& seal, const ExportFiles& files,
                           const std::string& published, RunProfile profile) {
  return Crate(artifact, seal, files, profile).text(published);
}

}  // namespace artifacts
