#include <fmt/format.h>

#include "artifacts/audit/audit_groups.h"
#include "artifacts/read/layer_markdown.h"
#include "artifacts/read/record.h"
#include "artifacts/read/references.h"
#include "artifacts/text/line_diff.h"
#include "artifacts/text/untrusted_text.h"
#include "artifacts/write/compose.h"
#include "artifacts/write/graph_nodes.h"
#include "artifacts/write/layers.h"
#include "base/digest.h"
#include "kernel/domain/enum_names.h"
#include "prose/numbers.h"

namespace artifacts {
namespace {

/// Compares the entries of one page with the recorded ones: none missing, none added.
void compare_entries(const Layer& layer, std::string_view prefix, RuleId unrecorded,
                     const std::set<std::string>& recorded, Findings& findings) {
  for (const std::string& id : recorded)
    if (!layer.find(id))
      findings.add(RuleId::missing_entry, layer.file, 0, fmt::format("{} was recorded and is not here", quote(id)));
  for (const Block& block : layer.blocks)
    if (is_id(block.id, prefix) && !recorded.contains(block.id))
      findings.add(unrecorded, layer.file, block.line,
                   fmt::format("{} is not in the event log: {}", block.id, quote(block.title)));
}

void compare_status(const kernel::Claim& claim, const Layer& claims, Findings& findings) {
  for (const Block& block : claims.blocks) {
    if (block.id != claim.id) continue;
    for (const Field& field : block.fields)
      if (same_word(field.name, "Status") && !same_word(trimmed(field.text), claim.status))
        findings.add(RuleId::changed_status, claims.file, field.line,
                     fmt::format("{} stands here as {}, and was recorded as {}", claim.id, quote(field.text),
                                 quote(claim.status)));
  }
}

void compare_nodes(const AuditedRecord& record, Findings& findings) {
  const Tree& tree = record.artifact.tree;
  if (!tree.present || !tree.readable) return;
  std::map<std::string, kernel::NodeType> recorded;
  for (const kernel::Node& node : graph_nodes(record.study).nodes) recorded[node.id] = node.type;
  std::set<std::string> there;
  for (const TreeNode& node : tree.nodes) {
    there.insert(node.id);
    const auto at = recorded.find(node.id);
    if (at == recorded.end())
      findings.add(RuleId::unrecorded_node, tree.file, node.line,
                   fmt::format("{} is not in the event log: {}", quote(node.id), quote(node.title)));
    else if (node.type_written != kernel::name(at->second))
      findings.add(RuleId::changed_status, tree.file, node.line,
                   fmt::format("{} stands here as {}, and was recorded as {}", quote(node.id), quote(node.type_written),
                               kernel::name(at->second)));
  }
  for (const auto& [id, type] : recorded)
    if (!there.contains(id))
      findings.add(RuleId::missing_entry, tree.file, 0,
                   fmt::format("{}, a {}, was recorded and is not here", quote(id), kernel::name(type)));
}

/// Works that no reference of the study stands behind. Those behind which one stands are compared with their page.
void compare_works(const AuditedRecord& record, Findings& findings) {
  const Layer& found = record.artifact.related_work;
  const Layer expected = scan_markdown(related_work_page(record.study), found.file);
  const auto recorded = [&](const Block& work) {
    return std::ranges::any_of(expected.blocks, [&](const Block& own) { return own.heading == work.heading; });
  };
  for (const Block& work : found.blocks) {
    const bool entry = is_id(work.id, "RW") || work.field("DOI") || work.field("Delta");
    if (entry && !recorded(work))
      findings.add(RuleId::unrecorded_work, found.file, work.line,
                   fmt::format("the record knows no work {}", quote(work.heading)));
  }
}

constexpr std::uint64_t largest_page = 1u << 30;
constexpr std::size_t shown_of_line = 160;

/// Pages that only programs write and read; people do not annotate them.
bool is_generated_only(std::string_view path) {
  return path.starts_with("evidence/") || path.starts_with("src/") || path == "report.md" || path == "report.html";
}

/// Lines with a meaning in the format, beyond prose.
bool is_structure(std::string_view path, std::string_view line) {
  const std::string_view text = trimmed(line);
  if (text.empty()) return false;
  if (path.ends_with(".yaml")) return !text.starts_with('#');
  if (path != "logic/claims.md" && path != "logic/experiments.md") return false;
  // An indented line continues the field above it.
  return line.front() == ' ' || line.front() == '\t' || text.starts_with('#') || text.starts_with('|') ||
         text.starts_with("**") || text.starts_with("- **") || text.starts_with("* **") || text.starts_with("+ **");
}

/// Keys that describe the paper and not the results, which people complete.
bool is_bibliographic(std::string_view key) {
  static constexpr std::string_view bibliographic[] = {
      "authors", "year", "venue", "doi", "domain", "keywords", "license", "identifiers", "url", "repository-code",
      // Of codemeta.json:
      "author", "identifier", "codeRepository", "funding", "referencePublication"};
  return is_one_of(bibliographic, key);
}

/// For each line of codemeta.json, the member of the whole that it belongs to.
std::vector<std::string_view> members_of(const Lines& lines) {
  std::vector<std::string_view> keys(lines.size());
  std::string_view key = "{";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    const std::size_t end = line.starts_with("  \"") ? line.find('"', 3) : line.npos;
    if (end != line.npos) key = line.substr(3, end - 3);
    keys[i] = key;
  }
  return keys;
}

/// For each line of a page's front matter, its top-level key; empty after the front matter. The two files that cite the
/// artifact are front matter as a whole.
std::vector<std::string_view> front_matter_keys(std::string_view path, const Lines& lines) {
  if (path == "codemeta.json") return members_of(lines);
  const bool whole = path == "CITATION.cff";
  std::vector<std::string_view> keys(lines.size());
  if (lines.empty() || (!whole && lines[0] != "---")) return keys;
  std::string_view key = "---";
  for (std::size_t i = whole ? 0 : 1; i < lines.size() && trimmed(lines[i]) != "---"; ++i) {
    const std::size_t colon = lines[i].find(':');
    if (!lines[i].empty() && lines[i][0] != ' ' && lines[i][0] != '-' && colon != std::string_view::npos)
      key = lines[i].substr(0, colon);
    keys[i] = key;
  }
  return keys;
}

/// Files that the format has a place for and that no study leaves; no index lists them.
bool is_of_people(std::string_view path) {
  return path == "LICENSE" || path == "level2_report.json" || path == "trajectory.html" ||
         path.starts_with("staging/") || path.starts_with("rubric/");
}

std::string quoted_line(std::string_view line) {
  return "«" + shortened(trimmed(line), shown_of_line) + "»";
}

class PageComparison {
 public:
  PageComparison(const AuditedRecord& record, const std::string& path, const std::string& expected,
                 const std::string& found, Findings& findings)
      : record_(record),
        path_(path),
        expected_(lines_of(expected)),
        found_(lines_of(found)),
        expected_keys_(front_matter_keys(path, expected_)),
        found_keys_(front_matter_keys(path, found_)),
        findings_(findings) {}

