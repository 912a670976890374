#include <algorithm>
#include <array>
#include <set>
#include <variant>

#include <fmt/format.h>

#include "artifacts/read/artifact_reader.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

constexpr std::array<std::string_view, 31> known_keys{
    "id",         "type",         "title",    "support_level",   "source_refs",   "provenance", "timestamp",
    "children",   "description",  "isolated", "also_depends_on", "parent",        "thinking",   "result",
    "evidence",   "exploration",  "outcome",  "status",          "choice",        "rationale",  "hypothesis",
    "why_failed", "alternatives", "lesson",   "failure_mode",    "new_direction", "reason",     "prior_direction",
    "same_as",    "artifacts",    "concepts",
};

struct Alias {
  TreeNodeType type;
  std::string_view written, canonical;
};
constexpr std::array aliases{
    Alias{TreeNodeType::dead_end, "reason", "why_failed"}, Alias{TreeNodeType::decision, "justification", "rationale"},
    Alias{TreeNodeType::pivot, "from", "prior_direction"}, Alias{TreeNodeType::pivot, "to", "new_direction"},
    Alias{TreeNodeType::pivot, "trigger", "reason"},
};

/// A list's entries, or a scalar as one entry.
std::vector<Text> texts(const YamlValue& value) {
  if (value.kind == YamlValue::Kind::null) return {};
  if (value.kind != YamlValue::Kind::list) return {{flat(value), value.line}};
  std::vector<Text> result;
  for (const YamlValue& item : value.items) result.push_back({flat(item), item.line});
  return result;
}

/// Ids, also from one scalar "N01, N02".
std::vector<Text> ids(const YamlValue& value) {
  std::vector<Text> result;
  for (const Text& text : texts(value)) {
    std::string_view rest = text.text;
    while (!rest.empty()) {
      const auto comma = rest.find(',');
      if (const auto id = trimmed(rest.substr(0, comma)); !id.empty()) result.push_back({std::string(id), text.line});
      rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    }
  }
  return result;
}

class TreeReading {
 public:
  TreeReading(Tree& tree, Findings& findings) : tree_(tree), findings_(findings) {}

  void read(const YamlValue& document) {
    const YamlValue* list = top(document);
    if (!list) return;
    tree_.readable = true;
    if (list->kind == YamlValue::Kind::map)
      node(*list, -1);
    else
      children(*list, -1);
    if (tree_.nodes.empty()) findings_.add(RuleId::empty_tree, tree_.file, list->line, "the tree holds no node");
  }

 private:
  const YamlValue* top(const YamlValue& document) {
    const YamlValue* tree = document.find("tree");
    const YamlValue* root = document.find("root");
    if (!tree && !root) {
      std::string found;
      for (std::size_t i = 0; i < document.keys.size() && i < 6; ++i)
        found += (found.empty() ? "" : ", ") + document.keys[i].text;
      if (document.keys.size() > 6) found += ", …";
      if (document.kind == YamlValue::Kind::list) found = "a list";
      findings_.add(RuleId::ambiguous_root, tree_.file, std::max(document.line, 1),
                    fmt::format("there is neither `tree:` nor `root:`, but {}", found.empty() ? "nothing" : found));
      return nullptr;
    }
    if (tree && root)
      findings_.add(RuleId::ambiguous_root, tree_.file, line_of_key(document, "root"),
                    "there is both `tree:` and `root:`; only `tree:` was read");
    tree_.legacy_root = !tree;
    static constexpr std::string_view old = "the nodes stand under the old name `root:`";
    if (!tree && times(document, "root") == 1)
      findings_.add_fixable(RuleId::legacy_root, tree_.file, line_of_key(document, "root"), old);
    else if (!tree)
      findings_.add(RuleId::legacy_root, tree_.file, line_of_key(document, "root"), old);
    for (const YamlValue::Key& key : document.keys)
      if (key.text != "tree" && key.text != "root")
        findings_.add(RuleId::unknown_node_key, tree_.file, key.line,
                      fmt::format("top-level key {} is not part of the format, and was not read", quote(key.text)));
    repeated_keys(document);
    return tree ? tree : root;
  }

  static std::string id_of(const YamlValue& map) {
    const YamlValue* id = map.find("id");
    return id ? flat(*id) : std::string();
  }

  static std::ptrdiff_t times(const YamlValue& map, std::string_view name) {
    return std::ranges::count_if(map.keys, [&](const auto& key) { return key.text == name; });
  }

  static int line_of_key(const YamlValue& map, std::string_view name) {
    for (const YamlValue::Key& key : map.keys)
      if (key.text == name) return key.line;
    return map.line;
  }

  void children(const YamlValue& list, int parent) {
    if (list.kind == YamlValue::Kind::null) return;
    if (list.kind != YamlValue::Kind::list) {
      if (list.kind == YamlValue::Kind::map)
        node(list, parent);
      else
        child_ids(list, parent);
      return;
    }
    for (const YamlValue& item : list.items) {
      if (item.kind == YamlValue::Kind::map)
        node(item, parent);
      else if (item.kind == YamlValue::Kind::scalar)
        child_ids(item, parent);
      else
        findings_.add(RuleId::bad_node, tree_.file, item.line, "an entry of the list of nodes is empty or a list");
    }
  }

  void child_ids(const YamlValue& value, int parent) {
    if (parent < 0) {
      findings_.add(RuleId::bad_node, tree_.file, value.line,
                    fmt::format("{} stands where a node should be", quote(value.text)));
      return;
    }
    for (Text& id : ids(value)) at(parent).children_ids.push_back(std::move(id));
  }

