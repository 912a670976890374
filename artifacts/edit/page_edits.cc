#include "artifacts/edit/page_edits.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "artifacts/read/artifact_reader.h"
#include "artifacts/read/references.h"
#include "artifacts/text/english.h"
#include "artifacts/text/source_text.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

/// Lines of a value after its first one are indented by this much more than the field.
constexpr std::size_t continuation = 2;

/// Why a page cannot be changed; becomes a Problem.
struct Fixed {
  int line;
  std::string why;
};

[[noreturn]] void refuse(int line, std::string why) {
  throw Fixed{line, std::move(why)};
}

/// A line that separates entries and says nothing.
bool is_gap(std::string_view line) {
  line = trimmed(line);
  return line.empty() || line == "---" || line == "***" || line == "___";
}

/// The page without lines that only separate.
Layer layer_of(std::string_view bytes, const std::string& file) {
  Findings unused;
  Layer layer = read_layer(clean(bytes).text, file, id_prefixes(file), false, unused);
  for (Block& block : layer.blocks) {
    std::erase_if(block.prose, [](const Text& line) { return is_gap(line.text); });
    for (Field& field : block.fields)
      for (auto last = field.text.rfind('\n');
           last != field.text.npos && is_gap(std::string_view(field.text).substr(last)); last = field.text.rfind('\n'))
        field.text.resize(last);
  }
  return layer;
}

bool is_named(const Block& block, std::string_view name) {
  return block.id == name || (block.id.empty() && block.level > 0 && block.heading == name);
}

std::string_view without_end(std::string_view line) {
  const auto last = line.find_last_not_of(" \t");
  return line.substr(0, last == line.npos ? 0 : last + 1);
}

/// Removes what is not compared: the numbers of lines, and blanks at the ends of lines in the text of a field.
void strip(Layer& layer) {
  for (Block& block : layer.blocks) {
    block.line = 0;
    for (Field& field : block.fields) {
      field.line = field.text_line = 0;
      std::string text;
      for (const std::string_view line : lines_of(field.text))
        text += (text.empty() ? "" : "\n") + std::string(trimmed(line));
      field.text = text;
    }
    for (MarkdownTable& table : block.tables) {
      table.line = 0;
      for (TableRow& row : table.rows) row.line = 0;
    }
    for (Text& line : block.prose) line.line = 0;
  }
}

class PageText {
 public:
  PageText(std::string_view bytes, const std::string& file) : file_(file), source_(std::string(bytes)) {
    const CleanText text = clean(bytes);
    if (text.invalid_line > 0) refuse(text.invalid_line, "the text is not UTF-8");
    layer_ = layer_of(bytes, file);
    if (layer_.open_fence > 0) refuse(layer_.open_fence, "the code block that starts here is never closed");
  }

  const SourceText& source() const { return source_; }
  Layer& layer() { return layer_; }

  /// The entry with this id or heading; with an empty name, the first block that has the field or else a heading.
  std::size_t find(std::string_view name, std::string_view field) const {
    const std::vector<Block>& blocks = layer_.blocks;
    if (name.empty()) {
      for (std::size_t i = 0; i < blocks.size(); ++i)
        if (blocks[i].field(field)) return i;
      for (std::size_t i = 0; i < blocks.size(); ++i)
        if (blocks[i].level > 0) return i;
      refuse(0, "the page has no heading");
    }
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (!is_named(blocks[i], name)) continue;
      if (found) refuse(blocks[i].line, fmt::format("{} stands there twice", quote(name)));
      found = i;
    }
    if (!found) refuse(0, fmt::format("there is no {}", quote(name)));
    return *found;
  }

  /// The last line of a field.
  static int last_line_of(const Field& field) {
    return field.text_line + static_cast<int>(std::ranges::count(field.text, '\n'));
  }

  /// The last line with content before the next heading, without lines that only separate.
  int last_line_of(std::size_t block) const {
    const bool final_one = block + 1 == layer_.blocks.size();
    int line = final_one ? source_.lines() : layer_.blocks[block + 1].line - 1;
    while (line > layer_.blocks[block].line && is_gap(source_.line(line))) --line;
    return line;
  }

  /// Whether a line behind the entry separates it from the next one.
  bool is_ruled(std::size_t block) const {
    const int end = block + 1 < layer_.blocks.size() ? layer_.blocks[block + 1].line : source_.lines() + 1;
    for (int line = last_line_of(block) + 1; line < end; ++line)
      if (!trimmed(source_.line(line)).empty()) return true;
    return false;
  }

  /// Applies the edits and reads the result again, which must say what `layer()` says now.
  Edited changed(std::vector<TextEdit> edits, int line) {
    Edited result{edited_text(source_, std::move(edits)), line};
    Layer now = layer_of(result.bytes, file_);
    strip(now);
    strip(layer_);
    for (Layer* one : {&now, &layer_})
      for (Block& block : one->blocks) block.heading.clear();
    if (now.blocks != layer_.blocks)
      refuse(line, "the page would be read as something else; a value may hold no heading and no field of its own");
    return result;
  }

 private:
  std::string file_;
  SourceText source_;
  Layer layer_;
};

