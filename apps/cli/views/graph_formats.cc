#include "apps/cli/views/graph_formats.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/terminal/terminal_text.h"
#include "base/scratch_folder.h"
#include "programs/find_program.h"
#include "programs/run_program.h"

namespace cli {

using nlohmann::json;

namespace {

struct GraphNode {
  std::string id, type, title;
  std::vector<std::size_t> parents, children;  ///< children: nodes whose first parent this is.
  std::vector<std::string> lost_parents;       ///< Named, but missing in the graph.
};

std::vector<GraphNode> nodes_of(const json& graph) {
  std::vector<GraphNode> nodes;
  std::map<std::string, std::size_t> places;
  for (const json& node : graph.at("nodes")) {
    places.emplace(node.at("id").get<std::string>(), nodes.size());
    nodes.push_back({node.at("id"), node.at("type"), one_line(node.at("title").get<std::string>()), {}, {}, {}});
  }
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (const json& parent : graph.at("nodes")[i].at("parents")) {
      const auto place = places.find(parent.get<std::string>());
      if (place == places.end()) {
        nodes[i].lost_parents.push_back(parent);
        continue;
      }
      if (nodes[i].parents.empty()) nodes[place->second].children.push_back(i);
      nodes[i].parents.push_back(place->second);
    }
  return nodes;
}

std::string words(std::string type) {
  std::ranges::replace(type, '_', ' ');
  return type;
}

TextStyle style_of(const GraphNode& node) {
  if (node.type == "dead_end") return TextStyle::refuted;
  return node.type == "question" ? TextStyle::strong : TextStyle::plain;
}

std::string line_of(const GraphNode& node, const std::vector<GraphNode>& nodes, bool colour) {
  const std::string mark = node.type == "dead_end" ? "✗ " : "";
  std::string line = fmt::format("{} {}  {}", paint(node.id, TextStyle::dim, colour),
                                 paint(mark + words(node.type), style_of(node), colour), node.title);
  std::string also;
  for (std::size_t i = 1; i < node.parents.size(); ++i) also += (i > 1 ? ", " : "") + nodes[node.parents[i]].id;
  for (const std::string& lost : node.lost_parents)
    also += (also.empty() ? "" : ", ") + one_line(lost) + " (not in this graph)";
  return also.empty() ? line : line + paint(" (also from " + also + ")", TextStyle::dim, colour);
}

/// One node to print, with the prefixes of its own line and of its children's lines.
struct Pending {
  std::size_t node;
  std::string own, below;
};

void print_tree(std::size_t root, const std::vector<GraphNode>& nodes, bool colour, std::set<std::size_t>& done,
                std::string& out) {
  std::vector<Pending> stack = {{root, "", ""}};
  while (!stack.empty()) {
    const Pending here = stack.back();
    stack.pop_back();
    if (!done.insert(here.node).second) continue;
    const GraphNode& node = nodes[here.node];
    out += here.own + line_of(node, nodes, colour) + "\n";
    for (std::size_t i = node.children.size(); i-- > 0;) {
      const bool last = i + 1 == node.children.size();
      stack.push_back({node.children[i], here.below + (last ? "└─ " : "├─ "), here.below + (last ? "   " : "│  ")});
    }
  }
}

std::string in_quotes(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string dot_label(const GraphNode& node) {
  const std::string text = wrapped(node.id + " " + words(node.type), 28, 0) + "\n" + wrapped(node.title, 28, 0);
  std::string out;
  for (const char c : in_quotes(text)) out += c == '\n' ? "\\n" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

const char* dot_style(const std::string& type) {
  if (type == "question") return "shape=ellipse, style=bold";
  if (type == "experiment") return "shape=box";
  if (type == "decision") return "shape=diamond";
  if (type == "dead_end") return "shape=octagon, style=dashed, color=\"#a02060\", fontcolor=\"#a02060\"";
  if (type == "pivot") return "shape=hexagon";
  return "shape=note";
}

std::string mermaid_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n')
      out += "<br/>";
    else if (std::string_view("\"#&<>`;\\|[]{}()").find(c) != std::string_view::npos)
      out += fmt::format("#{};", static_cast<int>(c));
    else
      out += c;
  }
  return out;
}

std::pair<const char*, const char*> mermaid_shape(const std::string& type) {
  if (type == "question") return {"([", "])"};
  if (type == "decision") return {"{", "}"};
  if (type == "pivot") return {"{{", "}}"};
  if (type == "dead_end") return {"[[", "]]"};
  return {"[", "]"};
}

constexpr std::chrono::minutes patience(1);

kernel::Problem no_picture(std::string why, std::string todo) {
  return {"", 0, "--format svg", std::move(why), std::move(todo)};
}

}  // namespace

std::string graph_text(const json& graph, bool colour) {
  const std::vector<GraphNode> nodes = nodes_of(graph);
  std::set<std::size_t> done;
  std::string out;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].parents.empty()) print_tree(i, nodes, colour, done, out);
  // The remaining nodes are in loops: enter each loop at its first node.
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (done.count(i) == 0) print_tree(i, nodes, colour, done, out);
  return out;
}