  void all() {
    for (const LineHunk& hunk : line_hunks(expected_, found_)) {
      const std::size_t both = std::min(hunk.expected_count, hunk.found_count);
      for (std::size_t i = 0; i < both; ++i) changed(hunk.expected + i, hunk.found + i);
      missing(hunk.expected + both, hunk.expected_count - both, hunk.found + both);
      added(hunk.found + both, hunk.found_count - both);
    }
    if (said_) return;
    // Empty lines, and ends of lines.
    if (is_generated_only(path_))
      add(RuleId::changed_line, 0, "its white space is not what the record gives");
    else
      add(RuleId::added_prose, 0, "people changed white space");
  }

 private:
  void add(RuleId rule, std::size_t found, const std::string& what) {
    said_ = true;
    findings_.add_as(rule == RuleId::added_prose ? Severity::info : record_.severity, rule, path_,
                     static_cast<int>(found) + 1, what);
  }

  void changed(std::size_t expected, std::size_t found) {
    // A line inserted before a blank line does not change the blank line.
    if (trimmed(expected_[expected]).empty()) return added(found, 1);
    if (is_bibliographic(expected_keys_[expected]) && is_bibliographic(found_keys_[found]))
      return add(RuleId::added_prose, found, "people changed what is said of the paper");
    const auto [says, gives] = differing(trimmed(found_[found]), trimmed(expected_[expected]), shown_of_line);
    add(RuleId::changed_line, found, fmt::format("this line says «{}», and the record gives «{}»", says, gives));
  }

  void missing(std::size_t expected, std::size_t count, std::size_t found) {
    std::size_t lines = 0, first = expected, of_paper = 0;
    for (std::size_t i = expected + count; i-- > expected;)
      if (!trimmed(expected_[i]).empty() && !is_bibliographic(expected_keys_[i])) {
        ++lines;
        first = i;
      }
    for (std::size_t i = expected; i < expected + count; ++i) of_paper += is_bibliographic(expected_keys_[i]) ? 1 : 0;
    if (lines == 0 && of_paper > 0) add(RuleId::added_prose, found, "people left out what is said of the paper");
    if (lines == 0) return;
    add(RuleId::changed_line, std::min(found, found_.size() - (found_.empty() ? 0 : 1)),
        fmt::format("the record gives {} {} here: {}", lines, lines == 1 ? "line more" : "lines more, the first",
                    quoted_line(expected_[first])));
  }