template <typename Change>
kernel::Result<Edited> guarded_page(const std::string& file, const Change& change) {
  try {
    return change();
  } catch (const Fixed& e) {
    return kernel::Problem{file, e.line, "cannot be edited", e.why, "edit it by hand"};
  }
}

std::size_t index_of_field(const Block& block, std::string_view name) {
  const auto found = std::ranges::find_if(block.fields, [&](const Field& f) { return same_word(f.name, name); });
  return static_cast<std::size_t>(found - block.fields.begin());
}

/// "- **" and "**: " of "- **Status**: supported".
struct FieldMarks {
  std::string before = "- **", after = "**: ";
};

FieldMarks marks_of(std::string_view line, std::string_view name) {
  const auto at = line.find("**" + std::string(name));
  if (at == line.npos) return {};
  FieldMarks marks{std::string(line.substr(0, at + 2)), "**: "};
  if (marks.before.find_first_not_of(" -*+") != std::string::npos) marks.before = "- **";
  if (line.substr(at + 2 + name.size()).starts_with(":**")) marks.after = ":** ";
  return marks;
}

/// The lines of a field; those after the first are indented, so that they belong to it.
std::string field_lines(const FieldMarks& marks, std::string_view name, std::string_view value) {
  const std::size_t indent = std::min(marks.before.find_first_not_of(' '), marks.before.size()) + continuation;
  std::string result = marks.before + std::string(name) + marks.after;
  bool first = true;
  for (const std::string_view line : lines_of(value)) {
    if (!first) result += line.empty() ? "\n" : "\n" + std::string(indent, ' ');
    result += line;
    first = false;
  }
  return std::string(without_end(result));
}

/// The value as the reader will see it.
std::string read_value(std::string_view value) {
  return std::string(trimmed(value));
}

/// Where the value of the field stands in the text: from its first byte to behind its last one.
std::pair<std::size_t, std::size_t> value_range(const PageText& page, const Field& field) {
  const SourceText& source = page.source();
  const std::string_view line = source.line(field.line);
  const int last = PageText::last_line_of(field);
  const std::size_t end = source.start(last) + without_end(source.line(last)).size();
  const bool heading = trimmed(line).starts_with('#');
  if (heading || field.text_line > field.line) {
    if (field.text.empty()) return {end, end};
    const std::string_view first = source.line(field.text_line);
    return {source.start(field.text_line) + std::min(first.find_first_not_of(" \t"), first.size()), end};
  }
  const std::string_view shown = without_end(line);
  const std::string_view first = without_end(std::string_view(field.text).substr(0, field.text.find('\n')));
  if (!shown.ends_with(first)) refuse(field.line, "it is not clear where the value of the field begins");
  const std::size_t begin = source.start(field.line) + shown.size() - first.size();
  return {begin, std::max(begin, end)};
}

