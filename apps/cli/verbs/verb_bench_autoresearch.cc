// `etude bench autoresearch`: nights of ideas for a tiny language model, each by one profile.
#include <filesystem>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/bench/task_run.h"
#include "apps/cli/terminal/table.h"
#include "apps/cli/verbs/bench_verbs.h"
#include "apps/session/plan/new_folder.h"
#include "base/digest.h"
#include "benchmarks/night_score.h"
#include "benchmarks/night_study.h"
#include "programs/run_program.h"

namespace cli {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int night_format = 1;

struct NightOptions {
  std::string profile, output, text;
  benchmarks::NightTerms terms;
  int nights = 1, jobs = 0;
};

/// What the template has in common with the benchmark, with the person's text if one is given.
kernel::Result<benchmarks::NightFiles> shared_files(const NightOptions& options) {
  auto files = session::template_named("autoresearch");
  if (!files || options.text.empty()) return files;
  for (const char* name : {"train.txt", "val.txt", "test.txt"}) {
    auto text = text_of_file((fs::path(options.text) / name).string());
    if (!text)
      return kernel::Problem{options.text + "/" + name, 0, "--text", "it cannot be read",
                             "give a folder with train.txt, val.txt and test.txt"};
    (*files)[name] = std::move(*text);
  }
  if (auto problem = benchmarks::refuse_night_text(*files, options.text)) return *problem;
  return files;
}

/// The results of other terms are not to be mixed with these.
json terms_json(const NightOptions& options, const benchmarks::NightFiles& files) {
  std::string all;
  for (const auto& [name, text] : files) all += name + "\n" + kernel::sha256_hex(text) + "\n";
  const benchmarks::NightTerms& terms = options.terms;
  return {{"format", night_format},
          {"benchmark", "autoresearch"},
          {"profile", options.profile},
          {"seconds", terms.seconds},
          {"ideas", terms.ideas},
          {"floor", terms.floor},
          {"retest", terms.retest},
          {"confirm", terms.confirm},
          {"wall", terms.wall},
          {"usd", terms.usd ? json(*terms.usd) : json()},
          {"text", options.text.empty() ? json() : json(options.text)},
          {"files", kernel::sha256_hex(all)}};
}

/// A night's result, from an earlier call or now; a problem if it could not go on.
kernel::Result<json> night(const Context& context, const NightOptions& options, const benchmarks::NightFiles& shared,
                           int number) {
  const std::string name = fmt::format("night-{}", number);
  const std::string folder = (fs::path(options.output) / name).string(), file = folder + "/result.json";
  if (const auto text = text_of_file(file)) {
    json known = json::parse(*text, nullptr, false);
    if (known.is_object()) return known;
  }
  if (!fs::exists(folder + "/study"))
    session::write_new_folder(folder + "/study",
                              benchmarks::night_study(options.terms, options.profile, number, shared));
  const BenchStudy run = continue_bench_study(study_calls(context, options.jobs), folder);
  if (run.interrupted || run.document.is_null()) return run.problem(name);
  const std::string id = run.document.at("id");
  const memory::Reader reader(context.home());
  std::vector<json> runs;
  reader.runs(id, [&](std::string_view document) { runs.push_back(json::parse(document)); });
  const bool idle = run.document.at("reason") == "agent" && handed_in(reader, context.home(), id).answered;
  json result = benchmarks::night_result(run.document, runs, idle);
  if (result.at("end") == benchmarks::name(benchmarks::NightEnd::unfinished)) return run.problem(name);
  result["format"] = night_format;
  result["night"] = number;
  write_json(file, result);
  return result;
}

std::string gain_text(const json& value) {
  return value.is_number() ? fmt::format("{:.3f}", value.get<double>()) : "–";
}

std::string gain_interval(const json& of) {
  return of.at("low").is_number() && of.at("high").is_number()
             ? gain_text(of.at("low")) + " to " + gain_text(of.at("high"))
             : "–";
}

std::vector<TableCell> night_row(const std::string& night, const std::string& study, const std::string& kept,
                                 const std::string& confirmed, const json& gain, const json& result) {
  return {night,
          study,
          std::to_string(result.at("tried").get<int>()),
          kept,
          confirmed,
          gain.is_object() ? gain_text(gain.at("mean")) : gain_text(result.at("gain")),
          gain_interval(gain.is_object() ? gain : result),
          result.contains("lines") ? std::to_string(result.at("lines").get<int>()) : "",
          fmt::format("${:.4f}", result.at("usd").get<double>()),
          fmt::format("{:.0f} s", result.at("seconds").get<double>()),
          result.contains("end") ? result.at("end").get<std::string>() : ""};
}

void print_nights(const std::vector<json>& results, const json& totals) {
  using Align = Column::Align;
  Table table({{"night"},
               {"study"},
               {"ideas", Align::right},
               {"kept", Align::right},
               {"confirmed", Align::right},
               {"gain", Align::right},
               {"95 % interval"},
               {"lines", Align::right},
               {"cost", Align::right},
               {"time", Align::right},
               {"end"}});
  for (const json& result : results)
    table.add(night_row(
        std::to_string(result.at("night").get<int>()), result.at("study"), std::to_string(result.at("kept").get<int>()),
        result.at("end") == benchmarks::name(benchmarks::NightEnd::confirmed) ? "yes" : "no", json(), result));
  const json& confirmed = totals.at("confirmed");
  table.add(night_row("all", "", std::to_string(totals.at("kept").get<int>()),
                      fmt::format("{} of {}", confirmed.at("nights").get<int>(), confirmed.at("of").get<int>()),
                      totals.at("gain"), totals));
  fmt::print("{}\n", table.text(standard_screen()));
  fmt::print(
      "gain      bits per character less than the training that the nights began with, on other text and seeds\n");
  fmt::print("confirmed {} of {} nights, {:.1f} % to {:.1f} % (95 %)\n", confirmed.at("nights").get<int>(),
             confirmed.at("of").get<int>(), 100 * confirmed.at("low").get<double>(),
             100 * confirmed.at("high").get<double>());
  for (const json& result : results)
    if (result.at("why").is_string())
      fmt::print("night {}   {}\n", result.at("night").get<int>(), printable(result.at("why").get<std::string>()));
}

/// Without numpy every training would fail, and a night with it.
std::optional<kernel::Problem> without_numpy() {
  const auto asked = programs::run_program(
      {.argv = {"/usr/bin/env", "python3", "-c", "import numpy"}, .environment = programs::own_environment()});
  if (asked && asked->exit == 0) return std::nullopt;
  return kernel::Problem{"", 0, "python3", "it is not in PATH, or has no numpy",
                         "install it (Debian: apt-get install python3-numpy), or put another python3 into PATH"};
}

int autoresearch(const Context& context, NightOptions options) {
  if (options.profile.empty())
    return fail(bad_input, "--agents", "no profile is given", "give a profile of the configuration");
  const auto configured = config_with_profile(context, options.profile);
  if (!configured) return fail(bad_input, configured.problem());
  if (!options.text.empty()) options.text = absolute_path(options.text);
  const auto shared = shared_files(options);
  if (!shared) return fail(bad_input, shared.problem());
  // Nodes of a cluster have programs of their own.
  if (context.asked_executor.empty())
    if (const auto problem = without_numpy()) return fail(environment, *problem);
  options.output = absolute_path(options.output.empty() ? "nights-" + options.profile : options.output);
  if (const auto problem =
          open_bench_folder(options.output, terms_json(options, *shared), "profile, or on other terms"))
    return fail(bad_input, *problem);
  std::vector<json> results;
  std::vector<int> left;
  for (int i = 1; i <= options.nights; ++i) {
    if (!context.json) fmt::print(stderr, "night {} of {}\n", i, options.nights);
    auto result = night(context, options, *shared, i);
    if (result) {
      results.push_back(std::move(*result));
      continue;
    }
    if (result.problem().why == "it was interrupted") return fail(interrupted, result.problem());
    fmt::print(stderr, "etude: {}\n", printable(result.problem().text()));
    left.push_back(i);
  }
  const json totals = benchmarks::night_totals(results);
  if (context.json) {
    print_json({{"profile", options.profile},
                {"output", options.output},
                {"nights", results},
                {"total", totals},
                {"not_finished", left}});
  } else if (!results.empty()) {
    print_nights(results, totals);
    fmt::print("results   {}\n", printable(options.output));
  }
  return left.empty() ? ok : wanting;
}

}  // namespace