  void added(std::size_t found, std::size_t count) {
    const bool generated = is_generated_only(path_);
    std::size_t structure = 0, prose = 0, first_structure = found, first_prose = found;
    for (std::size_t i = found + count; i-- > found;) {
      if (trimmed(found_[i]).empty()) continue;
      const std::string_view key = found_keys_[i];
      const bool matter = !key.empty() && !is_bibliographic(key);
      if (generated || matter || (key.empty() && is_structure(path_, found_[i]))) {
        ++structure;
        first_structure = i;
      } else {
        ++prose;
        first_prose = i;
      }
    }
    if (structure)
      add(RuleId::added_line, first_structure,
          fmt::format("{} that the record does not give: {}", prose::counted(structure, "line"),
                      quoted_line(found_[first_structure])));
    if (prose)
      add(RuleId::added_prose, first_prose, fmt::format("{} of prose was added", prose::counted(prose, "line")));
  }

  const AuditedRecord& record_;
  const std::string& path_;
  const Lines expected_, found_;
  const std::vector<std::string_view> expected_keys_, found_keys_;
  Findings& findings_;
  bool said_ = false;
};

BlobReader blobs_of(const Carried& carried) {
  return [&carried](const std::string& hash) {
    const auto bytes = carried.find(hash);
    return bytes == carried.end() ? std::string() : bytes->second;
  };
}

class PagesAudit {
 public:
  PagesAudit(const AuditedRecord& record, const Carried& carried, Findings& findings)
      : record_(record), carried_(carried), findings_(findings) {}

  void all() {
    PackageInput input{record_.study, record_.head, blobs_of(carried_),
                       [](const std::function<void(std::string_view)>&) {}, record_.tool_version};
    input.layout = record_.layout;
    Drawings drawings = drawings_of(record_.study, record_.layout, input.blob);
    collect_pictures(drawings);
    Staging pages;
    compose(pages, input, drawings);
    for (const auto& [path, expected] : pages.pages()) compare(path, expected);
    look_for_more(pages);
  }

 private:
  std::string bytes(const std::string& path) const {
    FileBytes read = record_.root.read(path, largest_page);
    return read.whole() ? std::move(read.bytes) : std::string();
  }

  /// Pictures are not drawn again here: their data are compared, and an existing picture is accepted.
  void collect_pictures(Drawings& drawings) const {
    std::set<std::string> logged;
    if (record_.study.pictures)
      for (const kernel::OutputFile& file : record_.study.pictures->files) logged.insert(file.path);
    Drawn drawn;
    for (const Drawing& drawing : drawings.to_draw()) {
      const std::string stem = drawings.path_of(drawing.name);
      const bool table = stem.starts_with("evidence/tables/");
      const bool as_pdf = !table && drawings.style == FigureStyle::newest;
      Picture picture{table ? "" : bytes(stem + ".svg"), bytes(stem + ".png"), as_pdf ? bytes(stem + ".pdf") : ""};
      // A picture that the log does not name was put there later.
      const bool foreign = record_.study.pictures && !logged.contains(stem + ".png");
      if (foreign || picture.png.empty() || (!table && picture.svg.empty()) || (as_pdf && picture.pdf.empty()))
        drawn.trouble = trouble();
      else
        drawn.pictures.emplace(drawing.name, std::move(picture));
    }
    std::promise<Drawn> known;
    known.set_value(std::move(drawn));
    drawings.drawn = known.get_future().share();
  }

  /// The reason why pictures are missing is known only from the report.
  std::string trouble() const {
    constexpr std::string_view intro = "Some figures are missing: ";
    const std::string report = bytes("report.md");
    for (const std::string_view line : lines_of(report)) {
      if (!line.starts_with(intro) || !line.ends_with('.')) continue;
      std::string words;
      for (std::size_t i = intro.size(); i + 1 < line.size(); ++i) {
        // Markdown's special characters are escaped by a backslash.
        if (line[i] == '\\' && i + 2 < line.size()) ++i;
        words += line[i];
      }
      return words;
    }
    return "not known";
  }

  void compare(const std::string& path, const std::string& expected) {
    if (path == log_file || path.ends_with(".png") || path.ends_with(".svg") || path.ends_with(".pdf")) return;
    const FileBytes read = record_.root.read(path, largest_page);
    if (!read.whole())
      findings_.add_as(record_.severity, RuleId::changed_line, path, 0,
                       fmt::format("the page cannot be read, and the record gives one of {} bytes", expected.size()));
    else if (read.bytes != expected)
      PageComparison(record_, path, expected, read.bytes, findings_).all();
  }

