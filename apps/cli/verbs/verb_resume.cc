#include <fmt/format.h>

#include "apps/cli/terminal/signals.h"
#include "apps/cli/verbs/verbs.h"
#include "apps/cli/work/budget_option.h"
#include "apps/cli/work/find_id.h"
#include "apps/cli/work/follow_studies.h"
#include "apps/cli/work/lookup.h"
#include "apps/server/protocol/kernel_client.h"
#include "apps/session/control/offline.h"
#include "memory/store/reader.h"

namespace cli {

namespace {

struct ResumeOptions {
  std::string study;
  std::vector<std::string> budget;
  int jobs = 0;
};

/// The studies that the home's owner works on; empty if no owner answers.
std::set<std::string> in_hand(const std::string& home) {
  const auto health = server::KernelClient(home).get("/health");
  return health && health->ok() ? health->body.value("studies", std::set<std::string>()) : std::set<std::string>();
}

int resume(const Context& context, const ResumeOptions& options) {
  session::ResumeRequest request{"", options.jobs, {}};
  for (const std::string& entry : options.budget)
    if (const auto problem = read_budget(entry, request.raised)) return fail(bad_input, *problem);
  std::vector<std::string> ids;
  if (options.study.empty()) {
    ids = session::stopped_studies(context.home(), in_hand(context.home()));
  } else {
    const auto id = find_study(options.study, memory::Reader(context.home()).ids());
    if (!id) return fail(bad_input, id.problem());
    ids = {*id};
  }
  if (ids.empty()) {
    // A kernel that starts removes what others left unfinished, even if there is nothing else to do.
    LiveView silent(LiveView::Style::silent);
    if (memory::Reader(context.home()).has_store())
      if (const auto opened = session::Session::open(context.home(), silent); !opened)
        return fail(environment, opened.problem());
    if (!context.json) fmt::print("nothing to resume\n");
    return ok;
  }
  std::vector<Errand> errands;
  for (const std::string& id : ids) {
    request.study = id;
    errands.push_back({std::nullopt, request, false, ""});
  }
  hold_signals();
  LiveView view(LiveView::style_for(context.json));
  const auto ended = attend(context, view, std::move(errands));
  return ended ? print_endings(context, *ended) : fail(bad_input, ended.problem());
}

}  // namespace

void add_resume(CLI::App& app, Context& context) {
  const auto [verb, options] =
      add_verb(app, context, "resume", "go on with what a crash, a pause or a budget stopped", resume);
  verb->add_option("ID", options->study, "the study (without: what a crash or an interrupt stopped)");
  verb->add_option("-j,--jobs", options->jobs, "runs at once (default: as before)")->check(CLI::Range(1, 4096));
  verb->add_option("--budget", options->budget, "a budget's new limit, such as runs=400 or wall=10m");
}

}  // namespace cli
