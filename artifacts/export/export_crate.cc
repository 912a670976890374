#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "artifacts/export/export.h"
#include "artifacts/read/references.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

using nlohmann::json;

constexpr const char* crate_profile = "https://w3id.org/ro/wfrun/process/0.5";
constexpr const char* run_terms = "https://w3id.org/ro/terms/workflow-run#";

struct MediaType {
  std::string_view ending, type;
};
constexpr MediaType media_types[] = {
    {".md", "text/markdown"},        {".csv", "text/csv"},          {".json", "application/json"},
    {".jsonl", "application/jsonl"}, {".yaml", "application/yaml"}, {".yml", "application/yaml"},
    {".html", "text/html"},          {".svg", "image/svg+xml"},     {".png", "image/png"},
    {".py", "text/x-python"},        {".txt", "text/plain"},        {".log", "text/plain"}};

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

class Crate {
 public:
  Crate(const Artifact& artifact, const json& seal, const ExportFiles& files)
      : artifact_(artifact), seal_(seal.is_object() ? seal : json::object()), files_(files) {}

  std::string text(const std::string& published) {
    add_files();
    add_claims();
    add_runs();
    json root = {{"@id", "./"},
                 {"@type", "Dataset"},
                 {"name", artifact_.paper.title.empty() ? "An untitled artifact" : artifact_.paper.title},
                 {"description",
                  artifact_.paper.abstract.empty() ? "An Agent-Native Research Artifact." : artifact_.paper.abstract},
                 {"datePublished", published},
                 {"license", licence()},
                 {"conformsTo", id(crate_profile)},
                 {"hasPart", std::move(parts_)}};
    if (!artifact_.paper.keywords.empty()) root["keywords"] = artifact_.paper.keywords;
    if (!artifact_.paper.authors.empty()) root["creator"] = authors();
    add_lineage(root);
    if (!mentions_.empty()) root["mentions"] = std::move(mentions_);
    json graph = {
        {{"@id", crate_file},
         {"@type", "CreativeWork"},
         {"conformsTo", id("https://w3id.org/ro/crate/1.1")},
         {"about", id("./")}},
        std::move(root),
        {{"@id", crate_profile}, {"@type", "CreativeWork"}, {"name", "Process Run Crate"}, {"version", "0.5"}}};
    for (json& one : entities_) graph.push_back(std::move(one));
    return json{{"@context",
                 {"https://w3id.org/ro/crate/1.1/context",
                  {{"sha256", std::string(run_terms) + "sha256"},
                   {"prov", "http://www.w3.org/ns/prov#"},
                   {"wasDerivedFrom", "prov:wasDerivedFrom"},
                   {"wasGeneratedBy", "prov:wasGeneratedBy"}}}},
                {"@graph", std::move(graph)}}
               .dump(1, ' ', false, json::error_handler_t::replace) +
           "\n";
  }

 private:
  std::string licence() const {
    const YamlValue* found = artifact_.paper.front.find("license");
    return found && !found->text.empty() ? found->text : "not stated in the artifact";
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
      const std::string tool = string_at(seal_, "tool");
      if (!tool.empty() && artifact_.paper.authors[i].starts_with("etude "))
        entities_.back()["@type"] = "SoftwareApplication";
      list.push_back(id(name));
    }
    return list;
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
      if (!from.empty()) claim["wasDerivedFrom"] = std::move(from);
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
    const std::string tool = string_at(seal_, "tool");
    entities_.push_back({{"@id", "#etude"}, {"@type", "SoftwareApplication"}, {"name", tool}, {"version", tool}});
    const json workspace = seal_.value("workspace", json::object());
    entities_.push_back({{"@id", "#code"},
                         {"@type", "SoftwareApplication"},
                         {"name", "the code of the study"},
                         {"version", string_at(workspace, "hash")}});
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
    action["object"] = std::move(objects);
    const std::string record = "evidence/results/" + experiment + ".csv";
    if (!experiment.empty() && paths_.contains(record)) action["result"] = id(uri_of(record));
    mentions_.push_back(id(name));
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
  std::set<std::string> paths_, parameters_;
  json parts_ = json::array(), mentions_ = json::array();
  std::vector<json> entities_;
};

}  // namespace

std::string crate_metadata(const Artifact& artifact, const json& seal, const ExportFiles& files,
                           const std::string& published) {
  return Crate(artifact, seal, files).text(published);
}

}  // namespace artifacts
