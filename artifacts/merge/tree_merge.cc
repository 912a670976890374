#include "artifacts/merge/tree_merge.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "artifacts/edit/node_text.h"
#include "artifacts/edit/tree_edits.h"
#include "artifacts/edit/tree_text.h"
#include "artifacts/read/yaml_value.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

using ValueKind = YamlValue::Kind;
constexpr const char* merged_file = "trace/exploration_tree.yaml";

/// A node of one version.
struct NodeOf {
  std::string id, parent;
  YamlValue map;  ///< Without positions, and without its children.
};

struct NodesOf {
  std::vector<NodeOf> list;  ///< Parents before their children.
  std::map<std::string, std::size_t> by_id;

  const NodeOf* find(const std::string& id) const {
    const auto found = by_id.find(id);
    return found == by_id.end() ? nullptr : &list[found->second];
  }
};

/// Thrown when the trees cannot be merged node by node.
struct NotByNodes {};

NodesOf nodes_of_version(std::string_view text) {
  NodesOf nodes;
  if (trimmed(text).empty()) return nodes;
  int second = 0;
  auto parsed = parse_yaml(clean(text).text, 1, &second);
  auto* document = std::get_if<YamlValue>(&parsed);
  if (!document || second > 0 || !document->find("tree")) throw NotByNodes{};
  std::vector<std::pair<std::vector<std::size_t>, std::string>> above;
  each_node(*document, [&](const YamlValue& value, const YamlPosition& position) {
    NodeOf node{node_id(value), {}, value};
    if (node.id.empty()) throw NotByNodes{};
    while (!above.empty() &&
           !std::ranges::equal(
               above.back().first,
               std::span(position.steps).first(std::min(above.back().first.size(), position.steps.size()))))
      above.pop_back();
    if (!above.empty()) node.parent = above.back().second;
    above.emplace_back(position.steps, node.id);
    if (const std::size_t below = key_index(node.map, "children"); below != no_key) {
      const YamlValue& children = node.map.items[below];
      // Children that are named by their ids are no structure of this text.
      if (std::ranges::any_of(children.items, [](const YamlValue& one) { return one.kind != ValueKind::map; }))
        throw NotByNodes{};
      node.map.keys.erase(node.map.keys.begin() + static_cast<std::ptrdiff_t>(below));
      node.map.items.erase(node.map.items.begin() + static_cast<std::ptrdiff_t>(below));
    }
    strip_positions(node.map);
    if (!nodes.by_id.emplace(node.id, nodes.list.size()).second) throw NotByNodes{};
    nodes.list.push_back(std::move(node));
  });
  return nodes;
}

const YamlValue* value_in(const NodeOf* node, const std::string& key) {
  return node ? node->map.find(key) : nullptr;
}

bool equal_value(const YamlValue* a, const YamlValue* b) {
  if (!a || !b) return a == b;
  if (a->kind != b->kind || a->keys != b->keys || a->items.size() != b->items.size()) return false;
  if (a->kind == ValueKind::scalar) return trimmed(a->text) == trimmed(b->text);
  for (std::size_t i = 0; i < a->items.size(); ++i)
    if (!equal_value(&a->items[i], &b->items[i])) return false;
  return true;
}

bool is_list_of_texts(const YamlValue& value) {
  return value.kind == ValueKind::list &&
         std::ranges::all_of(value.items, [](const YamlValue& one) { return one.kind == ValueKind::scalar; });
}

/// A single text is a list of one.
std::vector<std::string> texts_in(const YamlValue* value) {
  std::vector<std::string> texts;
  if (!value) return texts;
  if (value->kind == ValueKind::scalar) texts.emplace_back(trimmed(value->text));
  for (const YamlValue& one : value->items) texts.emplace_back(trimmed(one.text));
  return texts;
}

class TreeMerging {
 public:
  TreeMerging(std::string_view base, std::string_view ours, std::string_view theirs)
      : base_text_(base),
        theirs_text_(theirs),
        base_(nodes_of_version(base)),
        ours_(nodes_of_version(ours)),
        theirs_(nodes_of_version(theirs)) {
    result_.text = ours;
  }

  MergedPage merged() {
    for (const NodeOf& node : theirs_.list) {
      const NodeOf* one = ours_.find(node.id);
      const NodeOf* before = base_.find(node.id);
      if (one)
        both(before, *one, node);
      else if (!before)
        added(node);
      else if (!equal_value(&before->map, &node.map))
        conflict(node.id, piece(base_text_, node.id), "", piece(theirs_text_, node.id));
    }
    // Children are deleted before their parent: a parent of a node that stays must stay, too.
    for (auto node = ours_.list.rbegin(); node != ours_.list.rend(); ++node) deleted(*node);
    return std::move(result_);
  }

 private:
  void put(const kernel::Result<Edited>& edited) {
    if (!edited) throw NotByNodes{};
    result_.text = edited->bytes;
  }

