#include "kernel/search/keep_or_discard.h"

#include <algorithm>
#include <cmath>

#include "base/assert.h"
#include "kernel/search/search.h"
#include "kernel/search/search_space.h"
#include "kernel/study/search_scores.h"
#include "stats/basics/distributions.h"

namespace kernel {

namespace {

/// The version of a ranking that is compared with its base; null in a ranking that compares none.
const Candidate* compared_in(const RungRanked& ranked) {
  if (!ranked.floor) return nullptr;
  const auto found = std::ranges::find(ranked.candidates, false, &Candidate::baseline);
  return found == ranked.candidates.end() || !found->cell.contains(code_factor) ? nullptr : &*found;
}

std::string version_in(const RungRanked& ranked) {
  const Candidate* compared = compared_in(ranked);
  return compared ? compared->cell.at(code_factor) : "";
}

bool keeps(const RungRanked& ranked) {
  const Candidate* compared = compared_in(ranked);
  return compared && compared->kept;
}

/// Higher is better. None if the run failed.
std::optional<double> score_of(const Study& study, const Run& run) {
  const Metric& metric = *study.spec.metric(study.search->plan.metric);
  const auto value = run.ended() ? selection_value(metric, run) : std::nullopt;
  return value ? std::optional(metric.goal == Goal::minimize ? -*value : *value) : std::nullopt;
}

std::size_t index_of(const Study& study, const std::string& version) {
  return static_cast<std::size_t>(std::ranges::find(study.code.versions, version, &CodeVersion::id) -
                                  study.code.versions.begin());
}

/// The runs that say how good a base is. The run by which a version was chosen is none of them, as it was chosen for
/// being high.
std::vector<const Run*> runs_of_base(const Study& study, const std::string& base) {
  std::vector<const Run*> runs = runs_of_version(study, base);
  if (base == original_code) return runs;
  const int chosen = first_replicate(*study.spec.code, index_of(study, base));
  std::erase_if(runs, [&](const Run* run) { return run->replicate == chosen; });
  return runs;
}

std::vector<const Run*> of_replicates(std::vector<const Run*> runs, int from, int to) {
  std::erase_if(runs, [&](const Run* run) { return run->replicate < from || run->replicate > to; });
  return runs;
}

Candidate candidate(const Study& study, const std::string& version, bool base) {
  Candidate c;
  c.cell = code_cell(study.spec, version);
  c.baseline = base;
  return c;
}

void add_outcomes(const Study& study, const std::string& version, const std::vector<const Run*>& runs,
                  std::vector<CellOutcome>& outcomes) {
  const Metric& metric = *study.spec.metric(study.search->plan.metric);
  for (const Run* run : runs)
    if (run->ended()) outcomes.push_back({code_cell(study.spec, version), run->seed, selection_value(metric, *run)});
}

}  // namespace

std::optional<NoiseFloor> measured_noise(const Study& study) {
  std::vector<double> scores;
  for (const Run* run : of_replicates(runs_of_version(study, original_code), 1, study.spec.code->floor))
    if (const auto score = score_of(study, *run)) scores.push_back(*score);
  if (scores.size() < 2) return std::nullopt;
  const auto n = static_cast<double>(scores.size());
  double mean = 0, squares = 0;
  for (const double score : scores) mean += score / n;
  for (const double score : scores) squares += (score - mean) * (score - mean);
  NoiseFloor noise;
  noise.runs = static_cast<int>(scores.size());
  noise.sd = std::sqrt(squares / (n - 1));
  noise.quantile = stats::t_quantile(1 - lucky_share, n - 1);
  return noise;
}

std::vector<std::string> kept_versions(const Study& study) {
  std::vector<std::string> kept;
  for (const RungRanked& ranked : study.search->ranked)
    if (ranked.floor && ranked.floor->again && keeps(ranked)) kept.push_back(version_in(ranked));
  return kept;
}

std::string base_of_ideas(const Study& study) {
  const std::vector<std::string> kept = kept_versions(study);
  return kept.empty() ? original_code : kept.back();
}

const CodeVersion* undecided(const Study& study) {
  for (const CodeVersion& version : study.code.versions)
    if (std::ranges::none_of(study.search->ranked, [&](const RungRanked& ranked) {
          return version_in(ranked) == version.id && (ranked.floor->again || !keeps(ranked));
        }))
      return &version;
  return nullptr;
}

bool keeps_original(const Study& study) {
  return study.search && study.search->done() && study.spec.code && study.spec.code->keeps_or_discards() &&
         nothing_kept(study.search->ranked.back()) && measured_noise(study);
}

std::int64_t runs_of_retest(const CodeSpec& code) {
  return std::int64_t{2} * code.retest;
}

int first_replicate(const CodeSpec& code, std::size_t version) {
  return code.floor + 1 + static_cast<int>(version) * (1 + code.retest);
}

RungRanked judge_idea(const Study& study, const CodeVersion& version) {
  const std::string base = base_of_ideas(study);
  const int own = first_replicate(*study.spec.code, index_of(study, version.id));
  NoiseFloor floor = measured_noise(study).value_or(NoiseFloor{});
  floor.again = std::ranges::any_of(study.search->ranked, [&](const auto& r) { return version_in(r) == version.id; });
  std::vector<const Run*> of_idea = runs_of_version(study, version.id), of_base;
  double sum = 0;
  bool whole = false;
  if (floor.again) {
    const int last = own + study.spec.code->retest;
    of_idea = of_replicates(std::move(of_idea), own + 1, last);
    of_base = of_replicates(runs_of_version(study, base), own + 1, last);
    whole = std::ranges::all_of(of_idea, [&](const Run* run) { return score_of(study, *run).has_value(); });
    for (const Run* run : of_idea)
      for (const Run* beside : of_base) {
        const auto score = score_of(study, *run), other = score_of(study, *beside);
        if (beside->replicate != run->replicate || !score || !other) continue;
        ++floor.compared;
        sum += *score - *other;
      }
    if (floor.compared > 0) floor.least = floor.quantile * floor.sd * std::sqrt(2.0 / floor.compared);
  } else {
    of_idea = of_replicates(std::move(of_idea), own, own);
    of_base = runs_of_base(study, base);
    for (const Run* run : of_base)
      if (const auto score = score_of(study, *run)) {
        ++floor.compared;
        sum -= *score;
      }
    const auto score = of_idea.empty() ? std::nullopt : score_of(study, *of_idea.back());
    whole = score.has_value();
    sum += floor.compared * score.value_or(0);
    if (floor.compared > 0) floor.least = floor.quantile * floor.sd * std::sqrt(1 + 1.0 / floor.compared);
  }
  if (whole && floor.compared > 0) floor.gain = sum / floor.compared;
  std::vector<CellOutcome> outcomes;
  add_outcomes(study, base, of_base, outcomes);
  add_outcomes(study, version.id, of_idea, outcomes);
  RungRanked ranked;
  ranked.experiment = study.search->plan.registered.experiment;
  ranked.rung = static_cast<int>(study.search->ranked.size()) + 1;
  ranked.candidates = best_first(*study.spec.metric(study.search->plan.metric),
                                 {candidate(study, base, true), candidate(study, version.id, false)}, outcomes);
  for (Candidate& c : ranked.candidates) c.kept = !c.baseline && floor.gain && *floor.gain > floor.least;
  ranked.floor = floor;
  return ranked;
}

Reason why_discarded(const Study& study, const RungRanked& ranked) {
  const Candidate* compared = compared_in(ranked);
  if (!compared || compared->kept) return {};
  const NoiseFloor& floor = *ranked.floor;
  if (!floor.gain && floor.again && compared->n + compared->failed == 0) return {ReasonCode::idea_not_repeated};
  if (!floor.gain) return {ReasonCode::idea_without_value, {{"failed", compared->failed}}};
  std::map<std::string, ReasonValue> values = {
      {"gain", *floor.gain}, {"least", floor.least}, {"compared", floor.compared}};
  const Metric& metric = *study.spec.metric(study.search->plan.metric);
  if (!metric.unit.empty() && metric.scale != Scale::log) values["unit"] = metric.unit;
  return {floor.again ? ReasonCode::idea_gain_not_repeated : ReasonCode::idea_below_floor, std::move(values)};
}

bool Idea::kept() const {
  return second && keeps(*second);
}

std::vector<Idea> ideas_of(const Study& study) {
  std::vector<Idea> ideas;
  for (const CodeVersion& version : study.code.versions) {
    Idea& idea = ideas.emplace_back();
    idea.version = &version;
    for (const RungRanked& ranked : study.search->ranked) {
      if (version_in(ranked) != version.id) continue;
      (ranked.floor->again ? idea.second : idea.first) = &ranked;
      for (const Candidate& c : ranked.candidates)
        if (c.baseline && c.cell.contains(code_factor)) idea.base = c.cell.at(code_factor);
    }
    const std::vector<const Run*> runs = runs_of_version(study, version.id);
    if (runs.empty() || !runs.front()->ended()) continue;
    const Usage& usage = runs.front()->outcome.usage;
    if (usage.gpu && usage.gpu->memory_peak_bytes)
      idea.memory = static_cast<double>(*usage.gpu->memory_peak_bytes);
    else if (usage.rss_peak_bytes > 0)
      idea.memory = static_cast<double>(usage.rss_peak_bytes);
  }
  return ideas;
}

}  // namespace kernel
