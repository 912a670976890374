#include <cstdlib>

#include <fmt/format.h>

#include "apps/cli/terminal/json_figures.h"
#include "apps/cli/terminal/terminal_text.h"
#include "apps/cli/verbs/verbs.h"
#include "apps/cli/views/graph_formats.h"
#include "apps/cli/views/graphviz.h"
#include "apps/cli/work/lookup.h"

namespace cli {

namespace {

struct GraphOptions {
  std::string study, format = "text";
};

int graph(const Context& context, const GraphOptions& options) {
  const memory::Reader reader(context.home());
  const auto study = study_named(reader, options.study);
  if (!study) return fail(bad_input, study.problem());
  const nlohmann::json nodes = nlohmann::json::parse(reader.graph(text_at(*study, "id")));
  if (context.json || options.format == "json") {
    print_json(nodes);
  } else if (options.format == "svg") {
    const char* path = std::getenv("PATH");
    const auto svg = svg_by_graphviz(graph_dot(nodes), path ? path : "/usr/bin:/bin");
    if (!svg) return fail(environment, svg.problem());
    fmt::print("{}", *svg);
  } else {
    fmt::print("{}", options.format == "dot"       ? graph_dot(nodes)
                     : options.format == "mermaid" ? graph_mermaid(nodes)
                                                   : graph_text(nodes, standard_screen().colour));
  }
  return ok;
}

}  // namespace

void add_graph(CLI::App& app, Context& context) {
  const auto [verb, options] =
      add_verb(app, context, "graph", "how the study went: question, decisions, experiments, dead ends", graph);
  verb->add_option("ID", options->study, "the study, or the beginning of its id")->required();
  verb->add_option("--format", options->format, "text (default), dot, svg, mermaid or json")
      ->check(CLI::IsMember({"text", "dot", "svg", "mermaid", "json"}));
}

}  // namespace cli
