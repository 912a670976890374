#include "artifacts/find/passages.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "artifacts/read/layer_markdown.h"
#include "artifacts/read/references.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

constexpr std::uint64_t largest_page = 4u << 20;
constexpr std::uint64_t most_pages = 64u << 20;

/// What a page of evidence is, by its folder.
std::string kind_of_evidence(std::string_view path) {
  for (const auto& [folder, kind] : {std::pair{"evidence/tables/", "table"},
                                     {"evidence/figures/", "figure"},
                                     {"evidence/proofs/", "proof"},
                                     {"evidence/results/", "result"}})
    if (path.starts_with(folder)) return kind;
  return "evidence";
}

void add_lines(ArtifactPassage& passage, std::string_view field, std::string_view text, int line) {
  for (const std::string_view one : lines_of(text)) {
    if (!trimmed(one).empty()) passage.texts.push_back({std::string(field), std::string(trimmed(one)), line});
    ++line;
  }
}

/// The lines of a list or mapping, each with its own.
void add_values(ArtifactPassage& passage, const std::string& field, const YamlValue& value,
                const std::string& before = {}) {
  if (value.kind == YamlValue::Kind::scalar) {
    std::string text(trimmed(value.text));
    std::ranges::replace(text, '\n', ' ');
    if (!text.empty()) passage.texts.push_back({field, before + text, value.line});
    return;
  }
  for (std::size_t i = 0; i < value.items.size(); ++i)
    add_values(passage, field, value.items[i],
               value.kind == YamlValue::Kind::map ? value.keys[i].text + ": " : std::string());
}

class Collector {
 public:
  Collector(const Artifact& artifact, const SafeRoot& root) : artifact_(artifact), root_(root) {}

  std::vector<ArtifactPassage> all() {
    paper();
    entries(artifact_.claims, "claim");
    nodes();
    entries(artifact_.experiments, "experiment plan");
    entries(artifact_.problem, "problem");
    entries(artifact_.concepts, "concept");
    entries(artifact_.heuristics, "heuristic");
    entries(artifact_.related_work, "related work");
    whole(artifact_.evidence_readme, "index");
    for (const Layer& page : artifact_.evidence) whole(page, kind_of_evidence(page.file));
    for (const Entry& entry : artifact_.files.entries) other(entry);
    return std::move(passages_);
  }

 private:
  void paper() {
    const PaperPage& page = artifact_.paper;
    if (!page.body.present) return;
    ArtifactPassage front{"PAPER.md", "paper", page.title, "PAPER.md", 1, {}};
    for (std::size_t i = 0; i < page.front.keys.size(); ++i)
      if (page.front.keys[i].text != "title") add_values(front, page.front.keys[i].text, page.front.items[i]);
    passages_.push_back(std::move(front));
    seen_.insert("PAPER.md");
    entries(page.body, "paper");
  }

  /// One passage for each heading.
  void entries(const Layer& layer, const std::string& kind) {
    done_.insert(layer.file);
    for (const Block& block : layer.blocks) {
      const std::string named = block.id.empty() ? block.heading : block.id;
      ArtifactPassage passage{block.id.empty() ? layer.file + (named.empty() ? "" : "#" + named) : block.id,
                              block.id.empty() && kind != "concept" && kind != "paper" ? "prose" : kind,
                              block.id.empty() ? block.heading : block.title,
                              layer.file,
                              block.line,
                              {}};
      content(passage, block);
      // A heading above other headings may have no text of its own.
      if (passage.texts.empty() && block.id.empty()) continue;
      address(passage, named);
      passages_.push_back(std::move(passage));
    }
  }

  /// A page that is one thing, such as a table.
  void whole(const Layer& layer, const std::string& kind) {
    if (!layer.present) return;
    done_.insert(layer.file);
    ArtifactPassage passage{layer.file, kind, {}, layer.file, 1, {}};
    for (const Block& block : layer.blocks) {
      if (passage.title.empty())
        passage.title = block.heading;
      else if (!block.heading.empty())
        passage.texts.push_back({"", block.heading, block.line});
      content(passage, block);
    }
    if (passage.title.empty() && passage.texts.empty()) return;
    seen_.insert(passage.address);
    passages_.push_back(std::move(passage));
  }

