#include "artifacts/published/tree_rules.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "artifacts/text/untrusted_text.h"

namespace artifacts::published {
namespace {

struct TypeKeys {
  std::string_view type;
  std::array<std::string_view, 4> keys;
};
constexpr std::array<TypeKeys, 6> kept_by{{{"question", {}},
                                           {"insight", {}},
                                           {"experiment", {"result", "exploration", "outcome", "status"}},
                                           {"decision", {"choice", "alternatives", "rationale"}},
                                           {"dead_end", {"hypothesis", "failure_mode", "lesson", "why_failed"}},
                                           {"pivot", {"prior_direction", "new_direction", "reason", "lesson"}}}};

class TreeJudge {
 public:
  TreeJudge(const Claims* claims, std::vector<PublishedFact>& found) : claims_(claims), found_(found) {
    if (claims)
      for (const PublishedClaim& claim : claims->claims) claim_ids_.insert(claim.id);
  }

  void judge(const LoadedTree& tree) {
    for (const Keyed& key : tree.unknown)
      add(Code::ARA200, key.line, fmt::format("the top-level key {} is unknown", quote(key.key)));
    if (tree.has_tree && tree.has_root) return add(Code::ARA102, tree.line, "there is both `tree:` and `root:`");
    if (!tree.has_tree && !tree.has_root) return add(Code::ARA103, 1, "there is neither `tree:` nor `root:`");
    if (tree.nodes.empty()) add(Code::ARA202, tree.line, "the tree has no node");
    repeated_claims();
    for (const PublishedNode& node : tree.nodes) visit(node, -1);
    dependencies();
    cycles();
    claims_on_claims();
  }

 private:
  struct Place {
    const PublishedNode* node;
    int parent;
  };

  void add(Code code, int line, std::string what) { found_.push_back({code, tree_file, line, std::move(what)}); }

  void repeated_claims() {
    if (!claims_) return;
    for (const PublishedClaim& claim : claims_->repeated)
      found_.push_back(
          {Code::ARA106, claims_file, claim.line, fmt::format("the id {} is already used", quote(claim.id))});
  }

  /// A node without an id of its own is left out, with everything below it.
  void visit(const PublishedNode& node, int parent) {
    if (node.id.empty()) return add(Code::ARA104, node.line, fmt::format("the node {} has no `id`", quote(node.title)));
    const int index = static_cast<int>(places_.size());
    if (!index_.emplace(node.id, index).second)
      return add(Code::ARA105, node.line, fmt::format("the id {} is already used", quote(node.id)));
    places_.push_back({&node, parent});
    edges_.emplace_back();
    if (parent >= 0) edges_[static_cast<std::size_t>(parent)].push_back({index, node.line});
    keys(node);
    evidence(node);
    for (const Keyed& key : node.unknown)
      add(Code::ARA201, key.line, fmt::format("the key {} of {} is unknown", quote(key.key), quote(node.id)));
    for (const PublishedNode& child : node.children) visit(child, index);
  }

  void keys(const PublishedNode& node) {
    if (node.type.empty()) add(Code::ARA203, node.line, fmt::format("the node {} has no `type`", quote(node.id)));
    const auto type = std::ranges::find(kept_by, std::string_view(node.type), &TypeKeys::type);
    for (const Keyed& key : node.body) {
      if (node.type.empty())
        add(Code::ARA204, key.line,
            fmt::format("`{}` of {} is not read, because the node has no `type`", key.key, quote(node.id)));
      else if (type == kept_by.end())
        add(Code::ARA205, key.line,
            fmt::format("`{}` of {} is not read, because the type {} is unknown", key.key, quote(node.id),
                        quote(node.type)));
      else if (!is_one_of(type->keys, key.key))
        add(Code::ARA206, key.line,
            fmt::format("`{}` of {} is not read: a node of type {} does not have it", key.key, quote(node.id),
                        node.type));
    }
  }

