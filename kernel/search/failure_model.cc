#include "kernel/search/failure_model.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "stats/basics/distributions.h"

namespace kernel {

namespace {

/// Settings that the process is fitted to: of more, those that were run most.
constexpr std::size_t most_settings = 250;
/// How rare it is by chance that all runs along one factor failed, for these values to be barred.
constexpr double barred_by_chance = 0.05;

}  // namespace

std::optional<FailureModel> FailureModel::learned(const std::vector<bool>& categorical, std::size_t axes,
                                                  std::vector<RunsAt> settings) {
  int failed = 0, usable = 0;
  for (const RunsAt& one : settings) {
    failed += one.failed;
    usable += one.usable;
  }
  if (failed == 0 || usable == 0) return std::nullopt;
  std::vector<const RunsAt*> fitted;
  for (const RunsAt& one : settings) fitted.push_back(&one);
  if (fitted.size() > most_settings) {
    std::ranges::stable_sort(fitted, {}, [](const RunsAt* one) { return -(one->usable + one->failed); });
    fitted.resize(most_settings);
  }
  std::vector<stats::ObservedPoint> points;
  for (const RunsAt* one : fitted) {
    const int runs = one->usable + one->failed;
    const double share = static_cast<double>(one->failed) / runs;
    points.push_back({one->at, runs, share, runs * share * (1 - share)});
  }
  FailureModel model(categorical, std::move(points));
  for (std::size_t axis = 0; axis < axes; ++axis)
    model.bar(settings, axis, categorical[axis], axes, (failed + 0.5) / (failed + usable + 1));
  return model;
}

/// If failures did not depend on the factor, k runs beyond a value would all fail with the probability share^k. With
/// many factors, the process alone learns such a limit from many more failures.
void FailureModel::bar(const std::vector<RunsAt>& settings, std::size_t axis, bool category, std::size_t axes,
                       double share) {
  std::map<double, RunsAt> by_value;
  for (const RunsAt& one : settings) {
    RunsAt& sum = by_value[one.at[axis]];
    sum.usable += one.usable;
    sum.failed += one.failed;
  }
  const double places = static_cast<double>(axes * (category ? by_value.size() : 2));
  const auto is_rare = [&](int failed) { return std::pow(share, failed) * places < barred_by_chance; };
  const auto is_useless = [](const auto& one) { return one.second.usable == 0; };
  if (category) {
    for (const auto& [value, runs] : by_value)
      if (runs.usable == 0 && is_rare(runs.failed)) barred_.push_back({axis, value, value});
    return;
  }
  const auto first = std::ranges::find_if_not(by_value, is_useless);
  const auto last = std::find_if_not(by_value.rbegin(), by_value.rend(), is_useless).base();
  int low = 0, high = 0;
  for (auto one = by_value.begin(); one != first; ++one) low += one->second.failed;
  for (auto one = last; one != by_value.end(); ++one) high += one->second.failed;
  if (first != by_value.begin() && is_rare(low)) barred_.push_back({axis, 0, std::prev(first)->first});
  if (last != by_value.end() && is_rare(high)) barred_.push_back({axis, last->first, 1});
}

double FailureModel::chance(const std::vector<double>& point) const {
  const auto is_barred = [&](const Barred& one) { return point[one.axis] >= one.from && point[one.axis] <= one.to; };
  if (std::ranges::any_of(barred_, is_barred)) return barred_by_chance;
  const stats::Predicted share = share_.at(point);
  return stats::normal_cdf((0.5 - share.mean) / std::max(share.sd, 1e-3));
}

}  // namespace kernel
