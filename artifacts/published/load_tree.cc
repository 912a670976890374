#include "artifacts/published/load_tree.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "artifacts/published/indentation.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts::published {
namespace {

using Kind = YamlValue::Kind;

// Limits of the published reader.
constexpr int most_levels = 64;
constexpr std::size_t most_values = 250'000;

/// Keys that only nodes of some types have; see `kept_by` in tree_rules.cc.
constexpr std::array<std::string_view, 13> body_texts{
    "result", "status",          "exploration",   "outcome", "why_failed", "hypothesis", "failure_mode",
    "lesson", "prior_direction", "new_direction", "reason",  "choice",     "rationale"};
constexpr std::array<std::string_view, 5> common_texts{"support_level", "description", "provenance", "timestamp",
                                                       "title"};

constexpr std::array<std::string_view, 4> paper_texts{"title", "venue", "doi", "abstract"};

struct KeyedValue {
  std::string_view key;
  int line;
  const YamlValue* value;
};

[[noreturn]] void refuse(int line, std::string why) {
  throw Refused{line, std::move(why)};
}

/// Null in every spelling that the published reader knows.
bool is_nothing(const YamlValue& value) {
  return value.kind == Kind::null || (value.kind == Kind::scalar && !value.was_quoted && same_word(value.text, "null"));
}

std::string_view shape_of(const YamlValue& value) {
  switch (value.kind) {
    case Kind::null:
      return "nothing";
    case Kind::scalar:
      return "a text";
    case Kind::list:
      return "a list";
    case Kind::map:
      break;
  }
  return "a mapping";
}

bool is_any_word(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return same_word(text, word); });
}

bool is_true(std::string_view text) {
  return is_any_word(text, {"true", "yes", "y", "on"});
}

bool is_false(std::string_view text) {
  return is_any_word(text, {"false", "no", "n", "off"});
}

bool is_not_finite(std::string_view text) {
  if (is_any_word(text, {".nan", "+.nan", "-.nan", ".inf", "+.inf", "-.inf"})) return true;
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  double ignored = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), ignored);
  return !text.empty() && is_digit(text.front()) && read.ec == std::errc::result_out_of_range &&
         read.ptr == text.data() + text.size();
}

bool is_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || text.find_first_of("0123456789") == text.npos) return false;
  const char* end = text.data() + text.size();
  for (const auto& [prefix, base] : {std::pair{"0x", 16}, {"0o", 8}, {"0b", 2}}) {
    if (!same_word(text.substr(0, 2), prefix)) continue;
    unsigned long long ignored = 0;
    const auto read = std::from_chars(text.data() + 2, end, ignored, base);
    return read.ptr == end && text.size() > 2;
  }
  double ignored = 0;
  if (std::from_chars(text.data(), end, ignored).ptr == end) return true;
  // 1_000
  return text.front() >= '1' && text.front() <= '9' && text.find_first_not_of("0123456789_") == text.npos;
}

/// Whether a plain scalar has a type of its own, so that a reader that asks for "a text or a list" gets neither.
bool is_typed(const YamlValue& value) {
  if (value.was_quoted) return false;
  const std::string_view text = trimmed(value.text);
  return is_true(text) || is_false(text) || is_number(text) || is_not_finite(text);
}

/// Gives the entries of mappings, with merge keys resolved, and refuses what no reader of typed YAML takes.
class Entries {
 public:
  static std::vector<KeyedValue> of(const YamlValue& map) {
    Entries all;
    std::vector<const YamlValue*> merged;
    for (std::size_t i = 0; i < map.keys.size(); ++i) {
      const YamlValue::Key& key = map.keys[i];
      if (key.text.empty()) refuse(key.line, "a key must be a text");
      if (key.text == "<<")
        merged.push_back(&map.items[i]);
      else if (!all.put({key.text, key.line, &map.items[i]}))
        refuse(key.line, fmt::format("the key {} stands there twice", quote(key.text)));
    }
    for (const YamlValue* value : merged) all.merge(*value);
    return std::move(all.entries_);
  }

 private:
  bool put(KeyedValue entry) {
    if (!seen_.insert(entry.key).second) return false;
    entries_.push_back(entry);
    return true;
  }

  void merge(const YamlValue& value) {
    if (is_nothing(value)) return;
    if (value.kind == Kind::list) {
      for (const YamlValue& item : value.items) merge(item);
      return;
    }
    if (value.kind != Kind::map) refuse(value.line, fmt::format("a merge key has {}", shape_of(value)));
    for (const KeyedValue& entry : of(value)) put(entry);
  }

