#include "artifacts/edit/tree_edits.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "artifacts/edit/yaml_scalar.h"
#include "artifacts/read/artifact_reader.h"
#include "artifacts/read/yaml_value.h"
#include "artifacts/text/source_text.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

using Kind = YamlValue::Kind;
constexpr std::size_t none = std::string_view::npos;

/// Why a text cannot be changed; becomes a Problem.
struct Unchangeable {
  int line;
  std::string why;
};

[[noreturn]] void stop(int line, std::string why) {
  throw Unchangeable{line, std::move(why)};
}

std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

/// A node's mapping, by the indices that lead to it.
struct Position {
  std::vector<std::size_t> steps;
};

YamlValue& at(YamlValue& document, const Position& position) {
  YamlValue* value = &document;
  for (const std::size_t step : position.steps) value = &value->items[step];
  return *value;
}

std::size_t index_of(const YamlValue& map, std::string_view key) {
  const auto found = std::ranges::find(map.keys, key, &YamlValue::Key::text);
  return found == map.keys.end() ? none : static_cast<std::size_t>(found - map.keys.begin());
}

/// Calls for each node with its position, parents first.
void each_node(const YamlValue& document, const std::function<void(const YamlValue&, const Position&)>& call) {
  const std::function<void(const YamlValue&, Position)> visit = [&](const YamlValue& value, Position position) {
    if (value.kind == Kind::map) {
      call(value, position);
      if (const std::size_t below = index_of(value, "children"); below != none) {
        position.steps.push_back(below);
        if (value.items[below].kind == Kind::list) visit(value.items[below], position);
      }
      return;
    }
    if (value.kind != Kind::list) return;
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      if (value.items[i].kind != Kind::map) continue;
      Position item = position;
      item.steps.push_back(i);
      visit(value.items[i], std::move(item));
    }
  };
  for (const std::string_view name : {"tree", "root"})
    if (const std::size_t top = index_of(document, name); top != none) {
      visit(document.items[top], {{top}});
      return;
    }
}

std::string id_of(const YamlValue& node) {
  const YamlValue* id = node.find("id");
  return id ? flat(*id) : std::string();
}

/// Positions and quotes are no content.
void strip(YamlValue& value) {
  value.line = value.column = 0;
  value.was_quoted = false;
  for (YamlValue::Key& key : value.keys) key.line = key.column = 0;
  for (YamlValue& item : value.items) strip(item);
}

YamlValue scalar_of(std::string_view text) {
  YamlValue value;
  value.kind = Kind::scalar;
  value.text = text;
  return value;
}

YamlValue value_of(const FieldValue& field) {
  if (const auto* text = std::get_if<std::string>(&field)) return scalar_of(*text);
  YamlValue list;
  list.kind = Kind::list;
  for (const std::string& one : std::get<std::vector<std::string>>(field)) list.items.push_back(scalar_of(one));
  return list;
}

bool same_content(const YamlValue& a, const YamlValue& b) {
  if (a.kind != b.kind || a.items.size() != b.items.size()) return false;
  // A block ends with a line end that a text in quotes has not.
  if (a.kind == Kind::scalar) return trimmed(a.text) == trimmed(b.text);
  return std::ranges::equal(a.items, b.items, same_content);
}

class TreeText {
 public:
  TreeText(std::string_view bytes) : source_(std::string(bytes)) {
    const CleanText text = clean(bytes);
    if (text.invalid_line > 0) stop(text.invalid_line, "the text is not UTF-8");
    if (text.control_line > 0) stop(text.control_line, "a control character stands in the text");
    int second = 0;
    auto parsed = parse_yaml(text.text, 1, &second);
    if (const auto* trouble = std::get_if<YamlTrouble>(&parsed)) stop(trouble->line, trouble->what);
    if (second > 0) stop(second, "a second YAML document starts here");
    document_ = std::move(std::get<YamlValue>(parsed));
  }

  YamlValue& document() { return document_; }

  Position find(const std::string& id) {
    std::optional<Position> found;
    each_node(document_, [&](const YamlValue& node, const Position& position) {
      if (id_of(node) != id) return;
      if (found) stop(node.line, fmt::format("there are two nodes {}", quote(id)));
      found = position;
    });
    if (!found) stop(0, fmt::format("there is no node {}", quote(id)));
    return *found;
  }

