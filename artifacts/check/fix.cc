#include "artifacts/check/fix.h"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "artifacts/read/artifact_reader.h"
#include "artifacts/read/safe_root.h"
#include "artifacts/read/yaml_value.h"
#include "artifacts/text/source_text.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

constexpr std::string_view misread = "the changed text would not say what was meant";

struct Edit {
  int line = 0;
  std::size_t column = 0;
  std::string from, to;
  SpellingFix fix;
};

/// Applies the edits to the file; none if the text at an edit is not the expected one.
std::string edited(std::string_view bytes, const std::vector<std::size_t>& starts, std::vector<Edit> edits) {
  std::ranges::sort(
      edits, [](const Edit& a, const Edit& b) { return std::pair(a.line, a.column) < std::pair(b.line, b.column); });
  std::string result;
  std::size_t done = 0;
  for (const Edit& edit : edits) {
    const auto line = static_cast<std::size_t>(edit.line) - 1;
    const std::size_t at = line < starts.size() ? starts[line] + edit.column : bytes.size();
    if (at < done || at > bytes.size() || !bytes.substr(at).starts_with(edit.from)) return {};
    result.append(bytes.substr(done, at - done));
    result += edit.to;
    done = at + edit.from.size();
  }
  return result.append(bytes.substr(done));
}

Respelled unchanged(std::string_view bytes, std::string_view why = {}) {
  return {std::string(bytes), {}, std::string(why)};
}

using Place = std::pair<int, int>;  ///< Line and column.

/// Finds the keys to rename, by position: an aliased node has one position, however often it is used.
class TreeSpelling {
 public:
  TreeSpelling(const YamlValue& document, const published::Configuration& allowed) : allowed_(allowed) {
    const YamlValue* root = document.find("root");
    const bool legacy = root && !document.find("tree") && said_once(document, "root");
    if (legacy && allowed.of(published::Code::ARA001).fixable)
      for (const YamlValue::Key& key : document.keys)
        if (key.text == "root") rename(key, "tree", RuleId::legacy_root);
    const YamlValue* nodes = document.find("tree") ? document.find("tree") : root;
    if (nodes) children(*nodes);
  }

  const std::map<Place, Edit>& edits() const { return edits_; }

 private:
  static published::Code code_of(std::string_view canonical, TreeNodeType type) {
    using enum published::Code;
    if (type == TreeNodeType::dead_end) return ARA002;
    if (type == TreeNodeType::decision) return ARA003;
    return canonical == "prior_direction" ? ARA005 : canonical == "new_direction" ? ARA006 : ARA007;
  }

  static bool said_once(const YamlValue& map, std::string_view name) {
    return std::ranges::count_if(map.keys, [&](const auto& key) { return key.text == name; }) == 1;
  }

  void children(const YamlValue& value) {
    if (value.kind == YamlValue::Kind::map) return node(value);
    if (value.kind != YamlValue::Kind::list) return;
    for (const YamlValue& item : value.items)
      if (item.kind == YamlValue::Kind::map) node(item);
  }

  void node(const YamlValue& map) {
    const YamlValue* type = map.find("type");
    const TreeNodeType known = type ? node_type(flat(*type)) : TreeNodeType::unknown;
    for (const YamlValue::Key& key : map.keys) {
      const std::string_view name = canonical_key(known, key.text);
      if (name != key.text && !map.find(name) && said_once(map, key.text) && allowed_.of(code_of(name, known)).fixable)
        rename(key, name, RuleId::dialect_key);
    }
    if (const YamlValue* below = map.find("children")) children(*below);
  }

  void rename(const YamlValue::Key& key, std::string_view to, RuleId rule) {
    edits_.emplace(Place(key.line, key.column), Edit{key.line,
                                                     static_cast<std::size_t>(key.column),
                                                     key.text,
                                                     std::string(to),
                                                     {rule, key.line, fmt::format("`{}` → `{}`", key.text, to)}});
  }

  const published::Configuration& allowed_;
  std::map<Place, Edit> edits_;
};