  std::vector<KeyedValue> entries_;
  std::set<std::string_view> seen_;
};

/// Counts and bounds what the document holds before anything recurses over it.
class Bounds {
 public:
  void look(const YamlValue& value, int level) {
    if (++values_ > most_values) refuse(value.line, fmt::format("there are more than {} values", most_values));
    if (value.kind != Kind::list && value.kind != Kind::map) return;
    if (level >= most_levels) refuse(value.line, fmt::format("it is nested more than {} levels deep", most_levels));
    values_ += value.keys.size();
    for (const YamlValue& item : value.items) look(item, level + 1);
  }

 private:
  std::size_t values_ = 0;
};

/// What is not read must be sound YAML all the same: no key twice, no infinity.
void ignored(const YamlValue& value) {
  if (value.kind == Kind::scalar && !value.was_quoted && is_not_finite(trimmed(value.text)))
    refuse(value.line, fmt::format("{} is no finite number", quote(value.text)));
  if (value.kind == Kind::map)
    for (const KeyedValue& entry : Entries::of(value)) ignored(*entry.value);
  if (value.kind == Kind::list)
    for (const YamlValue& item : value.items) ignored(item);
}

/// None for null.
std::optional<std::string> text_of(const KeyedValue& entry) {
  const YamlValue& value = *entry.value;
  if (is_nothing(value)) return std::nullopt;
  if (value.kind != Kind::scalar)
    refuse(value.line, fmt::format("`{}` must be a text, and is {}", entry.key, shape_of(value)));
  return value.text;
}

std::vector<NodeText> texts_of(const KeyedValue& entry) {
  const YamlValue& value = *entry.value;
  if (is_nothing(value)) return {};
  if (value.kind != Kind::list)
    refuse(value.line, fmt::format("`{}` must be a list of texts, and is {}", entry.key, shape_of(value)));
  std::vector<NodeText> result;
  for (const YamlValue& item : value.items) {
    if (item.kind != Kind::scalar)
      refuse(item.line, fmt::format("an entry of `{}` must be a text, and is {}", entry.key, shape_of(item)));
    result.push_back({item.text, item.line});
  }
  return result;
}

/// A text, or a list of texts; numbers and truth values are neither.
std::vector<NodeText> evidence_of(const KeyedValue& entry) {
  const YamlValue& value = *entry.value;
  const auto take = [&](const YamlValue& item) -> NodeText {
    if (item.kind != Kind::scalar)
      refuse(item.line, fmt::format("an entry of `evidence` must be a text, and is {}", shape_of(item)));
    if (is_typed(item))
      refuse(item.line, fmt::format("{} in `evidence` must be quoted: unquoted it is no text", quote(item.text)));
    return {item.text, item.line};
  };
  if (is_nothing(value)) return {};
  if (value.kind == Kind::scalar) return {take(value)};
  if (value.kind != Kind::list)
    refuse(value.line, fmt::format("`evidence` must be a text or a list of texts, and is {}", shape_of(value)));
  std::vector<NodeText> result;
  for (const YamlValue& item : value.items) result.push_back(take(item));
  return result;
}

void truth_value(const KeyedValue& entry) {
  const YamlValue& value = *entry.value;
  const std::string_view text = trimmed(value.text);
  if (value.kind != Kind::scalar || !(is_true(text) || is_false(text)))
    refuse(value.line ? value.line : entry.line, fmt::format("`{}` must be true or false", entry.key));
}

/// A text or a whole number.
void year_of(const KeyedValue& entry) {
  const YamlValue& value = *entry.value;
  if (is_nothing(value)) return;
  const bool whole = value.kind == Kind::scalar && value.text.find_first_of(".eE") == value.text.npos &&
                     !is_true(trimmed(value.text)) && !is_false(trimmed(value.text));
  if (value.kind != Kind::scalar || (is_typed(value) && !whole))
    refuse(value.line, fmt::format("`{}` must be a year, and is {}", entry.key, quote(flat(value))));
}

std::vector<PublishedNode> nodes_of(const KeyedValue& entry);

