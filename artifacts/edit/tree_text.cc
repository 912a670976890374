#include "artifacts/edit/tree_text.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

using Kind = YamlValue::Kind;

bool agrees(const YamlValue& a, const YamlValue& b) {
  if (a.kind != b.kind || a.items.size() != b.items.size() || a.keys != b.keys) return false;
  if (a.kind == Kind::scalar) return a.text == b.text || trimmed(a.text) == trimmed(b.text);
  for (std::size_t i = 0; i < a.items.size(); ++i)
    if (!agrees(a.items[i], b.items[i])) return false;
  return true;
}

}  // namespace

void stop(int line, std::string why) {
  throw Unchangeable{line, std::move(why)};
}

std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

YamlValue& value_at(YamlValue& document, const YamlPosition& position) {
  YamlValue* value = &document;
  for (const std::size_t step : position.steps) value = &value->items[step];
  return *value;
}

std::size_t key_index(const YamlValue& map, std::string_view key) {
  const auto found = std::ranges::find(map.keys, key, &YamlValue::Key::text);
  return found == map.keys.end() ? no_key : static_cast<std::size_t>(found - map.keys.begin());
}

void each_node(const YamlValue& document, const std::function<void(const YamlValue&, const YamlPosition&)>& call) {
  const std::function<void(const YamlValue&, YamlPosition)> visit = [&](const YamlValue& value, YamlPosition position) {
    if (value.kind == Kind::map) {
      call(value, position);
      if (const std::size_t below = key_index(value, "children"); below != no_key) {
        position.steps.push_back(below);
        if (value.items[below].kind == Kind::list) visit(value.items[below], position);
      }
      return;
    }
    if (value.kind != Kind::list) return;
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      if (value.items[i].kind != Kind::map) continue;
      YamlPosition item = position;
      item.steps.push_back(i);
      visit(value.items[i], std::move(item));
    }
  };
  for (const std::string_view name : {"tree", "root"})
    if (const std::size_t top = key_index(document, name); top != no_key) {
      visit(document.items[top], {{top}});
      return;
    }
}

std::string node_id(const YamlValue& node) {
  const YamlValue* id = node.find("id");
  return id ? flat(*id) : std::string();
}

void strip_positions(YamlValue& value) {
  value.line = value.column = 0;
  value.was_quoted = false;
  for (YamlValue::Key& key : value.keys) key.line = key.column = 0;
  for (YamlValue& item : value.items) strip_positions(item);
}

TreeText::TreeText(std::string_view bytes) : source_(std::string(bytes)) {
  const CleanText text = clean(bytes);
  if (text.invalid_line > 0) stop(text.invalid_line, "the text is not UTF-8");
  if (text.control_line > 0) stop(text.control_line, "a control character stands in the text");
  int second = 0;
  auto parsed = parse_yaml(text.text, 1, &second);
  if (const auto* trouble = std::get_if<YamlTrouble>(&parsed)) stop(trouble->line, trouble->what);
  if (second > 0) stop(second, "a second YAML document starts here");
  document_ = std::move(std::get<YamlValue>(parsed));
}

YamlPosition TreeText::find(const std::string& id) {
  std::optional<YamlPosition> found;
  each_node(document_, [&](const YamlValue& node, const YamlPosition& position) {
    if (node_id(node) != id) return;
    if (found) stop(node.line, fmt::format("there are two nodes {}", quote(id)));
    found = position;
  });
  if (!found) stop(0, fmt::format("there is no node {}", quote(id)));
  return *found;
}

