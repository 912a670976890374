#pragma once
// Which runs of a study a list shows, and in which order: by their number, or by a state, factor or metric. Values that
// are withheld are neither compared nor ordered, so a list does not tell which of them is greater.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/domain/identifiers.h"
#include "memory/log/database.h"

namespace memory {

/// A condition on a metric of a run. Runs without a number for it, or with a withheld one, do not meet it.
struct MetricCondition {
  std::string metric;
  enum class Sign { less, at_most, equal, unequal, at_least, greater } sign = Sign::equal;
  double value = 0;
};

/// What runs are ordered by. `wall`: seconds until the run ended.
enum class RunOrder { number, state, seed, wall, factor, metric };

/// A query for runs of a study, page by page.
struct RunQuery {
  int beyond = 0;  ///< Runs after this number, or before it if descending. 0: from the first or from the last run.
  int before = 0;  ///< Number of runs found that are left out. Precondition: 0 if ordered by number.
  int most = 100;
  RunOrder order = RunOrder::number;
  std::string order_name;  ///< Of the factor or metric.
  bool descending = false;
  std::vector<std::string> states;            ///< Any state if empty.
  kernel::ExperimentId experiment;            ///< All runs if empty, in an experiment or not.
  std::map<std::string, std::string> levels;  ///< Factors at these levels, as texts.
  std::vector<MetricCondition> measured;      ///< The run meets each of them.
  std::vector<int> numbers;                   ///< All runs if empty.
  /// Metrics of registered runs, their repeats and the A/A runs are withheld, except in these experiments. None: no
  /// metric is withheld.
  std::optional<std::set<std::string>> open;
};

/// SQLite allows only so many conditions.
inline constexpr std::size_t most_metric_conditions = 32;

/// Calls the function with the `run` documents of a page. Runs that lack the value by which they are ordered come last,
/// and runs with equal values by ascending number. Precondition: at most `most_metric_conditions`.
void list_runs(Database&, const std::string& study, const RunQuery&,
               const std::function<void(std::string_view document)>&);

/// How many runs the query finds on all pages. Precondition: at most `most_metric_conditions`.
int count_runs(Database&, const std::string& study, const RunQuery&);

/// Precondition: the query is ordered by a metric.
void values_by_cell(Database&, const std::string& study, const RunQuery&,
                    const std::function<void(std::string_view factors, double value)>&);

/// A factor or metric of a query that no run of the study has.
struct UnknownName {
  std::string name;
  bool metric = false;
  std::vector<std::string> known;  ///< Those that runs have, in alphabetical order.
};
/// The first one; none as long as no run has any, since it may come.
std::optional<UnknownName> unknown_name(Database&, const std::string& study, const RunQuery&);

}  // namespace memory
