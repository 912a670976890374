#include "kernel/search/code_search.h"

#include <algorithm>

#include "kernel/design/design.h"
#include "kernel/search/keep_or_discard.h"
#include "kernel/search/search_space.h"
#include "kernel/study/evaluator_rules.h"
#include "kernel/study/requirements.h"
#include "kernel/study/search_scores.h"

namespace kernel {

namespace {

/// Runs that are due for a version: replicates after `from`, up to `to`.
struct Due {
  std::string version;
  int from = 0, to = 0;
};

/// The replicate's seed in the plan; 0 if the plan, which an untrusted log may have, lacks it.
std::uint64_t planned_seed(const Search& search, int replicate) {
  const std::vector<std::uint64_t>& seeds = search.plan.registered.seeds;
  const auto at = static_cast<std::size_t>(replicate) - 1;
  return at < seeds.size() ? seeds[at] : 0;
}

RunsQueued queued(const Study& study, const std::vector<Due>& due) {
  RunsQueued all;
  all.purpose = Purpose::search;
  all.experiment = study.search->plan.registered.experiment;
  all.tier = tier_of(study.spec, Purpose::search);
  int last = 0;
  for (const Due& one : due) {
    all.cells.push_back(code_cell(study.spec, one.version));
    last = std::max(last, one.to);
  }
  int number = static_cast<int>(study.runs.size());
  // Replicates are the outer loop, so that versions are interleaved. All versions share the seed of a replicate.
  for (int replicate = 1; replicate <= last; ++replicate)
    for (std::size_t i = 0; i < due.size(); ++i) {
      if (replicate <= due[i].from || replicate > due[i].to) continue;
      PlannedRun run;
      run.number = ++number;
      run.cell = static_cast<int>(i);
      run.replicate = replicate;
      run.seed = study.spec.seeds == SeedRule::derived ? derived_seed(study.spec, Purpose::search, replicate - 1)
                                                       : planned_seed(*study.search, replicate);
      run.label = due[i].version;
      all.runs.push_back(std::move(run));
    }
  return all;
}

int round_of(const StudyTerms& study, const CodeVersion& version) {
  const CodeStep* step = study.code.step(version.step);
  return step ? step->round : 1;
}

/// Keep or discard: the runs that measure the noise, or those that repeat a promising version and its base.
std::vector<Due> due_of_ideas(const Study& study) {
  const CodeSpec& code = *study.spec.code;
  if (runs_of_version(study, original_code).empty()) return {{original_code, 0, code.floor}};
  const CodeVersion* version = study.code.over.empty() ? undecided(study) : nullptr;
  if (!version || runs_of_version(study, version->id).size() != 1) return {};
  const bool promising = std::ranges::any_of(study.search->ranked, [&](const RungRanked& ranked) {
    return std::ranges::any_of(ranked.candidates, [&](const Candidate& c) {
      return c.kept && c.cell.contains(code_factor) && c.cell.at(code_factor) == version->id;
    });
  });
  if (const auto left = code_runs_left(study); !promising || (left && *left < runs_of_retest(code))) return {};
  const int own = first_replicate(code, static_cast<std::size_t>(version - study.code.versions.data()));
  return {{base_of_ideas(study), own, own + code.retest}, {version->id, own, own + code.retest}};
}

/// The number of versions that are compared at the end of the search.
std::size_t finalists(const StudySpec& spec) {
  return static_cast<std::size_t>(std::max(3, spec.design.confirm->top + 1));
}

/// The best first. A version that does not meet a requirement gets no more runs.
std::vector<const CodeScore*> measured(const Study& study, const std::vector<CodeScore>& scores) {
  std::vector<const CodeScore*> list;
  for (const CodeScore& score : scores)
    if (score.version && score.mean && unmet(study, score.id()).empty()) list.push_back(&score);
  std::ranges::stable_sort(list, [](const CodeScore* a, const CodeScore* b) { return *a->mean > *b->mean; });
  return list;
}

}  // namespace

std::vector<const CodeStep*> open_steps(const Study& study) {
  std::vector<const CodeStep*> open;
  if (!study.code.over.empty()) return open;
  for (const CodeStep& step : study.code.steps) {
    const LineOfWork* line = study.thinking.line(step.id);
    if (!line || !line->ended) open.push_back(&step);
  }
  return open;
}

RunsQueued first_run(const Study& study, const std::string& version) {
  const CodeSpec& code = *study.spec.code;
  if (!code.keeps_or_discards()) return queued(study, {{version, 0, 1}});
  const auto place = std::ranges::find(study.code.versions, version, &CodeVersion::id);
  const int replicate = first_replicate(code, static_cast<std::size_t>(place - study.code.versions.begin()));
  return queued(study, {{version, replicate - 1, replicate}});
}

RunsQueued due_code_runs(const Study& study) {
  if (study.spec.code->keeps_or_discards()) return queued(study, due_of_ideas(study));
  const Design& design = study.spec.design;
  const std::vector<CodeScore> scores = code_scores(study);
  const std::vector<const CodeScore*> best = measured(study, scores);
  const bool over = !study.code.over.empty();
  std::optional<std::int64_t> left = code_runs_left(study);
  std::vector<Due> due;
  // The leading versions come first, because the budget may not suffice for all.
  std::vector<const CodeScore*> order{&scores.front()};
  order.insert(order.end(), best.begin(), best.end());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const CodeScore& score = *order[i];
    if (score.fails()) continue;
    const int have = static_cast<int>(runs_of_version(study, score.id()).size());
    int want = design.replicates_min;
    const bool leads = i <= finalists(study.spec);
    // A version that still leads a round later gets more replicates; at the end, it gets the maximum.
    const int rounds = score.version ? study.code.round - round_of(study, *score.version) : study.code.round - 1;
    if (leads) want = over ? design.replicates_max : std::min(design.replicates_max, want * (1 + std::max(0, rounds)));
    if (want <= have) continue;
    if (left && want - have > *left) continue;
    if (left) *left -= want - have;
    due.push_back({score.id(), have, want});
  }
  return queued(study, due);
}

