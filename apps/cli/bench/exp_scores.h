#pragma once
// The tables at the end of `bench exp-bench`, from the results of its tasks (OUT/TASK/score.json). One thread.

#include <vector>

#include <nlohmann/json.hpp>

namespace cli {

/// The confidence level of the shares' intervals.
constexpr double score_level = 0.95;

/// Whether files were masked for a task. If not, the solution may have been in sight, so these are scored apart.
enum class Masking { some, none };

/// The sum of a member over results that have it as a number.
double total_of(const std::vector<nlohmann::json>& results, const char* member);

/// The tasks in which the monitor found something.
int breaches(const std::vector<nlohmann::json>& results);

/// One object per measure, over the tasks with this masking.
nlohmann::json measures_json(const std::vector<nlohmann::json>& results, Masking);

/// `agreement`: of the judge with planted answers; null without a judge.
void print_results(const std::vector<nlohmann::json>& results, const nlohmann::json& agreement);

}  // namespace cli
