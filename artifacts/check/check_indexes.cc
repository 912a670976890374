#include <array>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "artifacts/check/rule_groups.h"
#include "artifacts/read/references.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

constexpr std::array<std::string_view, 5> categories{"evidence/tables", "evidence/figures", "evidence/proofs",
                                                     "evidence/results", "evidence/logs"};

/// The files and whole folders that an index covers.
class Coverage {
 public:
  void add(const FoundPath& found) { (found.directory ? folders_ : files_).insert(found.path); }

  bool has(std::string_view path) const {
    if (files_.contains(path)) return true;
    for (std::string_view folder = folder_of(path); !folder.empty(); folder = folder_of(folder))
      if (folders_.contains(folder)) return true;
    return false;
  }

 private:
  std::set<std::string, std::less<>> files_, folders_;
};

void check_front_matter(const PaperPage& paper, Findings& findings) {
  if (!paper.body.present) return;
  const std::string& file = paper.body.file;
  if (!paper.has_front_matter) {
    if (!paper.broken_front_matter) findings.add(RuleId::front_matter, file, 1, "there is no front matter");
    return;
  }
  std::string missing;
  const auto need = [&](bool there, std::string_view key) {
    if (!there) missing += fmt::format("{}`{}`", missing.empty() ? "" : ", ", key);
  };
  need(!paper.title.empty(), "title");
  need(!paper.authors.empty(), "authors");
  need(!paper.year.empty(), "year");
  need(!paper.ara_version.empty(), "ara_version");
  if (!missing.empty()) findings.add(RuleId::front_matter, file, 1, "the front matter lacks " + missing);
  missing.clear();
  // An empty list states that there is none.
  for (const std::string_view key : {"venue", "doi", "domain", "keywords", "claims_summary", "abstract"}) {
    const YamlValue* value = paper.front.find(key);
    need(value && (value->kind == YamlValue::Kind::list || !flat(*value).empty()), key);
  }
  if (!missing.empty())
    findings.add_as(Severity::info, RuleId::missing_field, file, 1, "the front matter lacks " + missing);
  if (!paper.ara_version.empty() && paper.ara_version != "1.0")
    findings.add(RuleId::front_matter, file, paper.front.find("ara_version")->line,
                 fmt::format("ara_version is {}; this is a checker for 1.0", quote(paper.ara_version)));
}

Coverage check_rows(const std::vector<IndexRow>& rows, std::string_view file, std::string_view name,
                    const ReferenceCheck& check, const SafeRoot& root, Findings& findings) {
  Coverage covered;
  for (const IndexRow& row : rows) {
    for (const Reference& id : ids_in_prose(row.rest, "C", row.line))
      check.claim(id.text, file, row.line, name, Severity::warning);
    if (is_url(row.target) || row.target.starts_with('#')) continue;
    std::string_view path = std::string_view(row.target).substr(0, row.target.find('#'));
    // "tables/*.md" stands for the folder.
    if (const auto star = path.find('*'); star != std::string_view::npos) path = folder_of(path.substr(0, star));
    std::vector<PathFrom> readings{{folder_of(file), path}, {"", path}, {row.folder, path}, {row.folder, row.text}};
    if (row.folder == "evidence")
      for (const std::string_view category : categories) readings.push_back({category, path});
    const FoundPath found = find_path(root, readings);
    if (require_path(found, row.target, file, row.line, name, Severity::warning, findings) && !found.elsewhere)
      covered.add(found);
  }
  return covered;
}

void check_layer_index(const Artifact& artifact, const ReferenceCheck& check, const SafeRoot& root,
                       Findings& findings) {
  const std::string& file = artifact.paper.body.file;
  if (!artifact.paper.body.present) return;
  if (!artifact.has_layer_index) {
    findings.add(RuleId::no_layer_index, file, 1, "there is no section \"Layer Index\"");
    return;
  }
  const Coverage covered = check_rows(artifact.layer_index, file, "the Layer Index", check, root, findings);
  for (const Entry& entry : artifact.files.entries) {
    if (entry.kind != FileKind::regular || covered.has(entry.path)) continue;
    const bool source = entry.path.starts_with("src/");
    // src/artifacts.md and etude.json index the workspace.
    if (entry.path.starts_with("src/workspace/")) continue;
    const bool layer = entry.path.starts_with("logic/") || entry.path.starts_with("trace/") ||
                       entry.path.starts_with("data/") || entry.path == "evidence/README.md";
    if (source || layer)
      findings.add_as(source ? Severity::warning : Severity::info, RuleId::unindexed_file, entry.path, 0,
                      "the Layer Index of PAPER.md does not list this file");
  }
}

void check_evidence_index(const Artifact& artifact, const ReferenceCheck& check, const SafeRoot& root,
                          Findings& findings) {
  const std::string& file = artifact.evidence_readme.file;
  if (!artifact.evidence_readme.present) return;
  const Coverage covered = check_rows(artifact.evidence_index, file, "the evidence index", check, root, findings);
  for (const Entry& entry : artifact.files.entries) {
    const std::string& path = entry.path;
    if (entry.kind != FileKind::regular || !path.starts_with("evidence/") || path == file || covered.has(path))
      continue;
    const auto dot = path.rfind('.');
    // A picture or a table of numbers belongs to the page of the same name.
    if (!path.ends_with(".md") && dot != std::string::npos && artifact.file(path.substr(0, dot) + ".md")) continue;
    findings.add(RuleId::unindexed_file, path, 0, "evidence/README.md does not list this file");
  }
}

