#include "apps/cli/views/graphviz.h"

#include <fstream>
#include <iterator>

#include "artifacts/text/scratch_folder.h"
#include "programs/find_program.h"
#include "programs/run_program.h"

namespace cli {

namespace {

constexpr int patience_ms = 60'000;

kernel::Problem no_picture(std::string why, std::string todo) {
  return {"", 0, "--format svg", std::move(why), std::move(todo)};
}

}  // namespace

kernel::Result<std::string> svg_by_graphviz(const std::string& dot_text, const std::string& search_path) {
  const std::string program = executors::find_on_path("dot", search_path);
  if (program.empty())
    return no_picture("Graphviz, which lays the graph out, is not installed",
                      "apt-get install graphviz, or use --format dot or mermaid");
  const artifacts::ScratchFolder folder("etude-graph-");
  const std::string in = folder.file("graph.dot"), out = folder.file("graph.svg");
  std::ofstream(in, std::ios::binary) << dot_text;
  const executors::Answer answer = executors::ask({program, "-Tsvg", "-o", out, in},
                                                  {{"PATH", "/usr/bin:/bin"}, {"HOME", folder.path()}}, patience_ms);
  std::ifstream file(out, std::ios::binary);
  std::string svg{std::istreambuf_iterator<char>(file), {}};
  if (answer.ran && answer.exit == 0 && !svg.empty()) return svg;
  const std::string said = answer.ran ? answer.err.substr(0, answer.err.find('\n')) : answer.why;
  return no_picture(program + " failed (" + said + ")", "use --format dot and lay it out elsewhere");
}

}  // namespace cli
