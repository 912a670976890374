#include "artifacts/edit/node_text.h"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "artifacts/edit/tree_text.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

/// The lines with this much less indentation, each with a line end.
std::string outdented(const SourceText& source, int first, int last, std::size_t column) {
  std::string text;
  for (int line = first; line <= last; ++line) {
    const std::string_view one = source.line(line);
    text += std::string(one.substr(std::min(column, indent_of(one)))) + "\n";
  }
  return text;
}

/// Without the last line end.
std::string indented(std::string_view text, std::size_t column) {
  std::string result;
  for (const std::string_view line : lines_of(text))
    result +=
        (result.empty() ? "" : "\n") + (line.empty() ? std::string() : std::string(column, ' ') + std::string(line));
  return result;
}

kernel::Result<std::string> taken(const std::string& file, const std::function<std::string()>& take) {
  try {
    return take();
  } catch (const Unchangeable& e) {
    return kernel::Problem{file, e.line, "cannot be read piece by piece", e.why, "merge it by hand"};
  }
}

std::string key_lines(TreeText& text, const YamlValue& map, std::size_t key) {
  const auto column = static_cast<std::size_t>(map.keys[key].column);
  const int first = map.keys[key].line;
  std::string lines = outdented(text.source(), first, text.last_line_of(map, key), column);
  // The first key may stand behind a dash.
  const std::string_view line = text.source().line(first);
  if (indent_of(line) < column) lines.replace(0, lines.find('\n'), line.substr(column));
  return lines;
}

/// What the piece of a node or a key says.
YamlValue meaning_of(const std::string& piece) {
  auto parsed = parse_yaml(piece);
  auto* value = std::get_if<YamlValue>(&parsed);
  if (!value) stop(0, "the piece is no YAML of its own: " + std::get<YamlTrouble>(parsed).what);
  strip_positions(*value);
  return std::move(*value);
}

/// Removes whole lines.
TextEdit without_lines(const SourceText& source, int first, int last) {
  const std::size_t end = source.start(last + 1);
  std::size_t begin = source.start(first);
  // If the text ends without a line end, the line before the removed ones must lose its line end, too.
  if (end == source.bytes().size() && !source.bytes().ends_with('\n') && first > 1) begin = source.end(first - 1);
  return {begin, end, ""};
}

}  // namespace

kernel::Result<std::string> node_piece(std::string_view bytes, const std::string& file, const std::string& id) {
  return taken(file, [&] {
    TreeText text(bytes);
    const YamlValue& map = text.node(id);
    std::string piece;
    for (std::size_t i = 0; i < map.keys.size(); ++i) {
      if (map.keys[i].text == "children") continue;
      // With the comments above the key.
      const int before = i == 0 ? map.keys[i].line - 1 : text.last_line_of(map, i - 1);
      const auto column = static_cast<std::size_t>(map.keys[i].column);
      if (i > 0 && map.keys[i - 1].text != "children")
        piece += indented(outdented(text.source(), before + 1, map.keys[i].line - 1, column), 2) +
                 (before + 1 < map.keys[i].line ? "\n" : "");
      piece += indented(key_lines(text, map, i), 2) + "\n";
    }
    piece[0] = '-';
    return piece;
  });
}

kernel::Result<std::string> key_piece(std::string_view bytes, const std::string& file, const std::string& id,
                                      const std::string& key) {
  return taken(file, [&] {
    TreeText text(bytes);
    const YamlValue& map = text.node(id);
    const std::size_t there = key_index(map, key);
    if (there == no_key) stop(map.line, fmt::format("{} has no {}", quote(id), quote(key)));
    return key_lines(text, map, there);
  });
}

kernel::Result<Edited> with_node_piece(std::string_view bytes, const std::string& file, const std::string& parent,
                                       const std::string& piece) {
  YamlValue list;
  try {
    list = meaning_of(piece);
    if (list.kind != YamlValue::Kind::list || list.items.size() != 1) stop(0, "the piece is no node");
  } catch (const Unchangeable& e) {
    return kernel::Problem{file, 0, "cannot be merged", e.why, "merge it by hand"};
  }
  return with_written_node(bytes, file, parent, std::move(list.items.front()), [&](std::size_t dash, std::size_t gap) {
    std::string lines = indented(piece, dash);
    if (gap == 2) return lines;
    // Keys further behind the dash than in the piece.
    std::string wider;
    bool first = true;
    for (const std::string_view line : lines_of(lines)) {
      const std::string more(gap > 2 ? gap - 2 : 0, ' ');
      wider += (first ? "" : "\n") + (first ? std::string(line.substr(0, dash + 1)) + more +
                                                  std::string(line.substr(std::min(dash + 1, line.size())))
                                      : line.empty() ? std::string()
                                                     : more + std::string(line));
      first = false;
    }
    return wider;
  });
}

