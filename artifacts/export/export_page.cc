#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "artifacts/export/export.h"
#include "artifacts/text/escaping.h"
#include "artifacts/text/html_page.h"
#include "artifacts/text/untrusted_text.h"

namespace artifacts {
namespace {

constexpr std::uint64_t largest_page = 16u << 20, largest_picture = 8u << 20, all_pictures = 64u << 20;
constexpr const char* graph_picture = "exploration-graph.svg";
constexpr std::size_t most_listed = 5000;

std::string page_text(const SafeRoot& root, const std::string& path) {
  return clean(root.read(path, largest_page).bytes).text;
}

/// Moves headings two levels down, except in fenced code; the page has its own titles.
std::string deeper(const std::string& markdown) {
  std::string out;
  bool fenced = false;
  for (const std::string_view line : lines_of(markdown)) {
    if (line.starts_with("```") || line.starts_with("~~~")) fenced = !fenced;
    const std::size_t level = std::min(line.find_first_not_of('#'), line.size());
    const bool heading = !fenced && level > 0 && level < line.size() && line[level] == ' ';
    if (heading && level == 1) continue;
    if (heading) out += std::string(std::min<std::size_t>(level + 1, 6) - level, '#');
    out += line;
    out += '\n';
  }
  return out;
}

std::string section(const std::string& title, const std::string& markdown) {
  return markdown.empty() ? "" : fmt::format("\n## {}\n\n{}", title, deeper(markdown));
}

/// The text of a tree node in addition to its title.
std::string words_of(const TreeNode& node) {
  for (const char* key : {"lesson", "choice", "new_direction", "result", "outcome"})
    if (const YamlValue* value = node.field(key); value && !value->text.empty())
      return " – " + in_markdown(shortened(value->text, 300));
  return "";
}

std::string listed(const Tree& tree) {
  std::vector<int> depth(tree.nodes.size(), 0);
  std::string out;
  for (std::size_t i = 0; i < std::min(tree.nodes.size(), most_listed); ++i) {
    const TreeNode& node = tree.nodes[i];
    if (node.parent >= 0) depth[i] = std::min(depth[static_cast<std::size_t>(node.parent)] + 1, 12);
    std::string type(name_of(node.type));
    std::ranges::replace(type, '_', ' ');
    out += fmt::format("{}- **{}** {}: {}{}\n", std::string(2 * static_cast<std::size_t>(depth[i]), ' '),
                       in_markdown(node.id), in_markdown(type), in_markdown(node.title), words_of(node));
  }
  if (tree.nodes.size() > most_listed) out += fmt::format("- and {} more\n", tree.nodes.size() - most_listed);
  return out;
}

std::string front_of(const PaperPage& paper) {
  std::string by = joined_text(paper.authors, ", ");
  for (const std::string& part : {paper.venue, paper.year, paper.doi})
    if (!part.empty()) by += (by.empty() ? "" : " · ") + part;
  return fmt::format("# {}\n\n{}\n\n{}", in_markdown(paper.title.empty() ? "An untitled artifact" : paper.title),
                     in_markdown(by),
                     paper.abstract.empty() ? "" : "## Abstract\n\n" + in_markdown(paper.abstract) + "\n");
}

/// The artifact's pictures, read when a page names them, up to a limit.
class Pictures {
 public:
  Pictures(const SafeRoot& root, const Artifact& artifact) : root_(root) {
    for (const Entry& entry : artifact.files.entries) {
      const bool shown = entry.path.ends_with(".svg") || entry.path.ends_with(".png") || entry.path.ends_with(".jpg");
      if (shown && entry.kind == FileKind::regular && entry.path.starts_with("evidence/")) paths_.insert(entry.path);
    }
  }
  bool has(const std::string& path) const { return paths_.contains(path); }
  std::string read(const std::string& path) {
    if (!has(path)) return "";
    FileBytes bytes = root_.read(path, std::min(largest_picture, left_));
    if (!bytes.whole()) return "";
    left_ -= bytes.bytes.size();
    return std::move(bytes.bytes);
  }

 private:
  const SafeRoot& root_;
  std::set<std::string> paths_;
  std::uint64_t left_ = all_pictures;
};

/// For an artifact without a report: pages of figures and tables, each with its picture.
std::string evidence_sections(const SafeRoot& root, const Artifact& artifact, const Pictures& pictures) {
  std::string out;
  for (const char* folder : {"evidence/figures/", "evidence/tables/"})
    for (const Layer& layer : artifact.evidence) {
      if (!layer.file.starts_with(folder)) continue;
      const std::string stem = layer.file.substr(0, layer.file.rfind('.'));
      out += fmt::format("\n### {}\n\n", in_markdown(stem.substr(stem.rfind('/') + 1)));
      for (const char* ending : {".svg", ".png", ".jpg"})
        if (pictures.has(stem + ending)) {
          out += fmt::format("![{}]({}{})\n\n", in_link_text(stem), stem, ending);
          break;
        }
      out += deeper(deeper(page_text(root, layer.file)));
    }
  return out.empty() ? "" : "\n## Evidence\n" + out;
}

}  // namespace

nlohmann::json graph_of(const Tree& tree) {
  nlohmann::json nodes = nlohmann::json::array();
  for (const TreeNode& node : tree.nodes) {
    nlohmann::json parents = nlohmann::json::array();
    if (node.parent >= 0) parents.push_back(tree.nodes[static_cast<std::size_t>(node.parent)].id);
    for (const Text& other : node.parent_ids) parents.push_back(other.text);
    for (const Text& other : node.also_depends_on) parents.push_back(other.text);
    nodes.push_back({{"id", clean(node.id).text},
                     {"type", name_of(node.type)},
                     {"title", clean(node.title).text},
                     {"parents", std::move(parents)}});
  }
  return {{"nodes", std::move(nodes)}};
}

std::string export_page(const SafeRoot& root, const Artifact& artifact, const std::string& graph_svg) {
  HtmlInput input;
  input.alone = true;
  input.title = artifact.paper.title;
  Pictures pictures(root, artifact);
  input.picture = [&](const std::string& path) { return path == graph_picture ? graph_svg : pictures.read(path); };
  for (const Block& block : artifact.claims.blocks)
    if (!block.id.empty()) input.anchors.push_back(block.id);
  const bool reported =
      root.look("etude.json").kind == FileKind::regular && root.look("report.md").kind == FileKind::regular;
  input.markdown = reported ? page_text(root, "report.md") : front_of(artifact.paper);
  input.markdown += section("Claims", page_text(root, "logic/claims.md"));
  if (!reported) {
    input.markdown += section("Problem", page_text(root, "logic/problem.md"));
    input.markdown += section("Experiments", page_text(root, "logic/experiments.md"));
    input.markdown += section("Related work", page_text(root, "logic/related_work.md"));
    input.markdown += evidence_sections(root, artifact, pictures);
  }
  if (!artifact.tree.nodes.empty())
    input.markdown += "\n## Exploration graph\n\nWhat was asked, tried, found, and given up.\n\n" +
                      (graph_svg.empty() ? "" : fmt::format("![Exploration graph]({})\n\n", graph_picture)) +
                      listed(artifact.tree);
  return html_page(input);
}

}  // namespace artifacts
