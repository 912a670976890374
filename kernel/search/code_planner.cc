// Plans which operator is tried on which version next, and decides when a search over code has to stop.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "kernel/domain/enum_names.h"
#include "kernel/search/code_search.h"
#include "kernel/search/keep_or_discard.h"
#include "kernel/search/search.h"
#include "kernel/study/ledger.h"
#include "kernel/study/search_scores.h"

namespace kernel {

namespace {

/// How strongly versions that were tried less often are preferred, for values between 0 and 1. Auer, Cesa-Bianchi &
/// Fischer, "Finite-time analysis of the multiarmed bandit problem", Machine Learning 47 (2002).
constexpr double curiosity = 0.7;
/// Steps per allowed version; a limit is needed because steps may repeatedly end without a version.
constexpr int steps_for_each = 3;
/// Keep or discard: so many steps in a row without a version end the search.
constexpr int most_without_version = 3;

struct Planner {
  const Study& study;
  const std::vector<CodeScore> scores = code_scores(study);
  std::vector<CodeStep> steps{};

  int taken(CodeOperator op, const std::string& parent) const {
    const auto fits = [&](const CodeStep& step) {
      return step.op == op && (parent.empty() || (!step.parents.empty() && step.parents.front() == parent));
    };
    return static_cast<int>(std::ranges::count_if(study.code.steps, fits) + std::ranges::count_if(steps, fits));
  }
  void add(CodeOperator op, std::vector<std::string> parents) {
    const std::size_t number = study.code.steps.size() + steps.size() + 1;
    steps.push_back({fmt::format("{}-{}", name(op), number), op, std::move(parents), study.code.round + 1});
  }
  /// The number of consecutive debug steps that led to the version.
  int debugged(const CodeVersion& version) const {
    int depth = 0;
    for (const CodeVersion* v = &version; v && v->op == CodeOperator::debug; v = study.code.version(v->parents.front()))
      ++depth;
    return depth;
  }
  /// The draft that the version descends from; for a merge, that of its first parent.
  std::string root(const CodeVersion& version) const {
    const CodeVersion* v = &version;
    while (v->op != CodeOperator::draft)
      if (const CodeVersion* parent = study.code.version(v->parents.front()))
        v = parent;
      else
        break;
    return v->id;
  }
  /// True if `from` is an ancestor of the version through any parent.
  bool descends(const CodeVersion& version, const std::string& from) const {
    return std::ranges::any_of(version.parents, [&](const std::string& parent) {
      const CodeVersion* v = study.code.version(parent);
      return parent == from || (v && descends(*v, from));
    });
  }
  /// Whether the step led to a version that is better than the one it began with.
  bool came_to_something(const CodeStep& step) const {
    const CodeScore* from = nullptr;
    const CodeScore* to = nullptr;
    for (const CodeScore& score : scores) {
      if (score.id() == step.parents.front()) from = &score;
      if (score.version && score.version->step == step.id) to = &score;
    }
    return to && to->mean && (!from || !from->mean || *to->mean > *from->mean);
  }
  /// Whether the last steps from the version came to nothing, as many as the study allows.
  bool is_exhausted(const std::string& version) const {
    const int most = study.spec.code->idle_steps;
    if (most == 0) return false;
    int idle = 0;
    for (const CodeStep& step : study.code.steps)
      if (!step.parents.empty() && step.parents.front() == version) idle = came_to_something(step) ? 0 : idle + 1;
    for (const CodeStep& step : steps) idle += !step.parents.empty() && step.parents.front() == version;
    return idle >= most;
  }
  /// Versions that run and may get a step, ordered by the lower end of their mean, highest first.
  std::vector<const CodeScore*> running() const {
    std::vector<const CodeScore*> list;
    for (const CodeScore& score : scores)
      if (score.version && score.mean && !is_exhausted(score.id())) list.push_back(&score);
    std::ranges::stable_sort(list, [](const CodeScore* a, const CodeScore* b) { return a->cautious > b->cautious; });
    return list;
  }

