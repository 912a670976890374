#include "artifacts/read/artifact_reader.h"

#include <array>
#include <optional>

#include <fmt/format.h>

#include "artifacts/read/layer_markdown.h"
#include "artifacts/read/layer_reader.h"
#include "artifacts/read/tree_reader.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

constexpr std::uint64_t largest_text = 16u << 20;
constexpr std::uint64_t most_text = 256u << 20;

class Reading {
 public:
  Reading(const SafeRoot& root, Findings& findings) : root_(root), findings_(findings) {}

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
    if (const auto text = load(artifact.tree.file)) artifact.tree = read_tree(*text, artifact.tree.file, findings_);
    return artifact;
  }

 private:
  Layer layer(const std::string& file, std::initializer_list<std::string_view> prefixes, bool dash_fixable = false) {
    if (const auto text = load(file)) return read_layer(*text, file, prefixes, dash_fixable, findings_);
    return {.file = file, .present = false, .blocks = {}};
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
    if (read.kind == FileKind::unreadable) findings_.add(RuleId::unreadable_file, file, 0, "the file cannot be read");
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
  std::uint64_t total_ = 0;
};

}  // namespace

Artifact read_artifact(const SafeRoot& root, Findings& findings) {
  return Reading(root, findings).read();
}

}  // namespace artifacts
