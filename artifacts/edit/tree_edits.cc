#include "artifacts/edit/tree_edits.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "artifacts/edit/tree_text.h"
#include "artifacts/edit/yaml_scalar.h"
#include "artifacts/read/artifact_reader.h"
#include "artifacts/read/yaml_value.h"
#include "artifacts/text/source_text.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

using Kind = YamlValue::Kind;

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
  // The same text has a line end at its end if it is written as a block, and none if it is written in quotes.
  if (a.kind == Kind::scalar) return trimmed(a.text) == trimmed(b.text);
  return std::ranges::equal(a.items, b.items, same_content);
}

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

/// A node as values, and how its lines are written with the dash at one column and the keys `gap` behind it.
struct WrittenNode {
  YamlValue map;
  NodeWriter lines;
};

YamlValue map_of(const NewNode& node) {
  YamlValue map;
  map.kind = Kind::map;
  for (const auto& [key, value] : node.fields) {
    map.keys.push_back({key, 0, 0});
    map.items.push_back(value_of(value));
  }
  return map;
}

/// Appends behind the last item of the list under `key`.
Edited behind_items(TreeText& text, YamlValue& map, std::size_t key, const WrittenNode& node) {
  YamlValue& list = map.items[key];
  const YamlValue& last = list.items.back();
  if (last.kind != Kind::map) stop(last.line, "the children are named by their ids; nest them, or edit it by hand");
  const std::size_t dash = text.dash_of(last);
  if (dash == no_key || text.source().line(last.line).substr(static_cast<std::size_t>(last.column)).starts_with('{'))
    stop(last.line, "the list of nodes is not written in lines");
  const std::size_t gap = static_cast<std::size_t>(last.column) - dash;
  const int end = text.last_line_of(map, key);
  // As the last one stands apart from what is above it.
  const bool apart = last.line > 1 && trimmed(text.source().line(last.line - 1)).empty();
  const std::string lines = (apart ? "\n" : "") + node.lines(dash, gap);
  const TextEdit edit = lines_behind(text.source(), end, lines);
  list.items.push_back(node.map);
  return text.changed({edit}, end + (apart ? 2 : 1));
}

/// Begins the list under `key`, which is there without a value, or not there.
Edited first_item(TreeText& text, YamlValue& map, std::size_t key, std::string_view name, const WrittenNode& node) {
  const auto column = static_cast<std::size_t>(map.keys.front().column);
  const std::size_t dash = column + text.list_indent();
  YamlValue list;
  list.kind = Kind::list;
  list.items.push_back(node.map);
  std::vector<TextEdit> edits;
  int end = 0;
  if (key == no_key) {
    end = text.last_line(map.line, column);
    edits.push_back(
        lines_behind(text.source(), end, std::string(column, ' ') + std::string(name) + ":\n" + node.lines(dash, 2)));
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
    if (done == no_key) stop(end, "the empty list goes over several lines");
    if (done > begin) {
      std::size_t from = begin;
      while (from > 0 && line[from - 1] == ' ') --from;
      edits.push_back({start + from, start + done, ""});
    }
    edits.push_back(lines_behind(text.source(), end, node.lines(dash, 2)));
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
    std::size_t done = no_key;
    if (old.front() == '"' || old.front() == '\'')
      done = end_of_quoted(rest, 0);
    else if (old.front() == '[' || old.front() == '{')
      done = end_of_brackets(rest, 0);
    else if (last == line)
      done = end_of_plain(rest, 0);
    else
      done = rest.size();
    if (done == no_key) stop(line, "the end of the value is not clear");
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
  const std::size_t below = key_index(map, "children");
  const std::size_t before = below == no_key || below == 0 ? map.keys.size() - 1 : below - 1;
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
  if (const std::size_t there = key_index(map, key); there != no_key) return there;
  const YamlValue* type = map.find("type");
  const TreeNodeType known = type ? node_type(flat(*type)) : TreeNodeType::unknown;
  for (std::size_t i = 0; i < map.keys.size(); ++i)
    if (canonical_key(known, map.keys[i].text) == key) return i;
  return no_key;
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
    if (done == no_key) stop(line, "the end of the list is not clear");
    // Behind the last entry, before a comma that may follow it.
    const std::size_t at_end = end_of_entries(rest, 0);
    const bool comma = rest[at_end - 1] == ',';
    value.items.push_back(scalar_of(entry));
    return text.changed({{start + at_end, start + at_end, (comma ? " " : ", ") + yaml_scalar(entry, true)}}, line);
  }
  const std::size_t dash = text.dash_of(final_item);
  if (dash == no_key) stop(line, "the list is not written in lines");
  value.items.push_back(scalar_of(entry));
  return text.changed({lines_behind(source, last, std::string(dash, ' ') + "- " + yaml_scalar(entry))}, last + 1);
}

}  // namespace

kernel::Result<Edited> with_node(std::string_view bytes, const std::string& file, const NewNode& node) {
  return with_written_node(bytes, file, node.parent, map_of(node),
                           [&](std::size_t dash, std::size_t gap) { return node_lines(node, dash, gap); });
}

kernel::Result<Edited> with_written_node(std::string_view bytes, const std::string& file, const std::string& parent,
                                         YamlValue map, const NodeWriter& lines) {
  return guarded_tree(file, [&] {
    const WrittenNode node{std::move(map), lines};
    TreeText text(bytes);
    if (parent.empty()) {
      const std::size_t top = key_index(text.document(), "tree");
      if (top == no_key) stop(0, "the nodes do not stand under `tree:`, so the new node needs a parent");
      const YamlValue& nodes = text.document().items[top];
      if (nodes.kind == Kind::list && !nodes.items.empty()) return behind_items(text, text.document(), top, node);
      if (nodes.kind == Kind::map || nodes.kind == Kind::scalar) stop(nodes.line, "`tree:` is no list of nodes");
      return first_item(text, text.document(), top, "tree", node);
    }
    YamlValue& above = text.node(parent);
    const std::size_t below = key_index(above, "children");
    if (below != no_key && above.items[below].kind == Kind::list && !above.items[below].items.empty())
      return behind_items(text, above, below, node);
    if (below != no_key && (above.items[below].kind == Kind::map || above.items[below].kind == Kind::scalar))
      stop(above.items[below].line, "`children` is no list of nodes");
    return first_item(text, above, below, "children", node);
  });
}

kernel::Result<Edited> with_node_field(std::string_view bytes, const std::string& file, const std::string& id,
                                       const std::string& key, const FieldValue& value) {
  return guarded_tree(file, [&] {
    TreeText text(bytes);
    YamlValue& map = text.node(id);
    const std::size_t there = key_of(map, key);
    if (there == no_key) return with_key(text, map, key, value);
    if (same_content(map.items[there], value_of(value))) return Edited{std::string(bytes), map.keys[there].line};
    return replaced(text, map, there, value);
  });
}

kernel::Result<Edited> with_node_entry(std::string_view bytes, const std::string& file, const std::string& id,
                                       const std::string& key, const std::string& entry) {
  return guarded_tree(file, [&] {
    TreeText text(bytes);
    YamlValue& map = text.node(id);
    const std::size_t there = key_of(map, key);
    if (there == no_key) return with_key(text, map, key, std::vector<std::string>{entry});
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
