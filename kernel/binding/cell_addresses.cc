// Values of cells: `E01.time_ms.quick.mean`, `E01.loss.model=forest,noise="0.05".median`.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernel/binding/addresses.h"
#include "kernel/domain/cells.h"
#include "kernel/evidence/derived_metrics.h"
#include "prose/nearest.h"
#include "prose/numbers.h"
#include "stats/basics/contrast.h"
#include "stats/basics/descriptive.h"

namespace kernel {

namespace {

std::string unquoted(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c != '"') out += c;
  return out;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const std::string near = prose::nearest(word, known);
  return near.empty() ? "" : "did you mean `" + near + "`?";
}

/// Parses `FACTOR=LEVEL`, or a level that only one factor has. Empty if that fails, with the reason in `why`.
std::pair<std::string, std::string> level_of(const StudySpec& spec, const std::string& part, NoValue& why) {
  const std::size_t equals = part.find('=');
  const bool named = equals != std::string::npos && !part.starts_with('"');
  const std::string factor_name = named ? unquoted(part.substr(0, equals)) : "";
  const std::string wanted = unquoted(named ? part.substr(equals + 1) : part);
  std::vector<std::string> known, owners;
  for (const Factor& factor : spec.factors) {
    if (named && factor.name != factor_name) continue;
    if (factor.level(wanted)) owners.push_back(factor.name);
    for (const Level& level : factor.levels)
      known.push_back((named ? factor.name + "=" : "") + spelled_in_address(level.name));
  }
  if (owners.size() == 1) return {owners.front(), wanted};
  if (owners.size() > 1) {
    why = {"is no address: more than one factor has the level `" + wanted + "`",
           fmt::format("write `{}={}`", owners.front(), spelled_in_address(wanted))};
  } else if (named && !spec.factor(factor_name)) {
    std::vector<std::string> factors;
    for (const Factor& factor : spec.factors) factors.push_back(factor.name);
    why = {"is no address: there is no factor `" + factor_name + "`", did_you_mean(factor_name, factors)};
  } else {
    why = {"is no address: there is no level `" + wanted + "`", did_you_mean(part, known)};
  }
  return {};
}

struct Observed {
  std::vector<double> values;
  int failed = 0, unusable = 0;
};

/// The mean of the cells' means with equal weights, as in the tests, and half its 95 % interval. Each cell has its own
/// variance (Welch–Satterthwaite degrees of freedom).
std::pair<std::optional<double>, std::optional<double>> mean_of(const std::vector<Observed>& cells) {
  double sum = 0, variance = 0, pooled = 0;
  bool known = true;
  const double k = static_cast<double>(cells.size());
  for (const Observed& cell : cells) {
    const auto mean = stats::mean(cell.values);
    if (!mean) return {};
    sum += *mean / k;
    const auto moments = stats::moments(cell.values);
    known = known && moments.has_value();
    if (!moments) continue;
    const double n = static_cast<double>(moments->n), part = moments->variance / n / (k * k);
    variance += part;
    pooled += n > 1 ? part * part / (n - 1) : 0;
  }
  if (!known || !(variance > 0) || !(pooled > 0)) return {sum, std::nullopt};
  const stats::Interval interval = stats::interval({sum, std::sqrt(variance), variance * variance / pooled}, 0.95);
  return {sum, prose::half_width(interval.low, sum, interval.high)};
}

}  // namespace

std::string spelled_in_address(const std::string& name) {
  return name.find_first_of("., =\"{}") == std::string::npos ? name : "\"" + name + "\"";
}

