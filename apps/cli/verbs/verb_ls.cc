#include <cstdio>

#include <fmt/format.h>

#include "apps/cli/verbs/verbs.h"
#include "apps/cli/views/study_text.h"
#include "apps/cli/work/lookup.h"
#include "apps/session/home/home.h"

namespace cli {

namespace {

int ls(const Context& context) {
  const memory::Reader reader(context.home());
  if (!reader.has_store()) {
    // An empty list is right for an unused home, but not for one that lost its store.
    const kernel::Problem problem = no_store(context);
    if (problem.machine) return fail(environment, problem);
    if (context.json)
      print_json(nlohmann::json::array());
    else
      fmt::print(stderr, "etude: {}\n", printable(problem.text()));
    return ok;
  }
  nlohmann::json studies = nlohmann::json::array();
  const auto owner = session::owner_of(session::HomePaths{context.home()});
  reader.studies([&](std::string_view document) {
    studies.push_back(nlohmann::json::parse(document));
    name_owner(studies.back(), owner);
  });
  if (context.json) {
    for (nlohmann::json& study : studies)
      for (const char* list : {"hypotheses", "metrics"}) study.erase(list);
    print_json(studies);
  } else if (studies.empty()) {
    fmt::print(stderr, "no studies in {}; start one with `etude run STUDY.yaml`\n", printable(context.home()));
  } else {
    fmt::print("{}", study_list(studies, standard_screen()));
  }
  return ok;
}

}  // namespace

void add_ls(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("ls", "the studies of this home, oldest first");
  verb->callback([&context] { context.action = [&context] { return ls(context); }; });
}

}  // namespace cli
