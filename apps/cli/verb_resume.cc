#include <fmt/format.h>

#include "apps/cli/cli.h"
#include "apps/cli/run_session.h"
#include "studyfile/quantities.h"

namespace cli {

namespace {

struct ResumeOptions {
  std::string study;
  std::vector<std::string> budget;
  int jobs = 0;
};

kernel::Result<kernel::Budget> parse_budget(const std::vector<std::string>& entries) {
  kernel::Budget budget;
  for (const std::string& entry : entries) {
    const std::size_t equals = entry.find('=');
    const std::string key = entry.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : entry.substr(equals + 1);
    const auto bad = [&](const std::string& why) {
      return kernel::Problem{"", 0, "--budget " + entry, why, "write runs=400 or wall=10m"};
    };
    if (key == "runs") {
      char* end = nullptr;
      const long long runs = std::strtoll(value.c_str(), &end, 10);
      if (value.empty() || *end != '\0' || runs < 1) return bad("is no number of runs");
      budget.runs = runs;
    } else if (key == "wall") {
      const std::optional<double> seconds = studyfile::duration_s(value);
      if (!seconds) return bad("is no duration");
      budget.wall_s = *seconds;
    } else if (key == "usd" || key == "tokens" || key == "gpu_hours") {
      return kernel::Problem{"", 0, "--budget " + key, "is not available yet", ""};
    } else {
      return bad("names no budget");
    }
  }
  return budget;
}

int resume(const Context& context, const ResumeOptions& options) {
  const auto raised = parse_budget(options.budget);
  if (!raised) return fail(bad_input, raised.problem());
  hold_signals();
  LiveView view(LiveView::style_for(context.json));
  auto session = session::Session::open(context.home(), view);
  if (!session) return fail(environment, session.problem());
  const auto ids = (*session)->resume({options.study, options.jobs, *raised});
  if (!ids) return fail(bad_input, ids.problem());
  if (ids->empty()) {
    if (!context.json) fmt::print("nothing to resume\n");
    return ok;
  }
  return run_to_rest(context, **session, view, *ids);
}

}  // namespace

void add_resume(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("resume", "go on with what a crash, a pause or a budget stopped");
  auto options = std::make_shared<ResumeOptions>();
  verb->add_option("ID", options->study, "the study (without: what a crash or an interrupt stopped)");
  verb->add_option("-j,--jobs", options->jobs, "runs at once (default: as before)")->check(CLI::Range(1, 4096));
  verb->add_option("--budget", options->budget, "a budget's new limit, such as runs=400 or wall=10m");
  verb->callback([&context, options] { context.action = [&context, options] { return resume(context, *options); }; });
}

}  // namespace cli
