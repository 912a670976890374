#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/draft/printed_numbers.h"
#include "apps/cli/terminal/json_figures.h"
#include "apps/cli/terminal/signals.h"
#include "apps/cli/verbs/verbs.h"
#include "apps/cli/work/lookup.h"
#include "apps/cli/work/one_job.h"
#include "apps/session/collect/measured_run.h"
#include "apps/session/control/offline.h"
#include "apps/session/home/home.h"
#include "apps/session/home/tried_runs.h"
#include "apps/session/plan/planned_study.h"
#include "apps/session/prepare/prepare.h"
#include "apps/session/prepare/read_study.h"
#include "base/digest.h"
#include "executors/backend/backend.h"
#include "kernel/codec/json_types.h"
#include "kernel/design/design.h"
#include "kernel/domain/cells.h"
#include "kernel/domain/enum_names.h"
#include "kernel/evidence/prior_results.h"
#include "kernel/runs/job.h"
#include "kernel/runs/memory_failure.h"
#include "kernel/runs/run_outcome.h"
#include "kernel/study/evaluator_rules.h"
#include "kernel/views/json_parts.h"
#include "kernel/views/shapes.h"
#include "kernel/wording/wording.h"
#include "memory/store/reader.h"
#include "memory/workspace/snapshot.h"
#include "programs/run_program.h"
#include "studyfile/load.h"
#include "studyfile/yaml/scalars.h"

