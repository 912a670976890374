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
#include "apps/cli/work/send_command.h"
#include "apps/session/control/redact_commands.h"
#include "apps/session/home/home.h"
#include "apps/session/watch/looks.h"
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

/// Before its experiment is analysed, values of a run are shown only if a person asks for them; the study records it.
kernel::Problem withheld_until(const nlohmann::json& run, const char* what) {
  return {"", 0, "run " + text_at(run, "id"),
          std::string(what) + " withheld until experiment " + text_at(run, "experiment") + " is analysed",
          "wait, or add --look: the study records that a person looked"};
}

/// Returns the exit code; prints failures.
int record_look(const Context& context, const nlohmann::json& run, const char* what) {
  const std::string study = text_at(run, "study");
  const kernel::Node look = session::look_at(run, what);
  if (session::is_recorded(memory::Reader(context.home()), study, look)) return ok;
  return tell(context, {study, kernel::person_actor, kernel::RecordNode{look}}, "/studies/" + study + "/remarks",
              {{"type", "note"}, {"text", look.title}, {"runs", look.runs}});
}

struct RunLogOptions {
  std::string run, stream = "both";
  bool look = false;
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
  const session::LogAccess access = session::log_access(named->run);
  if (access == session::LogAccess::withheld && !options.look)
    return fail(bad_input, withheld_until(named->run, "its log is"));
  if (access != session::LogAccess::open)
    if (const int code = record_look(context, named->run, "the log"); code != ok) return code;
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

struct MetricsOptions {
  std::string run;
  bool look = false;
};

int metrics(const Context& context, const MetricsOptions& options) {
  const session::HomePaths home{context.home()};
  const memory::Reader reader(home.root);
  const auto named = run_named(reader, options.run);
  if (!named) return fail(bad_input, named.problem());
  const nlohmann::json& run = named->run;
  const std::string id = text_at(run, "id");
  if (run.value("withheld", false) && !options.look) return fail(bad_input, withheld_until(run, "its metrics are"));
  if (!run.at("ended").is_string())
    return fail(bad_input, "run " + id, "it has not ended; metrics are read after its end",
                "wait, or see `etude run-log " + id + "`");
  if (run.value("withheld", false))
    if (const int code = record_look(context, run, "the values"); code != ok) return code;
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
  verb->add_flag("--look", options->look, "also before its experiment is analysed; the study records the look");
}

void add_metrics(CLI::App& app, Context& context) {
  const auto [verb, options] =
      add_verb(app, context, "metrics",
               "every value that a run reported; withheld (exit 2) until its experiment is analysed", metrics);
  verb->add_option("RUN", options->run, "STUDY-rNUMBER")->required();
  verb->add_flag("--look", options->look, "also before that; the study records the look");
}

}  // namespace cli
