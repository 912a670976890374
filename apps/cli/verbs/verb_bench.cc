// `etude bench exp-bench`: a profile on the tasks of EXP-Bench, scored.
#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/cli/bench/bench_folder.h"
#include "apps/cli/bench/exp_scores.h"
#include "apps/cli/bench/judge_model.h"
#include "apps/cli/bench/task_run.h"
#include "apps/cli/verbs/bench_verbs.h"
#include "benchmarks/judging.h"
#include "benchmarks/task_study.h"
#include "programs/run_program.h"
#include "prose/numbers.h"
#include "stats/effects/proportions.h"
#include "studyfile/yaml/scalars.h"

namespace cli {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int score_format = 1;

struct BenchOptions {
  std::string folder, output, judge, wall = "1h";
  std::vector<std::string> tasks;
  std::string profile;
  std::optional<double> usd;
  int planted = 3, jobs = 0;
  bool dry_run = false;
};

/// What a file of tasks became.
struct BenchTasks {
  std::vector<benchmarks::ExpTask> runnable;
  std::vector<benchmarks::RefusedTask> refused;
  std::vector<std::string> unused;  ///< "TASK: NAME: why"
};

std::string source_of(const BenchOptions& options, const benchmarks::ExpTask& task) {
  return (fs::path(options.folder) / task.paper).string();
}

kernel::Result<BenchTasks> read_bench_tasks(const BenchOptions& options) {
  BenchTasks all;
  std::vector<fs::path> files;
  if (fs::is_directory(options.folder))
    for (const auto& entry : fs::directory_iterator(options.folder))
      if (entry.path().extension() == ".json" && entry.is_regular_file()) files.push_back(entry.path());
  if (files.empty())
    return kernel::Problem{options.folder, 0, "", "it is no folder with EXP-Bench's task files (*.json)",
                           "give the folder that holds them"};
  std::ranges::sort(files);
  std::vector<std::string> wanted = options.tasks;
  for (const fs::path& file : files) {
    const auto text = text_of_file(file);
    if (!text) return kernel::Problem{file.string(), 0, "", "it cannot be read", ""};
    auto read = benchmarks::read_exp_tasks(*text, file.string());
    if (!read) return read.problem();
    for (benchmarks::ReadTask& one : *read) {
      const std::string id = std::visit([](const auto& task) { return task.id; }, one);
      auto* refused = std::get_if<benchmarks::RefusedTask>(&one);
      // A refusal may be that of the task's whole file.
      const auto is_meant = [&](const std::string& task) {
        return task == id || (refused && task.starts_with(id + "-"));
      };
      if (!options.tasks.empty() && std::erase_if(wanted, is_meant) == 0) continue;
      if (refused) {
        all.refused.push_back(std::move(*refused));
        continue;
      }
      auto& task = std::get<benchmarks::ExpTask>(one);
      for (const std::string& unused : task.unused) all.unused.push_back(id + ": " + unused);
      if (auto absent = benchmarks::refuse_by_source(task, source_of(options, task)))
        all.refused.push_back(std::move(*absent));
      else
        all.runnable.push_back(std::move(task));
    }
  }
  if (!wanted.empty())
    return kernel::Problem{"", 0, "--task " + wanted.front(), "no file has a task of that name",
                           "see `etude bench exp-bench --dry-run`"};
  return all;
}

json refusals_json(const BenchTasks& tasks) {
  json all = json::array();
  for (const benchmarks::RefusedTask& one : tasks.refused)
    all.push_back({{"task", one.id}, {"refused", benchmarks::name(one.kind)}, {"why", one.why}, {"todo", one.todo}});
  return all;
}

void print_refusals(const BenchTasks& tasks) {
  for (const benchmarks::RefusedTask& one : tasks.refused)
    fmt::print("refused   {}  {}: {}: {}\n", one.id, benchmarks::name(one.kind), printable(one.why),
               printable(one.todo));
  for (const std::string& unused : tasks.unused) fmt::print("unused    {}\n", printable(unused));
}

int dry_run(const Context& context, const BenchTasks& tasks) {
  if (context.json) {
    json studies = json::array();
    for (const benchmarks::ExpTask& task : tasks.runnable)
      studies.push_back({{"task", task.id}, {"masked", task.masked}});
    print_json({{"studies", studies}, {"refused", refusals_json(tasks)}, {"unused", tasks.unused}});
    return ok;
  }
  for (const benchmarks::ExpTask& task : tasks.runnable)
    fmt::print("study     {}  {}\n", task.id,
               task.masked.empty() ? "nothing is masked" : prose::counted(std::ssize(task.masked), "file") + " masked");
  print_refusals(tasks);
  fmt::print("become studies: {}; refused: {}\n", prose::counted(std::ssize(tasks.runnable), "task"),
             tasks.refused.size());
  return ok;
}

json optional_json(const auto& value) {
  return value ? json(*value) : json();
}

json item_json(const benchmarks::ScoredItem& item) {
  return {{"what", item.what}, {"met", optional_json(item.met)}, {"why", item.why}, {"judged", item.judged}};
}

json part_json(const benchmarks::ScoredPart& part) {
  json items = json::array();
  for (const benchmarks::ScoredItem& item : part.items) items.push_back(item_json(item));
  return items;
}

json score_json(const benchmarks::TaskScore& score) {
  json scores = json::object();
  for (const char* measure : benchmarks::measures)
    scores[measure] = {{"share", optional_json(benchmarks::share(score, measure))},
                       {"right", optional_json(benchmarks::right(score, measure))}};
  return {{"scores", scores},
          {"parts",
           {{"design", part_json(score.design)},
            {"setup", part_json(score.setup)},
            {"implementation", part_json(score.implementation)},
            {"execution", part_json(score.execution)},
            {"conclusion", part_json(score.conclusion)}}},
          {"monitor",
           {{"breach", optional_json(score.monitor.breach())},
            {"paper", item_json(score.monitor.paper)},
            {"git", item_json(score.monitor.git)},
            {"faked", item_json(score.monitor.faked)}}}};
}

/// How many of the files with the solution its study was made without.
std::ptrdiff_t masked_in(const fs::path& folder, const benchmarks::ExpTask& task) {
  const auto text = text_of_file(folder / "left_out.json");
  const auto left_out = text ? json::parse(*text).get<std::vector<std::string>>() : std::vector<std::string>();
  return std::ranges::count_if(
      task.masked, [&](const std::string& path) { return std::ranges::find(left_out, path) != left_out.end(); });
}

/// The folder of results: one profile and one judge on one folder of tasks.
class Bench {
 public:
  Bench(const Context& context, const BenchOptions& options, std::optional<Judge> judge)
      : context_(context), options_(options), judge_(std::move(judge)) {}