namespace cli {

namespace {

struct TryOptions {
  std::string study, run;
  std::vector<std::string> set;
};

/// The value as written, if it is in the range; it then becomes a level.
std::string range_level(kernel::StudySpec& spec, const std::string& name, const std::string& text) {
  for (kernel::Factor& factor : spec.factors) {
    if (factor.name != name || !factor.range) continue;
    const auto number = studyfile::as_number(text);
    if (!number || *number < factor.range->low || *number > factor.range->high) return text;
    kernel::add_range_level(factor, fmt::format("{}", *number));
    return fmt::format("{}", *number);
  }
  return text;
}

/// The reference cell with the changes of `--set`; a factor takes any of its levels, or a value of its range.
kernel::Result<kernel::Cell> chosen_cell(kernel::StudySpec& spec, const std::vector<std::string>& set) {
  kernel::Cell cell = kernel::reference_cell(spec);
  for (const std::string& entry : set) {
    const std::size_t equals = entry.find('=');
    const std::string name = entry.substr(0, equals);
    const kernel::Factor* factor = spec.factor(name);
    if (equals == std::string::npos || !factor) {
      std::string factors;
      for (const kernel::Factor& f : spec.factors) factors += (factors.empty() ? "" : ", ") + f.name;
      return kernel::Problem{"", 0, "--set " + entry, "is not a factor", "the factors are " + factors};
    }
    const std::string level = range_level(spec, name, entry.substr(equals + 1));
    if (!factor->level(level)) {
      std::string levels;
      for (const kernel::Level& l : factor->levels) levels += (levels.empty() ? "" : ", ") + l.name;
      if (factor->range)
        return kernel::Problem{"", 0, "--set " + entry, "lies outside the range of " + name,
                               fmt::format("give a number from {} to {}", factor->range->low, factor->range->high)};
      return kernel::Problem{"", 0, "--set " + entry, "is not a level of " + name, "the levels are " + levels};
    }
    cell[name] = level;
  }
  return cell;
}

/// Twice the measured memory and four times the measured time, rounded.
std::string proposed_resources(const kernel::JobOutcome& outcome) {
  const auto mebibytes = static_cast<double>(outcome.usage.rss_peak_bytes) / (1 << 20);
  int memory = 64;
  while (memory < 2 * mebibytes) memory *= 2;
  int seconds = 10;
  for (const int step : {30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400})
    if (seconds < 4 * outcome.usage.wall_s) seconds = step;
  return fmt::format("resources: {{cpus: {}, memory: {}M, timeout: {}s}}",
                     std::max(1, static_cast<int>(outcome.usage.cpu_s / std::max(outcome.usage.wall_s, 0.001) + 0.5)),
                     memory, seconds);
}

std::string energy_line(const kernel::Usage& usage) {
  if (!usage.energy) return "energy not counted (`etude doctor` says why)";
  return fmt::format("energy {:.6g} J, with other processes on {}", usage.energy->joules(), usage.energy->source);
}

/// What the program printed and the study could read, where a complete run had no value of the primary metric.
std::string proposed_metrics(const session::MeasuredRun& measured) {
  std::vector<PrintedNumber> numbers = printed_numbers(measured.out);
  const bool logged = numbers.empty();
  if (logged) numbers = printed_numbers(measured.err);
  if (numbers.empty()) return "";
  std::string text = fmt::format("  proposed, from what it printed{}: metrics:\n",
                                 logged ? " to stderr (end the command with `2>&1`)" : "");
  for (const PrintedNumber& number : numbers)
    text += fmt::format("    {}   # read here: {}\n", printable(number.line), printable(number.value));
  return text;
}

/// One job outside of every study, and what it belongs to.
struct Attempt {
  kernel::StudySpec spec;
  kernel::Cell cell;
  kernel::Run run;
  kernel::JobSpec job;
  kernel::WorkspaceRecord workspace;
  std::vector<kernel::SealedData> sealed;
  bool recorded = false;  ///< It repeats a run of a study.
  bool withheld = false;  ///< The values that it measures are not shown.
};

/// Returns the exit code.
int run_attempt(const Context& context, const session::HomePaths& home, Attempt attempt) {
  const kernel::StudySpec& spec = attempt.spec;
  const kernel::Run& run = attempt.run;
  kernel::JobSpec& job = attempt.job;
  hold_signals();
  const kernel::ScratchFolder scratch = scratch_in(home.tries());
  job.folder = scratch.path() + "/" + session::tried_run;
  job.checkpoint.clear();
  // The log of a run that succeeds now would show the values that are withheld.
  const auto ended = run_job(*context.backend, job, !context.json && !attempt.withheld);
  if (!ended) {
    fmt::print(stderr, "interrupted: the job was cancelled\n");
    return interrupted;
  }
  const kernel::JobOutcome& outcome = *ended;

  memory::EvaluatorDataWatch seals;
  const session::MeasuredRun measured = session::measure_run(spec, {attempt.workspace.protect, attempt.sealed, seals},
                                                             context.backend->harvest(job.folder), outcome);
  const kernel::Measurement& found = measured.measured.measurement;
  const bool good = outcome.end == kernel::JobEnd::exited && outcome.exit == 0 && !found.verdict;
  if (!context.json && attempt.withheld && !good) {
    fmt::print("{}", printable(measured.out));
    fmt::print(stderr, "{}", printable(measured.err));
  }
  if (!context.json && !(attempt.withheld && good)) {
    fmt::print("{}", printable(measured.evaluator_out));
    fmt::print(stderr, "{}", printable(measured.evaluator_err));
  }
  kernel::Reason why = kernel::with_memory_failure(outcome, measured.err, spec.resources.gpus > 0).reason;
  if (why.empty() && outcome.exit != 0) why = {kernel::ReasonCode::exit_status, {{"status", outcome.exit}}};
  if (why.empty()) why = found.reason;
  const std::string& err = measured.evaluator_err.empty() ? measured.err : measured.evaluator_err;
  if (!good) why = kernel::with_left_out_file(why, attempt.workspace.ignored, kernel::last_lines(err));
  const std::string reason = newest_words(why);
  if (good && !attempt.recorded) {
    session::TriedRun tried;
    tried.commands = kernel::command_key(spec);
    tried.workspace = attempt.workspace.hash.text();
    tried.time.cell = kernel::shown_cell(kernel::cell_shape(spec, attempt.cell));
    tried.time.started_ms = outcome.started_ms;
    tried.time.ended_ms = outcome.ended_ms;
    tried.time.gpus = spec.resources.gpus;
    if (outcome.usage.energy) tried.time.joules = outcome.usage.energy->joules();
    if (!session::record_try(home, tried))
      fmt::print(stderr, "warning: {}: it cannot be written: `etude plan` cannot use the time of this run\n",
                 printable(home.tried_runs()));
  }

  if (context.json) {
    nlohmann::json metrics = nlohmann::json::object();
    for (const auto& [name, value] : found.values)
      metrics[name] = attempt.withheld ? nlohmann::json() : kernel::number_json(value.value);
    print_json({{"ok", good},
                {"reason", reason.empty() ? nlohmann::json() : nlohmann::json(reason)},
                {"factors", attempt.cell},
                {"seed", run.seed},
                {"exit", outcome.exit},
                {"withheld", attempt.withheld},
                {"metrics", metrics},
                {"points", found.points},
                {"malformed_metrics", found.malformed},
                {"ignored_metrics", found.ignored},
                {"tier", run.tier == kernel::Tier::none ? nlohmann::json() : nlohmann::json(kernel::name(run.tier))},
                {"usage", kernel::usage_shape(outcome.usage)},
                {"sandboxed", outcome.sandboxed},
                {"left_out", session::left_out_shape(attempt.workspace.ignored)},
                {"resources", good ? nlohmann::json(proposed_resources(outcome)) : nlohmann::json()}});
    return good ? ok : wanting;
  }
  fmt::print("\n{}\n", good ? "the run succeeded" : "the run did not succeed: " + printable(reason));
  if (attempt.withheld) fmt::print("  values are withheld until experiment {} is analysed\n", run.experiment);
  for (const auto& [name, value] : attempt.withheld ? decltype(found.values)() : found.values)
    fmt::print("  {} = {}\n", name, with_unit(figure(kernel::number_json(value.value)), spec.metric(name)->unit));
  if (found.malformed > 0) fmt::print("  {} malformed metric lines\n", found.malformed);
  for (const std::string& metric : found.ignored)
    fmt::print("  ignored: {} as written by the job; only the evaluator writes this metric\n", printable(metric));
  if (spec.evaluator.test && run.tier == kernel::Tier::none)
    fmt::print("  not evaluated: test data are for registered runs\n");
  fmt::print("  time {:.2f} s (cpu {:.2f} s), memory {}{}\n", outcome.usage.wall_s, outcome.usage.cpu_s,
             bytes(outcome.usage.rss_peak_bytes), outcome.sandboxed ? "" : ", no sandbox");
  fmt::print("  {}\n", energy_line(outcome.usage));
  // A failed run may have used less than a complete one, so nothing is proposed.
  if (good) fmt::print("  proposed: {}\n", proposed_resources(outcome));
  const bool complete = outcome.end == kernel::JobEnd::exited && outcome.exit == 0;
  if (complete && !attempt.recorded && !found.values.contains(spec.primary().name))
    fmt::print("{}", proposed_metrics(measured));
  fmt::print("{}", left_out_text(attempt.workspace.ignored));
  return good ? ok : wanting;
}

int try_setting(const Context& context, const TryOptions& options) {
  auto parsed = session::read_study(context.home(), options.study, studyfile::Use::one_run);
  if (!parsed) return fail(bad_input, parsed.problem());
  kernel::StudySpec& spec = parsed->spec;
  const auto cell = chosen_cell(spec, options.set);
  if (!cell) return fail(bad_input, cell.problem());
  for (const kernel::Problem& warning : parsed->warnings)
    fmt::print(stderr, "warning: {}\n", printable(warning.text()));
  if (spec.setup)
    fmt::print(stderr, "warning: {}: environment.setup: `etude try` does not run it, so what it installs is missing\n",
               printable(options.study));
  const session::HomePaths home{context.home()};
  const session::HomeGuest guest = session::HomeGuest::enter(home);
  if (const auto problem = context.backend->open_for(home.root)) return fail(environment, *problem);
  memory::Blobs blobs(home.blobs());
  const auto prepared = session::prepare(home, *context.backend, blobs, spec, programs::own_environment(), false);
  if (!prepared) return fail(bad_input, prepared.problem());
  if (const auto weaker = session::weaker_walls(*context.backend, spec, programs::own_environment()))
    fmt::print(stderr, "warning: {}\n", printable(weaker->text()));

  kernel::Study study;
  study.id = "try";
  study.spec = spec;
  kernel::StudySpec fixed = spec;
  fixed.seeds = kernel::SeedRule::fixed;
  study.workspace = study.scoring = prepared->workspace;
  study.environment = prepared->environment;
  study.data = prepared->data;
  study.sealed = prepared->sealed;
  study.cells = {*cell};
  kernel::Run run;
  run.number = 1;
  run.purpose = kernel::Purpose::scratch;
  run.tier = kernel::tier_of(spec, run.purpose);
  run.seed = kernel::FreshSeeds(study, kernel::draw_for(fixed, {}, "try"), "try").next();
  run.token = kernel::LaunchToken(kernel::random_token(16));
  kernel::JobSpec job = kernel::job_of(study, run, home.places());
  return run_attempt(context, home,
                     {std::move(spec), *cell, run, std::move(job), prepared->workspace, prepared->sealed});
}

/// A recorded run once more, as it was: its code, setting, seed and environment.
int try_recorded(const Context& context, const std::string& wanted) {
  const memory::Reader reader(context.home());
  const auto named = run_named(reader, wanted);
  if (!named) return fail(bad_input, named.problem());
  const std::string id = named->run.at("id");
  const bool withheld = named->run.at("withheld") == true;
  const std::string ended = named->run.at("state");
  if (withheld && ended != "failed" && ended != "timed_out" && ended != "lost")
    return fail(bad_input, "run " + id, "its values are withheld until its experiment is analysed",
                "try a failed run, or a setting: `etude try STUDY.yaml --set k=v`");
  const kernel::State state = reader.load(kernel::run_study(id));
  const kernel::Study& study = *state.study(kernel::run_study(id));
  const session::HomePaths home{context.home()};
  if (const std::string gone = session::missing_output(study, home); !gone.empty())
    return fail(environment, gone, "what an earlier run of the study left for this one is not there",
                "restore it from where the home was copied");
  const session::HomeGuest guest = session::HomeGuest::enter(home);
  if (const auto problem = context.backend->open_for(home.root)) return fail(environment, *problem);
  Attempt attempt;
  attempt.spec = study.spec;
  attempt.run = *study.run(kernel::run_number(id));
  attempt.run.token = kernel::LaunchToken(kernel::random_token(16));
  attempt.run.lease = {};
  attempt.cell = study.cells[static_cast<std::size_t>(attempt.run.cell)];
  const kernel::ScratchOrder* order = study.order_of(attempt.run);
  attempt.workspace = order ? order->workspace : study.workspace_of(attempt.cell);
  attempt.sealed = study.sealed;
  attempt.recorded = true;
  attempt.withheld = withheld;
  attempt.job = kernel::job_of(study, attempt.run, home.places());
  const memory::Blobs blobs(home.blobs());
  std::set<kernel::WorkspaceHash> needed{attempt.workspace.hash, study.scoring.hash};
  if (study.set_up_from) needed.insert(study.set_up_from->hash);
  for (const kernel::WorkspaceHash& hash : needed) memory::materialise(hash, home.workspace(hash), blobs);
  return run_attempt(context, home, std::move(attempt));
}

int try_one(const Context& context, const TryOptions& options) {
  if (options.run.empty() == options.study.empty())
    return fail(bad_input, "etude try", "it takes a study file, or a run",
                "give STUDY.yaml, or --run s1-r5 for a recorded run");
  if (!options.run.empty() && !options.set.empty())
    return fail(bad_input, "--set and --run", "a recorded run has its setting", "give one of both");
  return options.run.empty() ? try_setting(context, options) : try_recorded(context, options.run);
}

}  // namespace

void add_try(CLI::App& app, Context& context) {
  const auto [verb, options] =
      add_verb(app, context, "try", "one scratch run: live log, metrics found, measured time and memory", try_one);
  verb->add_option("STUDY", options->study, "the study file");
  verb->add_option("--run", options->run, "instead: a recorded run once more, with its code, setting and seed");
  verb->add_option("--set", options->set, "a factor's level, as k=v; may be repeated")->expected(1)->take_all();
  add_executor_option(*verb, context);
}

}  // namespace cli