kernel::Result<Edited> with_key_piece(std::string_view bytes, const std::string& file, const std::string& id,
                                      const std::string& key, const std::string& piece) {
  return guarded_tree(file, [&] {
    TreeText text(bytes);
    YamlValue& map = text.node(id);
    YamlValue meant = meaning_of(piece);
    if (meant.keys.size() != 1 || meant.keys.front().text != key) stop(0, "the piece is no key of a node");
    const auto column = static_cast<std::size_t>(map.keys.front().column);
    const std::string lines = indented(piece, column);
    const std::size_t there = key_index(map, key);
    if (there == no_key) {
      const std::size_t below = key_index(map, "children");
      const std::size_t before = below == no_key || below == 0 ? map.keys.size() - 1 : below - 1;
      const int end = text.last_line_of(map, before);
      const auto place = static_cast<std::ptrdiff_t>(before) + 1;
      map.keys.insert(map.keys.begin() + place, {key, 0, 0});
      map.items.insert(map.items.begin() + place, std::move(meant.items.front()));
      return text.changed({lines_behind(text.source(), end, lines)}, end + 1);
    }
    const int first = map.keys[there].line;
    const std::size_t begin = text.source().start(first) + column;
    const std::size_t end = text.source().end(text.last_line_of(map, there));
    map.items[there] = std::move(meant.items.front());
    return text.changed({{begin, end, lines.substr(column)}}, first);
  });
}

kernel::Result<Edited> without_key(std::string_view bytes, const std::string& file, const std::string& id,
                                   const std::string& key) {
  return guarded_tree(file, [&] {
    TreeText text(bytes);
    YamlValue& map = text.node(id);
    const std::size_t there = key_index(map, key);
    if (there == no_key) return Edited{std::string(bytes), map.line};
    if (there == 0) stop(map.line, "the first key of a node stays");
    const int first = map.keys[there].line, last = text.last_line_of(map, there);
    map.keys.erase(map.keys.begin() + static_cast<std::ptrdiff_t>(there));
    map.items.erase(map.items.begin() + static_cast<std::ptrdiff_t>(there));
    return text.changed({without_lines(text.source(), first, last)}, first);
  });
}

kernel::Result<Edited> without_node(std::string_view bytes, const std::string& file, const std::string& id) {
  return guarded_tree(file, [&] {
    TreeText text(bytes);
    const YamlPosition position = text.find(id);
    const YamlValue& map = text.node(id);
    if (text.dash_of(map) == no_key) stop(map.line, "the node does not begin behind a dash");
    int first = map.line;
    int last = text.last_line(map.line, static_cast<std::size_t>(map.column));
    YamlPosition above = position;
    const std::size_t item = above.steps.back();
    above.steps.pop_back();
    YamlValue& list = value_at(text.document(), above);
    if (list.kind != YamlValue::Kind::list) stop(map.line, "the node stands in no list");
    // One blank line goes with it.
    if (first > 1 && trimmed(text.source().line(first - 1)).empty()) --first;
    if (list.items.size() > 1) {
      list.items.erase(list.items.begin() + static_cast<std::ptrdiff_t>(item));
      return text.changed({without_lines(text.source(), first, last)}, first);
    }
    // The key of an empty list goes, too, unless it is that of the whole tree.
    const std::size_t key = above.steps.back();
    above.steps.pop_back();
    YamlValue& owner = value_at(text.document(), above);
    if (above.steps.empty()) stop(map.line, "the tree would be empty");
    first = owner.keys[key].line;
    owner.keys.erase(owner.keys.begin() + static_cast<std::ptrdiff_t>(key));
    owner.items.erase(owner.items.begin() + static_cast<std::ptrdiff_t>(key));
    return text.changed({without_lines(text.source(), first, last)}, first);
  });
}

}  // namespace artifacts