  /// A problem if the folder holds something else.
  std::optional<kernel::Problem> open() const {
    return open_bench_folder(options_.output,
                             {{"format", score_format},
                              {"benchmark", "exp-bench"},
                              {"profile", options_.profile},
                              {"judge", options_.judge.empty() ? json() : json(options_.judge)}},
                             "profile or judge");
  }

  /// The task's result, from an earlier run of the benchmark or now; a problem if it could not be run or judged.
  kernel::Result<json> result(const benchmarks::ExpTask& task) {
    const fs::path folder = fs::path(options_.output) / task.id, file = folder / "score.json";
    if (const auto text = text_of_file(file)) {
      json result = json::parse(*text);
      result.emplace("masked", masked_in(folder, task));  // Earlier programs did not write it.
      return result;
    }
    if (!fs::exists(folder / "study")) {
      fs::create_directories(folder);
      const auto left_out = benchmarks::write_task_study(task, {options_.profile, options_.wall, options_.usd},
                                                         source_of(options_, task), (folder / "study").string());
      write_json(folder / "left_out.json", left_out);
    }
    const BenchStudy run = continue_bench_study(study_calls(context_, options_.jobs), folder);
    const json& study = run.document;
    if (run.interrupted || study.is_null()) return run.problem(task.id);
    const auto handed = handed_in(memory::Reader(context_.home()), context_.home(), study.at("id").get<std::string>());
    // Agents that spent their budget, or answer without getting on, have done what they can, and are scored by that.
    const json& reason = study.at("reason");
    const bool spent = reason == "budget" || (reason == "agent" && handed.answered);
    if (!run.ended() && !spent) return run.problem(task.id);
    return scored(task, study, handed, file);
  }

