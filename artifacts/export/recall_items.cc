#include "artifacts/export/recall_items.h"

#include <array>
#include <set>

#include <fmt/format.h>

#include "artifacts/read/record.h"
#include "artifacts/read/references.h"
#include "artifacts/text/untrusted_text.h"
#include "kernel/evidence/prior_results.h"
#include "kernel/wording/wording.h"

namespace artifacts {
namespace {

constexpr std::size_t longest_body = 32u << 10, longest_title = 500, most_items = 50'000;
constexpr std::size_t longest_id = 40, longest_reason = 500, most_tested = 10'000;

/// Statuses of claims in both dialects.
constexpr std::array<std::string_view, 8> claim_states{"hypothesis", "supported", "refuted",  "inconclusive",
                                                       "untested",   "testing",   "weakened", "withdrawn"};

class Remembering {
 public:
  explicit Remembering(kernel::ImportedArtifact& into) : into_(into) {}

  void paper(const PaperPage& paper) {
    std::string body = paper.abstract;
    for (const std::string& claim : paper.claims_summary) body += "\n" + claim;
    add("artifact", "", "", paper.title, body);
  }

  void claim(const Block& block) {
    const Field* status = block.field("Status");
    std::string state;
    if (status) {
      const std::string_view word = trimmed(status->text).substr(0, trimmed(status->text).find_first_of(" \t\n;,.("));
      for (const std::string_view known : claim_states)
        if (same_word(word, known)) state = known;
    }
    add("claim", block.id, state, block.title, text_of(block));
  }

  void concept_(const Block& block) { add("concept", "concepts/" + block.heading, "", block.heading, text_of(block)); }

  void evidence(const Layer& file) {
    std::string title, body;
    for (const Block& block : file.blocks) {
      if (title.empty()) title = block.heading;
      if (body.size() < longest_body) body += (block.heading.empty() ? "" : block.heading + "\n") + text_of(block);
    }
    add("evidence", file.file, "", title, body);
  }

  void node(const TreeNode& node) {
    if (node.type == TreeNodeType::unknown || node.type == TreeNodeType::question) return;
    std::string body;
    for (const NodeField& field : node.fields)
      if (body.size() < longest_body) body += fmt::format("{}: {}\n", field.key, flat(field.value));
    add(std::string(name_of(node.type)), node.id.empty() ? fmt::format("line {}", node.line) : node.id, "", node.title,
        body);
  }

 private:
  static std::string text_of(const Block& block) {
    std::string text;
    for (const Text& line : block.prose) text += line.text + "\n";
    for (const Field& field : block.fields) text += fmt::format("{}: {}\n", field.name, field.text);
    for (const MarkdownTable& table : block.tables) {
      text += fmt::format("{}\n", fmt::join(table.header, " | "));
      for (const TableRow& row : table.rows) {
        if (text.size() > longest_body) break;
        text += fmt::format("{}\n", fmt::join(row.cells, " | "));
      }
    }
    return text;
  }

  /// A repeated id gets a number; `check` reports it as an error.
  void add(std::string kind, const std::string& item, std::string verdict, std::string_view title,
           std::string_view body) {
    if (into_.items.size() >= most_items) return;
    std::string address = shortened(printable(item), longest_title);
    for (int i = 2; !seen_.insert({kind, address}).second; ++i)
      address = fmt::format("{} ({})", shortened(printable(item), longest_title), i);
    into_.items.push_back({std::move(kind), std::move(address), std::move(verdict),
                           shortened(printable(trimmed(title)), longest_title),
                           shortened(clean(trimmed(body)).text, longest_body)});
  }

  kernel::ImportedArtifact& into_;
  std::set<std::pair<std::string, std::string>> seen_;
};

/// The control level of its hypotheses if they agree on it; else the factor's baseline.
std::map<std::string, std::string> controls_of(const kernel::StudySpec& spec, const kernel::Hypotheses& study) {
  std::map<std::string, std::string> controls;
  for (const kernel::Factor& factor : spec.factors) {
    std::set<std::string> levels;
    for (const kernel::HypothesisRecord& record : study.hypotheses)
      if (const auto arm = record.hypothesis.control.find(factor.name); arm != record.hypothesis.control.end())
        levels.insert(arm->second);
    if (factor.baseline)
      controls[factor.name] = *factor.baseline;
    else if (levels.size() == 1)
      controls[factor.name] = *levels.begin();
  }
  return controls;
}

void add_recorded(const SafeRoot& root, kernel::ImportedArtifact& artifact) {
  if (root.look(log_file).kind != FileKind::regular) return;
  const auto log = read_log(root);
  if (!log) return;
  const kernel::Study& study = log->study;
  artifact.head = log->head;
  artifact.context = kernel::context_key(study.spec, study.workspace, study.data);
  artifact.controls = controls_of(study.spec, study);
  for (const kernel::HypothesisRecord& record : study.hypotheses)
    if (record.result && artifact.tested.size() < most_tested)
      artifact.tested.push_back({"",
                                 kernel::HypothesisId(shortened(printable(record.hypothesis.id.text()), longest_id)),
                                 kernel::contrast_key(record.hypothesis), record.result->verdict,
                                 shortened(printable(newest_words(record.result->reason)), longest_reason), false});
}

}  // namespace

kernel::ImportedArtifact memorable(const SafeRoot& root, const Artifact& artifact) {
  kernel::ImportedArtifact found;
  found.title = shortened(printable(artifact.paper.title), longest_title);
  found.year = shortened(printable(artifact.paper.year), 40);
  // "none" and the like are no identifiers (ISO 26324).
  if (const std::size_t doi = artifact.paper.doi.find("10."); doi != std::string::npos)
    found.doi = shortened(printable(artifact.paper.doi.substr(doi)), 200);
  for (const std::string& author : artifact.paper.authors)
    if (found.authors.size() < 1000) found.authors.push_back(shortened(printable(author), 200));
  Remembering remember(found);
  remember.paper(artifact.paper);
  for (const Block& block : artifact.claims.blocks)
    if (!block.id.empty()) remember.claim(block);
  for (const Block& block : artifact.concepts.blocks)
    if (block.level == 2) remember.concept_(block);
  for (const TreeNode& node : artifact.tree.nodes) remember.node(node);
  for (const Layer& file : artifact.evidence) remember.evidence(file);
  add_recorded(root, found);
  return found;
}

CodeRoot code_place(const SafeRoot& root) {
  if (root.look(log_file).kind == FileKind::regular)
    if (const auto log = read_log(root); log && !log->study.workspace.hash.empty()) {
      const std::string place = workspace_path(log->study.workspace.hash.text());
      return {place + "/", place + ".manifest"};
    }
  return {"src/", ""};
}

}  // namespace artifacts
