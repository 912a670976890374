#include "apps/session/try/try_job.h"

#include <filesystem>
#include <set>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/session/control/offline.h"
#include "apps/session/home/tried_runs.h"
#include "apps/session/plan/planned_study.h"
#include "apps/session/prepare/prepare.h"
#include "apps/session/try/one_job.h"
#include "apps/session/watch/public_view.h"
#include "base/digest.h"
#include "kernel/codec/json_types.h"
#include "kernel/design/design.h"
#include "kernel/domain/cells.h"
#include "kernel/domain/enum_names.h"
#include "kernel/evidence/prior_results.h"
#include "kernel/runs/job.h"
#include "kernel/runs/memory_failure.h"
#include "kernel/runs/run_outcome.h"
#include "kernel/study/continuation.h"
#include "kernel/study/evaluator_rules.h"
#include "kernel/views/json_parts.h"
#include "kernel/views/shapes.h"
#include "kernel/wording/wording.h"
#include "memory/workspace/snapshot.h"
#include "studyfile/yaml/scalars.h"

namespace session {

namespace {

using nlohmann::json;

constexpr std::size_t longest_log = 16 << 10;  // Of each stream, in the document.

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

/// The reference cell with the changes of the setting; a factor takes any of its levels, or a value of its range.
kernel::Result<kernel::Cell> chosen_cell(kernel::StudySpec& spec, const Setting& setting, const std::string& named) {
  kernel::Cell cell = kernel::reference_cell(spec);
  for (const auto& [name, wanted] : setting) {
    const std::string entry = named + name + "=" + wanted;
    const kernel::Factor* factor = spec.factor(name);
    if (!factor) {
      std::string factors;
      for (const kernel::Factor& f : spec.factors) factors += (factors.empty() ? "" : ", ") + f.name;
      return kernel::Problem{"", 0, entry, "is not a factor", "the factors are " + factors};
    }
    const std::string level = range_level(spec, name, wanted);
    if (!factor->level(level)) {
      std::string levels;
      for (const kernel::Level& l : factor->levels) levels += (levels.empty() ? "" : ", ") + l.name;
      if (factor->range)
        return kernel::Problem{"", 0, entry, "lies outside the range of " + name,
                               fmt::format("give a number from {} to {}", factor->range->low, factor->range->high)};
      return kernel::Problem{"", 0, entry, "is not a level of " + name, "the levels are " + levels};
    }
    cell[name] = level;
  }
  return cell;
}

kernel::Reason reason_of(const TryJob& job, const Tried& tried) {
  const kernel::JobOutcome& outcome = tried.outcome;
  const MeasuredRun& measured = tried.measured;
  kernel::Reason why = kernel::with_memory_failure(outcome, measured.err, job.spec.resources.gpus > 0).reason;
  if (why.empty() && outcome.exit != 0) why = {kernel::ReasonCode::exit_status, {{"status", outcome.exit}}};
  if (why.empty()) why = measured.measured.measurement.reason;
  if (tried.good) return why;
  const std::string& err = measured.evaluator_err.empty() ? measured.err : measured.evaluator_err;
  return kernel::with_left_out_file(why, job.workspace.ignored, kernel::last_lines(err));
}

/// Keeps the run's time, by which `etude plan` predicts. Returns false if it cannot be written.
bool keep_time(const HomePaths& home, const TryJob& job, const kernel::JobOutcome& outcome) {
  TriedRun tried;
  tried.commands = kernel::command_key(job.spec);
  tried.workspace = job.workspace.hash.text();
  tried.time.cell = kernel::shown_cell(kernel::cell_shape(job.spec, job.cell));
  tried.time.started_ms = outcome.started_ms;
  tried.time.ended_ms = outcome.ended_ms;
  tried.time.gpus = job.spec.resources.gpus;
  if (outcome.usage.energy) tried.time.joules = outcome.usage.energy->joules();
  return record_try(home, tried);
}

/// What the program printed and the study could read.
void propose_metrics(Tried& tried) {
  tried.proposed = printed_numbers(tried.measured.out);
  tried.proposed_from_err = tried.proposed.empty();
  if (tried.proposed_from_err) tried.proposed = printed_numbers(tried.measured.err);
}

/// The last whole lines.
std::string end_of(std::string text) {
  if (text.size() <= longest_log) return text;
  text.erase(0, text.size() - longest_log);
  const std::size_t line = text.find('\n');
  return line == std::string::npos ? text : text.substr(line + 1);
}

json log_shape(const MeasuredRun& measured, const kernel::Redactor& redactor) {
  return {{"stdout", redactor(end_of(measured.whole_out()))}, {"stderr", redactor(end_of(measured.whole_err()))}};
}

}  // namespace

kernel::Result<TryJob> try_of_setting(const TryPlace& place, studyfile::Parsed parsed, const Setting& setting,
                                      const std::string& named) {
  kernel::StudySpec& spec = parsed.spec;
  const auto cell = chosen_cell(spec, setting, named);
  if (!cell) return cell.problem();
  std::vector<kernel::Problem> warnings = std::move(parsed.warnings);
  if (spec.setup)
    warnings.push_back(
        {spec.file, 0, "environment.setup", "`etude try` does not run it, so what it installs is missing", ""});
  HomeGuest guest = HomeGuest::enter(place.home);
  if (const auto problem = place.backend.open_for(place.home.root)) return *problem;
  memory::Blobs blobs(place.home.blobs());
  const auto prepared = prepare(place.home, place.backend, blobs, spec, place.own, false);
  if (!prepared) return prepared.problem();
  if (const auto weaker = weaker_walls(place.backend, spec, place.own)) warnings.push_back(*weaker);

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
  kernel::JobSpec job = kernel::job_of(study, run, place.home.places());
  return TryJob{std::move(guest), std::move(spec),    *cell, run, std::move(job), prepared->workspace,
                prepared->sealed, std::move(warnings)};
}

bool would_show_withheld(const json& run) {
  const std::string ended = run.at("state");
  return run.at("withheld") == true && ended != "failed" && ended != "timed_out" && ended != "lost";
}

kernel::Result<TryJob> try_of_run(const TryPlace& place, const memory::Reader& reader, const json& shown) {
  const std::string id = shown.at("id");
  const kernel::State state = reader.load(kernel::run_study(id));
  const kernel::Study& study = *state.study(kernel::run_study(id));
  if (const std::string gone = missing_output(study, place.home); !gone.empty())
    return kernel::Problem{"",
                           0,
                           gone,
                           "what an earlier run of the study left for this one is not there",
                           "restore it from where the home was copied",
                           true};
  HomeGuest guest = HomeGuest::enter(place.home);
  if (const auto problem = place.backend.open_for(place.home.root)) return *problem;
  kernel::Run run = *study.run(kernel::run_number(id));
  std::error_code error;
  for (const kernel::KeptOutput* kept : kernel::continued_by(study, run))
    if (const std::string left = place.home.kept() + "/" + kernel::kept_place(*kept);
        !std::filesystem::exists(left, error))
      return kernel::Problem{"",
                             0,
                             left,
                             fmt::format("{} continues {}, whose files are gone", id,
                                         study.run_id(study.latest(*study.run(run.continues)).number)),
                             "`etude gc` deletes it after the study; restore it from where the home was copied",
                             true};
  run.token = kernel::LaunchToken(kernel::random_token(16));
  run.lease = {};
  const kernel::Cell& cell = study.cells[static_cast<std::size_t>(run.cell)];
  const kernel::ScratchOrder* order = study.order_of(run);
  const kernel::WorkspaceRecord& workspace = order ? order->workspace : study.workspace_of(cell);
  const memory::Blobs blobs(place.home.blobs());
  std::set<kernel::WorkspaceHash> needed{workspace.hash, study.scoring.hash};
  if (study.set_up_from) needed.insert(study.set_up_from->hash);
  for (const kernel::WorkspaceHash& hash : needed) memory::materialise(hash, place.home.workspace(hash), blobs);
  TryJob job{std::move(guest), study.spec,  cell, run, kernel::job_of(study, run, place.home.places()),
             workspace,        study.sealed};
  job.recorded = true;
  job.withheld = shown.at("withheld") == true;
  return job;
}

std::optional<Tried> try_job(const TryPlace& place, TryJob& job,
                             const std::function<std::optional<kernel::JobOutcome>(const kernel::JobSpec&)>& run) {
  const kernel::ScratchFolder scratch = scratch_in(place.home.tries());
  job.job.folder = scratch.path() + "/" + tried_run;
  job.job.checkpoint.clear();
  const auto ended = run(job.job);
  if (!ended) return std::nullopt;
  Tried tried;
  tried.outcome = *ended;
  memory::EvaluatorDataWatch seals;
  tried.measured =
      measure_run(job.spec, {job.workspace.protect, job.sealed, seals}, place.backend.harvest(job.job.folder), *ended);
  const kernel::Measurement& found = tried.measured.measured.measurement;
  const bool complete = ended->end == kernel::JobEnd::exited && ended->exit == 0;
  tried.good = complete && !found.verdict;
  tried.reason = job.withheld && tried.broke_guard() ? withheld_reason : newest_words(reason_of(job, tried));
  if (job.recorded) return tried;
  if (tried.good) tried.kept = keep_time(place.home, job, *ended);
  if (complete && !found.values.contains(job.spec.primary().name)) propose_metrics(tried);
  return tried;
}

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

json try_shape(const TryJob& job, const Tried& tried, const kernel::Redactor& redactor) {
  const kernel::Measurement& found = tried.measured.measured.measurement;
  json metrics = json::object(), proposed = json::array(), warnings = json::array();
  for (const auto& [name, value] : found.values)
    metrics[name] = job.withheld ? json() : kernel::number_json(value.value);
  for (const PrintedNumber& one : tried.proposed) proposed.push_back({{"line", one.line}, {"value", one.value}});
  for (const kernel::Problem& warning : job.warnings) warnings.push_back(warning.text());
  return {{"ok", tried.good},
          {"reason", tried.reason.empty() ? json() : json(tried.reason)},
          {"factors", job.cell},
          {"seed", job.run.seed},
          {"exit", tried.outcome.exit},
          {"withheld", job.withheld},
          {"metrics", std::move(metrics)},
          {"points", found.points},
          {"malformed_metrics", found.malformed},
          {"ignored_metrics", found.ignored},
          {"proposed_metrics", std::move(proposed)},
          {"proposed_from", tried.proposed_from_err ? "stderr" : "stdout"},
          {"tier", job.run.tier == kernel::Tier::none ? json() : json(kernel::name(job.run.tier))},
          {"usage", kernel::usage_shape(tried.outcome.usage)},
          {"sandboxed", tried.outcome.sandboxed},
          {"left_out", left_out_shape(job.workspace.ignored)},
          {"resources", tried.good ? json(proposed_resources(tried.outcome)) : json()},
          {"warnings", std::move(warnings)},
          {"log", tried.is_open(job) ? log_shape(tried.measured, redactor) : json()}};
}

}  // namespace session