/// Makes the single node under `tree:` a list of one: "- " before its first key, and its other lines two blanks deeper.
/// `document`: what the bytes say; it becomes what the result says. Empty if the node is not laid out in lines.
std::string listed(std::string_view bytes, YamlValue& document) {
  const auto at = std::ranges::find(document.keys, "tree", &YamlValue::Key::text) - document.keys.begin();
  const int key_line = document.keys[static_cast<std::size_t>(at)].line;
  YamlValue& node = document.items[static_cast<std::size_t>(at)];
  const std::vector<std::size_t> starts = line_starts(bytes);
  const std::size_t first = static_cast<std::size_t>(node.line) - 1;
  if (node.line <= key_line || first >= starts.size()) return {};
  const std::size_t begin = starts[first] + static_cast<std::size_t>(node.column);
  if (begin >= bytes.size() || bytes[begin] == '{') return {};
  int end = static_cast<int>(starts.size());
  for (const YamlValue::Key& key : document.keys)
    if (key.line > key_line) end = std::min(end, key.line - 1);
  std::string result(bytes.substr(0, begin));
  result += "- ";
  for (auto line = first; line < starts.size(); ++line) {
    const std::size_t from = line == first ? begin : starts[line];
    const std::string_view text = bytes.substr(from, line + 1 < starts.size() ? starts[line + 1] - from : bytes.npos);
    if (line != first && static_cast<int>(line) < end && text.starts_with(' ') && !trimmed(text).empty())
      result += "  ";
    result += text;
  }
  YamlValue list;
  list.kind = YamlValue::Kind::list;
  list.line = node.line;
  list.items.push_back(std::move(node));
  node = std::move(list);
  return result;
}

/// Changes the document to what it should say; columns are ignored, since a longer key moves the rest of its line.
void mean(YamlValue& value, const std::map<Place, Edit>& edits) {
  value.column = 0;
  for (YamlValue::Key& key : value.keys) {
    if (const auto edit = edits.find(Place(key.line, key.column)); edit != edits.end() && edit->second.from == key.text)
      key.text = edit->second.to;
    key.column = 0;
  }
  for (YamlValue& item : value.items) mean(item, edits);
}

bool says(std::string_view bytes, const YamlValue& meant) {
  auto parsed = parse_yaml(clean(bytes).text);
  auto* document = std::get_if<YamlValue>(&parsed);
  if (!document) return false;
  mean(*document, {});
  return *document == meant;
}

/// The separator of id and title in a heading's line: its column and text.
std::pair<std::size_t, std::string_view> dash_in(std::string_view line, std::string_view id) {
  std::size_t at = line.find(id) + id.size();
  while (at < line.size() && (line[at] == ']' || line[at] == '*' || line[at] == '`')) ++at;
  std::size_t end = at;
  const auto skip = [&](std::string_view mark) {
    bool any = false;
    for (; line.substr(end).starts_with(mark); end += mark.size()) any = true;
    return any;
  };
  const auto blanks = [&] {
    while (skip(" ") || skip("\t")) continue;
  };
  blanks();
  if (!skip("—") && !skip("–") && !skip("-")) return {0, {}};
  blanks();
  return {at, line.substr(at, end - at)};
}

Layer claims_in(std::string_view bytes) {
  Findings unused;
  constexpr std::string_view prefixes[] = {"C"};
  return read_layer(clean(bytes).text, "", prefixes, true, unused);
}

constexpr std::uint64_t largest_mended = 16u << 20;

void fix_file(const SafeRoot& root, const std::string& file,
              Respelled (*respell)(std::string_view, const published::Configuration&),
              const published::Configuration& allowed, FixReport& report) {
  // `check` reports a file that is missing, too large or not regular.
  const FileBytes read = root.read(file, largest_mended);
  if (!read.whole()) return;
  const Respelled respelled = respell(read.bytes, allowed);
  std::string why = respelled.left;
  if (why.empty() && !respelled.fixes.empty()) why = root.replace(file, respelled.bytes);
  if (!why.empty()) return report.left.push_back({"", file, 0, fmt::format("left as it was: {}", why)});
  for (const SpellingFix& made : respelled.fixes)
    report.fixed.push_back({std::string(rule_of(made.rule).id), file, made.line, printable(made.what)});
}

nlohmann::json json_of(const std::vector<FixedPlace>& places) {
  nlohmann::json list = nlohmann::json::array();
  for (const FixedPlace& place : places)
    list.push_back({{"rule", place.rule}, {"file", place.file}, {"line", place.line}, {"message", place.message}});
  return list;
}

}  // namespace

