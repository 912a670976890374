#include "artifacts/edit/edit_verbs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "artifacts/edit/page_edits.h"
#include "artifacts/published/pages.h"
#include "artifacts/read/references.h"
#include "artifacts/text/escaping.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

using kernel::Problem;
using kernel::Result;
using published::tree_file;

constexpr const char* index_file = published::evidence_index_file;

/// A page with entries, and what a new entry has on it.
struct EntryPage {
  AddedKind kind;
  std::string_view file, prefix, heading;
  std::vector<std::string_view> order;   ///< Of the fields.
  std::vector<std::string_view> needed;  ///< Without which an entry says nothing.
};

const std::array<EntryPage, 5>& entry_pages() {
  static const std::array<EntryPage, 5> pages{
      {{AddedKind::claim,
        "logic/claims.md",
        "C",
        "Claims",
        {"Statement", "Conditions", "Sources", "Status", "Falsification criteria", "Proof", "Evidence basis",
         "Dependencies", "Tags"},
        {"Statement"}},
       {AddedKind::experiment,
        "logic/experiments.md",
        "E",
        "Experiments",
        {"Verifies", "Evidence", "Run", "Setup", "Procedure", "Metrics", "Expected outcome", "Baselines",
         "Dependencies"},
        {}},
       {AddedKind::heuristic,
        "logic/solution/heuristics.md",
        "H",
        "Heuristics",
        {"Rationale", "Sensitivity", "Bounds", "Code ref", "Source"},
        {}},
       {AddedKind::related_work,
        "logic/related_work.md",
        "RW",
        "Related Work",
        {"DOI", "Type", "Delta", "Claims affected", "Adopted elements"},
        {}},
       {AddedKind::concept_term,
        "logic/concepts.md",
        "",
        "Concepts",
        {"Notation", "Definition", "Boundary conditions", "Related concepts"},
        {"Definition"}}}};
  return pages;
}

Problem wrong(std::string what, std::string why, std::string todo) {
  return {"", 0, std::move(what), std::move(why), std::move(todo)};
}

/// A text as given; a list becomes "[C01, C02]".
std::string as_markdown(const FieldValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return "[" + joined_text(std::get<std::vector<std::string>>(value), ", ") + "]";
}

std::string as_key(std::string_view given) {
  std::string key(trimmed(given));
  for (char& c : key) c = c == ' ' || c == '-' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return key;
}

/// Keys of nodes whose value is a list.
bool is_list_key(std::string_view key) {
  static constexpr std::array<std::string_view, 6> keys{"alternatives", "source_refs", "also_depends_on",
                                                        "same_as",      "artifacts",   "concepts"};
  return is_one_of(keys, key);
}

FieldValue node_value(std::string_view key, const FieldValue& given) {
  const auto* text = std::get_if<std::string>(&given);
  return text && is_list_key(key) ? FieldValue(std::vector<std::string>{*text}) : given;
}

Result<std::string> required_text(const ArtifactDraft& draft, const std::string& file) {
  auto text = draft.text(file);
  if (!text) return text.problem();
  if (!*text) return wrong(file, "the artifact has no such page", "add the page first");
  return std::move(**text);
}

/// Takes the result of an edit into the draft.
std::optional<Problem> take(ArtifactDraft& draft, const std::string& file, const Result<Edited>& edited) {
  if (!edited) return edited.problem();
  draft.change(file, edited->bytes, edited->line);
  return std::nullopt;
}

// Adding.

const std::vector<std::string_view>& keys_of_type(std::string_view type) {
  static const std::vector<std::string_view> question{}, experiment{"result", "exploration", "outcome", "status"},
      decision{"choice", "alternatives", "rationale"}, dead_end{"hypothesis", "failure_mode", "lesson", "why_failed"},
      pivot{"prior_direction", "new_direction", "reason", "lesson"};
  return type == "experiment" ? experiment
         : type == "decision" ? decision
         : type == "dead_end" ? dead_end
         : type == "pivot"    ? pivot
                              : question;
}