  void node(const YamlValue& map, int parent) {
    const int index = static_cast<int>(tree_.nodes.size());
    tree_.nodes.emplace_back();
    at(index).line = map.line;
    at(index).parent = parent;
    if (const YamlValue* type = map.find("type")) {
      at(index).type_written = flat(*type);
      at(index).type = node_type(at(index).type_written);
    }
    repeated_keys(map);
    std::set<std::string_view> seen;
    const YamlValue* below = nullptr;
    int below_line = 0;
    for (std::size_t i = 0; i < map.keys.size(); ++i) {
      const YamlValue::Key& key = map.keys[i];
      if (!seen.insert(key.text).second) continue;
      if (key.text == "children") {
        below = &map.items[i];
        below_line = key.line;
        continue;
      }
      take(at(index), map, key, map.items[i]);
    }
    judge(at(index));
    if (!below) return;
    if (at(index).type == TreeNodeType::dead_end && !below->items.empty())
      findings_.add(RuleId::dead_end_children, tree_.file, below_line,
                    fmt::format("dead end {} has children, though nothing can build on it", quote(at(index).id)));
    children(*below, index);
  }

  void take(TreeNode& node, const YamlValue& map, const YamlValue::Key& key, const YamlValue& value) {
    if (key.text == "id")
      node.id = flat(value);
    else if (key.text == "title")
      node.title = flat(value);
    else if (key.text == "support_level")
      node.support_level = flat(value);
    else if (key.text == "provenance")
      node.provenance = flat(value);
    else if (key.text == "timestamp")
      node.timestamp = flat(value);
    else if (key.text == "source_refs")
      node.source_refs = texts(value);
    else if (key.text == "also_depends_on")
      node.also_depends_on = ids(value);
    else if (key.text == "parent")
      node.parent_ids = ids(value);
    else if (key.text == "evidence")
      node.evidence = texts(value);
    else if (key.text != "type")
      other(node, map, key, value);
  }

  void other(TreeNode& node, const YamlValue& map, const YamlValue::Key& key, const YamlValue& value) {
    std::string_view name = canonical_key(node.type, key.text);
    if (name != key.text) {
      const auto what = fmt::format("{} {} says `{}`, which the format calls `{}`", name_of(node.type),
                                    quote(id_of(map)), key.text, name);
      if (map.find(name)) {
        findings_.add(RuleId::dialect_key, tree_.file, key.line, what + " and which stands there too");
        name = key.text;
      } else if (times(map, key.text) > 1) {
        findings_.add(RuleId::dialect_key, tree_.file, key.line, what);
      } else {
        findings_.add_fixable(RuleId::dialect_key, tree_.file, key.line, what);
      }
    } else if (!is_one_of(known_keys, key.text)) {
      const std::string_view near = nearest(key.text, known_keys);
      findings_.add(RuleId::unknown_node_key, tree_.file, key.line,
                    fmt::format("key {} of {} is not part of the format{}", quote(key.text), quote(id_of(map)),
                                near.empty() ? "" : fmt::format(" (did you mean `{}`?)", near)));
    }
    node.fields.push_back({std::string(name), key.text, key.line, value});
  }

  void repeated_keys(const YamlValue& map) {
    std::set<std::string_view> seen;
    for (const YamlValue::Key& key : map.keys)
      if (!seen.insert(key.text).second)
        findings_.add(RuleId::duplicate_key, tree_.file, key.line,
                      fmt::format("key {} stands here a second time; the first one was read", quote(key.text)));
  }

  /// Judges a node without its context.
  void judge(const TreeNode& node) {
    if (node.id.empty())
      findings_.add_as(Severity::error, RuleId::bad_node, tree_.file, node.line,
                       fmt::format("the node {} has no `id`", quote(node.title)));
    if (node.type == TreeNodeType::unknown)
      findings_.add(RuleId::unknown_node_type, tree_.file, node.line,
                    node.type_written.empty()
                        ? fmt::format("node {} has no `type`", quote(node.id))
                        : fmt::format("node {} is of the unknown type {}", quote(node.id), quote(node.type_written)));
  }

  TreeNode& at(int index) { return tree_.nodes[static_cast<std::size_t>(index)]; }

  Tree& tree_;
  Findings& findings_;
};

}  // namespace

std::string_view canonical_key(TreeNodeType type, std::string_view key) {
  for (const Alias& alias : aliases)
    if (alias.type == type && alias.written == key) return alias.canonical;
  return key;
}

Tree read_tree(std::string_view text, const std::string& file, Findings& findings) {
  ParsedYaml parsed;
  return read_tree(text, file, findings, parsed);
}

Tree read_tree(std::string_view text, const std::string& file, Findings& findings, ParsedYaml& parsed) {
  Tree tree;
  tree.file = file;
  tree.present = true;
  const YamlDocument& document = parsed.of(text);
  if (const auto* trouble = std::get_if<YamlTrouble>(&document.value)) {
    findings.add(trouble->rule, file, trouble->line, trouble->what);
    return tree;
  }
  if (document.second_document > 0)
    findings.add(RuleId::bad_yaml, file, document.second_document,
                 "a second YAML document starts here; it was not read");
  TreeReading(tree, findings).read(std::get<YamlValue>(document.value));
  return tree;
}

}  // namespace artifacts
