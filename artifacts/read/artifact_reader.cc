#include "artifacts/read/artifact_reader.h"

#include <algorithm>
#include <optional>
#include <variant>

#include <fmt/format.h>

#include "artifacts/read/layer_markdown.h"
#include "artifacts/read/references.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

struct Header {
  std::string_view id;
  std::string_view title;
  HeaderStyle style = HeaderStyle::none;
};

/// Accepts "C01", "[C01]", "**C01**" and "`C01`", then ":", any dash, "." or ")", or nothing.
std::optional<Header> header_of(std::string_view heading, std::span<const std::string_view> prefixes) {
  std::string_view rest = heading;
  while (!rest.empty() && (rest.front() == '[' || rest.front() == '*' || rest.front() == '`')) rest.remove_prefix(1);
  std::size_t letters = 0;
  while (letters < rest.size() && rest[letters] >= 'A' && rest[letters] <= 'Z') ++letters;
  std::size_t end = letters;
  while (end < rest.size() && is_digit(rest[end])) ++end;
  if (letters == 0 || end == letters) return std::nullopt;
  if (std::ranges::find(prefixes, rest.substr(0, letters)) == prefixes.end()) return std::nullopt;
  if (end < rest.size() && rest[end] >= 'a' && rest[end] <= 'z') ++end;
  end += id_suffix(rest.substr(end));
  if (end < rest.size() && is_alnum(rest[end])) return std::nullopt;
  Header header{.id = rest.substr(0, end), .title = {}};
  rest.remove_prefix(end);
  while (!rest.empty() && (rest.front() == ']' || rest.front() == '*' || rest.front() == '`')) rest.remove_prefix(1);
  rest = trimmed(rest);
  if (rest.empty()) return header;
  header.style = HeaderStyle::bare;
  for (const std::string_view mark : {":", "—", "–", "-", ".", ")"}) {
    if (!rest.starts_with(mark)) continue;
    header.style = mark == ":" || mark == "." || mark == ")" ? HeaderStyle::colon : HeaderStyle::dash;
    if (mark == "." || mark == ")") header.style = HeaderStyle::bare;
    while (rest.starts_with(mark)) {
      rest.remove_prefix(mark.size());
      if (header.style != HeaderStyle::dash) break;  // "--" is one dash, "::" a colon and a title that starts with one.
    }
    rest = trimmed(rest);
    break;
  }
  header.title = rest;
  return header;
}

/// "### Statement" with its text under a claim is the same as a field of that name.
void fold_into(Block& owner, Block& deeper) {
  Field field{deeper.heading, "", deeper.line, deeper.prose.empty() ? deeper.line : deeper.prose.front().line};
  if (field.name.ends_with(':')) field.name.pop_back();
  for (const Text& line : deeper.prose) field.text += (field.text.empty() ? "" : "\n") + line.text;
  owner.fields.push_back(std::move(field));
  std::move(deeper.fields.begin(), deeper.fields.end(), std::back_inserter(owner.fields));
  std::move(deeper.tables.begin(), deeper.tables.end(), std::back_inserter(owner.tables));
}

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

void blame_fence(const Layer& layer, Findings& findings) {
  if (layer.open_fence > 0)
    findings.add(RuleId::open_fence, layer.file, layer.open_fence, "the code block that starts here is never closed");
}

constexpr std::uint64_t largest_text = 16u << 20;
constexpr std::uint64_t most_text = 256u << 20;

class Reading {
 public:
  Reading(const SafeRoot& root, Findings& findings, ParsedYaml& tree) : root_(root), findings_(findings), tree_(tree) {}

  Artifact read() {
    Artifact artifact;
    artifact.files = root_.list();
    if (const auto text = load("PAPER.md")) artifact.paper = read_paper_page(*text, "PAPER.md", findings_);
    artifact.paper.body.file = "PAPER.md";
    artifact.problem = layer("logic/problem.md", {"O", "G"});
    artifact.claims = layer("logic/claims.md", {"C"}, true);
    artifact.concepts = layer("logic/concepts.md", {});
    artifact.experiments = layer("logic/experiments.md", {"E"});
    artifact.heuristics = layer("logic/solution/heuristics.md", {"H"});
    artifact.related_work = layer("logic/related_work.md", {"RW"});
    artifact.evidence_readme = layer("evidence/README.md", {});
    for (const Entry& entry : artifact.files.entries)
      if (entry.kind == FileKind::regular && entry.path.starts_with("evidence/") && entry.path.ends_with(".md") &&
          entry.path != "evidence/README.md")
        artifact.evidence.push_back(layer(entry.path, {}));
    artifact.layer_index = layer_index_of(artifact.paper.body, artifact.has_layer_index);
    artifact.evidence_index = evidence_index_of(artifact.evidence_readme);
    artifact.tree.file = "trace/exploration_tree.yaml";
    if (const auto text = load(artifact.tree.file))
      artifact.tree = read_tree(*text, artifact.tree.file, findings_, tree_);
    return artifact;
  }

