#include <algorithm>
#include <optional>
#include <variant>

#include <fmt/format.h>

#include "artifacts/read/layer_markdown.h"
#include "artifacts/read/layer_reader.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

std::string scalar(const YamlValue& map, std::string_view key) {
  const YamlValue* value = map.find(key);
  return value ? flat(*value) : std::string();
}

std::vector<std::string> list(const YamlValue& map, std::string_view key) {
  std::vector<std::string> result;
  const YamlValue* value = map.find(key);
  if (!value) return result;
  if (value->kind == YamlValue::Kind::scalar) result.push_back(flat(*value));
  for (const YamlValue& item : value->items) result.push_back(flat(item));
  return result;
}

void take_front_matter(PaperPage& paper, YamlValue front) {
  paper.has_front_matter = true;
  paper.title = scalar(front, "title");
  paper.authors = list(front, "authors");
  paper.year = scalar(front, "year");
  paper.venue = scalar(front, "venue");
  paper.doi = scalar(front, "doi");
  paper.ara_version = scalar(front, "ara_version");
  paper.domain = scalar(front, "domain");
  paper.keywords = list(front, "keywords");
  paper.claims_summary = list(front, "claims_summary");
  paper.abstract = scalar(front, "abstract");
  paper.front = std::move(front);
}

/// The layer's folder in "Cognitive Layer (`/logic`)".
std::string folder_in(std::string_view heading) {
  const auto slash = heading.find('/');
  if (slash == std::string_view::npos) return {};
  std::string_view rest = heading.substr(slash + 1);
  return std::string(rest.substr(0, rest.find_first_of("/`) ")));
}

/// A path without a link: the text between backticks, or the whole cell.
std::string bare_path(std::string_view cell) {
  const auto open = cell.find('`');
  const auto close = open == std::string_view::npos ? open : cell.find('`', open + 1);
  if (close != std::string_view::npos) return std::string(trimmed(cell.substr(open + 1, close - open - 1)));
  cell = trimmed(cell);
  return cell.find_first_of(" \t") == std::string_view::npos ? std::string(cell) : std::string();
}

IndexRow row_of(std::string_view cell, std::string_view folder, int line) {
  IndexRow row{.target = {}, .text = {}, .folder = std::string(folder), .rest = {}, .line = line};
  const Link link = first_link(cell);
  row.target = link.target.empty() ? bare_path(cell) : link.target;
  row.text = link.text;
  return row;
}

/// The column with files: by its heading, else the first one if it has links.
std::optional<std::size_t> file_column(const MarkdownTable& table) {
  for (std::size_t i = 0; i < table.header.size(); ++i)
    for (const std::string_view name : {"File", "Files", "Path"})
      if (same_word(table.header[i], name)) return i;
  const bool links = std::ranges::any_of(table.rows, [](const TableRow& row) {
    return !row.cells.empty() && !first_link(row.cells.front()).target.empty();
  });
  return links ? std::optional<std::size_t>(0) : std::nullopt;
}

/// Adds rows of tables and of lists with links under one heading.
void add_rows(std::vector<IndexRow>& rows, const Block& block, std::string_view folder) {
  for (const MarkdownTable& table : block.tables) {
    const auto column = file_column(table);
    if (!column) continue;
    for (const TableRow& cells : table.rows) {
      if (*column >= cells.cells.size()) continue;
      IndexRow row = row_of(cells.cells[*column], folder, cells.line);
      for (std::size_t i = 0; i < cells.cells.size(); ++i)
        if (i != *column) row.rest += (row.rest.empty() ? "" : " | ") + cells.cells[i];
      if (!row.target.empty()) rows.push_back(std::move(row));
    }
  }
  for (const Text& line : block.prose) {
    const Link link = first_link(line.text);
    if (link.target.empty()) continue;
    rows.push_back(row_of(line.text, folder, line.line));
    rows.back().rest = line.text.substr(link.end);
  }
}

}  // namespace

PaperPage read_paper_page(std::string_view text, const std::string& file, Findings& findings) {
  PaperPage paper;
  const std::vector<std::string_view> lines = lines_of(text);
  std::size_t start = 0;
  while (start < lines.size() && trimmed(lines[start]).empty()) ++start;
  std::size_t end = lines.size();
  if (start < lines.size() && trimmed(lines[start]) == "---")
    for (end = start + 1; end < lines.size() && trimmed(lines[end]) != "---" && trimmed(lines[end]) != "...";) ++end;
  if (end >= lines.size()) {
    if (start < lines.size() && trimmed(lines[start]) == "---")
      findings.add(RuleId::front_matter, file, static_cast<int>(start) + 1, "the front matter is never closed");
    paper.body = scan_markdown(text, file);
    return paper;
  }
  const auto offset = [&](std::size_t line) { return static_cast<std::size_t>(lines[line].data() - text.data()); };
  const auto parsed =
      parse_yaml(text.substr(offset(start + 1), offset(end) - offset(start + 1)), static_cast<int>(start) + 2);
  if (const auto* trouble = std::get_if<YamlTrouble>(&parsed))
    findings.add(trouble->rule, file, trouble->line, trouble->what);
  else if (std::get<YamlValue>(parsed).kind == YamlValue::Kind::map)
    take_front_matter(paper, std::get<YamlValue>(parsed));
  else
    findings.add(RuleId::front_matter, file, static_cast<int>(start) + 1, "the front matter holds no keys");
  paper.body = scan_markdown(text.substr(offset(end) + lines[end].size()), file, static_cast<int>(end) + 1);
  return paper;
}

std::vector<IndexRow> layer_index_of(const Layer& paper, bool& has_index) {
  std::vector<IndexRow> rows;
  int index_level = 0;
  for (const Block& block : paper.blocks) {
    if (block.level > 0 && same_word(block.heading, "Layer Index"))
      index_level = block.level;
    else if (index_level > 0 && block.level <= index_level)
      break;
    if (index_level == 0) continue;
    add_rows(rows, block, folder_in(block.heading));
  }
  has_index = index_level > 0;
  return rows;
}

std::vector<IndexRow> evidence_index_of(const Layer& readme) {
  std::vector<IndexRow> rows;
  for (const Block& block : readme.blocks) add_rows(rows, block, "evidence");
  return rows;
}

}  // namespace artifacts
