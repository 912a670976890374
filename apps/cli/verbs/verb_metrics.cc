#include <cstdio>

#include <fmt/format.h>

#include "apps/cli/terminal/json_figures.h"
#include "apps/cli/terminal/table.h"
#include "apps/cli/verbs/verbs.h"
#include "apps/cli/work/lookup.h"
#include "apps/session/home/home.h"
#include "kernel/codec/json_types.h"
#include "kernel/measure/measure.h"
#include "memory/files/blobs.h"

namespace cli {

namespace {

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
  fmt::print("{}", table.text(standard_screen()));
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
    return fail(bad_input, "run " + id, "it has not ended, and metrics are read when it has",
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

void add_metrics(CLI::App& app, Context& context) {
  const auto [verb, id] =
      add_verb(app, context, "metrics",
               "every value that a run reported; withheld (exit 2) until its experiment is analysed", metrics);
  verb->add_option("RUN", *id, "STUDY-rNUMBER")->required();
}

}  // namespace cli