Edited field_replaced(PageText& page, Block& block, std::size_t at, const std::string& value) {
  Field& field = block.fields[at];
  const int line = field.line;
  const auto [begin, end] = value_range(page, field);
  const std::string_view own = page.source().line(field.text_line);
  const std::size_t own_indent = std::min(own.find_first_not_of(" \t"), own.size());
  const bool below = field.text_line > field.line;
  const std::string_view marked = page.source().line(field.line);
  const std::size_t indent = below ? own_indent : std::min(marked.find_first_not_of(' '), marked.size()) + continuation;
  std::string text;
  for (const std::string_view one : lines_of(value)) {
    if (!text.empty()) text += one.empty() ? "\n" : "\n" + std::string(indent, ' ');
    text += one;
  }
  if (begin == end && begin > 0 &&
      std::string_view(" \t\n").find(page.source().bytes()[begin - 1]) == std::string_view::npos)
    text.insert(0, " ");
  field.text = read_value(value);
  return page.changed({{begin, end, text}}, line);
}

Edited field_added(PageText& page, Block& block, const std::string& name, const std::string& value) {
  FieldMarks marks;
  int behind = block.line;
  std::size_t place = 0;
  for (std::size_t i = 0; i < block.fields.size(); ++i) {
    const Field& field = block.fields[i];
    const std::string_view line = page.source().line(field.line);
    if (trimmed(line).starts_with('#')) break;  // A heading as a field; it and what follows stay behind.
    marks = marks_of(line, field.name);
    behind = PageText::last_line_of(field);
    place = i + 1;
  }
  // A table that belongs to the last field stands behind it.
  for (const MarkdownTable& table : block.tables) {
    const int last = table.rows.empty() ? table.line + 1 : table.rows.back().line;
    const bool next = place < block.fields.size() && table.line > block.fields[place].line;
    if (!next) behind = std::max(behind, last);
  }
  const bool first = block.fields.empty() || place == 0;
  block.fields.insert(block.fields.begin() + static_cast<std::ptrdiff_t>(place), {name, read_value(value), 0, 0});
  const std::string lines = (first && behind > block.line ? "\n" : "") + field_lines(marks, name, value);
  return page.changed({lines_behind(page.source(), behind, lines)}, behind + 1);
}

Edited title_replaced(PageText& page, Block& block, const std::string& value) {
  if (block.level == 0) refuse(block.line, "there is no heading");
  const std::string_view line = without_end(page.source().line(block.line));
  if (block.title.empty() || !line.ends_with(block.title)) refuse(block.line, "it is not clear where the title begins");
  const std::size_t end = page.source().start(block.line) + line.size();
  const int number = block.line;
  const std::size_t begin = end - block.title.size();
  block.title = trimmed(value);
  return page.changed({{begin, end, block.title}}, number);
}

/// Whether another entry of the page has its references of this field in brackets.
bool in_brackets(const Layer& layer, std::string_view field) {
  return std::ranges::any_of(layer.blocks, [&](const Block& block) {
    const Field* one = block.field(field);
    return one && one->text.starts_with('[');
  });
}

/// The value with one more reference.
std::string with_one_more(const std::string& old, const std::string& reference, bool brackets) {
  const std::string text(trimmed(old));
  if (text.starts_with('[') && text.ends_with(']') && text.find("](") == text.npos) {
    const std::string_view inner = trimmed(std::string_view(text).substr(1, text.size() - 2));
    if (inner.find('\n') == inner.npos)
      return says_nothing(inner) ? "[" + reference + "]" : text.substr(0, text.size() - 1) + ", " + reference + "]";
  }
  if (says_nothing(text)) return brackets ? "[" + reference + "]" : reference;
  const auto last = text.rfind('\n');
  if (last != text.npos && trimmed(std::string_view(text).substr(last + 1)).starts_with("- ")) {
    const std::string_view line = std::string_view(text).substr(last + 1);
    return text + "\n" + std::string(line.substr(0, line.find('-'))) + "- " + reference;
  }
  return text + ", " + reference;
}