PublishedNode node_of(const YamlValue& value) {
  PublishedNode node;
  node.line = value.line;
  if (is_nothing(value)) return node;
  if (value.kind != Kind::map) refuse(value.line, fmt::format("a node must be a mapping, and is {}", shape_of(value)));
  for (const KeyedValue& entry : Entries::of(value)) {
    if (entry.key == "id") {
      node.id = trimmed(text_of(entry).value_or(""));
    } else if (entry.key == "type") {
      node.type = trimmed(text_of(entry).value_or(""));
    } else if (entry.key == "title") {
      node.title = text_of(entry).value_or("");
    } else if (is_one_of(common_texts, entry.key)) {
      text_of(entry);
    } else if (is_one_of(body_texts, entry.key)) {
      if (text_of(entry)) node.body.push_back({std::string(entry.key), entry.line});
    } else if (entry.key == "alternatives") {
      if (!texts_of(entry).empty()) node.body.push_back({std::string(entry.key), entry.line});
    } else if (entry.key == "source_refs") {
      texts_of(entry);
    } else if (entry.key == "isolated") {
      truth_value(entry);
    } else if (entry.key == "evidence") {
      node.evidence = evidence_of(entry);
    } else if (entry.key == "also_depends_on") {
      node.also_depends_on = texts_of(entry);
    } else if (entry.key == "children") {
      node.children = nodes_of(entry);
    } else {
      ignored(*entry.value);
      node.unknown.push_back({std::string(entry.key), entry.line});
    }
  }
  return node;
}

std::vector<PublishedNode> nodes_of(const KeyedValue& entry) {
  const YamlValue& value = *entry.value;
  if (is_nothing(value)) return {};
  if (value.kind != Kind::list)
    refuse(value.line, fmt::format("`{}` must be a list of nodes, and is {}", entry.key, shape_of(value)));
  std::vector<PublishedNode> nodes;
  nodes.reserve(value.items.size());
  for (const YamlValue& item : value.items) nodes.push_back(node_of(item));
  return nodes;
}

/// The document's entries. Throws Refused.
std::vector<KeyedValue> entries_of_document(const std::variant<YamlValue, YamlTrouble>& parsed, int second_document,
                                            std::string_view text, int first_line) {
  if (const auto* trouble = std::get_if<YamlTrouble>(&parsed)) refuse(trouble->line, trouble->what);
  if (second_document > 0) refuse(second_document, "a second YAML document starts here");
  const YamlValue& document = std::get<YamlValue>(parsed);
  if (is_nothing(document)) return {};
  if (document.kind != Kind::map)
    refuse(document.line, fmt::format("the document must be a mapping, and is {}", shape_of(document)));
  Bounds().look(document, 0);
  if (const int line = under_indented_line(document, text, first_line); line > 0)
    refuse(line, "the line is indented less than the text or list that it continues");
  return Entries::of(document);
}

}  // namespace

std::variant<LoadedTree, Refused> load_tree(std::string_view text, ParsedYaml& parsed) {
  LoadedTree tree;
  try {
    const YamlDocument& document = parsed.of(text);
    for (const KeyedValue& entry : entries_of_document(document.value, document.second_document, text, 1)) {
      const bool given = !is_nothing(*entry.value);
      if (entry.key == "tree") {
        tree.has_tree = given;
        if (given) tree.line = entry.line;
        std::vector<PublishedNode> nodes = nodes_of(entry);
        tree.nodes.insert(tree.nodes.end(), std::make_move_iterator(nodes.begin()),
                          std::make_move_iterator(nodes.end()));
      } else if (entry.key == "root") {
        tree.has_root = given;
        if (given) tree.line = entry.line;
        if (given) tree.nodes.push_back(node_of(*entry.value));
      } else {
        ignored(*entry.value);
        tree.unknown.push_back({std::string(entry.key), entry.line});
      }
    }
  } catch (const Refused& refused) {
    return refused;
  }
  return tree;
}

std::optional<Refused> front_matter_trouble(std::string_view yaml, int first_line) {
  try {
    int second_document = 0;
    const auto parsed = parse_yaml(yaml, first_line, &second_document);
    for (const KeyedValue& entry : entries_of_document(parsed, second_document, yaml, first_line)) {
      if (is_one_of(paper_texts, entry.key))
        text_of(entry);
      else if (entry.key == "authors" || entry.key == "keywords")
        texts_of(entry);
      else if (entry.key == "year")
        year_of(entry);
      else
        ignored(*entry.value);
    }
  } catch (const Refused& refused) {
    return refused;
  }
  return std::nullopt;
}

}  // namespace artifacts::published