Result<std::string> add_node(ArtifactDraft& draft, const Addition& addition) {
  const auto bytes = required_text(draft, tree_file);
  if (!bytes) return bytes.problem();
  if (node_type(addition.type) == TreeNodeType::unknown)
    return wrong("--type", addition.type.empty() ? "a node needs a type" : quote(addition.type) + " is no type of node",
                 "use question, experiment, decision, dead_end, pivot or insight");
  if (trimmed(addition.title).empty()) return wrong("--title", "a node needs a title", "give one");
  const std::string id = addition.id.empty() ? next_node_id(*bytes, "N") : addition.id;
  GivenFields given;
  for (const auto& [name, value] : addition.fields) given.emplace_back(as_key(name), node_value(as_key(name), value));
  const auto told = [&](std::string_view key) {
    return std::ranges::any_of(given, [&](const auto& one) { return one.first == key; });
  };
  if (!told("timestamp") && !addition.now.empty()) given.emplace_back("timestamp", addition.now);
  NewNode node{addition.parent, {{"id", id}, {"type", addition.type}}};
  const auto move_in = [&](std::string_view key) {
    for (auto one = given.begin(); one != given.end(); ++one)
      if (one->first == key) {
        node.fields.push_back(std::move(*one));
        given.erase(one);
        return;
      }
  };
  for (const std::string_view key : {"support_level", "source_refs", "provenance", "timestamp"}) move_in(key);
  node.fields.emplace_back("title", addition.title);
  move_in("description");
  for (const std::string_view key : keys_of_type(addition.type)) move_in(key);
  for (const std::string_view key : {"id", "type", "title", "children"})
    if (told(key))
      return wrong("--set " + std::string(key), "it is no field that can be given", "use the options for it");
  std::ranges::move(given, std::back_inserter(node.fields));
  if (const auto problem = take(draft, tree_file, with_node(*bytes, tree_file, node))) return *problem;
  return id;
}

std::string next_entry_id(const Layer& layer, std::string_view prefix) {
  long most = 0;
  std::size_t width = 2;
  for (const Block& block : layer.blocks) {
    if (!is_id(block.id, prefix)) continue;
    const std::string_view digits = std::string_view(block.id).substr(prefix.size());
    const std::size_t length = std::min(digits.find_first_not_of("0123456789"), digits.size());
    long number = 0;
    std::from_chars(digits.data(), digits.data() + length, number);
    if (number > most) width = length;
    most = std::max(most, number);
  }
  return fmt::format("{}{:0{}}", prefix, most + 1, width);
}

const Layer* layer_at(const Artifact& artifact, std::string_view file) {
  for (const Layer* layer : {&artifact.claims, &artifact.experiments, &artifact.heuristics, &artifact.related_work,
                             &artifact.concepts, &artifact.problem})
    if (layer->file == file) return layer;
  return nullptr;
}

Result<std::string> add_entry(ArtifactDraft& draft, const EntryPage& page, const Addition& addition) {
  const std::string file(page.file);
  const auto text = draft.text(file);
  if (!text) return text.problem();
  if (trimmed(addition.title).empty()) return wrong("--title", "an entry needs a title", "give one");
  const Layer& layer = *layer_at(draft.artifact(), page.file);
  NewEntry entry{addition.id, addition.title, {}};
  if (entry.id.empty() && !page.prefix.empty()) entry.id = next_entry_id(layer, page.prefix);
  if (!entry.id.empty() && !is_id(entry.id, page.prefix))
    return wrong("--id " + quote(entry.id), fmt::format("ids of {} begin with {} and a number", file, page.prefix), "");
  if (layer.find(entry.id) && !entry.id.empty()) return wrong(entry.id, "the id is taken", "leave --id out");
  std::vector<std::pair<std::string, std::string>> given;
  for (const auto& [name, value] : addition.fields) given.emplace_back(field_name(name), as_markdown(value));
  const auto told = [&](std::string_view name) {
    return std::ranges::find_if(given, [&](const auto& one) { return same_word(one.first, name); });
  };
  for (const std::string_view name : page.needed)
    if (told(name) == given.end())
      return wrong(fmt::format("--set {}=…", as_key(name)),
                   fmt::format("{} says nothing without it", entry.id.empty() ? "it" : entry.id), "give it");
  if (page.kind == AddedKind::claim && told("Status") == given.end()) given.emplace_back("Status", "hypothesis");
  for (const std::string_view name : page.order)
    if (const auto one = told(name); one != given.end()) {
      entry.fields.push_back({std::string(name), one->second});
      given.erase(one);
    }
  std::ranges::move(given, std::back_inserter(entry.fields));
  const auto edited = with_entry(text->value_or(""), file, page.prefix, page.heading, entry);
  if (const auto problem = take(draft, file, edited)) return *problem;
  return entry.id.empty() ? file + "#" + entry.title : entry.id;
}