  void look_for_more(const Staging& pages) {
    const std::set<std::string> workspaces = record_.study.workspaces();
    const auto in_workspace = [&](const std::string& path) {
      return std::ranges::any_of(workspaces,
                                 [&](const std::string& hash) { return path.starts_with(workspace_path(hash) + "/"); });
    };
    for (const Entry& entry : record_.artifact.files.entries) {
      const bool page = entry.path.starts_with("evidence/") || entry.path.starts_with("src/");
      if (entry.kind == FileKind::regular && is_of_people(entry.path) && !pages.has(entry.path))
        findings_.add(RuleId::extra_file, entry.path, 0, "this file is no part of what was recorded");
      if (!page || entry.kind == FileKind::directory || in_workspace(entry.path)) continue;
      if (!pages.has(entry.path))
        findings_.add_as(record_.severity, RuleId::unrecorded_file, entry.path, 0,
                         "no recorded event writes this file");
    }
  }

  const AuditedRecord& record_;
  const Carried& carried_;
  Findings& findings_;
};

constexpr std::uint64_t largest_picture = 16u << 20;
constexpr int patience_s = 20;

/// "Produced by GNUPLOT 5.4 patchlevel 4"; empty if it is not stated.
std::string_view drawn_by(std::string_view svg) {
  constexpr std::string_view open = "<desc>";
  const std::size_t from = svg.find(open), to = svg.find("</desc>");
  return from == svg.npos || to == svg.npos || to < from ? std::string_view()
                                                         : svg.substr(from + open.size(), to - from - open.size());
}

/// All text of the picture in order, which is the same for every version of gnuplot.
std::string lettering_of(std::string_view svg) {
  std::string words;
  while (true) {
    const std::size_t open = svg.find("<text");
    if (open == svg.npos) return words;
    svg.remove_prefix(open);
    const std::size_t close = svg.find("</text>");
    if (close == svg.npos) return words;
    bool in_tag = false;
    for (const char c : svg.substr(0, close)) {
      if (c == '<') in_tag = true;
      if (!in_tag) words += c;
      if (c == '>') in_tag = false;
    }
    words += '\n';
    svg.remove_prefix(close);
  }
}

}  // namespace

void audit_entries(const AuditedRecord& record, Findings& findings) {
  std::set<std::string> claims, experiments;
  for (const kernel::Claim& claim : record.study.claims) claims.insert(claim.id);
  for (const kernel::Experiment& e : record.study.experiments) experiments.insert(e.registration.experiment.text());
  compare_entries(record.artifact.claims, "C", RuleId::unrecorded_claim, claims, findings);
  compare_entries(record.artifact.experiments, "E", RuleId::unrecorded_experiment, experiments, findings);
  for (const kernel::Claim& claim : record.study.claims) compare_status(claim, record.artifact.claims, findings);
  compare_nodes(record, findings);
  compare_works(record, findings);
}

void audit_pages(const AuditedRecord& record, const Carried& carried, Findings& findings) {
  PagesAudit(record, carried, findings).all();
}

void audit_unlogged_files(const AuditedRecord& record, Findings& findings) {
  if (!record.study.pictures) return;
  for (const kernel::OutputFile& file : record.study.pictures->files)
    if (record.root.sha256(file.path, largest_page) != file.blob.sha256)
      findings.add_as(record.severity, RuleId::changed_evidence, file.path, 0,
                      "the file is not the one whose hash the event log has");
}

std::string audit_pictures(const AuditedRecord& record, const Carried& carried, Findings& findings) {
  std::vector<Drawing> wanted;
  std::map<std::string, std::string> there;
  for (const Figure& figure : drawings_of(record.study, record.layout, blobs_of(carried)).figures) {
    FileBytes read = record.root.read("evidence/figures/" + figure.drawing.name + ".svg", largest_picture);
    if (!read.whole()) continue;
    there[figure.drawing.name] = std::move(read.bytes);
    wanted.push_back(figure.drawing);
  }
  const std::map<std::string, Picture> pictures =
      wanted.empty() ? std::map<std::string, Picture>() : draw(wanted, Formats::svg, patience_s).pictures;
  bool other_version = false;
  for (const auto& [name, again] : pictures) {
    const std::string& found = there.at(name);
    const bool same_version = drawn_by(found) == drawn_by(again.svg);
    const bool same = same_version ? found == again.svg : lettering_of(found) == lettering_of(again.svg);
    other_version = other_version || !same_version;
    if (!same)
      findings.add_as(record.severity, RuleId::changed_evidence, "evidence/figures/" + name + ".svg", 0,
                      "the picture is not the one that the record gives");
  }
  const std::string instead =
      record.study.pictures ? "; their hashes are those in the event log" : "; the event log has no hashes of them";
  if (pictures.size() < wanted.size())
    return "pictures were not drawn again, because gnuplot could not be used" + instead;
  if (other_version) return "of pictures only the text was compared: another version of gnuplot drew them" + instead;
  return "";
}

}  // namespace artifacts