void add_bench_autoresearch(CLI::App& bench, Context& context) {
  const auto [verb, options] = add_verb(bench, context, "autoresearch",
                                        "nights of ideas for the training of a tiny language model", autoresearch);
  verb->fallthrough();
  needs_configuration(*verb, context);
  verb->add_option("--agents", options->profile, "the profile that is measured");
  const char* words = "folder of the results; an interrupted benchmark continues there (default: nights-PROFILE)";
  const auto output = verb->add_option("-o,--output", options->output, words);
  verb->add_option("DIR", options->output, words)->excludes(output);
  verb->add_option("--nights", options->nights, "how many nights (default: 1)")->check(CLI::Range(1, 1000));
  verb->add_option("--ideas", options->terms.ideas, "ideas a night (default: 20)")->check(CLI::Range(1, 500));
  verb->add_option("--seconds", options->terms.seconds, "processor time of one training (default: 20)")
      ->check(CLI::Range(0.01, 86'400.0));
  verb->add_option("--floor", options->terms.floor, "runs that measure the noise first (default: 5)")
      ->check(CLI::Range(3, 100));
  verb->add_option("--retest", options->terms.retest, "fresh seeds on which a promising idea runs again (default: 3)")
      ->check(CLI::Range(2, 50));
  verb->add_option("--confirm", options->terms.confirm, "fresh seeds of the confirmation (default: 12)")
      ->check(CLI::Range(2, 1000));
  verb->add_option("--text", options->text, "a folder with your own train.txt, val.txt and test.txt");
  verb->add_option("--wall", options->terms.wall, "the longest time of a night (default: 8h)");
  verb->add_option("--usd", options->terms.usd, "the most that the models may cost in a night")
      ->check(CLI::PositiveNumber);
  verb->add_option("-j,--jobs", options->jobs, "runs at once")->check(CLI::Range(1, 4096));
}

}  // namespace cli