Result<std::string> add_evidence(ArtifactDraft& draft, const Addition& addition) {
  static constexpr std::array<std::string_view, 5> folders{"tables", "figures", "proofs", "results", "logs"};
  std::string path = addition.id;
  if (path.starts_with("evidence/")) path.erase(0, 9);
  if (path.ends_with(".md")) path.resize(path.size() - 3);
  const auto slash = path.find('/');
  const bool plain = path.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./") ==
                         std::string::npos &&
                     path.find("..") == std::string::npos;
  if (slash == path.npos || slash + 1 == path.size() || path.find('/', slash + 1) != path.npos || !plain ||
      !is_one_of(folders, std::string_view(path).substr(0, slash)))
    return wrong(quote(addition.id), "a page of evidence is named FOLDER/NAME",
                 "with tables, figures, proofs, results or logs, such as tables/table9");
  const std::string file = "evidence/" + path + ".md";
  const auto there = draft.text(file);
  if (!there) return there.problem();
  if (*there) return wrong(file, "it is there already", "edit it");
  std::string source, claims;
  NewEntry page{"", addition.title.empty() ? path.substr(slash + 1) : addition.title, {}};
  std::string text = fmt::format("# {}\n", in_markdown(page.title));
  for (const auto& [name, value] : addition.fields) {
    const std::string field = field_name(name), written = as_markdown(value);
    if (field == "Source") source = written;
    if (field == "Claims" || field == "Claim") claims = written;
    text += fmt::format("{}- **{}**: {}\n", text.ends_with("#") || page.fields.empty() ? "\n" : "", field, written);
    page.fields.emplace_back(field, written);
  }
  if (!trimmed(addition.body).empty()) text += fmt::format("\n{}\n", trimmed(addition.body));
  draft.change(file, text, 1);
  const auto index = draft.text(index_file);
  if (!index) return index.problem();
  std::string plain_claims = claims;
  std::erase_if(plain_claims, [](char c) { return c == '[' || c == ']'; });
  const auto row = with_index_row(index->value_or(""), index_file, {path + ".md", source, plain_claims, page.title});
  if (const auto problem = take(draft, index_file, row)) return *problem;
  return file;
}

// Addresses.

struct EntryPlace {
  std::string file;
  std::string id;  ///< Empty: the page as a whole.
  bool node = false;
};

Result<EntryPlace> resolve(const ArtifactDraft& draft, const std::string& address) {
  const Artifact& artifact = draft.artifact();
  std::string file, id = address;
  if (const auto mark = address.find('#'); mark != address.npos) {
    file = address.substr(0, mark);
    id = address.substr(mark + 1);
  } else if (address.starts_with("trace:")) {
    file = tree_file;
    id = address.substr(6);
  }
  std::vector<EntryPlace> found;
  for (const Layer* layer : {&artifact.claims, &artifact.experiments, &artifact.heuristics, &artifact.related_work,
                             &artifact.problem, &artifact.concepts})
    for (const Block& block : layer->blocks)
      if ((file.empty() ? block.id == id && !id.empty()
                        : file == layer->file && (block.id == id || (block.level > 0 && block.heading == id))))
        found.push_back({layer->file, id, false});
  if (file.empty() || file == tree_file)
    for (const TreeNode& node : artifact.tree.nodes)
      if (node.id == id) found.push_back({tree_file, id, true});
  if (found.empty() && file.empty() && address.find('/') != address.npos && address.ends_with(".md") &&
      draft.has(address))
    found.push_back({address, "", false});
  if (found.empty()) return wrong(quote(address), "the artifact has no such entry", "`etude ara find` shows addresses");
  if (found.size() > 1 && found.front().file == found.back().file)
    return wrong(quote(address), "two entries have this id", "give each an id of its own");
  if (found.size() > 1)
    return wrong(quote(address), "entries of several pages have this id",
                 fmt::format("say {}#{} or {}#{}", found.front().file, id, found.back().file, id));
  return found.front();
}

