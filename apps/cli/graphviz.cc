#include "apps/cli/graphviz.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "executors/ask.h"
#include "executors/find_program.h"

namespace cli {

namespace {

namespace fs = std::filesystem;

constexpr int patience_ms = 60'000;

struct TemporaryFolder {
  TemporaryFolder() : path((fs::temp_directory_path() / "etude-graph-XXXXXX").string()) {
    if (!mkdtemp(path.data())) throw std::runtime_error("no temporary folder for the graph: " + path);
  }
  ~TemporaryFolder() {
    std::error_code error;
    fs::remove_all(path, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string path;
};

kernel::Problem no_picture(std::string why, std::string todo) {
  return {"", 0, "--format svg", std::move(why), std::move(todo)};
}

}  // namespace

kernel::Result<std::string> svg_by_graphviz(const std::string& dot_text, const std::string& search_path) {
  const std::string program = executors::find_on_path("dot", search_path);
  if (program.empty())
    return no_picture("Graphviz, which lays the graph out, is not installed",
                      "apt-get install graphviz, or use --format dot or mermaid");
  const TemporaryFolder folder;
  const std::string in = folder.path + "/graph.dot", out = folder.path + "/graph.svg";
  std::ofstream(in, std::ios::binary) << dot_text;
  const executors::Answer answer = executors::ask({program, "-Tsvg", "-o", out, in},
                                                  {{"PATH", "/usr/bin:/bin"}, {"HOME", folder.path}}, patience_ms);
  std::ifstream file(out, std::ios::binary);
  std::string svg{std::istreambuf_iterator<char>(file), {}};
  if (answer.ran && answer.exit == 0 && !svg.empty()) return svg;
  const std::string said = answer.ran ? answer.err.substr(0, answer.err.find('\n')) : answer.why;
  return no_picture(program + " failed (" + said + ")", "use --format dot and lay it out elsewhere");
}

}  // namespace cli