  static void content(ArtifactPassage& passage, const Block& block) {
    for (const Field& field : block.fields) add_lines(passage, field.name, field.text, field.text_line);
    for (const Text& line : block.prose) add_lines(passage, "", line.text, line.line);
    for (const MarkdownTable& table : block.tables) {
      passage.texts.push_back({"", fmt::format("{}", fmt::join(table.header, " | ")), table.line});
      for (const TableRow& row : table.rows)
        passage.texts.push_back({"", fmt::format("{}", fmt::join(row.cells, " | ")), row.line});
    }
    std::ranges::stable_sort(passage.texts, {}, &PassageText::line);
  }

  void nodes() {
    const Tree& tree = artifact_.tree;
    done_.insert(tree.file);
    for (const TreeNode& node : tree.nodes) {
      ArtifactPassage passage{
          node.id, node.type_written.empty() ? "node" : node.type_written, node.title, tree.file, node.line, {}};
      for (const NodeField& field : node.fields) add_values(passage, field.key, field.value);
      for (const auto& [name, list] : {std::pair{"evidence", &node.evidence},
                                       {"also_depends_on", &node.also_depends_on},
                                       {"source_refs", &node.source_refs}})
        for (const Text& text : *list) add_lines(passage, name, text.text, text.line);
      for (const auto& [name, text] : {std::pair{"support_level", &node.support_level},
                                       {"provenance", &node.provenance},
                                       {"timestamp", &node.timestamp}})
        add_lines(passage, name, *text, node.line);
      std::ranges::stable_sort(passage.texts, {}, &PassageText::line);
      address(passage, node.id);
      passages_.push_back(std::move(passage));
    }
  }

  /// Pages that no layer of the model has: methods, environment, notes, sessions.
  void other(const Entry& entry) {
    const std::string& path = entry.path;
    if (entry.kind != FileKind::regular || done_.contains(path) || path.starts_with("src/workspace/") ||
        path.starts_with("src/evaluator/"))
      return;
    const bool markdown = path.ends_with(".md");
    const bool notes = (path.starts_with("staging/") || path.starts_with("trace/")) &&
                       (path.ends_with(".yaml") || path.ends_with(".yml"));
    if ((!markdown && !notes) || entry.size > most_pages - read_) return;
    const FileBytes bytes = root_.read(path, largest_page);
    if (!bytes.whole()) return;
    read_ += bytes.bytes.size();
    const CleanText text = clean(bytes.bytes);
    if (markdown) return entries(scan_markdown(text.text, path), "prose");
    ArtifactPassage passage{path, "notes", path, path, 1, {}};
    add_lines(passage, "", text.text, 1);
    seen_.insert(path);
    passages_.push_back(std::move(passage));
  }

  void address(ArtifactPassage& passage, const std::string& name) {
    if (!passage.address.empty() && seen_.insert(passage.address).second) return;
    passage.address = passage.file + "#" + (name.empty() ? fmt::format("L{}", passage.line) : name);
    if (!seen_.insert(passage.address).second) passage.address = fmt::format("{}#L{}", passage.file, passage.line);
  }

  const Artifact& artifact_;
  const SafeRoot& root_;
  std::vector<ArtifactPassage> passages_;
  std::unordered_set<std::string> seen_, done_;
  std::uint64_t read_ = 0;
};

}  // namespace

std::string ArtifactPassage::field(std::string_view name) const {
  std::string joined_lines;
  for (const PassageText& one : texts)
    if (same_word(one.field, name)) joined_lines += (joined_lines.empty() ? "" : " ") + one.text;
  return joined_lines;
}

std::vector<ArtifactPassage> passages_of(const Artifact& artifact, const SafeRoot& root) {
  return Collector(artifact, root).all();
}

}  // namespace artifacts