/// Adds a reference to a field of a page, or to a key of a node.
std::optional<Problem> refer(ArtifactDraft& draft, const EntryPlace& place, const std::string& field,
                             const std::string& reference) {
  const auto bytes = required_text(draft, place.file);
  if (!bytes) return bytes.problem();
  return take(draft, place.file,
              place.node ? with_node_entry(*bytes, place.file, place.id, field, reference)
                         : with_reference(*bytes, place.file, place.id, field, reference));
}

enum class Side { claim, experiment, node, work, page, other };

Side side_of(const EntryPlace& place) {
  if (place.node) return Side::node;
  if (place.file == "logic/claims.md") return Side::claim;
  if (place.file == "logic/experiments.md") return Side::experiment;
  if (place.file == "logic/related_work.md") return Side::work;
  return place.id.empty() ? Side::page : Side::other;
}

}  // namespace

Result<std::string> add_to(ArtifactDraft& draft, const Addition& addition) {
  if (addition.kind == AddedKind::node) return add_node(draft, addition);
  if (addition.kind == AddedKind::evidence) return add_evidence(draft, addition);
  return add_entry(draft, *std::ranges::find(entry_pages(), addition.kind, &EntryPage::kind), addition);
}

Result<std::string> edit_in(ArtifactDraft& draft, const std::string& address, const GivenFields& fields) {
  const auto place = resolve(draft, address);
  if (!place) return place.problem();
  for (const auto& [name, value] : fields) {
    const auto bytes = required_text(draft, place->file);
    if (!bytes) return bytes.problem();
    const std::string key = as_key(name);
    if (key == "id" || (place->node && key == "children"))
      return wrong("--set " + key, "other entries refer to it", "a merge renames ids and moves nodes");
    const auto edited = place->node ? with_node_field(*bytes, place->file, place->id, key, node_value(key, value))
                                    : with_field(*bytes, place->file, place->id, name, as_markdown(value));
    if (const auto problem = take(draft, place->file, edited)) return *problem;
  }
  return address;
}

Result<std::string> link_in(ArtifactDraft& draft, const std::string& from, const std::string& to) {
  const auto one = resolve(draft, from), other = resolve(draft, to);
  if (!one) return one.problem();
  if (!other) return other.problem();
  const Side a = side_of(*one), b = side_of(*other);
  const std::string& target = other->id.empty() ? other->file : other->id;
  std::optional<Problem> problem;
  if (a == Side::claim && b == Side::claim) {
    problem = refer(draft, *one, "Dependencies", target);
  } else if (a == Side::claim && b == Side::experiment) {
    problem = refer(draft, *one, "Proof", target);
    if (!problem) problem = refer(draft, *other, "Verifies", one->id);
  } else if (a == Side::experiment && b == Side::claim) {
    return link_in(draft, to, from);
  } else if (a == Side::claim && b == Side::page) {
    problem = refer(draft, *one, "Proof", target);
  } else if (a == Side::experiment && b == Side::page) {
    problem = refer(draft, *one, "Evidence", target);
  } else if (a == Side::experiment && b == Side::experiment) {
    problem = refer(draft, *one, "Dependencies", target);
  } else if (a == Side::node && b == Side::node) {
    problem = refer(draft, *one, "also_depends_on", target);
  } else if (a == Side::node && (b == Side::claim || b == Side::experiment || b == Side::page)) {
    problem = refer(draft, *one, "evidence", target);
  } else if (a == Side::work && b == Side::claim) {
    problem = refer(draft, *one, "Claims affected", target);
  } else {
    return wrong(fmt::format("{} and {}", from, to), "the format has no place for such a link",
                 "link a node, claim, experiment or related work to what it rests on");
  }
  if (problem) return *problem;
  return from;
}

}  // namespace artifacts