RungRanked rank_code(const Study& study) {
  const bool one_by_one = study.spec.code->keeps_or_discards();
  const CodeVersion* idea = one_by_one && measured_noise(study) ? undecided(study) : nullptr;
  if (idea) return judge_idea(study, *idea);
  const SearchPlan& plan = study.search->plan;
  const Metric& metric = *study.spec.metric(plan.metric);
  std::vector<Candidate> candidates;
  std::vector<CellOutcome> outcomes;
  const auto add = [&](const std::string& version) {
    Candidate c;
    c.cell = code_cell(study.spec, version);
    c.baseline = version == original_code;
    for (const Run* run : runs_of_version(study, version))
      if (run->ended()) outcomes.push_back({c.cell, run->seed, selection_value(metric, *run)});
    candidates.push_back(std::move(c));
  };
  add(original_code);
  for (const CodeVersion& version : study.code.versions) add(version.id);
  RungRanked ranked;
  ranked.experiment = plan.registered.experiment;
  ranked.rung = static_cast<int>(study.search->ranked.size()) + 1;
  ranked.last = true;
  ranked.candidates = best_first(metric, std::move(candidates), outcomes);
  if (one_by_one) {
    // The last base, or the one before it where a reviewer found it lacking.
    std::vector<std::string> kept = kept_versions(study);
    while (!kept.empty() && !unmet(study, kept.back()).empty()) kept.pop_back();
    for (Candidate& c : ranked.candidates) c.kept = !kept.empty() && c.cell.at(code_factor) == kept.back();
    return ranked;
  }
  // Only versions with as many runs as the finalists are eligible, because a few runs are more easily good by chance.
  const auto eligible = [&](const Candidate& c) {
    return !c.baseline && c.mean && unmet(study, c.cell.at(code_factor)).empty();
  };
  int most = 0, kept = 0;
  for (const Candidate& c : ranked.candidates)
    if (eligible(c)) most = std::max(most, c.n + c.failed);
  for (Candidate& c : ranked.candidates)
    if (eligible(c) && c.n + c.failed == most && kept < plan.top) c.kept = ++kept > 0;
  return ranked;
}

const CodeVersion* to_review(const Study& study) {
  if (study.code.over.empty() || study.search->pending > 0 || !due_code_runs(study).runs.empty()) return nullptr;
  const RungRanked ranked = rank_code(study);
  if (!ranked.last) return nullptr;
  for (const Candidate& c : ranked.candidates)
    if (c.kept && !unreviewed(study, c.cell.at(code_factor)).empty()) return study.code.version(c.cell.at(code_factor));
  return nullptr;
}

const Run* failed_run(const RunBoard& board, const std::string& version) {
  const Run* found = nullptr;
  for (const Run* run : runs_of_version(board, version))
    if (run->ended() && run->state != RunState::succeeded) found = run;
  return found;
}

}  // namespace kernel