Respelled respell_tree(std::string_view bytes, const published::Configuration& allowed) {
  auto parsed = parse_yaml(clean(bytes).text);
  auto* document = std::get_if<YamlValue>(&parsed);
  if (!document) return unchanged(bytes);
  const TreeSpelling spelling(*document, allowed);
  if (spelling.edits().empty()) return unchanged(bytes);
  std::vector<Edit> edits;
  const std::vector<std::size_t> starts = line_starts(bytes);
  for (const auto& [place, edit] : spelling.edits()) {
    edits.push_back(edit);
    // The position of a quoted key is that of its quote.
    const auto line = static_cast<std::size_t>(edit.line) - 1;
    const std::size_t at = line < starts.size() ? starts[line] + edit.column : bytes.size();
    if (at < bytes.size() && (bytes[at] == '"' || bytes[at] == '\'')) ++edits.back().column;
  }
  std::string changed = edited(bytes, starts, edits);
  const YamlValue* root = document->find("root");
  const bool single = root && root->kind == YamlValue::Kind::map &&
                      std::ranges::any_of(edits, [](const Edit& edit) { return edit.from == "root"; });
  if (single && !changed.empty()) {
    auto renamed = parse_yaml(clean(changed).text);
    auto* meant = std::get_if<YamlValue>(&renamed);
    if (!meant || !meant->find("tree")) return unchanged(bytes, misread);
    mean(*document, spelling.edits());
    if (!says(changed, *document)) return unchanged(bytes, misread);
    changed = listed(changed, *meant);
    if (changed.empty()) return unchanged(bytes, "the node under `root:` does not stand in lines of its own");
    mean(*meant, {});
    if (!says(changed, *meant)) return unchanged(bytes, misread);
  } else {
    mean(*document, spelling.edits());
    if (changed.empty() || !says(changed, *document)) return unchanged(bytes, misread);
  }
  Respelled result{std::move(changed), {}, {}};
  for (Edit& edit : edits) result.fixes.push_back(std::move(edit.fix));
  return result;
}

Respelled respell_claims(std::string_view bytes, const published::Configuration& allowed) {
  if (!allowed.of(published::Code::ARA004).fixable) return unchanged(bytes);
  Layer meant = claims_in(bytes);
  const CleanText text = clean(bytes);
  const std::vector<std::string_view> lines = lines_of(text.text);
  std::vector<Edit> edits;
  for (Block& block : meant.blocks) {
    if (block.style != HeaderStyle::dash) continue;
    const std::string_view line = lines[static_cast<std::size_t>(block.line) - 1];
    const auto [column, dash] = dash_in(line, block.id);
    if (dash.empty()) return unchanged(bytes, misread);
    const std::string colon = trimmed(line.substr(column + dash.size())).empty() ? ":" : ": ";
    edits.push_back(
        {block.line,
         column,
         std::string(dash),
         colon,
         {RuleId::dialect_header, block.line, fmt::format("{} `{}` → `{}`", block.id, trimmed(dash), ":")}});
    block.style = HeaderStyle::colon;
  }
  if (edits.empty()) return unchanged(bytes);
  std::string changed = edited(bytes, line_starts(bytes), edits);
  Layer now = claims_in(changed);
  // Only the headings were to change; ids, titles and styles are compared.
  for (Layer* layer : {&meant, &now})
    for (Block& block : layer->blocks)
      if (!block.id.empty()) block.heading.clear();
  if (changed.empty() || now != meant) return unchanged(bytes, misread);
  Respelled result{std::move(changed), {}, {}};
  for (Edit& edit : edits) result.fixes.push_back(std::move(edit.fix));
  return result;
}

kernel::Result<FixReport> fix(const std::string& path, const published::ConfigurationChoice& choice) {
  const auto root = SafeRoot::open(path);
  if (!root) return root.problem();
  const auto allowed = published::find_configuration(path, choice);
  if (!allowed) return allowed.problem();
  FixReport report;
  fix_file(*root, "logic/claims.md", respell_claims, *allowed, report);
  fix_file(*root, "trace/exploration_tree.yaml", respell_tree, *allowed, report);
  return report;
}

nlohmann::json to_json(const FixReport& report) {
  return {{"fixed", json_of(report.fixed)}, {"left", json_of(report.left)}};
}

std::string to_text(const FixReport& report) {
  std::string text;
  for (const FixedPlace& place : report.fixed)
    text += fmt::format("fixed {}:{} {} {}\n", place.file, place.line, place.rule, place.message);
  return text;
}

}  // namespace artifacts
