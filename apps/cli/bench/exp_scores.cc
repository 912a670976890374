#include "apps/cli/bench/exp_scores.h"

#include <algorithm>

#include <fmt/format.h>

#include "apps/cli/terminal/table.h"
#include "benchmarks/scoring.h"
#include "prose/numbers.h"
#include "stats/basics/contrast.h"
#include "stats/effects/proportions.h"

namespace cli {

namespace {

using nlohmann::json;

/// One line of the table.
struct Measured {
  std::string measure;
  double sum = 0;
  int shared = 0;      ///< Tasks whose share is known.
  stats::Share right;  ///< Of the tasks for which it is known whether all is right.
  int undecided = 0;
};

bool has(Masking masking, const json& result) {
  return (result.at("masked") == 0) == (masking == Masking::none);
}

/// Of the tasks with this masking.
std::vector<Measured> measured_rows(const std::vector<json>& results, Masking masking) {
  std::vector<Measured> rows;
  for (const char* measure : benchmarks::measures) {
    Measured& row = rows.emplace_back();
    row.measure = measure;
    for (const json& result : results) {
      if (!has(masking, result)) continue;
      const json& score = result.at("scores").at(measure);
      if (!score.at("share").is_null()) {
        row.sum += score.at("share").get<double>();
        ++row.shared;
      }
      if (score.at("right").is_null()) {
        ++row.undecided;
        continue;
      }
      ++row.right.n;
      row.right.successes += score.at("right").get<bool>();
    }
  }
  return rows;
}

json row_json(const Measured& row) {
  json out = {
      {"measure", row.measure}, {"right", row.right.successes}, {"of", row.right.n}, {"undecided", row.undecided}};
  out["mean"] = row.shared > 0 ? json(row.sum / row.shared) : json();
  out["low"] = out["high"] = json();
  if (row.right.n > 0) {
    const stats::Interval interval = stats::share_interval(row.right, score_level);
    out["low"] = *interval.low;
    out["high"] = *interval.high;
  }
  return out;
}

std::string percent(const json& share) {
  return share.is_null() ? "–" : fmt::format("{:.1f} %", 100 * share.get<double>());
}

std::string measures_text(const json& rows) {
  using Align = Column::Align;
  Table all({{"measure"},
             {"mean", Align::right},
             {"all right", Align::right},
             {"share", Align::right},
             {"95 % interval"},
             {"undecided", Align::right}});
  for (const json& row : rows) {
    const int right = row.at("right"), of = row.at("of");
    all.add({row.at("measure").get<std::string>(), percent(row.at("mean")), fmt::format("{} of {}", right, of),
             of > 0 ? fmt::format("{:.1f} %", 100.0 * right / of) : "–",
             of > 0 ? percent(row.at("low")) + " to " + percent(row.at("high")) : "–",
             std::to_string(row.at("undecided").get<int>())});
  }
  return all.text(standard_screen());
}

/// One table of measures for the tasks with masked files, and one for the others.
void print_measures(const std::vector<json>& results) {
  const auto unmasked = std::ranges::count_if(results, [](const json& one) { return has(Masking::none, one); });
  if (unmasked < std::ssize(results)) fmt::print("{}\n", measures_text(measures_json(results, Masking::some)));
  if (unmasked == 0) return;
  fmt::print("nothing was masked for {}: the solution may have been in sight\n", prose::counted(unmasked, "task"));
  fmt::print("{}\n", measures_text(measures_json(results, Masking::none)));
}

}  // namespace

double total_of(const std::vector<json>& results, const char* member) {
  double sum = 0;
  for (const json& result : results)
    if (result.at(member).is_number()) sum += result.at(member).get<double>();
  return sum;
}

int breaches(const std::vector<json>& results) {
  return static_cast<int>(
      std::ranges::count_if(results, [](const json& result) { return result.at("monitor").at("breach") == true; }));
}

json measures_json(const std::vector<json>& results, Masking masking) {
  json rows = json::array();
  for (const Measured& row : measured_rows(results, masking)) rows.push_back(row_json(row));
  return rows;
}

void print_results(const std::vector<json>& results, const json& agreement) {
  using Align = Column::Align;
  Table each({{"task"},
              {"study"},
              {"masked", Align::right},
              {"design", Align::right},
              {"setup", Align::right},
              {"implementation", Align::right},
              {"execution", Align::right},
              {"conclusion", Align::right},
              {"All·E", Align::right},
              {"monitor"}});
  for (const json& result : results) {
    std::vector<TableCell> cells = {
        result.at("task").get<std::string>(), result.at("study").get<std::string>(),
        has(Masking::none, result) ? "nothing" : std::to_string(result.at("masked").get<int>())};
    for (const char* measure : {"design", "setup", "implementation", "execution", "conclusion", "All·E"})
      cells.emplace_back(percent(result.at("scores").at(measure).at("share")));
    const json& breach = result.at("monitor").at("breach");
    cells.emplace_back(breach.is_null() ? "undecided" : breach == true ? "breach" : "clean");
    each.add(std::move(cells));
  }
  fmt::print("{}\n", each.text(standard_screen()));
  print_measures(results);
  fmt::print("monitor   {} of {} tasks with a breach, which makes all scores of a task zero\n", breaches(results),
             results.size());
  if (agreement.is_object())
    fmt::print("judge     right on {} of {} planted answers, {} to {}\n", agreement.at("agreed").get<int>(),
               agreement.at("of").get<int>(), percent(agreement.at("low")), percent(agreement.at("high")));
  else
    fmt::print("judge     none: what no rule decides is undecided\n");
  fmt::print("cost      ${:.4f} of agents, ${:.4f} of the judge; {:.0f} s\n", total_of(results, "usd"),
             total_of(results, "judge_usd") +
                 (agreement.is_object() && agreement.at("usd").is_number() ? agreement.at("usd").get<double>() : 0),
             total_of(results, "seconds"));
}

}  // namespace cli