bool has_part(std::string_view text, std::string_view part) {
  return !std::ranges::search(text, part, [](char a, char b) { return same_word({&a, 1}, {&b, 1}); }).empty();
}

std::string in_cell(std::string_view text) {
  std::string cell;
  for (const char c : trimmed(text)) cell += c == '|' ? std::string("\\|") : std::string(1, c == '\n' ? ' ' : c);
  return cell;
}

std::string row_line(const IndexEntry& row, const std::vector<std::string>& columns, std::string_view like) {
  const bool link = like.empty() || like.find("](") != like.npos;
  const bool code = like.find('`') != like.npos;
  const bool whole = like.find("evidence/") != like.npos;
  const std::string path = (whole ? "evidence/" : "") + row.path;
  std::string line = "|";
  bool filed = false;
  for (const std::string& column : columns) {
    std::string cell;
    if (!filed && (has_part(column, "file") || has_part(column, "path") || columns.front() == column)) {
      cell = link ? fmt::format("[{}]({})", path, path) : code ? "`" + path + "`" : path;
      filed = true;
    } else if (has_part(column, "claim") || has_part(column, "used by")) {
      cell = row.claims;
    } else if (has_part(column, "source")) {
      cell = row.source;
    } else if (has_part(column, "desc") || has_part(column, "caption") || has_part(column, "content") ||
               has_part(column, "what")) {
      cell = row.description;
    }
    line += " " + in_cell(cell) + " |";
  }
  return line;
}

}  // namespace

std::vector<std::string_view> id_prefixes(std::string_view file) {
  if (file == "logic/claims.md") return {"C"};
  if (file == "logic/experiments.md") return {"E"};
  if (file == "logic/solution/heuristics.md") return {"H"};
  if (file == "logic/related_work.md") return {"RW"};
  if (file == "logic/problem.md") return {"O", "G"};
  return {};
}

std::string field_name(std::string_view given) {
  if (same_word(given, "doi")) return "DOI";
  std::string name(trimmed(given));
  std::ranges::replace(name, '_', ' ');
  if (!name.empty() && name.front() >= 'a' && name.front() <= 'z')
    name.front() = static_cast<char>(name.front() - 'a' + 'A');
  return name;
}

kernel::Result<Edited> with_entry(std::string_view bytes, const std::string& file, std::string_view prefix,
                                  std::string_view heading, const NewEntry& entry) {
  return guarded_page(file, [&] {
    PageText page(bytes, file);
    Layer& layer = page.layer();
    std::optional<std::size_t> last, before;
    for (std::size_t i = 0; i < layer.blocks.size(); ++i) {
      const bool one = prefix.empty() ? layer.blocks[i].level == 2 : is_id(layer.blocks[i].id, prefix);
      if (!one) continue;
      before = last;
      last = i;
    }
    int level = 2;
    FieldMarks marks;
    std::string lines;
    int behind = page.source().lines();
    if (last) {
      const Block& like = layer.blocks[*last];
      level = like.level;
      if (!like.fields.empty())
        marks = marks_of(page.source().line(like.fields.front().line), like.fields.front().name);
      behind = page.last_line_of(*last);
      if (before && page.is_ruled(*before)) lines += "\n---\n";
      lines += "\n";
    } else {
      while (behind > 0 && trimmed(page.source().line(behind)).empty()) --behind;
      if (behind == 0 && !heading.empty()) lines += fmt::format("# {}\n", heading);
      if (behind > 0 || !heading.empty()) lines += "\n";
    }
    Block block;
    block.level = level;
    block.id = entry.id;
    block.title = trimmed(entry.title);
    block.style = entry.id.empty() ? HeaderStyle::none : HeaderStyle::colon;
    lines += fmt::format("{} {}{}", std::string(static_cast<std::size_t>(level), '#'),
                         entry.id.empty() ? "" : entry.id + ": ", block.title);
    for (const auto& [name, value] : entry.fields) {
      lines += "\n" + field_lines(marks, name, value);
      block.fields.push_back({name, read_value(value), 0, 0});
    }
    if (behind == 0 && !heading.empty()) {
      Block top;
      top.level = 1;
      top.title = heading;
      layer.blocks.push_back(std::move(top));
    }
    const std::size_t place = last ? *last + 1 : layer.blocks.size();
    layer.blocks.insert(layer.blocks.begin() + static_cast<std::ptrdiff_t>(place), std::move(block));
    return page.changed({lines_behind(page.source(), behind, lines)},
                        behind + 1 + static_cast<int>(std::ranges::count(lines.substr(0, lines.find('#')), '\n')));
  });
}

