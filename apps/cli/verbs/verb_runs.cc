// Looks at runs: `runs`, `run-log` and `metrics`.
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "apps/cli/terminal/json_figures.h"
#include "apps/cli/terminal/table.h"
#include "apps/cli/terminal/terminal_text.h"
#include "apps/cli/verbs/verbs.h"
#include "apps/cli/views/study_text.h"
#include "apps/cli/work/lookup.h"
#include "apps/session/control/redact_commands.h"
#include "apps/session/home/home.h"
#include "apps/session/watch/public_view.h"
#include "kernel/codec/json_types.h"
#include "kernel/measure/measure.h"
#include "memory/files/blobs.h"

namespace cli {

namespace {

int runs(const Context& context, const std::string& wanted) {
  const memory::Reader reader(context.home());
  auto study = study_named(reader, wanted);
  if (!study) return fail(bad_input, study.problem());
  name_owners(context.home(), {&*study, 1});
  const session::Withheld withheld(*study);
  std::vector<nlohmann::json> rows;
  reader.runs(text_at(*study, "id"), [&](std::string_view document) {
    nlohmann::json run = withheld.shown(nlohmann::json::parse(document));
    if (context.json)
      print_json_line(run);
    else
      rows.push_back(std::move(run));
  });
  if (context.json) return ok;
  if (rows.empty())
    fmt::print(stderr, "study {} has no runs yet\n", text_at(*study, "id"));
  else
    print_text(run_table(*study, rows, standard_screen()));
  return ok;
}

struct RunLogOptions {
  std::string run, stream = "both";
};

void write(const std::string& bytes) {
  const std::string text = isatty(STDOUT_FILENO) ? printable(bytes) : bytes;
  std::fwrite(text.data(), 1, text.size(), stdout);
}

int run_log(const Context& context, const RunLogOptions& options) {
  const session::HomePaths home{context.home()};
  const memory::Reader reader(home.root);
  const auto named = run_named(reader, options.run);
  if (!named) return fail(bad_input, named.problem());
  if (session::is_log_withheld(named->run))
    return fail(bad_input, "run " + text_at(named->run, "id"),
                "its log is withheld until experiment " + text_at(named->run, "experiment") + " is analysed",
                "`etude show " + text_at(named->study, "id") + "` says how far the study is");
  const kernel::Redactor redact = session::redactor_for(context.config_option);
  const auto printed = [&](const char* other, executors::OutputStream stream) {
    return options.stream == other ? "" : session::printed_by(home, *context.backend, named->run, stream, redact);
  };
  const std::string out = printed("stderr", executors::OutputStream::out),
                    err = printed("stdout", executors::OutputStream::err);
  if (context.json) {
    nlohmann::json shape = {{"run", named->run.at("id")}};
    if (options.stream != "stderr") shape["stdout"] = out;
    if (options.stream != "stdout") shape["stderr"] = err;
    print_json(shape);
    return ok;
  }
  const bool both = !out.empty() && !err.empty();
  const auto merged = both ? session::merged_log(home, *context.backend, named->run, redact) : std::nullopt;
  if (merged && !merged->empty()) {
    write(*merged);
    return ok;
  }
  if (both) fmt::print("==> stdout <==\n");
  write(out);
  if (both) fmt::print("{}==> stderr <==\n", out.back() == '\n' ? "" : "\n");
  write(err);
  if (out.empty() && err.empty())
    fmt::print(stderr, "run {} {}{}\n", text_at(named->run, "id"),
               named->run.at("ended").is_string() ? "printed nothing" : "has printed nothing so far",
               options.stream == "both" ? "" : " on " + options.stream);
  return ok;
}

using Points = std::vector<kernel::MetricPoint>;

nlohmann::json shape(const kernel::MetricPoint& point) {
  return {{"name", point.name},
          {"value", kernel::number_json(point.value)},
          {"step", point.step ? nlohmann::json(*point.step) : nlohmann::json()},
          {"item", point.item.empty() ? nlohmann::json() : nlohmann::json(point.item)},
          {"censored", point.censored}};
}

std::string value_text(const kernel::MetricPoint& point) {
  const nlohmann::json value = kernel::number_json(point.value);
  return (point.censored ? "> " : "") + (value.is_string() ? value.get<std::string>() : value.dump());
}

void print_table(const Points& points) {
  Table table({{"metric"}, {"step", Column::Align::right}, {"item"}, {"value"}});
  for (const kernel::MetricPoint& point : points)
    table.add({point.name, point.step ? std::to_string(*point.step) : "–", point.item.empty() ? "–" : point.item,
               value_text(point)});
  print_text(table.text(standard_screen()));
}

int metrics(const Context& context, const std::string& wanted) {
  const session::HomePaths home{context.home()};
  const memory::Reader reader(home.root);
  const auto named = run_named(reader, wanted);
  if (!named) return fail(bad_input, named.problem());
  const nlohmann::json& run = named->run;
  const std::string id = text_at(run, "id");
  if (run.value("withheld", false))
    return fail(bad_input, "run " + id,
                "its metrics are withheld until experiment " + text_at(run, "experiment") + " is analysed",
                "`etude show " + text_at(named->study, "id") + "` says how far the study is");
  if (!run.at("ended").is_string())
    return fail(bad_input, "run " + id, "it has not ended; metrics are read after its end",
                "wait, or see `etude run-log " + id + "`");
  const Points points = kernel::points_from_jsonl(memory::Blobs(home.blobs()).get(text_at(run.at("blobs"), "metrics")));
  if (context.json)
    for (const kernel::MetricPoint& point : points) print_json_line(shape(point));
  else if (points.empty())
    fmt::print(stderr, "run {} reported no metrics\n", id);
  else
    print_table(points);
  return ok;
}

}  // namespace

void add_runs(CLI::App& app, Context& context) {
  const auto [verb, id] =
      add_verb(app, context, "runs", "every run of a study: smoke, pilot and scratch included", runs);
  verb->add_option("ID", *id, "the study, or the beginning of its id")->required();
}

void add_run_log(CLI::App& app, Context& context) {
  const auto [verb, options] = add_verb(app, context, "run-log", "what a run printed", run_log);
  verb->add_option("RUN", options->run, "STUDY-rNUMBER")->required();
  verb->add_option("--stream", options->stream,
                   "stdout, stderr or both (default), in the order of their lines if it is known")
      ->check(CLI::IsMember({"stdout", "stderr", "both"}));
}

void add_metrics(CLI::App& app, Context& context) {
  const auto [verb, id] =
      add_verb(app, context, "metrics",
               "every value that a run reported; withheld (exit 2) until its experiment is analysed", metrics);
  verb->add_option("RUN", *id, "STUDY-rNUMBER")->required();
}

}  // namespace cli
