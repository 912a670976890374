#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/terminal/json_figures.h"
#include "apps/cli/terminal/signals.h"
#include "apps/cli/verbs/verbs.h"
#include "apps/cli/work/job_on_terminal.h"
#include "apps/cli/work/lookup.h"
#include "apps/session/prepare/read_study.h"
#include "apps/session/try/try_job.h"
#include "executors/backend/backend.h"
#include "kernel/codec/json_types.h"
#include "memory/store/reader.h"
#include "programs/run_program.h"

namespace cli {

namespace {

struct TryOptions {
  std::string study, run;
  std::vector<std::string> set;
};

std::string energy_line(const kernel::Usage& usage) {
  if (!usage.energy) return "energy not counted (`etude doctor` says why)";
  return fmt::format("energy {:.6g} J, with other processes on {}", usage.energy->joules(), usage.energy->source);
}

/// Metrics that the study could read from what the program printed.
std::string proposed_metrics(const session::Tried& tried) {
  if (tried.proposed.empty()) return "";
  std::string text = fmt::format("  proposed, from what it printed{}: metrics:\n",
                                 tried.proposed_from_err ? " to stderr (end the command with `2>&1`)" : "");
  for (const session::PrintedNumber& number : tried.proposed)
    text += fmt::format("    {}   # read here: {}\n", printable(number.line), printable(number.value));
  return text;
}

/// What was not shown while it ran.
void print_rest_of_log(const session::TryJob& job, const session::Tried& tried) {
  if (!tried.is_open(job)) return;
  if (job.withheld) {
    fmt::print("{}", printable(tried.measured.out));
    fmt::print(stderr, "{}", printable(tried.measured.err));
  }
  fmt::print("{}", printable(tried.measured.evaluator_out));
  fmt::print(stderr, "{}", printable(tried.measured.evaluator_err));
}

void print_tried(const session::TryJob& job, const session::Tried& tried) {
  const kernel::StudySpec& spec = job.spec;
  const kernel::JobOutcome& outcome = tried.outcome;
  const kernel::Measurement& found = tried.measured.measured.measurement;
  print_rest_of_log(job, tried);
  fmt::print("\n{}\n", tried.good ? "the run succeeded" : "the run did not succeed: " + printable(tried.reason));
  if (job.withheld) fmt::print("  values are withheld until experiment {} is analysed\n", job.run.experiment);
  for (const auto& [name, value] : job.withheld ? decltype(found.values)() : found.values)
    fmt::print("  {} = {}\n", name, with_unit(figure(kernel::number_json(value.value)), spec.metric(name)->unit));
  if (found.malformed > 0) fmt::print("  {} malformed metric lines\n", found.malformed);
  for (const std::string& metric : found.ignored)
    fmt::print("  ignored: {} as written by the job; only the evaluator writes this metric\n", printable(metric));
  if (spec.evaluator.test && job.run.tier == kernel::Tier::none)
    fmt::print("  not evaluated: test data are for registered runs\n");
  fmt::print("  time {:.2f} s (cpu {:.2f} s), memory {}{}\n", outcome.usage.wall_s, outcome.usage.cpu_s,
             bytes(outcome.usage.rss_peak_bytes), outcome.sandboxed ? "" : ", no sandbox");
  fmt::print("  {}\n", energy_line(outcome.usage));
  // A failed run may have used less than a complete one, so nothing is proposed.
  if (tried.good) fmt::print("  proposed: {}\n", session::proposed_resources(outcome));
  fmt::print("{}", proposed_metrics(tried));
  fmt::print("{}", left_out_text(job.workspace.ignored));
}

/// Returns the exit code.
int run_it(const Context& context, const session::TryPlace& place, kernel::Result<session::TryJob> made) {
  if (!made) return fail(bad_input, made.problem());
  session::TryJob& job = *made;
  for (const kernel::Problem& warning : job.warnings) fmt::print(stderr, "warning: {}\n", printable(warning.text()));
  hold_signals();
  // The log of a run that succeeds now would show the values that are withheld.
  const auto tried = session::try_job(place, job, [&](const kernel::JobSpec& one) {
    return run_job(*context.backend, one, !context.json && !job.withheld);
  });
  if (!tried) {
    fmt::print(stderr, "interrupted: the job was cancelled\n");
    return interrupted;
  }
  if (!tried->kept)
    fmt::print(stderr, "warning: {}: it cannot be written: `etude plan` cannot use the time of this run\n",
               printable(place.home.tried_runs()));
  if (context.json)
    print_json(session::try_shape(job, *tried, kernel::Redactor()));
  else
    print_tried(job, *tried);
  return tried->good ? ok : wanting;
}

/// None if an entry is no k=v; then the problem.
kernel::Result<session::Setting> setting_of(const std::vector<std::string>& set) {
  session::Setting setting;
  for (const std::string& entry : set) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos)
      return kernel::Problem{"", 0, "--set " + entry, "it names no level", "write it as FACTOR=LEVEL"};
    setting.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return setting;
}

int try_setting(const Context& context, const session::TryPlace& place, const TryOptions& options) {
  const auto setting = setting_of(options.set);
  if (!setting) return fail(bad_input, setting.problem());
  auto parsed = session::read_study(context.home(), options.study, studyfile::Use::one_run);
  if (!parsed) return fail(bad_input, parsed.problem());
  return run_it(context, place, session::try_of_setting(place, std::move(*parsed), *setting, "--set "));
}

/// A recorded run once more, as it was.
int try_recorded(const Context& context, const session::TryPlace& place, const std::string& wanted) {
  const memory::Reader reader(context.home());
  const auto named = run_named(reader, wanted);
  if (!named) return fail(bad_input, named.problem());
  if (session::would_show_withheld(named->run))
    return fail(bad_input, "run " + named->run.at("id").get<std::string>(),
                "its values are withheld until its experiment is analysed",
                "try a failed run, or a setting: `etude try STUDY.yaml --set k=v`");
  return run_it(context, place, session::try_of_run(place, reader, named->run));
}

int try_one(const Context& context, const TryOptions& options) {
  if (options.run.empty() == options.study.empty())
    return fail(bad_input, "etude try", "it takes a study file, or a run",
                "give STUDY.yaml, or --run s1-r5 for a recorded run");
  if (!options.run.empty() && !options.set.empty())
    return fail(bad_input, "--set and --run", "a recorded run has its setting", "give one of both");
  const session::HomePaths home{context.home()};
  const executors::Variables own = programs::own_environment();
  const session::TryPlace place{home, *context.backend, own};
  return options.run.empty() ? try_setting(context, place, options) : try_recorded(context, place, options.run);
}

}  // namespace

void add_try(CLI::App& app, Context& context) {
  const auto [verb, options] =
      add_verb(app, context, "try", "one scratch run: live log, metrics found, measured time and memory", try_one);
  verb->add_option("STUDY", options->study, "the study file");
  verb->add_option("--run", options->run, "run a recorded run again, with the same code, setting and seed")
      ->type_name("RUN");
  verb->add_option("--set", options->set, "a factor's level, as k=v; may be repeated")->expected(1)->take_all();
  add_executor_option(*verb, context);
}

}  // namespace cli