std::string graph_dot(const json& graph) {
  const std::vector<GraphNode> nodes = nodes_of(graph);
  std::string out =
      "digraph etude {\n  rankdir=TB;\n  node [fontname=\"Helvetica\", fontsize=11];\n"
      "  edge [arrowsize=0.7];\n";
  for (const GraphNode& node : nodes)
    out += fmt::format("  {} [label={}, {}];\n", in_quotes(node.id), dot_label(node), dot_style(node.type));
  for (const GraphNode& node : nodes)
    for (std::size_t i = 0; i < node.parents.size(); ++i)
      out += fmt::format("  {} -> {}{};\n", in_quotes(nodes[node.parents[i]].id), in_quotes(node.id),
                         i > 0 ? " [style=dashed]" : "");
  return out + "}\n";
}

std::string graph_mermaid(const json& graph) {
  const std::vector<GraphNode> nodes = nodes_of(graph);
  std::string out = "flowchart TD\n";
  std::string dead;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto [open, close] = mermaid_shape(nodes[i].type);
    const std::string text = nodes[i].id + " " + words(nodes[i].type) + "\n" + nodes[i].title;
    out += fmt::format("  n{}{}\"{}\"{}\n", i + 1, open, mermaid_text(text), close);
    if (nodes[i].type == "dead_end") dead += fmt::format("{}n{}", dead.empty() ? "" : ",", i + 1);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (std::size_t k = 0; k < nodes[i].parents.size(); ++k)
      out += fmt::format("  n{} {} n{}\n", nodes[i].parents[k] + 1, k > 0 ? "-.->" : "-->", i + 1);
  if (!dead.empty()) out += "  classDef dead stroke:#a02060,stroke-dasharray:4\n  class " + dead + " dead\n";
  return out;
}

kernel::Result<std::string> svg_by_graphviz(const std::string& dot_text, const std::string& search_path) {
  const std::string program = programs::find_on_path("dot", search_path);
  if (program.empty())
    return no_picture("Graphviz, which lays the graph out, is not installed",
                      "apt-get install graphviz, or use --format dot or mermaid");
  const kernel::ScratchFolder folder = kernel::ScratchFolder::in_tmp("etude-graph-");
  const std::string in = folder.file("graph.dot"), out = folder.file("graph.svg");
  std::ofstream(in, std::ios::binary) << dot_text;
  const auto ran = programs::run_program({.argv = {program, "-Tsvg", "-o", out, in},
                                          .environment = {{"PATH", "/usr/bin:/bin"}, {"HOME", folder.path()}},
                                          .limit = patience});
  std::ifstream file(out, std::ios::binary);
  std::string svg{std::istreambuf_iterator<char>(file), {}};
  if (ran && ran->exit == 0 && !svg.empty()) return svg;
  const std::string said = ran && ran->exit ? ran->err.substr(0, ran->err.find('\n')) : programs::why_no_exit(ran);
  return no_picture(program + " failed (" + said + ")", "use --format dot and lay it out elsewhere");
}

kernel::Result<std::string> graph_svg(const json& graph) {
  const char* path = std::getenv("PATH");
  return svg_by_graphviz(graph_dot(graph), path ? path : "/usr/bin:/bin");
}

}  // namespace cli
