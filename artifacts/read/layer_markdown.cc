#include "artifacts/read/layer_markdown.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

std::size_t indentation(std::string_view line) {
  std::size_t width = 0;
  for (const char c : line) {
    if (c == ' ')
      ++width;
    else if (c == '\t')
      width += 4;
    else
      break;
  }
  return width;
}

std::string_view without_indentation(std::string_view line, std::size_t width) {
  std::size_t seen = 0;
  while (!line.empty() && seen < width && (line.front() == ' ' || line.front() == '\t')) {
    seen += line.front() == ' ' ? 1 : 4;
    line.remove_prefix(1);
  }
  return line;
}

struct Bullet {
  std::string_view rest;  ///< The item's text.
  bool any = false;
};

Bullet bullet(std::string_view line) {
  line = trimmed(line);
  if (line.size() >= 2 && (line[0] == '-' || line[0] == '*' || line[0] == '+') && line[1] == ' ')
    return {trimmed(line.substr(2)), true};
  std::size_t digits = 0;
  while (digits < line.size() && is_digit(line[digits])) ++digits;
  if (digits > 0 && digits + 1 < line.size() && (line[digits] == '.' || line[digits] == ')') && line[digits + 1] == ' ')
    return {trimmed(line.substr(digits + 2)), true};
  return {line, false};
}

struct FieldStart {
  std::string_view name;
  std::string_view text;
  bool is_item = false;
};

/// `**Name**: text`, `**Name:** text`, `**Name** (remark): text`, each also as a list item.
std::optional<FieldStart> field_start(std::string_view line) {
  const Bullet item = bullet(line);
  std::string_view rest = item.rest;
  if (!rest.starts_with("**")) return std::nullopt;
  rest.remove_prefix(2);
  const auto close = rest.find("**");
  if (close == std::string_view::npos || close == 0) return std::nullopt;
  std::string_view name = trimmed(rest.substr(0, close));
  rest = trimmed(rest.substr(close + 2));
  if (name.ends_with(':')) {
    name = trimmed(name.substr(0, name.size() - 1));
    if (name.empty()) return std::nullopt;
    return FieldStart{name, rest, item.any};
  }
  if (rest.starts_with('(')) {
    const auto remark = rest.find(')');
    if (remark != std::string_view::npos && trimmed(rest.substr(remark + 1)).starts_with(':'))
      rest = trimmed(rest.substr(remark + 1));
  }
  if (!rest.starts_with(':')) return std::nullopt;
  return FieldStart{name, trimmed(rest.substr(1)), item.any};
}

/// The heading's level, or 0. Also accepts "##Title", which occurs in real artifacts.
int heading_level(std::string_view line) {
  std::size_t hashes = 0;
  while (hashes < line.size() && line[hashes] == '#') ++hashes;
  if (hashes == 0 || hashes > 6 || hashes == line.size()) return 0;
  if (line[hashes] != ' ' && line[hashes] != '\t' && hashes < 2) return 0;
  return static_cast<int>(hashes);
}

std::vector<std::string> cells_of(std::string_view line) {
  line = trimmed(line);
  if (line.starts_with('|')) line.remove_prefix(1);
  std::vector<std::string> cells;
  std::string cell;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|') {
      cell += '|';
      ++i;
    } else if (line[i] == '|') {
      cells.emplace_back(trimmed(cell));
      cell.clear();
    } else {
      cell += line[i];
    }
  }
  if (!trimmed(cell).empty()) cells.emplace_back(trimmed(cell));
  return cells;
}

bool is_table_rule(std::string_view line) {
  line = trimmed(line);
  return line.size() >= 3 && line.find('-') != std::string_view::npos && line.find('|') != std::string_view::npos &&
         line.find_first_not_of("|-: \t") == std::string_view::npos;
}

class Scanner {
 public:
  /// `no_fence`: the line of a fence to read as text.
  Scanner(Layer& layer, std::vector<std::string_view> lines, int first_line, int no_fence = 0)
      : layer_(layer), lines_(std::move(lines)), first_line_(first_line), no_fence_(no_fence) {
    layer_.blocks.emplace_back().line = first_line;
  }

  void scan() {
    for (at_ = 0; at_ < lines_.size(); ++at_) {
      if (skip_comment() || fence()) continue;
      const std::string_view line = lines_[at_];
      if (trimmed(line).empty())
        blank_ = true;
      else if (const int level = heading_level(line); level > 0)
        heading(line, level);
      else if (at_ + 1 < lines_.size() && trimmed(line).starts_with('|') && is_table_rule(lines_[at_ + 1]))
        table();
      else
        text(line);
    }
  }

  /// The line of the fence that is open at the end, or 0.
  int open_fence() const { return fence_.empty() ? 0 : fence_line_; }

 private:
  int line_number() const { return static_cast<int>(at_) + first_line_; }
  Block& block() { return layer_.blocks.back(); }

  bool skip_comment() {
    if (!in_comment_ && trimmed(lines_[at_]).starts_with("<!--")) in_comment_ = true;
    if (!in_comment_) return false;
    if (lines_[at_].find("-->") != std::string_view::npos) in_comment_ = false;
    return true;
  }

