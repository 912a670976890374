// Artifacts as a person reads them: what one states, its exploration tree and its files.
#include <map>
#include <set>

#include "apps/server/api/opened_artifact.h"
#include "artifacts/find/questions.h"
#include "artifacts/find/word_search.h"
#include "artifacts/read/artifact_reader.h"

namespace server {

namespace {

constexpr std::size_t most_files = 5000;

json entries_of(const artifacts::Layer& layer) {
  json entries = json::array();
  for (const artifacts::Block& block : layer.blocks) {
    if (block.id.empty()) continue;
    json fields = json::array();
    for (const artifacts::Field& field : block.fields) fields.push_back({{"name", field.name}, {"text", field.text}});
    for (const artifacts::Text& text : block.prose) fields.push_back({{"name", ""}, {"text", text.text}});
    entries.push_back({{"id", block.id}, {"title", block.title}, {"line", block.line}, {"fields", std::move(fields)}});
  }
  return entries;
}

json plain_value(const artifacts::YamlValue& value) {
  switch (value.kind) {
    case artifacts::YamlValue::Kind::null:
      return nullptr;
    case artifacts::YamlValue::Kind::scalar:
      return value.text;
    case artifacts::YamlValue::Kind::list: {
      json items = json::array();
      for (const artifacts::YamlValue& item : value.items) items.push_back(plain_value(item));
      return items;
    }
    case artifacts::YamlValue::Kind::map: {
      json members = json::object();
      for (std::size_t i = 0; i < value.items.size(); ++i) members[value.keys[i].text] = plain_value(value.items[i]);
      return members;
    }
  }
  return nullptr;
}

/// As the nodes of a study's graph: of nodes with one id the first, and as parents those that stand before it, so that
/// there are no loops.
json nodes_of(const artifacts::Tree& tree) {
  std::map<std::string, std::size_t> places;
  std::vector<const artifacts::TreeNode*> nodes;
  for (const artifacts::TreeNode& node : tree.nodes)
    if (!node.id.empty() && places.emplace(node.id, nodes.size()).second) nodes.push_back(&node);
  std::vector<std::set<std::string>> parents(nodes.size());
  const auto join = [&](const std::string& parent, const std::string& child) {
    const auto above = places.find(parent), below = places.find(child);
    if (above != places.end() && below != places.end() && above->second < below->second)
      parents[below->second].insert(parent);
  };
  for (const artifacts::TreeNode* node : nodes) {
    if (node->parent >= 0) join(tree.nodes[static_cast<std::size_t>(node->parent)].id, node->id);
    for (const artifacts::Text& parent : node->parent_ids) join(parent.text, node->id);
    for (const artifacts::Text& parent : node->also_depends_on) join(parent.text, node->id);
    for (const artifacts::Text& child : node->children_ids) join(node->id, child.text);
  }
  json list = json::array();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    json fields = json::object(), evidence = json::array();
    for (const artifacts::NodeField& field : nodes[i]->fields) fields[field.key] = plain_value(field.value);
    for (const artifacts::Text& text : nodes[i]->evidence) evidence.push_back(text.text);
    if (!nodes[i]->support_level.empty()) fields["support_level"] = nodes[i]->support_level;
    list.push_back({{"id", nodes[i]->id},
                    {"type", artifacts::name_of(nodes[i]->type)},
                    {"title", nodes[i]->title},
                    {"parents", parents[i]},
                    {"fields", std::move(fields)},
                    {"evidence", std::move(evidence)}});
  }
  return list;
}

json files_of(const artifacts::Listing& listing) {
  json files = json::array();
  for (const artifacts::Entry& entry : listing.entries)
    if (entry.kind == artifacts::FileKind::regular && files.size() < most_files)
      files.push_back({{"path", entry.path}, {"bytes", entry.size}});
  return files;
}

/// The artifact that the query names.
std::string artifact_in(const Request& request) {
  std::string name = request.get_param_value("artifact");
  if (name.empty()) throw BadParameter{"artifact", "given: an absolute path, a study's id or ara:NAME"};
  return name;
}

/// The file that the query names.
std::string file_in(const Request& request) {
  std::string path = request.get_param_value("path");
  if (path.empty()) throw BadParameter{"path", "given: a path of the list of files"};
  return path;
}

/// Never refuses an artifact for its content: what cannot be read is missing, and `check` says why.
void show_contents(Api& api, const Request& request, Response& response) {
  const auto opened = OpenedArtifact::open(api, artifact_in(request), response);
  if (!opened) return;
  const auto root = artifacts::SafeRoot::open(opened->folder());
  if (!root) return refuse(response, root.problem());
  artifacts::Findings findings;
  const artifacts::Artifact artifact = artifacts::read_artifact(*root, findings);
  json evidence = json::array();
  for (const artifacts::IndexRow& row : artifact.evidence_index)
    evidence.push_back({{"path", row.target}, {"text", row.text.empty() ? row.rest : row.text + " | " + row.rest}});
  json files = files_of(artifact.files);
  const bool whole = artifact.files.complete && files.size() < most_files;
  answer(response, {{"source", opened->source()},
                    {"title", artifact.paper.title},
                    {"authors", artifact.paper.authors},
                    {"year", artifact.paper.year},
                    {"abstract", artifact.paper.abstract},
                    {"recorded", artifact.file("etude.json") != nullptr},
                    {"claims", entries_of(artifact.claims)},
                    {"experiments", entries_of(artifact.experiments)},
                    {"evidence", std::move(evidence)},
                    {"nodes", nodes_of(artifact.tree)},
                    {"files", std::move(files)},
                    {"whole", whole}});
}

void send_file(Api& api, const Request& request, Response& response) {
  answer_artifact_file(api, artifact_in(request), file_in(request), response);
}

void send_file_of_study(Api& api, const Request& request, Response& response) {
  const std::string study = request.matches[1];
  if (study_or_404(memory::Reader(api.session.home().root), study, response))
    answer_artifact_file(api, study, file_in(request), response);
}

/// An artifact with its passages, while it is open.
struct SearchedArtifact {
  std::optional<OpenedArtifact> opened;
  artifacts::Artifact artifact;
  std::vector<artifacts::ArtifactPassage> passages;
};

/// None if the refusal was sent.
std::optional<SearchedArtifact> searched(Api& api, const Request& request, Response& response) {
  SearchedArtifact all{OpenedArtifact::open(api, artifact_in(request), response), {}, {}};
  if (!all.opened) return std::nullopt;
  const auto root = artifacts::SafeRoot::open(all.opened->folder());
  if (!root) {
    refuse(response, root.problem());
    return std::nullopt;
  }
  artifacts::Findings findings;
  all.artifact = artifacts::read_artifact(*root, findings);
  all.passages = artifacts::passages_of(all.artifact, *root);
  return all;
}

json shape_of(const artifacts::ArtifactPassage& passage) {
  return {{"address", passage.address}, {"kind", passage.kind}, {"title", passage.title}, {"file", passage.file}};
}

/// The words of the query, which are needed.
std::string words_of(const Request& request, const char* wanted) {
  std::string words = request.get_param_value("q");
  if (words.empty()) throw BadParameter{"q", wanted};
  return words;
}

/// As `etude ara find` prints it, the best first.
void find_in_artifact(Api& api, const Request& request, Response& response) {
  const std::string words = words_of(request, "given: words to search for, or an address");
  const auto all = searched(api, request, response);
  if (!all) return;
  const std::string kind = request.get_param_value("type");
  json items = json::array();
  for (const artifacts::WordHit& one : artifacts::WordSearch(all->passages).find(words)) {
    if (!kind.empty() && one.passage->kind != kind) continue;
    json item = shape_of(*one.passage);
    item.update({{"line", one.line}, {"field", one.field}, {"quote", one.quote}, {"score", one.score}});
    items.push_back(std::move(item));
  }
  answer(response, page_of(request, std::move(items)));
}

/// As `etude ara ask` answers it, from what stands there; no model is asked.
void ask_artifact(Api& api, const Request& request, Response& response) {
  const std::string question = words_of(request, "given: a question, such as `what failed?`");
  const auto all = searched(api, request, response);
  if (!all) return;
  const artifacts::Answered answered = artifacts::answer_question(all->artifact, all->passages, question);
  json items = json::array();
  for (const artifacts::Answer& one : answered.answers) {
    json quotes = json::array();
    for (const artifacts::Quote& quote : one.quotes)
      quotes.push_back({{"line", quote.line}, {"field", quote.field}, {"quote", quote.text}});
    json item = shape_of(*one.passage);
    item.update({{"line", one.passage->line}, {"why", one.why}, {"quotes", std::move(quotes)}});
    items.push_back(std::move(item));
  }
  json list = page_of(request, std::move(items));
  list["question"] = question;
  list["read_as"] = answered.read_as;
  answer(response, list);
}

void list_imports(Api& api, const Request& request, Response& response) {
  json items = json::array();
  for (const kernel::ImportedArtifact& one : memory::Reader(api.session.home().root).imports())
    items.push_back({{"id", one.id},
                     {"title", one.title},
                     {"source", one.source},
                     {"errors", one.errors},
                     {"warnings", one.warnings}});
  answer(response, list_of(request, std::move(items)));
}

}  // namespace

