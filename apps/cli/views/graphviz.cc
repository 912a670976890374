#include "apps/cli/views/graphviz.h"

#include <fstream>
#include <iterator>

#include "base/scratch_folder.h"
#include "programs/find_program.h"
#include "programs/run_program.h"

namespace cli {

namespace {

constexpr std::chrono::minutes patience(1);

kernel::Problem no_picture(std::string why, std::string todo) {
  return {"", 0, "--format svg", std::move(why), std::move(todo)};
}

}  // namespace

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

}  // namespace cli
