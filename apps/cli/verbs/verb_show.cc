
#include <fmt/format.h>

#include "apps/cli/verbs/verbs.h"
#include "apps/cli/views/study_text.h"
#include "apps/cli/work/lookup.h"
#include "apps/session/home/home.h"

namespace cli {

namespace {

int show(const Context& context, const std::string& wanted) {
  const memory::Reader reader(context.home());
  auto study = study_named(reader, wanted);
  if (!study) return fail(bad_input, study.problem());
  name_owner(*study, session::owner_of(session::HomePaths{context.home()}));
  if (context.json)
    print_json(*study);
  else
    fmt::print("{}", study_text(*study, standard_screen()));
  return ok;
}

}  // namespace

void add_show(CLI::App& app, Context& context) {
  const auto [verb, id] =
      add_verb(app, context, "show", "one study: verdicts, effects, ledger, where its results lie", show);
  verb->add_option("ID", *id, "the study, or the beginning of its id")->required();
}

}  // namespace cli
