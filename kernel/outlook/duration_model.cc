#include "kernel/outlook/duration_model.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "kernel/domain/cells.h"

namespace kernel {

namespace {

/// A job cannot be shorter than the clock shows.
constexpr double shortest_s = 0.001;

double log_seconds(const RunTime& run) {
  return std::log(std::max(run.seconds(), shortest_s));
}

}  // namespace

DurationModel::DurationModel(std::span<const RunTime> runs) {
  double joules = 0, counted_s = 0;
  for (const RunTime& run : runs) {
    const double log = log_seconds(run);
    Group& group = stages_[run.stage].groups[run.cell];
    ++group.runs;
    group.seconds += std::max(run.seconds(), shortest_s);
    group.logs += log;
    group.squares += log * log;
    if (!run.joules) continue;
    joules += *run.joules;
    counted_s += std::max(run.seconds(), shortest_s);
  }
  if (counted_s > 0) watts_ = joules / counted_s;
  for (auto& [name, stage] : stages_) fit(stage);

  // How much slower or faster a study was in the cells that it shares with others.
  std::map<std::string, std::pair<double, int>> of_study;
  for (const RunTime& run : runs) {
    const Group& group = stages_[run.stage].groups[run.cell];
    auto& [sum, count] = of_study[run.study];
    sum += log_seconds(run) - group.logs / group.runs;
    ++count;
  }
  if (of_study.size() < 2) return;
  double squares = 0;
  for (const auto& [study, deviation] : of_study) squares += std::pow(deviation.first / deviation.second, 2);
  drift_ = std::sqrt(squares / static_cast<double>(of_study.size() - 1));
}

void DurationModel::fit(Stage& stage) {
  double squares = 0;
  int freedom = 0;
  std::set<std::pair<std::string, std::string>> levels;
  std::set<std::string> factors;
  for (const auto& [cell, group] : stage.groups) {
    squares += std::max(0.0, group.squares - group.logs * group.logs / group.runs);
    freedom += group.runs - 1;
    stage.centre += std::log(group.seconds / group.runs);
    for (const auto& entry : cell) {
      levels.insert(entry);
      factors.insert(entry.first);
    }
  }
  const auto cells = static_cast<double>(stage.groups.size());
  stage.scatter = freedom > 0 ? std::sqrt(squares / freedom) : factor_of_two / 2;
  stage.centre /= cells;

  const auto fitted = [&](const Cell& cell) {
    double log = stage.centre;
    for (const auto& entry : cell) log += stage.effects[entry];
    return log;
  };
  constexpr int rounds = 50;
  for (int round = 0; round < rounds; ++round)
    for (const auto& level : levels) {
      double sum = 0;
      int count = 0;
      for (const auto& [cell, group] : stage.groups) {
        const auto here = cell.find(level.first);
        if (here == cell.end() || here->second != level.second) continue;
        sum += std::log(group.seconds / group.runs) - fitted(cell);
        ++count;
      }
      stage.effects[level] += sum / count;
    }
  squares = 0;
  for (const auto& [cell, group] : stage.groups)
    squares += std::pow(std::log(group.seconds / group.runs) - fitted(cell), 2);
  const double left = cells - 1 - static_cast<double>(levels.size() - factors.size());
  stage.misfit = left >= 1 ? std::sqrt(squares / left) : factor_of_two;
}

std::optional<ExpectedTime> DurationModel::expected(const std::string& name, const Cell& cell) const {
  if (stages_.empty()) return std::nullopt;
  const auto known = stages_.find(name);
  if (known == stages_.end()) {
    // Another stage's time says little more than the order of magnitude.
    const Stage& other = stages_.begin()->second;
    return ExpectedTime{std::exp(other.centre), 2 * factor_of_two, other.scatter, false};
  }
  const Stage& stage = known->second;
  if (const auto group = stage.groups.find(cell); group != stage.groups.end()) {
    const double count = group->second.runs;
    return ExpectedTime{group->second.seconds / count, stage.scatter / std::sqrt(count), stage.scatter, true};
  }
  // Each cell counts as often as it ran: a search runs the baseline in every rung.
  std::vector<const Group*> agreeing;
  double runs = 0, mean = 0, squares = 0;
  for (const auto& [other, group] : stage.groups) {
    if (other.size() <= cell.size() || !matches(other, cell)) continue;
    agreeing.push_back(&group);
    runs += group.runs;
    mean += group.seconds;
  }
  if (!agreeing.empty()) {
    mean /= runs;
    for (const Group* group : agreeing)
      squares += group->runs / runs * std::pow(std::log(group->seconds / group->runs / mean), 2);
    const double between = agreeing.size() > 1 ? std::sqrt(squares) : factor_of_two / 2;
    return ExpectedTime{mean, between / std::sqrt(static_cast<double>(agreeing.size())),
                        std::hypot(between, stage.scatter), true};
  }
  ExpectedTime guess{stage.centre, stage.misfit, stage.scatter, false};
  for (const auto& entry : cell) {
    const auto effect = stage.effects.find(entry);
    if (effect == stage.effects.end())
      guess.error = std::max(guess.error, factor_of_two);
    else
      guess.mean_s += effect->second;
  }
  guess.mean_s = std::exp(guess.mean_s);
  return guess;
}

}  // namespace kernel