  /// How often the judge says of planted answers what is known of them; null without a judge.
  kernel::Result<json> agreement(const std::vector<benchmarks::ExpTask>& tasks) {
    if (!judge_ || options_.planted == 0) return json();
    const fs::path file = fs::path(options_.output) / "planted.json";
    if (const auto text = text_of_file(file)) return json::parse(*text);
    const auto most = std::min(tasks.size(), static_cast<std::size_t>(options_.planted));
    const std::vector<benchmarks::ExpTask> some(tasks.begin(), tasks.begin() + static_cast<std::ptrdiff_t>(most));
    const std::optional<double> before = judge_->spent();
    stats::Share agreed;
    json wrong = json::array();
    for (const benchmarks::PlantedQuestion& planted : benchmarks::planted_questions(some)) {
      const auto judgements = judge_->ask(planted.question);
      if (!judgements) return judgements.problem();
      for (std::size_t i = 0; i < judgements->size(); ++i) {
        ++agreed.n;
        if ((*judgements)[i].met == planted.met)
          ++agreed.successes;
        else
          wrong.push_back({{"part", planted.question.part},
                           {"what", planted.question.items[i]},
                           {"right", planted.met},
                           {"why", (*judgements)[i].why}});
      }
    }
    const stats::Interval interval = stats::share_interval(agreed, score_level);
    json result = {{"agreed", agreed.successes},
                   {"of", agreed.n},
                   {"low", *interval.low},
                   {"high", *interval.high},
                   {"wrong", wrong}};
    result["usd"] = before ? json(*judge_->spent() - *before) : json();
    write_json(file, result);
    return result;
  }

 private:
  kernel::Result<json> scored(const benchmarks::ExpTask& task, const json& study, const benchmarks::HandedIn& handed,
                              const fs::path& file) {
    const std::string id = study.at("id");
    benchmarks::TaskScore score = benchmarks::score_by_rule(task, handed, benchmarks::experiment_stub());
    const std::optional<double> before = judge_ ? judge_->spent() : std::nullopt;
    if (judge_)
      for (const benchmarks::JudgeQuestion& question : benchmarks::judge_questions(handed, score)) {
        const auto judgements = judge_->ask(question);
        if (!judgements)
          return kernel::Problem{"", 0, task.id, judgements.problem().text(), "run the same command again"};
        benchmarks::apply(question, *judgements, score);
      }
    const json& ledger = study.at("ledger");
    json result = score_json(score);
    result["format"] = score_format;
    result["task"] = task.id;
    result["masked"] = masked_in(file.parent_path(), task);
    result["study"] = id;
    result["state"] = study.at("state");
    result["usd"] = ledger.at("usd").at("spent");
    result["judge_usd"] = before ? json(*judge_->spent() - *before) : json();
    result["tokens"] = ledger.at("tokens").at("spent");
    result["seconds"] = ledger.at("wall_s").at("spent");
    write_json(file, result);
    return result;
  }