AddressValue cell_value(const Study& study, const Experiment& e, const std::vector<std::string>& steps) {
  static const std::vector<std::string> statistics = {"mean", "median", "sd", "min", "max", "n", "failed"};
  const ExperimentId& id = e.registration.experiment;
  const Metric* metric = study.spec.metric(unquoted(steps[0]));
  if (!metric) {
    std::vector<std::string> known;
    for (const Metric& m : study.spec.metrics) known.push_back(m.name);
    const std::string near = prose::nearest(steps[0], known);
    return NoValue{fmt::format("is no address: there is no metric `{}`", steps[0]),
                   near.empty() ? "" : fmt::format("did you mean {{{{{}.{}…}}}}?", id, near)};
  }
  if (steps.size() != 3)
    return NoValue{
        "is no address",
        fmt::format(
            "write {{{{{}.{}.LEVEL,….STATISTIC}}}}, with levels of the cell and one of mean, median, sd, min, max, n",
            id, metric->name)};
  const std::string& statistic = steps[2];
  if (std::ranges::find(statistics, statistic) == statistics.end()) {
    const std::string near = prose::nearest(statistic, statistics);
    return NoValue{fmt::format("is no address: there is no statistic `{}`", statistic),
                   near.empty() ? "there is mean, median, sd, min, max, n, failed" : "did you mean `" + near + "`?"};
  }
  Cell pattern;
  if (steps[1] != "all")
    for (const std::string& part : parts_of(steps[1], ',')) {
      NoValue why;
      const auto [factor, level] = level_of(study.spec, part, why);
      if (factor.empty()) return why;
      if (!pattern.emplace(factor, level).second)
        return NoValue{"is no address: it names `" + factor + "` more than once", ""};
    }
  if (!e.analysed) return NoValue{"is withheld", fmt::format("{} is not analysed yet", id)};

  std::map<int, Observed> found;
  for (const Cell& cell : e.registration.cells)
    if (const auto number = study.cell_numbers.find(cell); matches(cell, pattern) && number != study.cell_numbers.end())
      found[number->second];
  if (found.empty()) return NoValue{fmt::format("has no value: no cell of {} has these levels", id), ""};
  const RunValues measured(study.spec, study);
  for (const Run& run : study.runs) {
    const auto cell = found.find(run.cell);
    if (run.experiment != id || !run.evidence() || cell == found.end()) continue;
    if (!measured.applies(run, *metric)) continue;
    const auto value = measured.of(run, *metric);
    if (measured.failed(run, *metric))
      ++cell->second.failed;
    else if (!value || value->censored || value->worst || !std::isfinite(value->value))
      ++cell->second.unusable;
    else
      cell->second.values.push_back(value->value);
  }
  std::vector<Observed> cells;
  std::vector<double> all;
  int failed = 0, unusable = 0;
  for (auto& [number, cell] : found) {
    all.insert(all.end(), cell.values.begin(), cell.values.end());
    failed += cell.failed;
    unusable += cell.unusable;
    cells.push_back(std::move(cell));
  }
  if (statistic == "n") return std::to_string(all.size());
  if (statistic == "failed") return std::to_string(failed);
  // The usable values alone would give another statistic.
  if (unusable > 0)
    return NoValue{fmt::format("has no value: {} censored or no finite number", prose::counted(unusable, "value")), ""};
  if (all.empty()) return NoValue{"has no value: no run of it succeeded", ""};
  const auto sd = stats::standard_deviation(all);
  const auto with_digits = [&](double value, std::optional<double> half) {
    return prose::with_unit(prose::rounded(value, half), metric->unit);
  };
  const auto [mean, half] = mean_of(cells);
  if (statistic == "mean") {
    if (!mean) return NoValue{"has no value: no run of one of its cells succeeded", ""};
    return with_digits(*mean, half);
  }
  if (statistic == "min") return with_digits(*std::ranges::min_element(all), cells.size() == 1 ? sd : std::nullopt);
  if (statistic == "max") return with_digits(*std::ranges::max_element(all), cells.size() == 1 ? sd : std::nullopt);
  if (cells.size() > 1)
    return NoValue{fmt::format("has no value: it spans {} cells", cells.size()),
                   "name a level of every factor, or take the mean"};
  if (statistic == "median") return with_digits(*stats::median(all), half);
  if (!sd) return NoValue{"has no value: there is one run", ""};
  return with_digits(*sd, *sd / 2);
}

}  // namespace kernel