kernel::Result<Edited> with_field(std::string_view bytes, const std::string& file, const std::string& entry,
                                  const std::string& field, const std::string& value) {
  return guarded_page(file, [&] {
    PageText page(bytes, file);
    const std::string name = field_name(field);
    Block& block = page.layer().blocks[page.find(entry, name)];
    if (name == "Title" && !block.field("Title")) return title_replaced(page, block, value);
    const std::size_t at = index_of_field(block, name);
    if (at == block.fields.size()) return field_added(page, block, name, value);
    if (block.fields[at].text == value) return Edited{std::string(bytes), block.fields[at].line};
    return field_replaced(page, block, at, value);
  });
}

kernel::Result<Edited> with_reference(std::string_view bytes, const std::string& file, const std::string& entry,
                                      const std::string& field, const std::string& reference) {
  return guarded_page(file, [&] {
    PageText page(bytes, file);
    Block& block = page.layer().blocks[page.find(entry, field)];
    const bool path = reference.find('/') != reference.npos;
    const std::string written = path ? "`" + reference + "`" : reference;
    const bool brackets = in_brackets(page.layer(), field);
    const std::size_t at = index_of_field(block, field);
    if (at == block.fields.size()) return field_added(page, block, field, brackets ? "[" + written + "]" : written);
    const Field& old = block.fields[at];
    for (const Reference& one : references_in(old.text, 0))
      if (one.text == reference || one.target == reference) return Edited{std::string(bytes), old.line};
    return field_replaced(page, block, at, with_one_more(old.text, written, brackets));
  });
}

kernel::Result<Edited> with_index_row(std::string_view bytes, const std::string& file, const IndexEntry& row) {
  return guarded_page(file, [&] {
    PageText page(bytes, file);
    const std::string folder(folder_of(row.path));
    MarkdownTable* best = nullptr;
    bool best_alike = false;
    for (Block& block : page.layer().blocks)
      for (MarkdownTable& table : block.tables) {
        const bool files =
            std::ranges::any_of(table.header, [](const std::string& cell) { return has_part(cell, "file"); });
        const bool alike = std::ranges::any_of(table.rows, [&](const TableRow& one) {
          return !one.cells.empty() && one.cells.front().find(folder + "/") != std::string::npos;
        });
        if (best ? alike && !best_alike : files || alike) {
          best = &table;
          best_alike = alike;
        }
      }
    const std::string like =
        !best || best->rows.empty() || best->rows.back().cells.empty() ? "" : best->rows.back().cells.front();
    if (!best) {
      const std::string table = "| File | Source | Claims | Description |\n|------|--------|--------|-------------|\n" +
                                row_line(row, {"File", "Source", "Claims", "Description"}, "");
      int behind = page.source().lines();
      while (behind > 0 && trimmed(page.source().line(behind)).empty()) --behind;
      const std::string lines = behind == 0 ? "# Evidence Index\n\n" + table : "\n" + table;
      const TextEdit edit = lines_behind(page.source(), behind, lines);
      return Edited{edited_text(page.source(), {edit}), behind + 1};
    }
    const int behind = best->rows.empty() ? best->line + 1 : best->rows.back().line;
    const std::string line = row_line(row, best->header, like);
    const Layer alone = layer_of("| a |\n|--|\n" + line + "\n", "");
    best->rows.push_back(alone.blocks.front().tables.front().rows.front());
    return page.changed({lines_behind(page.source(), behind, line)}, behind + 1);
  });
}

}  // namespace artifacts