 private:
  Layer layer(const std::string& file, std::initializer_list<std::string_view> prefixes, bool dash_fixable = false) {
    if (const auto text = load(file)) return read_layer(*text, file, prefixes, dash_fixable, findings_);
    return {.file = file, .present = false, .blocks = {}, .open_fence = 0};
  }

  std::optional<std::string> load(const std::string& file) {
    const FileBytes read = root_.read(file, std::min(largest_text, most_text - total_));
    if (read.too_large) {
      findings_.add(
          RuleId::too_large, file, 0,
          total_ + largest_text <= most_text
              ? fmt::format("the file is larger than {} MB, and was not read", largest_text >> 20)
              : fmt::format("the artifact's text exceeds {} MB in all; this file was not read", most_text >> 20));
      return std::nullopt;
    }
    if (read.kind == FileKind::unreadable)
      findings_.add_of_record(RuleId::unreadable_file, file, 0, "the file cannot be read");
    if (read.kind != FileKind::regular) return std::nullopt;
    total_ += read.bytes.size();
    CleanText text = clean(read.bytes);
    if (text.invalid_line > 0)
      findings_.add(RuleId::invalid_utf8, file, text.invalid_line, "the text is not valid UTF-8 from here on");
    if (text.control_line > 0)
      findings_.add(RuleId::control_characters, file, text.control_line, "a control character stands in the text");
    return std::move(text.text);
  }

  const SafeRoot& root_;
  Findings& findings_;
  ParsedYaml& tree_;
  std::uint64_t total_ = 0;
};

}  // namespace

Layer read_layer(std::string_view text, const std::string& file, std::span<const std::string_view> prefixes,
                 bool dash_fixable, Findings& findings) {
  Layer scanned = scan_markdown(text, file);
  Layer layer{.file = file, .present = true, .blocks = {}, .open_fence = scanned.open_fence};
  blame_fence(layer, findings);
  for (Block& block : scanned.blocks) {
    if (const auto header = block.level > 0 ? header_of(block.heading, prefixes) : std::nullopt) {
      block.id = header->id;
      block.title = header->title;
      block.style = header->style;
      const auto what = fmt::format("header {} has {} between id and title", quote(block.heading),
                                    block.style == HeaderStyle::dash ? "a dash" : "no colon");
      if (block.style == HeaderStyle::dash && dash_fixable)
        findings.add_fixable(RuleId::dialect_header, file, block.line, what);
      else if (block.style == HeaderStyle::dash || block.style == HeaderStyle::bare)
        findings.add(RuleId::dialect_header, file, block.line, what);
    } else if (!layer.blocks.empty() && !layer.blocks.back().id.empty() && block.level > layer.blocks.back().level) {
      fold_into(layer.blocks.back(), block);
      continue;
    }
    layer.blocks.push_back(std::move(block));
  }
  return layer;
}

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
    paper.broken_front_matter = start < lines.size() && trimmed(lines[start]) == "---";
    paper.body = scan_markdown(text, file);
    blame_fence(paper.body, findings);
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
  if (!paper.has_front_matter) paper.broken_front_matter = true;
  paper.body = scan_markdown(text.substr(offset(end) + lines[end].size()), file, static_cast<int>(end) + 1);
  blame_fence(paper.body, findings);
  return paper;
}

std::vector<IndexRow> layer_index_of(const Layer& paper, bool& has_index) {
  std::vector<IndexRow> rows;
  int index_level = 0;
  for (const Block& block : paper.blocks) {
    if (block.level > 0 && same_word(block.heading, "Layer Index"))
      index_level = block.level;
    else if (index_level > 0 && block.level <= index_level &&
             !(index_level == 1 &&
               (block.heading.find("Layer") != std::string::npos || !folder_in(block.heading).empty())))
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

Artifact read_artifact(const SafeRoot& root, Findings& findings) {
  ParsedYaml tree;
  return Reading(root, findings, tree).read();
}

Artifact read_artifact(const SafeRoot& root, Findings& findings, ParsedYaml& tree) {
  return Reading(root, findings, tree).read();
}

}  // namespace artifacts