  const Context& context_;
  const BenchOptions& options_;
  std::optional<Judge> judge_;
};

int exp_bench(const Context& context, BenchOptions options) {
  options.folder = absolute_path(options.folder);
  const auto tasks = read_bench_tasks(options);
  if (!tasks) return fail(bad_input, tasks.problem());
  if (options.dry_run) return dry_run(context, *tasks);
  if (options.profile.empty())
    return fail(bad_input, "--agents", "no profile is given", "give a profile of the configuration");
  const auto configured = config_with_profile(context, options.profile);
  if (!configured) return fail(bad_input, configured.problem());
  std::optional<Judge> judge;
  if (!options.judge.empty()) {
    auto model = Judge::of(*configured, options.judge);
    if (!model) return fail(bad_input, model.problem());
    judge = std::move(*model);
  }
  if (tasks->runnable.empty()) {
    if (!context.json) print_refusals(*tasks);
    return fail(bad_input, options.folder, "none of its tasks can become a study",
                tasks->refused.empty() ? "" : tasks->refused.front().todo);
  }
  options.output = absolute_path(options.output.empty() ? options.folder + "-" + options.profile : options.output);
  Bench bench(context, options, std::move(judge));
  if (const auto problem = bench.open()) return fail(bad_input, *problem);

  std::vector<json> results;
  std::vector<std::string> left;
  for (const benchmarks::ExpTask& task : tasks->runnable) {
    if (!context.json)
      fmt::print(stderr, "{}  {} of {}\n", task.id, results.size() + left.size() + 1, tasks->runnable.size());
    auto result = bench.result(task);
    if (result) {
      results.push_back(std::move(*result));
      continue;
    }
    if (result.problem().why == "it was interrupted") return fail(interrupted, result.problem());
    fmt::print(stderr, "etude: {}\n", printable(result.problem().text()));
    left.push_back(task.id);
  }
  const auto agreement = bench.agreement(tasks->runnable);
  if (!agreement) return fail(environment, agreement.problem());
  if (context.json) {
    print_json({{"profile", options.profile},
                {"output", options.output},
                {"tasks", results},
                {"measures", measures_json(results, Masking::some)},
                {"measures_unmasked", measures_json(results, Masking::none)},
                {"judge", *agreement},
                {"breaches", breaches(results)},
                {"refused", refusals_json(*tasks)},
                {"unused", tasks->unused},
                {"not_scored", left},
                {"usd", total_of(results, "usd")},
                {"seconds", total_of(results, "seconds")}});
  } else {
    print_refusals(*tasks);
    print_results(results, *agreement);
    fmt::print("results   {}\n", printable(options.output));
  }
  return left.empty() ? ok : wanting;
}

}  // namespace

StudyCalls study_calls(const Context& context, int jobs) {
  return {context.home(), context.config_option.empty() ? "" : absolute_path(context.config_option),
          context.asked_executor, jobs};
}

kernel::Result<config::Config> config_with_profile(const Context& context, const std::string& profile) {
  if (!studyfile::is_name(profile) || profile == "builtin")
    return kernel::Problem{"", 0, "--agents", "`" + profile + "` is not a profile with models",
                           "give one of the configuration"};
  auto configured = config::load(context.config_option, programs::own_environment());
  if (configured && !configured->profiles.contains(profile))
    return kernel::Problem{"", 0, "--agents " + profile, "the configuration has no such profile", "see docs/models.md"};
  return configured;
}

void add_bench(CLI::App& app, Context& context) {
  CLI::App* bench = app.add_subcommand("bench", "measure a profile of models on a benchmark");
  bench->require_subcommand(1, 1);
  bench->fallthrough();
  const auto [verb, options] =
      add_verb(*bench, context, "exp-bench", "tasks of EXP-Bench as studies, run by a profile and scored", exp_bench);
  verb->fallthrough();
  needs_configuration(*verb, context);
  verb->add_option("DIR", options->folder,
                   "the task files (*.json), and beside them each paper's code in a folder of its number")
      ->required();
  verb->add_option("--agents", options->profile, "the profile that is measured");
  verb->add_option("--judge", options->judge, "the model that judges what no rule can decide");
  verb->add_option("-o,--output", options->output,
                   "folder of the results; an interrupted benchmark continues there (default: DIR-PROFILE)");
  verb->add_option("--task", options->tasks, "only this task, such as 17388-1; may be repeated");
  verb->add_option("--wall", options->wall, "the longest time of a task (default: 1h)");
  verb->add_option("--usd", options->usd, "the most that the models may cost in a task")->check(CLI::PositiveNumber);
  verb->add_option("--planted", options->planted,
                   "tasks whose right and wrong answers the judge is tried on (default: 3)")
      ->check(CLI::Range(0, 100));
  verb->add_option("-j,--jobs", options->jobs, "runs at once of a task's study")->check(CLI::Range(1, 4096));
  verb->add_flag("--dry-run", options->dry_run, "print what each task becomes, and run nothing");
  add_bench_autoresearch(*bench, context);
}

}  // namespace cli