constexpr std::array<TreeNodeType, 5> counted_types{TreeNodeType::question, TreeNodeType::experiment,
                                                    TreeNodeType::decision, TreeNodeType::pivot, TreeNodeType::insight};

std::size_t blocks_with(const Layer& layer, std::string_view prefix) {
  const auto has_id = [&](const Block& block) { return is_id(block.id, prefix); };
  return static_cast<std::size_t>(std::ranges::count_if(layer.blocks, has_id));
}

/// Pages of one category; pages that are a subset of another one may be counted or not.
struct Pages {
  std::size_t all = 0, original = 0;
};
Pages pages_in(const Artifact& artifact, std::string_view folder) {
  Pages pages;
  for (const Layer& layer : artifact.evidence) {
    if (!layer.file.starts_with(folder)) continue;
    ++pages.all;
    const std::string_view name = std::string_view(layer.file).substr(layer.file.rfind('/') + 1);
    if (name.find("derived") == std::string_view::npos && name.find("subset") == std::string_view::npos)
      ++pages.original;
  }
  return pages;
}

/// The number before `noun` ("8 falsifiable claims", "14-node DAG") with at most a few words between, unless these say
/// that only part is meant.
std::optional<std::size_t> declared(std::string_view text, std::string_view noun) {
  static constexpr std::array<std::string_view, 17> some{
      "supported", "refuted",  "explicit",   "inferred", "main", "key",      "core",  "derived", "of",
      "first",     "question", "experiment", "decision", "dead", "dead_end", "pivot", "insight"};
  std::optional<std::size_t> number;
  int words_since = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_alnum(text[i])) {
      if (text[i] != ' ' && text[i] != '-') number.reset();
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_alnum(text[end])) ++end;
    const std::string_view word = text.substr(i, end - i);
    // "CIFAR-10", "~10", "10+" and "10 %" are no exact counts.
    const bool exact = (i == 0 || std::string_view(" (|*").find(text[i - 1]) != std::string_view::npos) &&
                       (end == text.size() || std::string_view(" -*").find(text[end]) != std::string_view::npos);
    i = end;
    if (word.find_first_not_of("0123456789") == std::string_view::npos && word.size() < 8) {
      number.reset();
      if (exact) number = std::stoul(std::string(word));
      words_since = 0;
      continue;
    }
    if (!number) continue;
    const std::string_view singular = word.ends_with('s') ? word.substr(0, word.size() - 1) : word;
    if (same_word(singular, noun)) return number;
    bool partial = ++words_since > 3;
    for (const std::string_view s : some) partial = partial || same_word(word, s);
    if (partial) number.reset();
  }
  return std::nullopt;
}

void check_counts(const Artifact& artifact, Findings& findings) {
  const auto compare = [&](const IndexRow& row, std::string_view noun, std::size_t actual, std::size_t also) {
    const auto said = declared(row.rest, noun);
    if (said && *said != actual && *said != also)
      findings.add(
          RuleId::count_mismatch, artifact.paper.body.file, row.line,
          fmt::format("the Layer Index declares {} {}s in {}, which holds {}", *said, noun, quote(row.target), actual));
  };
  for (const IndexRow& row : artifact.layer_index) {
    const auto is = [&](std::string_view file, bool readable) {
      return readable && (joined("", row.target) == file || joined(row.folder, row.target) == file);
    };
    const auto blocks = [&](const Layer& layer, std::string_view noun, std::string_view prefix) {
      if (!is(layer.file, layer.present)) return;
      const auto n = prefix.empty() ? static_cast<std::size_t>(std::ranges::count(layer.blocks, 2, &Block::level))
                                    : blocks_with(layer, prefix);
      compare(row, noun, n, n);
    };
    blocks(artifact.claims, "claim", "C");
    blocks(artifact.experiments, "experiment", "E");
    blocks(artifact.heuristics, "heuristic", "H");
    blocks(artifact.concepts, "concept", "");
    blocks(artifact.problem, "observation", "O");
    blocks(artifact.problem, "gap", "G");
    if (is(artifact.tree.file, artifact.tree.readable)) {
      compare(row, "node", artifact.tree.nodes.size(), artifact.tree.nodes.size());
      // "11 experiment nodes"
      for (const TreeNodeType type : counted_types) {
        const auto of_type = static_cast<std::size_t>(std::ranges::count(artifact.tree.nodes, type, &TreeNode::type));
        compare(row, name_of(type), of_type, of_type);
      }
    }
    if (is(artifact.evidence_readme.file, artifact.evidence_readme.present)) {
      const Pages tables = pages_in(artifact, "evidence/tables/"), figures = pages_in(artifact, "evidence/figures/");
      compare(row, "table", tables.all, tables.original);
      compare(row, "figure", figures.all, figures.original);
    }
  }
}

}  // namespace

void check_indexes(const Artifact& artifact, const KnownIds& known, const SafeRoot& root, Findings& findings) {
  const ReferenceCheck check(artifact, known, findings);
  check_front_matter(artifact.paper, findings);
  check_layer_index(artifact, check, root, findings);
  check_evidence_index(artifact, check, root, findings);
  check_counts(artifact, findings);
}

}  // namespace artifacts
