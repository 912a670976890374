// Imports the history of somebody's search and confirms what it accepted: `confirm`.

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/confirm/confirm_folder.h"
#include "apps/cli/confirm/confirm_setup.h"
#include "apps/cli/terminal/signals.h"
#include "apps/cli/verbs/verbs.h"
#include "apps/cli/work/follow_studies.h"
#include "apps/session/prepare/prepare.h"
#include "apps/session/prepare/read_study.h"
#include "artifacts/words/study_words.h"
#include "artifacts/write/package.h"
#include "base/shell_text.h"
#include "histories/confirm/words.h"
#include "kernel/views/plan.h"
#include "memory/store/reader.h"
#include "programs/run_program.h"
#include "prose/numbers.h"

namespace cli {

namespace {

namespace fs = std::filesystem;
using histories::Told;
using histories::ToldImprovement;

/// The newest study of the home that writes its artifact there; empty if there is none.
std::string study_of(const std::string& home, const std::string& output) {
  std::string id;
  const memory::Reader reader(home);
  if (reader.has_store())
    reader.studies([&](std::string_view document) {
      const auto study = nlohmann::json::parse(document);
      if (study.value("output", nlohmann::json()) == output) id = study.at("id");
    });
  return id;
}

std::string number(double value) {
  return fmt::format("{:.4g}", value == 0 ? 0.0 : value);  // No "-0".
}

std::string gain_text(const Told& told) {
  if (!told.gain) return "";
  if (!told.low && !told.high) return number(*told.gain) + ", no interval";
  const auto end = [](const std::optional<double>& value, const char* none) { return value ? number(*value) : none; };
  return fmt::format("{} [{}, {}]", number(*told.gain), end(told.low, "−∞"), end(told.high, "∞"));
}

/// What a reader must know besides the word.
std::string remark_of(const Told& told) {
  const bool decided = told.low || told.high;
  if (told.word == histories::Word::cannot_be_run || !decided) return told.why;
  if (told.word == histories::Word::no_gain_of_that_size && told.high && *told.high < 0)
    return "worse than its baseline";
  if (told.smaller) return "smaller than recorded";
  if (told.short_of_power) return fmt::format("too few runs for the recorded gain: power {:.0f} %", 100 * *told.power);
  return "";
}

void print_line(const ToldImprovement& one, const Told& told, const Screen& screen) {
  const histories::HistoryEntry& entry = one.improvement->version.entry;
  const std::string remark = remark_of(told);
  std::string line = fmt::format("  {:<4} {:<12} {:<20} {:>10}  {:<32} {}", one.improvement->version.arm,
                                 cut(one_line(entry.id), 12), histories::name_of(told.word), number(told.recorded),
                                 gain_text(told), one_line(remark.empty() ? entry.description : remark));
  while (line.ends_with(' ')) line.pop_back();
  fmt::print("{}\n", screen.width > 0 ? cut(line, screen.width) : line);
}

void print_table(const std::string& title, const std::vector<ToldImprovement>& all,
                 std::optional<Told> ToldImprovement::*which) {
  const Screen screen = standard_screen();
  std::size_t told = 0, holds = 0, ran = 0;
  for (const ToldImprovement& one : all) {
    if (!(one.*which)) continue;
    ++told;
    holds += (one.*which)->word == histories::Word::holds ? 1 : 0;
    ran += (one.*which)->word == histories::Word::cannot_be_run ? 0 : 1;
  }
  if (told == 0) return;
  fmt::print("\n{}: {} of {} hold{}\n  {:<4} {:<12} {:<20} {:>10}  {}\n", title, holds, told,
             ran == told ? "" : fmt::format("; {} could not be run", told - ran), "", "", "", "recorded",
             "gain on fresh seeds");
  for (const ToldImprovement& one : all)
    if (one.*which) print_line(one, *(one.*which), screen);
}

void print_words(const histories::Confirmation& confirmation, const std::vector<ToldImprovement>& all) {
  const histories::Version& baseline = confirmation.claims.baseline;
  print_table(fmt::format("against the baseline {} ({} {})", printable(baseline.entry.id), confirmation.metric,
                          number(*baseline.entry.value)),
              all, &ToldImprovement::baseline);
  print_table("against the improvement before", all, &ToldImprovement::before);
}

void print_import(const histories::Confirmation& confirmation, const std::string& folder,
                  const kernel::StudyPlan& plan) {
  const histories::RecordedClaims& claims = confirmation.claims;
  fmt::print("history    {}: {}: entries {}, accepted {}, improvements {} of {}{}\n",
             histories::name_of(confirmation.history.source), printable(confirmation.history.path),
             confirmation.history.entries.size(), claims.accepted, claims.improvements.size() + claims.cut,
             printable(confirmation.history.metric),
             claims.cut > 0 ? fmt::format(", of which {} are left out", claims.cut) : "");
  fmt::print("study file {}\nruns       {}, {}{}\n", printable(folder + "/study.yaml"),
             prose::counted(plan.family, "hypothesis"),
             plan.total.least == plan.total.most ? "" : fmt::format("{} to ", plan.total.least),
             prose::counted(plan.total.most, "run"));
  std::fflush(stdout);
}

/// Runs or resumes the study of a folder that `confirm` wrote, or reads it if it has ended; tells the words.
int confirm_written(const Context& context, const ConfirmOptions& options, const std::string& folder) {
  const auto confirmation = read_confirm_record(folder);
  if (!confirmation) return fail(bad_input, confirmation.problem());
  const std::string file = folder + "/study.yaml", output = session::default_output(file);
  const std::string id = study_of(context.home(), output);
  std::optional<kernel::Study> study;
  if (!id.empty()) {
    kernel::State state = memory::Reader(context.home()).load(id);
    if (state.study(id)->state == kernel::StudyState::ended) study = *state.study(id);
  }
  if (!study) {
    FollowRequest request;
    if (id.empty()) {
      const auto parsed = session::read_study(context.home(), file);
      if (!parsed) return fail(bad_input, parsed.problem());
      for (const kernel::Problem& warning : parsed->warnings)
        fmt::print(stderr, "warning: {}\n", printable(warning.text()));
      if (const auto replaceable = artifacts::may_replace(output); !replaceable)
        return fail(bad_input, replaceable.problem());
      const kernel::StudyPlan plan = kernel::plan_of(parsed->spec);
      for (const kernel::PlannedHypothesis& h : plan.hypotheses)
        if (h.refused)
          return fail(bad_input, file + ": hypothesis " + h.hypothesis.id.text(), artifacts::without_stop(h.note),
                      "allow more runs with --replicates");
      if (!plan.shortfall.empty()) fmt::print(stderr, "warning: budget: {}\n", plan.shortfall);
      if (!context.json) print_import(*confirmation, folder, plan);
      session::StartRequest& start = request.start.emplace();
      start.spec = parsed->spec;
      start.text = parsed->text;
      start.jobs = options.jobs;
      start.output = output;
      sign(start);
    } else {
      fmt::print(stderr, "note: goes on with {}, which was not finished\n", id);
      request.resume = {id, options.jobs, {}, std::nullopt};
    }
    hold_signals();
    LiveView view(context.json ? LiveView::Style::silent : LiveView::style_for(false));
    session::Notifier notifier = notifier_of(context, view);
    auto ended = follow_studies(context, view, notifier, {std::move(request)});
    release_signals();
    notifier.finish();
    if (!ended) return fail(bad_input, ended.problem());
    if (ended->empty()) return interrupted;
    study = std::move(ended->front());
  }
  const std::vector<ToldImprovement> told = histories::tell(*confirmation, *study);
  if (context.json) {
    nlohmann::json shape = histories::told_json(*confirmation, *study, told);
    shape["folder"] = folder;
    shape["file"] = file;
    print_json(shape);
    return exit_code(*study);
  }
  print_words(*confirmation, told);
  if (study->state != kernel::StudyState::ended)
    fmt::print("\n{} has not ended: `etude resume {}`, then `etude confirm {}`\n", study->id, study->id,
               printable(kernel::shell_word(folder)));
  if (!study->report.empty())
    fmt::print("\nreport     {}\nartifact   {}\n", printable(study->report), printable(study->artifact));
  return exit_code(*study);
}

/// The option with which a later command runs where this one would.
std::string same_executor(const Context& context) {
  return context.asked_executor.empty() ? "" : " --executor " + context.asked_executor;
}

int confirm(const Context& context, const ConfirmOptions& options) {
  const std::string given = absolute_path(options.path);
  if (fs::is_regular_file(confirm_record_in(given))) return confirm_written(context, options, given);
  const std::string folder =
      options.output.empty() ? default_confirm_folder(absolute_path(options.path)) : absolute_path(options.output);
  if (auto problem = confirm_folder_in_the_way(folder)) return fail(bad_input, *problem);
  ConfirmOptions here = options;
  here.here = fs::current_path();
  here.virtual_environment = programs::variable(programs::own_environment(), "VIRTUAL_ENV", "");
  const auto made = confirm_folder(here, folder);
  if (!made) return fail(bad_input, made.problem());
  if (const auto problem = write_confirm_folder(context.home(), *made, folder)) return fail(bad_input, *problem);
  for (const std::string& note : made->notes) fmt::print(stderr, "warning: {}\n", printable(note));
  if (!options.no_run) return confirm_written(context, options, folder);
  const std::string file = folder + "/study.yaml";
  if (context.json)
    print_json({{"folder", folder}, {"file", file}, {"study", nullptr}});
  else
    fmt::print("wrote {}\n\n  etude plan {}\n  etude confirm {}{}\n", printable(file),
               printable(kernel::shell_word(file)), printable(kernel::shell_word(folder)), same_executor(context));
  return ok;
}

}  // namespace

void add_confirm(CLI::App& app, Context& context) {
  const auto [verb, options] =
      add_verb(app, context, "confirm", "re-run the improvements of somebody's search on fresh seeds", confirm);
  verb->add_option("PATH", options->path,
                   "its history: a folder or file of autoresearch, Optuna, W&B, MLflow, trackio, AIDE, OpenEvolve or "
                   "ShinkaEvolve; or a folder that `confirm` wrote")
      ->required();
  verb->add_option(
      "--run", options->run,
      "the command of one run, with {seed}; of parameters with {NAME} for each, of programs with {program}");
  verb->add_option("--in", options->folder, "folder in which the command runs, for parameters and programs");
  verb->add_option("--metric", options->metric, "the metric that was improved (else the history's)");
  verb->add_option("--goal", options->goal, "minimize or maximize (else the history's)")
      ->check(CLI::IsMember({"minimize", "maximize"}));
  verb->add_option("--pattern", options->pattern,
                   "how a run prints the metric, as a pattern with one group (default: its name and a number)");
  verb->add_option("--study", options->study, "the study, experiment or project, if the database has several");
  verb->add_option("--baseline", options->baseline, "the entry to compare with (default: the first)");
  verb->add_option("--top", options->top, "at most this many improvements, those with the greatest recorded gain")
      ->check(CLI::Range(1, 200));
  verb->add_option("--skip", options->skip, "leave this entry out, because it cannot be run; may be repeated");
  verb->add_option("--against", options->against, "baseline, before (the improvement before it), or both (default)")
      ->check(CLI::IsMember({"baseline", "before", "both"}));
  verb->add_option("--replicates", options->replicates,
                   "runs of each version: exactly 12, or as many as the recorded gain needs within 5-30 (default)");
  verb->add_option("--data", options->data, "NAME=PATH: what the runs may read, as {data.NAME}; may be repeated");
  verb->add_option("--resource", options->resources, "of one run, such as gpus=1 or timeout=10m; may be repeated");
  verb->add_option("--budget", options->budget, "of all runs, such as wall=8h or runs=400; may be repeated");
  verb->add_flag("--no-run", options->no_run, "write the study file and start nothing");
  verb->add_option("-j,--jobs", options->jobs, "runs at once (default: as the cores allow)")
      ->check(CLI::Range(1, 4096));
  verb->add_option("-o,--output", options->output, "the new folder (default: NAME-confirm beside the history)");
  add_executor_option(*verb, context);
}

}  // namespace cli
