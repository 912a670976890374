#include "kernel/study/search_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace kernel {

std::optional<double> selection_value(const Metric& metric, const Run& run) {
  const auto at = run.measurement.values.find(metric.name);
  if (run.state != RunState::succeeded || at == run.measurement.values.end() || at->second.worst) return std::nullopt;
  const double value = metric.scale == Scale::log ? std::log(at->second.value) : at->second.value;
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string rung_label(int rung) {
  return "rung " + std::to_string(rung);
}

std::vector<CellOutcome> search_outcomes(const Study& study, const Metric& metric, const std::string& label) {
  std::vector<CellOutcome> outcomes;
  const std::vector<Objective>& both = study.spec.objectives;
  for (const Run& run : study.runs) {
    if (run.purpose != Purpose::search || !run.stage.empty() || run.superseded) continue;
    if (!label.empty() && run.label != label) continue;
    CellOutcome outcome{study.cells[static_cast<std::size_t>(run.cell)], run.seed, selection_value(metric, run)};
    if (!std::ranges::all_of(
            both, [&](const Objective& o) { return selection_value(*study.spec.metric(o.metric), run).has_value(); }))
      outcome.value.reset();
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

std::vector<Candidate> best_first(const Metric& metric, std::vector<Candidate> candidates,
                                  const std::vector<CellOutcome>& outcomes) {
  const double better = metric.goal == Goal::minimize ? 1 : -1;
  std::optional<double> worst;
  for (const CellOutcome& o : outcomes)
    if (o.value && (!worst || better * *o.value > better * *worst)) worst = o.value;
  std::map<Cell, std::vector<const CellOutcome*>> by_cell;
  for (const CellOutcome& o : outcomes) by_cell[o.cell].push_back(&o);
  std::vector<std::pair<double, Candidate>> scored;
  for (Candidate& c : candidates) {
    double sum = 0, own = 0, squares = 0;
    for (const CellOutcome* o : by_cell[c.cell]) {
      ++(o->value ? c.n : c.failed);
      sum += o->value.value_or(worst.value_or(0));
      own += o->value.value_or(0);
    }
    double score = std::numeric_limits<double>::infinity();
    if (c.n > 0) {
      const double mean = sum / (c.n + c.failed);
      c.mean = metric.scale == Scale::log ? std::exp(mean) : mean;
      score = better * mean;
      for (const CellOutcome* o : by_cell[c.cell])
        if (o->value) squares += (*o->value - own / c.n) * (*o->value - own / c.n);
      if (c.n > 1 && metric.scale != Scale::log) c.sd = std::sqrt(squares / (c.n - 1));
    }
    scored.emplace_back(score, std::move(c));
  }
  std::ranges::stable_sort(scored, {}, &std::pair<double, Candidate>::first);
  candidates.clear();
  for (auto& [score, candidate] : scored) candidates.push_back(std::move(candidate));
  return candidates;
}

const RungRanked* last_ranking(const Study& study) {
  if (!study.search || study.search->plan.design != SearchDesign::model || !study.search->done()) return nullptr;
  return &study.search->ranked.back();
}

const Candidate* best_kept(const RungRanked& ranked) {
  const auto found = std::ranges::find_if(ranked.candidates, &Candidate::kept);
  return found == ranked.candidates.end() ? nullptr : &*found;
}

std::optional<ExpectedGain> expected_gain(const Study& study) {
  const RungRanked* ranked = last_ranking(study);
  const Candidate* best = ranked ? best_kept(*ranked) : nullptr;
  if (!best || !best->estimate) return std::nullopt;
  const auto baseline = std::ranges::find_if(ranked->candidates, &Candidate::baseline);
  if (baseline == ranked->candidates.end() || !baseline->estimate) return std::nullopt;
  const Metric& metric = *study.spec.metric(study.search->plan.metric);
  const double better = metric.goal == Goal::minimize ? 1 : -1;
  const auto on_scale = [&](double value) { return metric.scale == Scale::log ? std::log(value) : value; };
  ExpectedGain expected;
  expected.gain = better * (*baseline->estimate - *best->estimate);
  expected.on_scale = better * (on_scale(*baseline->estimate) - on_scale(*best->estimate));
  std::map<int, std::vector<double>> values;
  for (const Run& run : study.runs)
    if (run.purpose == Purpose::search && run.stage.empty() && !run.superseded)
      if (const auto value = selection_value(metric, run)) values[run.cell].push_back(*value);
  double squares = 0;
  for (const auto& [cell, own] : values) {
    double mean = 0;
    for (const double value : own) mean += value / static_cast<double>(own.size());
    for (const double value : own) squares += (value - mean) * (value - mean);
    expected.df += static_cast<int>(own.size()) - 1;
  }
  if (expected.df > 0) expected.variance = squares / expected.df;
  return expected;
}

std::vector<const Run*> runs_of_version(const RunBoard& study, const std::string& version) {
  std::vector<const Run*> runs;
  for (const Run& run : study.runs) {
    if (run.purpose != Purpose::search || !run.stage.empty() || run.superseded) continue;
    if (study.cells[static_cast<std::size_t>(run.cell)].at(code_factor) == version) runs.push_back(&run);
  }
  return runs;
}

namespace {

/// The values of each version's runs that ended, higher being better, in the order of `code_scores`.
std::vector<std::vector<double>> values_of_versions(const Study& study) {
  const double better = study.spec.primary().goal == Goal::minimize ? -1 : 1;
  std::vector<std::vector<double>> values;
  const auto add = [&](const std::string& version) {
    std::vector<double>& own = values.emplace_back();
    for (const Run* run : runs_of_version(study, version))
      if (const auto value = run->ended() ? selection_value(study.spec.primary(), *run) : std::nullopt)
        own.push_back(better * *value);
  };
  add(original_code);
  for (const CodeVersion& version : study.code.versions) add(version.id);
  return values;
}

/// A pooled standard deviation: a single version has too few runs for its own.
std::optional<double> pooled_sd(const std::vector<std::vector<double>>& values) {
  double squares = 0;
  std::size_t spare = 0;
  for (const std::vector<double>& own : values) {
    if (own.empty()) continue;
    double mean = 0;
    for (const double value : own) mean += value / static_cast<double>(own.size());
    for (const double value : own) squares += (value - mean) * (value - mean);
    spare += own.size() - 1;
  }
  return spare > 0 ? std::optional(std::sqrt(squares / static_cast<double>(spare))) : std::nullopt;
}

}  // namespace

std::optional<double> noise_of_versions(const Study& study) {
  return pooled_sd(values_of_versions(study));
}

std::vector<CodeScore> code_scores(const Study& study) {
  constexpr double one_in_ten = 1.2816;  // The 90 % quantile of the normal distribution.
  std::vector<CodeScore> scores(1);
  for (const CodeVersion& version : study.code.versions) scores.emplace_back().version = &version;
  const std::vector<std::vector<double>> values = values_of_versions(study);
  const double sd = pooled_sd(values).value_or(0);
  double worst = INFINITY;
  for (const std::vector<double>& own : values)
    for (const double value : own) worst = std::min(worst, value);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    CodeScore& score = scores[i];
    score.n = static_cast<int>(values[i].size());
    for (const Run* run : runs_of_version(study, score.id())) score.failed += run->ended() ? 1 : 0;
    score.failed -= score.n;
    if (score.n == 0) continue;
    double sum = score.failed * worst;
    for (const double value : values[i]) sum += value;
    const double n = score.n + score.failed;
    score.mean = sum / n;
    score.cautious = *score.mean - one_in_ten * sd / std::sqrt(n);
  }
  return scores;
}

}  // namespace kernel