  /// Code stays part of the field around it, but is never parsed.
  bool fence() {
    const std::string_view line = trimmed(lines_[at_]);
    if (!fence_.empty()) {
      if (line.starts_with(fence_) && line.find_first_not_of(fence_.front()) == std::string_view::npos) fence_ = {};
      keep_code();
      return true;
    }
    if ((!line.starts_with("```") && !line.starts_with("~~~")) || line_number() == no_fence_) return false;
    const std::size_t length = std::min(line.find_first_not_of(line.front()), line.size());
    if (line.front() == '`' && line.find('`', length) != std::string_view::npos) return false;
    fence_ = line.substr(0, length);
    fence_line_ = line_number();
    if (blank_ && indentation(lines_[at_]) < 2) in_field_ = false;
    keep_code();
    return true;
  }

  void keep_code() {
    if (in_field_) append(lines_[at_]);
    blank_ = false;
  }

  void heading(std::string_view line, int level) {
    std::string_view name = trimmed(line.substr(static_cast<std::size_t>(level)));
    if (const auto end = name.find_last_not_of('#');
        end != std::string_view::npos && end + 1 < name.size() && (name[end] == ' ' || name[end] == '\t'))
      name = trimmed(name.substr(0, end));
    Block& added = layer_.blocks.emplace_back();
    added.level = level;
    added.line = line_number();
    added.heading = name;
    added.title = name;
    in_field_ = false;
    blank_ = false;
  }

  void table() {
    MarkdownTable found;
    found.line = line_number();
    found.header = cells_of(lines_[at_]);
    for (at_ += 2; at_ < lines_.size() && trimmed(lines_[at_]).starts_with('|'); ++at_)
      found.rows.push_back({cells_of(lines_[at_]), line_number()});
    --at_;
    block().tables.push_back(std::move(found));
    blank_ = false;
  }

  void text(std::string_view line) {
    const bool indented = indentation(line) >= 2;
    const bool after_blank = std::exchange(blank_, false);
    if (!(in_field_ && indented)) {
      if (const auto start = field_start(line)) {
        block().fields.push_back({std::string(start->name), std::string(start->text), line_number(), line_number()});
        field_is_item_ = start->is_item;
        in_field_ = true;
        last_appended_ = at_;
        continuation_indent_ = 0;
        return;
      }
    }
    if (in_field_ && !indented) {
      const bool next_item = bullet(line).any && field_is_item_ && !block().fields.back().text.empty();
      const bool list_of_field = bullet(line).any && !field_is_item_;
      if (next_item || (after_blank && !list_of_field)) in_field_ = false;
    }
    if (in_field_)
      append(line);
    else
      block().prose.push_back({std::string(trimmed(line)), line_number()});
  }

  void append(std::string_view line) {
    Field& field = block().fields.back();
    if (continuation_indent_ == 0) continuation_indent_ = indentation(line);
    // One newline per line of the file, so that line numbers inside the text stay right.
    if (field.text.empty())
      field.text_line = line_number();
    else
      field.text.append(at_ - last_appended_, '\n');
    field.text += without_indentation(line, continuation_indent_);
    last_appended_ = at_;
  }

  Layer& layer_;
  std::vector<std::string_view> lines_;
  int first_line_;
  int no_fence_;
  std::size_t at_ = 0;
  std::string_view fence_;
  int fence_line_ = 0;
  bool in_comment_ = false;
  bool in_field_ = false;
  bool field_is_item_ = false;
  bool blank_ = false;
  std::size_t continuation_indent_ = 0;
  std::size_t last_appended_ = 0;
};

}  // namespace

Layer scan_markdown(std::string_view text, const std::string& file, int first_line) {
  Layer layer{.file = file, .present = true, .blocks = {}};
  Scanner scanner(layer, lines_of(text), first_line);
  scanner.scan();
  if (const int open = scanner.open_fence(); open > 0) {
    // As text, it hides nothing of what follows.
    layer.blocks.clear();
    Scanner(layer, lines_of(text), first_line, open).scan();
    layer.open_fence = open;
  }
  return layer;
}

Link first_link(std::string_view markdown) {
  const auto middle = markdown.find("](");
  // "[a] and [b](c)": the link starts at the innermost bracket.
  const auto open = middle == std::string_view::npos ? middle : markdown.rfind('[', middle);
  if (open == std::string_view::npos) return {};
  int depth = 1;
  std::size_t end = middle + 2;
  while (end < markdown.size() && depth > 0) {
    if (markdown[end] == '(') ++depth;
    if (markdown[end] == ')') --depth;
    ++end;
  }
  if (depth > 0) return {};
  std::string_view target = trimmed(markdown.substr(middle + 2, end - middle - 3));
  if (const auto title = target.find(" \""); title != std::string_view::npos) target = trimmed(target.substr(0, title));
  if (target.starts_with('<') && target.ends_with('>') && target.size() > 1)
    target = target.substr(1, target.size() - 2);
  return {std::string(markdown.substr(open + 1, middle - open - 1)), std::string(target), open, end};
}

}  // namespace artifacts