  static std::string piece(std::string_view text, const std::string& id) {
    const auto taken = node_piece(text, merged_file, id);
    if (!taken) throw NotByNodes{};
    return *taken;
  }

  std::string key_text(std::string_view text, const NodeOf* node, const std::string& key) const {
    if (!value_in(node, key)) return {};
    const auto taken = key_piece(text, merged_file, node->id, key);
    if (!taken) throw NotByNodes{};
    return *taken;
  }

  void conflict(const std::string& where, std::string base, std::string ours, std::string theirs) {
    result_.conflicts.push_back({where, std::move(base), std::move(ours), std::move(theirs)});
  }

  void added(const NodeOf& node) {
    std::string parent = node.parent;
    if (!parent.empty() && !ours_.find(parent) && !added_.contains(parent)) {
      conflict(node.id + ".parent", "", fmt::format("{} is not here any more\n", parent), piece(theirs_text_, node.id));
      parent.clear();
    }
    put(with_node_piece(result_.text, merged_file, parent, piece(theirs_text_, node.id)));
    added_.emplace(node.id, true);
    result_.taken.push_back({node.id, Taken::How::added});
  }

  void both(const NodeOf* before, const NodeOf& one, const NodeOf& other) {
    bool changed = false;
    if (one.parent != other.parent && (!before || before->parent != other.parent))
      conflict(other.id + ".parent", before ? before->parent + "\n" : "", one.parent + "\n", other.parent + "\n");
    std::vector<std::string> keys;
    for (const NodeOf* node : {&one, &other})
      for (const YamlValue::Key& key : node->map.keys)
        if (std::ranges::find(keys, key.text) == keys.end()) keys.push_back(key.text);
    for (const std::string& key : keys) {
      const YamlValue *b = value_in(before, key), *o = value_in(&one, key), *t = value_in(&other, key);
      if (equal_value(o, t) || (before && equal_value(b, t))) continue;
      if (before && equal_value(b, o)) {
        put(t ? with_key_piece(result_.text, merged_file, one.id, key, key_text(theirs_text_, &other, key))
              : without_key(result_.text, merged_file, one.id, key));
        changed = true;
      } else if (o && t && is_list_of_texts(*o) && is_list_of_texts(*t)) {
        changed = union_of(one.id, key, texts_in(b), texts_in(o), texts_in(t)) || changed;
      } else {
        conflict(one.id + "." + key, key_text(base_text_, before, key), key_text(result_.text, &one, key),
                 key_text(theirs_text_, &other, key));
      }
    }
    if (changed) result_.taken.push_back({one.id, Taken::How::changed});
  }

  /// Ours without what theirs removed, and then what theirs added.
  bool union_of(const std::string& id, const std::string& key, const std::vector<std::string>& base,
                const std::vector<std::string>& ours, const std::vector<std::string>& theirs) {
    const auto has = [](const std::vector<std::string>& list, const std::string& entry) {
      return std::ranges::find(list, entry) != list.end();
    };
    std::vector<std::string> kept;
    for (const std::string& one : ours)
      if (!has(base, one) || has(theirs, one)) kept.push_back(one);
    bool changed = kept.size() < ours.size();
    if (changed) put(with_node_field(result_.text, merged_file, id, key, kept));
    for (const std::string& one : theirs) {
      if (has(ours, one) || has(base, one)) continue;
      put(with_node_entry(result_.text, merged_file, id, key, one));
      changed = true;
    }
    return changed;
  }

  /// Theirs deleted the node, or we added it.
  void deleted(const NodeOf& node) {
    const NodeOf* before = base_.find(node.id);
    if (!before || theirs_.find(node.id)) return;
    const NodesOf now = nodes_of_version(result_.text);
    const bool has_children = std::ranges::any_of(now.list, [&](const NodeOf& one) { return one.parent == node.id; });
    if (!equal_value(&before->map, &node.map) || has_children)
      return conflict(node.id, piece(base_text_, node.id), piece(result_.text, node.id), "");
    put(without_node(result_.text, merged_file, node.id));
    result_.taken.push_back({node.id, Taken::How::deleted});
  }

  std::string_view base_text_, theirs_text_;
  NodesOf base_, ours_, theirs_;
  std::map<std::string, bool> added_;
  MergedPage result_;
};

}  // namespace

MergedPage merge_tree(std::string_view base, std::string_view ours, std::string_view theirs, AtConflict at_conflict) {
  try {
    MergedPage merged = TreeMerging(base, ours, theirs).merged();
    if (at_conflict == AtConflict::ours || merged.conflicts.empty()) return merged;
  } catch (const NotByNodes&) {
  }
  MergedLines lines = merge_lines(base, ours, theirs, at_conflict);
  return {std::move(lines.text), {}, std::move(lines.conflicts)};
}

}  // namespace artifacts