  void mend(std::size_t most) {
    for (const CodeScore& score : scores) {
      if (steps.size() >= most) return;
      if (score.version && score.fails() && taken(CodeOperator::debug, score.id()) == 0 &&
          debugged(*score.version) < study.spec.code->debug_depth)
        add(CodeOperator::debug, {score.id()});
    }
  }
  /// Merges two versions of different drafts that both beat the original code, to combine what is good in each.
  void merge(const std::vector<const CodeScore*>& best) {
    const auto better = [&](const CodeScore* score) { return !scores[0].mean || *score->mean > *scores[0].mean; };
    for (std::size_t j = 1; j < best.size(); ++j) {
      if (!better(best[0]) || !better(best[j]) || root(*best[0]->version) == root(*best[j]->version) ||
          descends(*best[0]->version, best[j]->id()) || descends(*best[j]->version, best[0]->id()))
        continue;
      const std::set<std::string> pair{best[0]->id(), best[j]->id()};
      const bool known = std::ranges::any_of(study.code.steps, [&](const CodeStep& step) {
        return step.op == CodeOperator::merge && std::set(step.parents.begin(), step.parents.end()) == pair;
      });
      if (!known) return add(CodeOperator::merge, {best[0]->id(), best[j]->id()});
    }
  }
  /// Removes a part of the best version, to learn which part makes it good. Without its only line it would be a
  /// version whose score is known.
  void ablate(const CodeScore& best) {
    const CodeOperator op = best.version->op;
    if (best.version->lines != 1 && (op == CodeOperator::improve || op == CodeOperator::merge) &&
        taken(CodeOperator::ablate, best.id()) == 0)
      add(CodeOperator::ablate, {best.id()});
  }
  /// Improves the surest version, or else the most promising one by its mean and by how seldom it was improved.
  void improve(const std::vector<const CodeScore*>& best, bool surest) {
    const CodeScore* chosen = best.front();
    if (!surest) {
      double low = INFINITY, high = -INFINITY, top = -INFINITY;
      for (const CodeScore* score : best) {
        low = std::min(low, *score->mean);
        high = std::max(high, *score->mean);
      }
      const double width = high > low ? high - low : 1;
      for (const CodeScore* score : best) {
        const double often = std::log(1.0 + taken(CodeOperator::improve, ""));
        const double tried = 1 + taken(CodeOperator::improve, score->id());
        const double promise = (*score->mean - low) / width + curiosity * std::sqrt(often / tried);
        if (promise > top) {
          top = promise;
          chosen = score;
        }
      }
    }
    add(CodeOperator::improve, {chosen->id()});
  }
};

double seconds_of_a_run(const RunBoard& study) {
  double sum = 0;
  int count = 0;
  for (const Run& run : study.runs)
    if (run.purpose == Purpose::search && run.ended() && run.started_ms > 0) {
      sum += static_cast<double>(run.ended_ms - run.started_ms) / 1000;
      ++count;
    }
  return count > 0 ? sum / count : 0;
}

/// Steps that the reviews of the best versions will take: one draws up the requirements, and one judges them.
double steps_to_review(const StudyTerms& study) {
  return 2.0 * study.spec.design.confirm->top;
}

/// The median of the steps that have ended, because a step that included a pause does not predict the next one.
double seconds_of_a_step(const Study& study) {
  std::vector<double> taken;
  for (const LineOfWork& line : study.thinking.lines)
    if (line.ended && study.code.step(line.id))
      taken.push_back(static_cast<double>(line.ended_ms - line.opened_ms) / 1000);
  if (taken.empty()) return 0;
  const auto middle = taken.begin() + static_cast<std::ptrdiff_t>(taken.size() / 2);
  std::nth_element(taken.begin(), middle, taken.end());
  return *middle;
}

/// The wall time that the confirmation and the reviews before it may take. Runs get half as much again, because they
/// may become slower.
double seconds_to_confirm(const Study& study) {
  const double rows = std::ceil(static_cast<double>(confirmation_runs(study.spec)) / std::max(1, study.jobs));
  return 1.5 * rows * seconds_of_a_run(study) + steps_to_review(study) * seconds_of_a_step(study) + 2;
}

/// The cost of that many steps, at the average cost of earlier steps.
CallCost cost_of_steps(const Study& study, double steps) {
  CallCost sum;
  int lines = 0;
  for (const Account& account : study.accounts)
    if (study.code.step(account.branch) && account.calls > 0) {
      sum.tokens += static_cast<double>(account.tokens);
      sum.usd += account.usd;
      ++lines;
    }
  return lines > 0 ? CallCost{steps * (sum.tokens / lines), steps * (sum.usd / lines)} : sum;
}

}  // namespace

Budget limits_of_steps(const Study& study) {
  Budget limits = study.spec.budget;
  const CallCost reviews = cost_of_steps(study, steps_to_review(study));
  if (limits.tokens) *limits.tokens -= static_cast<std::int64_t>(reviews.tokens);
  if (limits.usd) *limits.usd -= reviews.usd;
  return limits;
}

std::optional<std::int64_t> code_runs_left(const Study& study) {
  auto left = runs_left(study.spec.budget, study);
  if (left)
    *left -= static_cast<std::int64_t>(study.queue.size() + study.blocked.size()) + confirmation_runs(study.spec);
  return left;
}

namespace {

/// One idea that begins with the base, or the correction of the version before it if that failed.
std::vector<CodeStep> next_idea(const Study& study) {
  const CodeSpec& code = *study.spec.code;
  const std::vector<CodeStep>& steps = study.code.steps;
  if (static_cast<int>(study.code.versions.size()) >= code.versions) return {};
  const auto without = std::ranges::find_if(steps.rbegin(), steps.rend(), [&](const CodeStep& step) {
    return std::ranges::find(study.code.versions, step.id, &CodeVersion::step) != study.code.versions.end();
  });
  if (without - steps.rbegin() >= most_without_version) return {};
  Planner plan{study};
  const CodeScore& newest = plan.scores.back();
  if (newest.version && newest.fails() && plan.taken(CodeOperator::debug, newest.id()) == 0 &&
      plan.debugged(*newest.version) < code.debug_depth)
    plan.add(CodeOperator::debug, {newest.id()});
  else if (const std::string base = base_of_ideas(study); base == original_code)
    plan.add(CodeOperator::draft, {base});
  else
    plan.add(CodeOperator::improve, {base});
  return plan.steps;
}

}  // namespace

std::vector<CodeStep> next_steps(const Study& study) {
  const CodeSpec& code = *study.spec.code;
  if (code.keeps_or_discards()) return next_idea(study);
  const auto versions = static_cast<int>(study.code.versions.size());
  const auto slots = static_cast<std::size_t>(std::max(0, std::min(code.branches, code.versions - versions)));
  if (slots == 0 || static_cast<int>(study.code.steps.size()) >= steps_for_each * code.versions) return {};
  Planner plan{study};
  const std::vector<const CodeScore*> best = plan.running();
  const bool drafting = plan.taken(CodeOperator::draft, "") < code.drafts;
  plan.mend(drafting || !best.empty() ? (slots + 1) / 2 : slots);
  while (plan.steps.size() < slots && plan.taken(CodeOperator::draft, "") < code.drafts)
    plan.add(CodeOperator::draft, {original_code});
  if (best.empty()) {
    // No version runs and none can be debugged: drafts start again, at most as many as before.
    if (plan.steps.empty() && plan.taken(CodeOperator::draft, "") < 2 * code.drafts)
      plan.add(CodeOperator::draft, {original_code});
    return plan.steps;
  }
  if (plan.steps.size() < slots) plan.improve(best, true);
  if (plan.steps.size() < slots) plan.merge(best);
  if (plan.steps.size() < slots) plan.ablate(*best.front());
  while (plan.steps.size() < slots) {
    const std::vector<const CodeScore*> open = plan.running();
    if (open.empty()) break;
    plan.improve(open, false);
  }
  return plan.steps;
}

std::optional<std::int64_t> code_until(const Study& study) {
  if (!study.spec.code || !study.spec.budget.wall_s || !study.session_open) return std::nullopt;
  return wall_used_at(study, *study.spec.budget.wall_s - seconds_to_confirm(study));
}

Reason code_stop(const Study& study, Time now) {
  const CodeSpec& code = *study.spec.code;
  if (static_cast<int>(study.code.versions.size()) >= code.versions)
    return {ReasonCode::all_versions_written, {{"versions", static_cast<std::int64_t>(study.code.versions.size())}}};
  if (code.keeps_or_discards()) {
    if (!measured_noise(study)) return {ReasonCode::noise_not_measured, {{"runs", code.floor}}};
    if (const auto left = code_runs_left(study); left && *left < 1 + runs_of_retest(code))
      return {ReasonCode::runs_kept_for_confirming};
  } else if (const auto left = code_runs_left(study)) {
    // The runs of a round, and those that compare its best version with the others at the end.
    const int round = code.branches * study.spec.design.replicates_min;
    const int end = study.spec.design.replicates_max - study.spec.design.replicates_min;
    if (*left < round + 2 * end) return {ReasonCode::runs_kept_for_confirming};
  }
  if (const auto until = code_until(study)) {
    const double searched = static_cast<double>(now.wall_ms - study.search->registered_ms) / 1000;
    const double round = study.code.round > 0 ? searched / study.code.round : 0;
    if (static_cast<double>(*until - now.boot_ms) / 1000 < round) return {ReasonCode::wall_kept_for_confirming};
  }
  const CallCost round = cost_of_steps(study, code.branches);
  if (const auto reached = exceeded(limits_of_steps(study), spending_of(study, now), round))
    return {ReasonCode::budget_short_of_round, {{"limit", std::string(name(reached->limit))}}};
  return {};
}

}  // namespace kernel