  void evidence(const PublishedNode& node) {
    for (const NodeText& said : node.evidence) {
      const std::string_view id = trimmed(said.text);
      if (!is_claim_id(id)) continue;
      if (!claims_)
        add(Code::ARA207, said.line,
            fmt::format("evidence of {} names {}, and there is no {}", quote(node.id), quote(id), claims_file));
      else if (!claim_ids_.contains(id))
        add(Code::ARA107, said.line,
            fmt::format("evidence of {} names {}, which is no claim", quote(node.id), quote(id)));
    }
  }

  bool is_ancestor(int ancestor, int node) const {
    while (node >= 0 && node != ancestor) node = places_[static_cast<std::size_t>(node)].parent;
    return node >= 0;
  }

  void dependencies() {
    for (std::size_t from = 0; from < places_.size(); ++from) {
      const PublishedNode& node = *places_[from].node;
      std::set<int> seen;
      for (const NodeText& said : node.also_depends_on) {
        const std::string id(trimmed(said.text));
        const auto to = index_.find(id);
        if (to == index_.end()) {
          add(Code::ARA108, said.line,
              fmt::format("`also_depends_on` of {} names {}, which is no node", quote(node.id), quote(id)));
        } else if (const int parent = places_[from].parent; parent >= 0 && is_ancestor(to->second, parent)) {
          add(Code::ARA208, said.line,
              fmt::format("`also_depends_on` of {} names its ancestor {}", quote(node.id), quote(id)));
        } else if (!seen.insert(to->second).second) {
          add(Code::ARA209, said.line,
              fmt::format("`also_depends_on` of {} names {} twice", quote(node.id), quote(id)));
        } else {
          edges_[from].push_back({to->second, said.line});
        }
      }
    }
  }

  /// Every edge that leads back to a node that is being visited, depth first, in the order of the file.
  void cycles() {
    enum class Colour : unsigned char { white, grey, black };
    std::vector<Colour> colour(places_.size(), Colour::white);
    struct Visit {
      int node;
      std::size_t next;
    };
    std::vector<Visit> stack;
    for (int start = 0; start < static_cast<int>(places_.size()); ++start) {
      if (colour[static_cast<std::size_t>(start)] != Colour::white) continue;
      colour[static_cast<std::size_t>(start)] = Colour::grey;
      stack.push_back({start, 0});
      while (!stack.empty()) {
        Visit& top = stack.back();
        const std::vector<Edge>& edges = edges_[static_cast<std::size_t>(top.node)];
        if (top.next == edges.size()) {
          colour[static_cast<std::size_t>(top.node)] = Colour::black;
          stack.pop_back();
          continue;
        }
        const Edge edge = edges[top.next++];
        Colour& there = colour[static_cast<std::size_t>(edge.to)];
        if (there == Colour::grey)
          add(Code::ARA110, edge.line,
              fmt::format("the edge from {} to {} closes a cycle", quote(id(top.node)), quote(id(edge.to))));
        if (there != Colour::white) continue;
        there = Colour::grey;
        stack.push_back({edge.to, 0});
      }
    }
  }

  void claims_on_claims() {
    if (!claims_) return;
    for (const PublishedClaim& claim : claims_->claims)
      for (const std::string& id : claim.depends_on)
        if (!claim_ids_.contains(id))
          found_.push_back({Code::ARA109, claims_file, claim.dependencies_line,
                            fmt::format("{} depends on {}, which is no claim", claim.id, quote(id))});
  }

  const std::string& id(int node) const { return places_[static_cast<std::size_t>(node)].node->id; }

  struct Edge {
    int to;
    int line;
  };

