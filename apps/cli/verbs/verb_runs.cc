
#include <fmt/format.h>

#include "apps/cli/terminal/json_figures.h"
#include "apps/cli/verbs/verbs.h"
#include "apps/cli/views/run_table.h"
#include "apps/cli/work/lookup.h"
#include "apps/session/watch/public_view.h"

namespace cli {

namespace {

int runs(const Context& context, const std::string& wanted) {
  const memory::Reader reader(context.home());
  const auto study = study_named(reader, wanted);
  if (!study) return fail(bad_input, study.problem());
  const session::Withheld withheld(*study);
  std::vector<nlohmann::json> rows;
  reader.runs(text_at(*study, "id"), [&](std::string_view document) {
    nlohmann::json run = withheld.shown(nlohmann::json::parse(document));
    if (context.json)
      print_json_line(run);
    else
      rows.push_back(std::move(run));
  });
  if (context.json) return ok;
  if (rows.empty())
    fmt::print(stderr, "study {} has no runs yet\n", text_at(*study, "id"));
  else
    fmt::print("{}", run_table(*study, rows, standard_screen()));
  return ok;
}

}  // namespace

void add_runs(CLI::App& app, Context& context) {
  const auto [verb, id] =
      add_verb(app, context, "runs", "every run of a study: smoke, pilot and scratch included", runs);
  verb->add_option("ID", *id, "the study, or the beginning of its id")->required();
}

}  // namespace cli
