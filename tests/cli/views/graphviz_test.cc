#include "apps/cli/views/graphviz.h"

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include "tests/cli/draft/temp_folder.h"

using namespace cli;

namespace {

/// A stand-in for Graphviz that does this with its arguments: -Tsvg -o OUT IN.
std::string path_with_dot(const test::TempFolder& temp, const std::string& body) {
  temp.write("bin/dot", "#!/bin/sh\n" + body + "\n");
  chmod(temp.path("bin/dot").c_str(), 0755);
  return temp.path("bin");
}

}  // namespace

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
