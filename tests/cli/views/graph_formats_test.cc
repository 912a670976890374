#include "apps/cli/views/graph_formats.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "tests/cli/draft/temp_folder.h"

using namespace cli;
using nlohmann::json;

namespace {

json node(const char* id, const char* type, const char* title, std::vector<std::string> parents) {
  return {{"id", id}, {"type", type}, {"title", title}, {"parents", parents}};
}

json sorting() {
  return {
      {"nodes",
       {node("N01", "question", "Which sort is faster?", {}),
        node("N02", "decision", "Test quick against bubble", {"N01"}),
        node("N03", "experiment", "E01: time of \"quick\"", {"N02"}), node("N04", "dead_end", "H2 is refuted", {"N03"}),
        node("N05", "insight", "n log n & more", {"N01", "N03"})}}};
}

/// A stand-in for Graphviz that does this with its arguments: -Tsvg -o OUT IN.
std::string path_with_dot(const test::TempFolder& temp, const std::string& body) {
  temp.write("bin/dot", "#!/bin/sh\n" + body + "\n");
  chmod(temp.path("bin/dot").c_str(), 0755);
  return temp.path("bin");
}

}  // namespace

TEST_CASE("as text the graph is a tree with types, dead ends marked and further parents named") {
  CHECK(graph_text(sorting(), false) ==
        "N01 question  Which sort is faster?\n"
        "├─ N02 decision  Test quick against bubble\n"
        "│  └─ N03 experiment  E01: time of \"quick\"\n"
        "│     └─ N04 ✗ dead end  H2 is refuted\n"
        "└─ N05 insight  n log n & more (also from N03)\n");
}

TEST_CASE("as dot the graph is valid, with its titles escaped") {
  CHECK(graph_dot(sorting()) == R"(digraph etude {
  rankdir=TB;
  node [fontname="Helvetica", fontsize=11];
  edge [arrowsize=0.7];
  "N01" [label="N01 question\nWhich sort is faster?", shape=ellipse, style=bold];
  "N02" [label="N02 decision\nTest quick against bubble", shape=diamond];
  "N03" [label="N03 experiment\nE01: time of \"quick\"", shape=box];
  "N04" [label="N04 dead end\nH2 is refuted", shape=octagon, style=dashed, color="#a02060", fontcolor="#a02060"];
  "N05" [label="N05 insight\nn log n &amp; more", shape=note];
  "N01" -> "N02";
  "N02" -> "N03";
  "N03" -> "N04";
  "N01" -> "N05";
  "N03" -> "N05" [style=dashed];
}
)");
}

TEST_CASE("as Mermaid every mark of the language in a title is an entity") {
  CHECK(graph_mermaid(sorting()) == R"(flowchart TD
  n1(["N01 question<br/>Which sort is faster?"])
  n2{"N02 decision<br/>Test quick against bubble"}
  n3["N03 experiment<br/>E01: time of #34;quick#34;"]
  n4[["N04 dead end<br/>H2 is refuted"]]
  n5["N05 insight<br/>n log n #38; more"]
  n1 --> n2
  n2 --> n3
  n3 --> n4
  n1 --> n5
  n3 -.-> n5
  classDef dead stroke:#a02060,stroke-dasharray:4
  class n4 dead
)");
}

TEST_CASE("a title cannot end its quotes, its line or its tag") {
  const json graph = {{"nodes", {node("N01", "question", "\"]; x --> y\n<script>\\N`%\x1b[2J", {})}}};
  const std::string dot = graph_dot(graph);
  CHECK(dot.find("label=\"N01 question\\n\\\"]; x --> y\\n<script>\\\\N`%\\\\x1b[2J\"") != std::string::npos);
  CHECK(dot.find('\x1b') == std::string::npos);
  const std::string mermaid = graph_mermaid(graph);
  CHECK(mermaid.find("#34;#93;#59; x --#62; y #60;script#62;#92;N#96;%") != std::string::npos);
  CHECK(mermaid.find("<script>") == std::string::npos);
}

TEST_CASE("a parent outside the graph is named and its child still shown") {
  const json graph = {{"nodes", {node("N02", "insight", "late", {"N01"})}}};
  CHECK(graph_text(graph, false) == "N02 insight  late (also from N01 (not in this graph))\n");
  CHECK(graph_dot(graph).find("->") == std::string::npos);
}

TEST_CASE("a loop is printed once and ends") {
  const json graph = {{"nodes", {node("N01", "insight", "a", {"N02"}), node("N02", "insight", "b", {"N01"})}}};
  CHECK(graph_text(graph, false) == "N01 insight  a\n└─ N02 insight  b\n");
}

TEST_CASE("an empty graph is empty in every format") {
  const json graph = {{"nodes", json::array()}};
  CHECK(graph_text(graph, false).empty());
  CHECK(graph_mermaid(graph) == "flowchart TD\n");
  CHECK(graph_dot(graph).find("->") == std::string::npos);
}

TEST_CASE("dead ends stand out in colour too") {
  CHECK(graph_text(sorting(), true).find("\x1b[1;35m✗ dead end\x1b[0m") != std::string::npos);
}

TEST_CASE("the picture is what dot made of the text") {
  const test::TempFolder temp;
  const auto svg =
      svg_by_graphviz("digraph {}", path_with_dot(temp, "(echo '<svg>'; cat \"$4\"; echo '</svg>') > \"$3\""));
  REQUIRE(svg);
  CHECK(*svg == "<svg>\ndigraph {}</svg>\n");
}

TEST_CASE("without Graphviz the package is named") {
  const test::TempFolder temp;
  const auto svg = svg_by_graphviz("digraph {}", temp.path("bin"));
  REQUIRE_FALSE(svg);
  CHECK(svg.problem().text().find("apt-get install graphviz") != std::string::npos);
}

TEST_CASE("a failing dot is quoted, not believed") {
  const test::TempFolder temp;
  const auto svg =
      svg_by_graphviz("digraph {", path_with_dot(temp, "echo half > \"$3\"; echo 'syntax error' >&2; exit 1"));
  REQUIRE_FALSE(svg);
  CHECK(svg.problem().text().find("syntax error") != std::string::npos);
  CHECK_FALSE(svg_by_graphviz("digraph {", path_with_dot(temp, "exit 0")));
}