  /// The mapping, which must be written in lines, with its keys where the reader says.
  const YamlValue& in_lines(const Position& position) {
    const YamlValue& map = at(document_, position);
    for (const YamlValue::Key& key : map.keys) {
      std::string_view rest = source_.line(key.line);
      rest = rest.substr(std::min<std::size_t>(static_cast<std::size_t>(key.column), rest.size()));
      const bool quoted = rest.starts_with('"') || rest.starts_with('\'');
      if (quoted) rest.remove_prefix(1);
      if (key.column != map.keys.front().column || !rest.starts_with(key.text))
        stop(map.line, fmt::format("the node {} is not written in lines", quote(id_of(map))));
    }
    const auto begin = source_.line(map.line).substr(static_cast<std::size_t>(map.column));
    if (begin.starts_with('{') || map.keys.empty())
      stop(map.line, fmt::format("the node {} is not written in lines", quote(id_of(map))));
    return map;
  }

  /// The last line with content of what begins on `line` and whose lines stand at `column` or deeper.
  int last_line(int line, std::size_t column) const {
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

  /// The last line of the value of the map's key.
  int last_line_of(const YamlValue& map, std::size_t key) const {
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

  /// Where the value of the key begins on the key's line: behind the colon and blanks.
  std::size_t value_column(const YamlValue::Key& key) const {
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

  /// How far lists stand behind the key that they belong to.
  std::size_t list_indent() {
    std::size_t found = 2;
    bool known = false;
    each_node(document_, [&](const YamlValue& node, const Position&) {
      const std::size_t below = known ? none : index_of(node, "children");
      if (below == none || node.items[below].kind != Kind::list || node.items[below].items.empty()) return;
      const YamlValue& first = node.items[below].items.front();
      if (first.kind != Kind::map || first.line <= node.keys[below].line) return;
      const std::size_t dash = dash_of(first);
      const auto column = static_cast<std::size_t>(node.keys[below].column);
      if (dash == none || dash < column) return;
      found = dash - column;
      known = true;
    });
    return found;
  }

  /// The column of the dash before a list's item; npos if it stands on another line.
  std::size_t dash_of(const YamlValue& item) const {
    const std::string_view before = source_.line(item.line).substr(0, static_cast<std::size_t>(item.column));
    const auto dash = before.rfind('-');
    return dash != none && trimmed(before.substr(dash + 1)).empty() && trimmed(before.substr(0, dash)).empty() ? dash
                                                                                                               : none;
  }

  const SourceText& source() const { return source_; }

  /// Applies the edits and reads the result again, which must say what `document()` says now.
  Edited changed(std::vector<TextEdit> edits, int line) {
    Edited result{edited_text(source_, std::move(edits)), line};
    auto parsed = parse_yaml(clean(result.bytes).text);
    auto* now = std::get_if<YamlValue>(&parsed);
    if (now) strip(*now);
    strip(document_);
    if (!now || !agrees(*now, document_))
      stop(line, "the text is laid out in a way that cannot be changed in this place alone");
    return result;
  }

 private:
  static bool agrees(const YamlValue& a, const YamlValue& b) {
    if (a.kind != b.kind || a.items.size() != b.items.size() || a.keys != b.keys) return false;
    if (a.kind == Kind::scalar) return a.text == b.text || trimmed(a.text) == trimmed(b.text);
    for (std::size_t i = 0; i < a.items.size(); ++i)
      if (!agrees(a.items[i], b.items[i])) return false;
    return true;
  }

  SourceText source_;
  YamlValue document_;
};

/// `- id: N05` and the other keys, with the dash at this column and the keys `gap` behind it.
std::string node_lines(const NewNode& node, std::size_t dash, std::size_t gap) {
  std::string lines;
  for (const auto& [key, value] : node.fields) {
    const std::string entry = std::visit([&](const auto& one) { return yaml_entry(key, one, dash + gap); }, value);
    lines += (lines.empty() ? "" : "\n") + entry;
  }
  lines[dash] = '-';
  return lines;
}

YamlValue map_of(const NewNode& node) {
  YamlValue map;
  map.kind = Kind::map;
  for (const auto& [key, value] : node.fields) {
    map.keys.push_back({key, 0, 0});
    map.items.push_back(value_of(value));
  }
  return map;
}

template <typename Change>
kernel::Result<Edited> guarded(const std::string& file, const Change& change) {
  try {
    return change();
  } catch (const Unchangeable& e) {
    return kernel::Problem{file, e.line, "cannot be edited", e.why, "edit it by hand"};
  }
}

/// Appends behind the last item of the list under `key`.
Edited behind_items(TreeText& text, YamlValue& map, std::size_t key, const NewNode& node) {
  YamlValue& list = map.items[key];
  const YamlValue& last = list.items.back();
  if (last.kind != Kind::map) stop(last.line, "the children are named by their ids; nest them, or edit it by hand");
  const std::size_t dash = text.dash_of(last);
  if (dash == none || text.source().line(last.line).substr(static_cast<std::size_t>(last.column)).starts_with('{'))
    stop(last.line, "the list of nodes is not written in lines");
  const std::size_t gap = static_cast<std::size_t>(last.column) - dash;
  const int end = text.last_line_of(map, key);
  // As the last one stands apart from what is above it.
  const bool apart = last.line > 1 && trimmed(text.source().line(last.line - 1)).empty();
  const std::string lines = (apart ? "\n" : "") + node_lines(node, dash, gap);
  const TextEdit edit = lines_behind(text.source(), end, lines);
  list.items.push_back(map_of(node));
  return text.changed({edit}, end + (apart ? 2 : 1));
}

/// Begins the list under `key`, which is there without a value, or not there.
Edited first_item(TreeText& text, YamlValue& map, std::size_t key, std::string_view name, const NewNode& node) {
  const auto column = static_cast<std::size_t>(map.keys.front().column);
  const std::size_t dash = column + text.list_indent();
  YamlValue list;
  list.kind = Kind::list;
  list.items.push_back(map_of(node));
  std::vector<TextEdit> edits;
  int end = 0;
  if (key == none) {
    end = text.last_line(map.line, column);
    edits.push_back(lines_behind(text.source(), end,
                                 std::string(column, ' ') + std::string(name) + ":\n" + node_lines(node, dash, 2)));
    ++end;
    map.keys.push_back({std::string(name), 0, 0});
    map.items.push_back(std::move(list));
  } else {
    end = map.keys[key].line;
    const std::size_t begin = text.value_column(map.keys[key]);
    const std::string_view line = text.source().line(end);
    const std::string_view rest = line.substr(begin);
    const std::size_t start = text.source().start(end);
    std::size_t done = begin;
    if (rest.starts_with('[')) done = end_of_brackets(line, begin);
    if (rest.starts_with('~')) done = begin + 1;
    if (rest.starts_with("null")) done = begin + 4;
    if (done == none) stop(end, "the empty list goes over several lines");
    if (done > begin) {
      std::size_t from = begin;
      while (from > 0 && line[from - 1] == ' ') --from;
      edits.push_back({start + from, start + done, ""});
    }
    edits.push_back(lines_behind(text.source(), end, node_lines(node, dash, 2)));
    map.items[key] = std::move(list);
  }
  return text.changed(std::move(edits), end + 1);
}

/// The text of a value in the style of the one that is there.
std::string in_style(std::string_view old, std::string_view text, std::size_t column, bool single_quotes) {
  if (single_quotes && text.find('\n') == text.npos) {
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
    return quoted + "'";
  }
  const bool double_quotes = old.starts_with('"');
  const std::string entry = yaml_entry("k", text, column);
  std::string value = entry.substr(column + 3);
  if (double_quotes && !value.starts_with('"') && !value.starts_with('|')) value = "\"" + value + "\"";
  return value;
}

/// A folded or literal block with the text: the indicator of the old one, and lines at its indentation.
std::optional<std::string> as_block(std::string_view header, std::string_view text, std::size_t indent) {
  if (header.find_first_of("0123456789") != header.npos) return std::nullopt;
  const bool folded = header.starts_with('>');
  if (text.empty() || trimmed(text) != text || text.find('\t') != text.npos) return std::nullopt;
  const bool many = text.find('\n') != text.npos;
  std::string result(header);
  if (folded && many) result[0] = '|';
  const std::string blanks(indent, ' ');
  for (const std::string_view line : lines_of(text)) {
    if (line.starts_with(' ')) return std::nullopt;
    if (!folded || many) {
      result += line.empty() ? std::string("\n") : "\n" + blanks + std::string(line);
      continue;
    }
    // Broken at blanks, where folding puts one.
    std::string row;
    for (std::size_t from = 0; from <= line.size();) {
      const auto blank = line.find(' ', from);
      const std::string_view word = line.substr(from, blank == line.npos ? blank : blank - from);
      if (word.empty()) return std::nullopt;
      if (!row.empty() && indent + row.size() + 1 + word.size() > 100) {
        result += "\n" + blanks + row;
        row.clear();
      }
      row += (row.empty() ? "" : " ") + std::string(word);
      from = blank == line.npos ? line.size() + 1 : blank + 1;
    }
    result += "\n" + blanks + row;
  }
  return result;
}

Edited replaced(TreeText& text, YamlValue& map, std::size_t key, const FieldValue& value) {
  const SourceText& source = text.source();
  const int line = map.keys[key].line;
  const int last = text.last_line_of(map, key);
  const std::size_t begin = text.value_column(map.keys[key]);
  const auto column = static_cast<std::size_t>(map.keys[key].column);
  const std::string_view first = source.line(line);
  const std::string_view old = first.substr(begin);
  if (old.starts_with('&') || old.starts_with('*') || old.starts_with('!'))
    stop(line, "the value has an anchor, an alias or a tag");
  const std::size_t start = source.start(line) + begin;
  const bool block = old.starts_with('|') || old.starts_with('>');
  const bool behind = old.empty() || old.front() == '#';  // The value stands on the lines below.
  std::size_t end = source.end(last);
  const std::string_view rest = std::string_view(source.bytes()).substr(start, end - start);
  if (!block && !behind) {
    std::size_t done = none;
    if (old.front() == '"' || old.front() == '\'')
      done = end_of_quoted(rest, 0);
    else if (old.front() == '[' || old.front() == '{')
      done = end_of_brackets(rest, 0);
    else if (last == line)
      done = end_of_plain(rest, 0);
    else
      done = rest.size();
    if (done == none) stop(line, "the end of the value is not clear");
    end = start + done;
  } else {
    while (end > start && (source.bytes()[end - 1] == ' ' || source.bytes()[end - 1] == '\t')) --end;
  }
  std::string written;
  if (const auto* one = std::get_if<std::string>(&value)) {
    std::optional<std::string> kept;
    if (block && last > line) {
      const std::string header(old.substr(0, std::min(old.find_first_of(" \t#"), old.size())));
      kept = as_block(header, *one, indent_of(source.line(line + 1)));
    }
    written = kept ? *kept : in_style(old, *one, column, old.starts_with('\''));
  } else {
    const std::string entry = yaml_entry("k", std::get<std::vector<std::string>>(value), column);
    written = entry.substr(column + 2);
    if (written.starts_with(' ')) written.erase(0, 1);
  }
  std::size_t from = start;
  if (behind) {  // Behind the colon, before any comment.
    from = source.start(line) + begin;
    if (!old.empty()) stop(line, "a comment stands where the value should begin");
    if (begin > 0 && first[begin - 1] == ':') written.insert(0, written.starts_with('\n') ? "" : " ");
  } else if (written.starts_with('\n')) {
    while (from > 0 && source.bytes()[from - 1] == ' ') --from;
  }
  map.items[key] = value_of(value);
  return text.changed({{from, end, written}}, line);
}

/// A new key behind those that are not children.
Edited with_key(TreeText& text, YamlValue& map, const std::string& key, const FieldValue& value) {
  const auto column = static_cast<std::size_t>(map.keys.front().column);
  const std::size_t below = index_of(map, "children");
  const std::size_t before = below == none || below == 0 ? map.keys.size() - 1 : below - 1;
  if (below == 0 && map.keys.size() == 1) stop(map.line, "the node has only children");
  const int end = text.last_line_of(map, before);
  const std::string entry = std::visit([&](const auto& one) { return yaml_entry(key, one, column); }, value);
  const TextEdit edit = lines_behind(text.source(), end, entry);
  const auto place = static_cast<std::ptrdiff_t>(before) + 1;
  map.keys.insert(map.keys.begin() + place, {key, 0, 0});
  map.items.insert(map.items.begin() + place, value_of(value));
  return text.changed({edit}, end + 1);
}

/// The index of the key, or of its older spelling.
std::size_t key_of(const YamlValue& map, const std::string& key) {
  if (const std::size_t there = index_of(map, key); there != none) return there;
  const YamlValue* type = map.find("type");
  const TreeNodeType known = type ? node_type(flat(*type)) : TreeNodeType::unknown;
  for (std::size_t i = 0; i < map.keys.size(); ++i)
    if (canonical_key(known, map.keys[i].text) == key) return i;
  return none;
}

Edited entry_added(TreeText& text, YamlValue& map, std::size_t key, const std::string& entry) {
  YamlValue& value = map.items[key];
  const SourceText& source = text.source();
  const int line = map.keys[key].line;
  if (value.kind == Kind::map) stop(line, "the value is a mapping, not a list");
  if (value.kind == Kind::null || (value.kind == Kind::list && value.items.empty()))
    return replaced(text, map, key, std::vector<std::string>{entry});
  if (value.kind == Kind::scalar)
    return replaced(text, map, key, std::vector<std::string>{std::string(trimmed(value.text)), entry});
  const std::size_t begin = text.value_column(map.keys[key]);
  const int last = text.last_line_of(map, key);
  const std::string_view old = source.line(line).substr(begin);
  const YamlValue& final_item = value.items.back();
  if (old.starts_with('[')) {
    const std::size_t start = source.start(line) + begin;
    const std::string_view rest = std::string_view(source.bytes()).substr(start, source.end(last) - start);
    const std::size_t done = end_of_brackets(rest, 0);
    if (done == none) stop(line, "the end of the list is not clear");
    // Behind the last entry, before a comma that may follow it.
    const std::size_t at_end = end_of_entries(rest, 0);
    const bool comma = rest[at_end - 1] == ',';
    value.items.push_back(scalar_of(entry));
    return text.changed({{start + at_end, start + at_end, (comma ? " " : ", ") + yaml_scalar(entry, true)}}, line);
  }
  const std::size_t dash = text.dash_of(final_item);
  if (dash == none) stop(line, "the list is not written in lines");
  value.items.push_back(scalar_of(entry));
  return text.changed({lines_behind(source, last, std::string(dash, ' ') + "- " + yaml_scalar(entry))}, last + 1);
}

}  // namespace

kernel::Result<Edited> with_node(std::string_view bytes, const std::string& file, const NewNode& node) {
  return guarded(file, [&] {
    TreeText text(bytes);
    if (node.parent.empty()) {
      const std::size_t top = index_of(text.document(), "tree");
      if (top == none) stop(0, "the nodes do not stand under `tree:`, so the new node needs a parent");
      const YamlValue& nodes = text.document().items[top];
      if (nodes.kind == Kind::list && !nodes.items.empty()) return behind_items(text, text.document(), top, node);
      if (nodes.kind == Kind::map || nodes.kind == Kind::scalar) stop(nodes.line, "`tree:` is no list of nodes");
      return first_item(text, text.document(), top, "tree", node);
    }
    const Position parent = text.find(node.parent);
    text.in_lines(parent);
    YamlValue& map = at(text.document(), parent);
    const std::size_t below = index_of(map, "children");
    if (below != none && map.items[below].kind == Kind::list && !map.items[below].items.empty())
      return behind_items(text, map, below, node);
    if (below != none && (map.items[below].kind == Kind::map || map.items[below].kind == Kind::scalar))
      stop(map.items[below].line, "`children` is no list of nodes");
    return first_item(text, map, below, "children", node);
  });
}

kernel::Result<Edited> with_node_field(std::string_view bytes, const std::string& file, const std::string& id,
                                       const std::string& key, const FieldValue& value) {
  return guarded(file, [&] {
    TreeText text(bytes);
    const Position position = text.find(id);
    text.in_lines(position);
    YamlValue& map = at(text.document(), position);
    const std::size_t there = key_of(map, key);
    if (there == none) return with_key(text, map, key, value);
    if (same_content(map.items[there], value_of(value))) return Edited{std::string(bytes), map.keys[there].line};
    return replaced(text, map, there, value);
  });
}

kernel::Result<Edited> with_node_entry(std::string_view bytes, const std::string& file, const std::string& id,
                                       const std::string& key, const std::string& entry) {
  return guarded(file, [&] {
    TreeText text(bytes);
    const Position position = text.find(id);
    text.in_lines(position);
    YamlValue& map = at(text.document(), position);
    const std::size_t there = key_of(map, key);
    if (there == none) return with_key(text, map, key, std::vector<std::string>{entry});
    const YamlValue& value = map.items[there];
    const bool named = trimmed(value.text) == entry || std::ranges::any_of(value.items, [&](const YamlValue& one) {
                         return trimmed(one.text) == entry;
                       });
    if (named) return Edited{std::string(bytes), map.keys[there].line};
    return entry_added(text, map, there, entry);
  });
}

std::string next_node_id(std::string_view bytes, std::string_view prefix) {
  Findings unused;
  const Tree tree = read_tree(clean(bytes).text, "", unused);
  long most = 0;
  std::size_t width = 2;
  for (const TreeNode& node : tree.nodes) {
    if (!node.id.starts_with(prefix)) continue;
    const std::string_view digits = std::string_view(node.id).substr(prefix.size());
    const std::size_t length = std::min(digits.find_first_not_of("0123456789"), digits.size());
    long number = 0;
    if (length == 0 || length > 9) continue;
    std::from_chars(digits.data(), digits.data() + length, number);
    if (number > most) width = length;
    most = std::max(most, number);
  }
  return fmt::format("{}{:0{}}", prefix, most + 1, width);
}

}  // namespace artifacts