  const Claims* claims_;
  std::vector<PublishedFact>& found_;
  std::set<std::string, std::less<>> claim_ids_;
  std::vector<Place> places_;             ///< Parents before their children.
  std::vector<std::vector<Edge>> edges_;  ///< By place: children first, then what it depends on.
  std::unordered_map<std::string, int> index_;
};

/// `key: value`, alone on a line or after "- ".
struct KeyOnLine {
  std::string_view key, value;
  bool starts_item = false;
  std::size_t column = 0;
};

std::optional<KeyOnLine> key_on(std::string_view line) {
  const auto indent = line.find_first_not_of(' ');
  if (indent == line.npos || line[indent] == '#') return std::nullopt;
  KeyOnLine found;
  found.column = indent;
  if (line.substr(indent).starts_with("- ")) {
    found.starts_item = true;
    found.column = line.find_first_not_of(' ', indent + 1);
    if (found.column == line.npos) return std::nullopt;
  }
  const auto colon = line.find(':', found.column);
  if (colon == line.npos || colon == found.column) return std::nullopt;
  found.key = line.substr(found.column, colon - found.column);
  if (!std::ranges::all_of(found.key, [](char c) { return is_alnum(c) || c == '_'; })) return std::nullopt;
  const std::string_view rest = line.substr(colon + 1);
  if (!rest.empty() && rest.front() != ' ') return std::nullopt;
  found.value = trimmed(rest);
  return found;
}

struct OldKey {
  std::string_view type, key;
  Code code;
};
constexpr std::array<OldKey, 5> old_keys{{{"dead_end", "reason", Code::ARA002},
                                          {"decision", "justification", Code::ARA003},
                                          {"pivot", "from", Code::ARA005},
                                          {"pivot", "to", Code::ARA006},
                                          {"pivot", "trigger", Code::ARA007}}};

/// A node whose keys stand in one column.
struct NodeOnLines {
  std::size_t column;
  std::string_view type;
  std::vector<std::pair<std::string_view, int>> keys;  ///< With their lines.
};

}  // namespace

void judge_tree(const LoadedTree& tree, const Claims* claims, std::vector<PublishedFact>& found) {
  TreeJudge(claims, found).judge(tree);
}

void judge_spelling(std::string_view text, std::vector<PublishedFact>& found) {
  std::vector<NodeOnLines> nodes;
  std::vector<std::size_t> open;  ///< Indices of the nodes that the present line is in, the innermost last.
  const std::vector<std::string_view> lines = lines_in(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto key = key_on(lines[i]);
    if (!key) continue;
    const int line = static_cast<int>(i) + 1;
    if (!key->starts_item && key->column == 0 && key->key == "root") {
      found.push_back({Code::ARA001, tree_file, line, "the nodes stand under the old name `root:`"});
      continue;
    }
    while (!open.empty() && nodes[open.back()].column > key->column) open.pop_back();
    if (key->starts_item) {
      if (!open.empty() && nodes[open.back()].column == key->column) open.pop_back();
      open.push_back(nodes.size());
      nodes.push_back({key->column, {}, {}});
    }
    if (open.empty() || nodes[open.back()].column != key->column) continue;
    if (key->key == "type")
      nodes[open.back()].type = key->value;
    else
      nodes[open.back()].keys.emplace_back(key->key, line);
  }
  for (const NodeOnLines& node : nodes)
    for (const auto& [key, line] : node.keys)
      for (const OldKey& old : old_keys)
        if (old.type == node.type && old.key == key)
          found.push_back({old.code, tree_file, line, fmt::format("a {} says `{}:`", node.type, key)});
}

void judge_claim_headers(std::string_view text, std::vector<PublishedFact>& found) {
  const std::vector<std::string_view> lines = lines_in(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string_view rest = lines[i];
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    if (!rest.starts_with("## ")) continue;
    rest.remove_prefix(3);
    std::size_t end = 0;
    while (end < rest.size() && is_alnum(rest[end])) ++end;
    const std::string_view id = rest.substr(0, end);
    if (!is_claim_id(id)) continue;
    rest = trimmed(rest.substr(end));
    for (const std::string_view dash : {"—", "–", "-"}) {
      if (!rest.starts_with(dash)) continue;
      if (!trimmed(rest.substr(dash.size())).empty())
        found.push_back({Code::ARA004, claims_file, static_cast<int>(i) + 1,
                         fmt::format("the header of {} has a dash between id and title", id)});
      break;
    }
  }
}

}  // namespace artifacts::published
