#include "histories/read/found_runs.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "histories/read/readers.h"

namespace histories {

kernel::Result<History> history_of(Source source, const std::string& path, const Asked& asked,
                                   std::vector<FoundRun> runs) {
  History history;
  history.source = source;
  history.form = Form::parameters;
  history.path = path;
  if (runs.empty()) return kernel::Problem{path, 0, "", "it has no runs: nothing was tried", ""};
  std::set<std::string> names;
  for (const FoundRun& run : runs)
    for (const auto& [name, value] : run.metrics)
      if (!name.starts_with('_')) names.insert(name);
  const auto metric = choose_metric(path, asked, {names.begin(), names.end()});
  if (!metric) return metric.problem();
  history.metric = *metric;
  std::ranges::stable_sort(runs, {}, &FoundRun::started);
  std::map<std::string, int> seen;
  for (FoundRun& run : runs) {
    const auto value = run.metrics.find(*metric);
    const bool counts = run.entry.status != Status::crashed && value != run.metrics.end();
    if (counts && std::isfinite(value->second)) run.entry.value = value->second;
    if (const int before = seen[run.entry.id]++; before > 0) run.entry.id += fmt::format(" ({})", before + 1);
    history.entries.push_back(std::move(run.entry));
  }
  return history;
}

std::optional<std::string> word_of(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (value.is_null()) return "None";
  if (value.is_number_float()) return spelled(value.get<double>());
  if (value.is_number()) return value.dump();
  return std::nullopt;
}

}  // namespace histories