YamlValue& TreeText::node(const std::string& id) {
  YamlValue& map = value_at(document_, find(id));
  for (const YamlValue::Key& key : map.keys) {
    std::string_view rest = source_.line(key.line);
    rest = rest.substr(std::min<std::size_t>(static_cast<std::size_t>(key.column), rest.size()));
    const bool quoted = rest.starts_with('"') || rest.starts_with('\'');
    if (quoted) rest.remove_prefix(1);
    if (key.column != map.keys.front().column || !rest.starts_with(key.text))
      stop(map.line, fmt::format("the node {} is not written in lines", quote(node_id(map))));
  }
  const auto begin = source_.line(map.line).substr(static_cast<std::size_t>(map.column));
  if (begin.starts_with('{') || map.keys.empty())
    stop(map.line, fmt::format("the node {} is not written in lines", quote(node_id(map))));
  return map;
}

int TreeText::last_line(int line, std::size_t column) const {
  int last = line;
  for (int next = line + 1; next <= source_.lines(); ++next) {
    const std::string_view text = source_.line(next);
    if (trimmed(text).empty()) continue;
    const std::size_t indent = indent_of(text);
    if (indent < column) {
      if (text[indent] == '#') continue;
      break;
    }
    last = next;
  }
  return last;
}

int TreeText::last_line_of(const YamlValue& map, std::size_t key) const {
  const auto column = static_cast<std::size_t>(map.keys[key].column);
  int end = last_line(map.line, column);
  if (key + 1 < map.keys.size()) end = std::min(end, map.keys[key + 1].line - 1);
  int last = map.keys[key].line;
  for (int line = last + 1; line <= end; ++line) {
    const std::string_view text = source_.line(line);
    const std::size_t indent = indent_of(text);
    if (trimmed(text).empty() || (indent <= column && text[indent] == '#')) continue;
    last = line;
  }
  return last;
}

std::size_t TreeText::value_column(const YamlValue::Key& key) const {
  const std::string_view line = source_.line(key.line);
  auto place = static_cast<std::size_t>(key.column);
  const bool quoted = line[place] == '"' || line[place] == '\'';
  place += key.text.size() + (quoted ? 2 : 0);
  while (place < line.size() && line[place] == ' ') ++place;
  if (place >= line.size() || line[place] != ':') stop(key.line, "the key is not followed by a colon");
  ++place;
  while (place < line.size() && (line[place] == ' ' || line[place] == '\t')) ++place;
  return place;
}

std::size_t TreeText::list_indent() {
  std::size_t found = 2;
  bool known = false;
  each_node(document_, [&](const YamlValue& node, const YamlPosition&) {
    const std::size_t below = known ? no_key : key_index(node, "children");
    if (below == no_key || node.items[below].kind != Kind::list || node.items[below].items.empty()) return;
    const YamlValue& first = node.items[below].items.front();
    if (first.kind != Kind::map || first.line <= node.keys[below].line) return;
    const std::size_t dash = dash_of(first);
    const auto column = static_cast<std::size_t>(node.keys[below].column);
    if (dash == no_key || dash < column) return;
    found = dash - column;
    known = true;
  });
  return found;
}

std::size_t TreeText::dash_of(const YamlValue& item) const {
  const std::string_view before = source_.line(item.line).substr(0, static_cast<std::size_t>(item.column));
  const auto dash = before.rfind('-');
  return dash != no_key && trimmed(before.substr(dash + 1)).empty() && trimmed(before.substr(0, dash)).empty() ? dash
                                                                                                               : no_key;
}

Edited TreeText::changed(std::vector<TextEdit> edits, int line) {
  Edited result{edited_text(source_, std::move(edits)), line};
  auto parsed = parse_yaml(clean(result.bytes).text);
  auto* now = std::get_if<YamlValue>(&parsed);
  if (now) strip_positions(*now);
  strip_positions(document_);
  if (!now || !agrees(*now, document_))
    stop(line, "the text is laid out in a way that cannot be changed in this place alone");
  return result;
}

kernel::Result<Edited> guarded_tree(const std::string& file, const std::function<Edited()>& change) {
  try {
    return change();
  } catch (const Unchangeable& e) {
    return kernel::Problem{file, e.line, "cannot be edited", e.why, "edit it by hand"};
  }
}

}  // namespace artifacts