std::vector<Route> opened_routes() {
  const QueryParameter which = {"artifact", "string", "an absolute path, a study's id, or ara:NAME of an import"};
  const QueryParameter path = {"path", "string", "as in the list of files"};
  std::vector<QueryParameter> finding = paging, asking = paging;
  finding.insert(finding.end(), {which,
                                 {"q", "string", "words to search for, or an address"},
                                 {"type", "string", "only of this kind: claim, experiment, dead_end, table, …"}});
  asking.insert(asking.end(), {which, {"q", "string", "the question"}});
  return {
      {"GET", "/artifacts/find", "words in an artifact, wherever they stand, the best match first", find_in_artifact,
       finding},
      {"GET", "/artifacts/ask", "a question about an artifact, answered with addresses and quotes; asks no model",
       ask_artifact, asking},
      {"GET", "/artifacts", "the imported artifacts", list_imports, paging},
      download({"GET",
                "/studies/{id}/artifact/file",
                "one file of its artifact",
                send_file_of_study,
                {path},
                "application/octet-stream"}),
      {"GET",
       "/artifacts/contents",
       "what an artifact states: claims, evidence, exploration tree, files",
       show_contents,
       {which}},
      download({"GET", "/artifacts/file", "one of its files", send_file, {which, path}, "application/octet-stream"})};
}

}  // namespace server
