#include "kernel/verdicts/judge.h"

#include <algorithm>
#include <set>

#include "base/assert.h"
#include "kernel/evidence/blocks.h"
#include "kernel/inference/verdict.h"
#include "kernel/sizing/power.h"
#include "kernel/verdicts/verdict_reason.h"
#include "kernel/wording/wording.h"
#include "stats/error_rates/corrections.h"

namespace kernel {

namespace {

/// With fewer units, the bootstrap interval is only a description.
constexpr std::size_t enough_for_bootstrap = 20;

/// FNV-1a of the id, so that the bootstrap does not depend on the study's other hypotheses.
std::uint64_t bootstrap_seed(std::uint64_t study, const HypothesisId& id) {
  std::uint64_t hash = 0xcbf29ce484222325 ^ study;
  for (const char c : id.text()) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

bool is_against(Verdict verdict) {
  return verdict == Verdict::refuted || verdict == Verdict::no_relevant_effect;
}

/// The test whose interval is shown: the weakest; for a verdict against the hypothesis, the test that gives it.
const Test& deciding_test(const Estimate& e, Verdict verdict, VerdictRule rule) {
  if (!is_against(verdict) || e.crossing) return e.tests[e.weakest];
  const auto strength = [&](const Test& t) {
    if (rule == VerdictRule::smallest_effect) return std::min(t.p.inside, t.p.beyond);
    return verdict == Verdict::refuted ? t.p.inside : t.p.beyond;
  };
  return *std::ranges::min_element(e.tests, [&](const Test& a, const Test& b) { return strength(a) < strength(b); });
}

void report(const StudySpec& spec, const Hypothesis& h, const Test& test, HypothesisResult& r) {
  r.effect = test.effect;
  r.effect_relative = test.effect_relative;
  r.se = test.standard_error;
  r.df = test.df;
  if (r.level >= 1) return;  // The interval is unbounded.
  const stats::Interval own = test.interval(r.level);
  r.low = own.low;
  r.high = own.high;
  const bool about_ratio = test.scales.log || (h.margin && h.margin->kind == Margin::Kind::relative);
  const bool looked = about_ratio || (test.tested && test.method->of_means() && h.has_arms());
  const stats::Interval relative = looked ? test.relative_interval(r.level) : stats::Interval{};
  const bool unbounded = looked && test.tested && !relative.low && !relative.high;
  if (about_ratio) {
    r.relative_low = relative.low;
    r.relative_high = relative.high;
    if (unbounded) r.warnings.push_back({ReasonCode::relative_unbounded});
  }
  // If the control may be zero, a percentage of it has no meaning.
  if (unbounded && h.has_arms()) r.effect_relative.reset();
  if (const auto b = test.method->bootstrap(test, bootstrap_seed(spec.seed, h.id), r.level)) {
    r.bca_low = b->interval.low;
    r.bca_high = b->interval.high;
    r.bca_descriptive = b->smallest < enough_for_bootstrap;
  }
}

/// Removes repetitions: reasons with the same sentence.
void unique_in_order(std::vector<Reason>& list) {
  std::set<std::string> said;
  std::erase_if(list, [&](const Reason& item) { return !said.insert(sentence(item, 1)).second; });
}

/// The levels of one part of a hypothesis.
struct PartLevels {
  double support = 0;  ///< Of Holm's step.
  double against = 0;  ///< Of all tests together; each has its share.
  double open = 0;     ///< Of the interval that is shown if nothing is decided.
};

/// Sets level, effect and interval of one part of a hypothesis by its verdict; returns the test that they belong to.
const Test& judge_part(const StudySpec& spec, const Hypothesis& h, const Estimate& e, const PartLevels& levels,
                       HypothesisResult& r) {
  const VerdictRule rule = spec.design.rule;
  const Test& test = deciding_test(e, r.verdict, rule);
  double level = r.verdict == Verdict::supported ? levels.support : levels.open;
  if (is_against(r.verdict) && !e.crossing) level = levels.against / static_cast<double>(e.tests.size());
  r.level = e.crossing ? 1 - 2 * level / crossover_pairs(h) : interval_level(rule, h.direction, r.verdict, level);
  report(spec, h, test, r);
  return test;
}

DecidedAt decided_at(const Estimate& e, const PartLevels& levels) {
  return {levels.support, levels.against / static_cast<double>(e.tests.size()), levels.open};
}

RequirementResult judged_requirement(const StudySpec& spec, const RequiredPart& part, const PartLevels& levels) {
  HypothesisResult r;
  r.id = part.about.id;
  r.verdict = verdict_of(spec.design.rule, part.estimate.own, levels.support, levels.against);
  const Test& test = judge_part(spec, part.about, part.estimate, levels, r);
  return {part.about.metric,
          r.verdict,
          r.effect,
          r.low,
          r.high,
          r.level,
          test.tested ? std::optional(part.estimate.own.outside) : std::nullopt,
          reason_of(spec, part.about, test, r, decided_at(part.estimate, levels))};
}

/// Any test refutes its part, at its share of the level. The share is taken before `level_at`, which is not linear.
double refuting_level(const Hypothesis& h, const Estimate& e, double level, const LookAt& look) {
  if (look.of == 1) return level;
  const double tests = static_cast<double>(std::max<std::size_t>(1, e.tests.size()));
  return tests * level_at(look, level / tests, refuting_sides(h.direction));
}

/// The levels at which one hypothesis is judged.
struct Levels {
  stats::HolmStep step;  ///< `level` is that of the look.
  PartLevels part;
  double refuting = 0;  ///< Of the hypothesis with its requirements.
  double slot = 0;      ///< α/M at this look.
};

Levels levels_of(const StudySpec& spec, const Hypothesis& h, int family, const Estimate& e,
                 const stats::HolmStep& whole, const LookAt& look) {
  Levels levels{whole, {}, 0, 0};
  levels.step.level = level_at(look, whole.level, sides_of(h.direction));
  // Any part refutes the whole hypothesis, so each is tested at its share of the level.
  const double slot = spec.design.alpha / family, parts = static_cast<double>(1 + h.requirements.size());
  const double share = refuting_level(h, e, slot / parts, look);
  levels.refuting = look.of > 1 ? share * parts : slot;
  levels.slot = level_at(look, slot, sides_of(h.direction));
  const bool one_interval = spec.design.rule == VerdictRule::one_interval;
  levels.part = {levels.step.level, share, one_interval ? levels.slot : levels.step.level};
  return levels;
}

bool can_be_judged(const Hypothesis& h, const Estimate& e) {
  return e.obstacle.empty() && !e.tests.empty() && e.required.size() == h.requirements.size();
}

HypothesisResult judged(const StudySpec& spec, const Hypothesis& h, int family, const Estimate& e,
                        const stats::HolmStep& whole, const LookAt& look) {
  const auto [step, levels, refuting, slot_level] = levels_of(spec, h, family, e, whole, look);
  HypothesisResult r;
  r.id = h.id;
  r.n = spec.design.reading ? e.arm_units : e.n;
  r.failed = e.failed;
  r.warnings = e.warnings;
  if (in_blocks(spec)) r.blocks = e.units;
  if (const TestMethod& method = method_of(spec, h); &method.fallback() != &method)
    r.by_shares = std::ranges::all_of(e.tests, [&](const Test& t) { return t.method == &method; });
  r.effect = e.effect;
  const bool measured = e.required.size() == h.requirements.size(), open = can_be_judged(h, e);
  const VerdictRule rule = spec.design.rule;
  if (open) r.verdict = verdict_of(rule, e.own, levels.support, levels.against);
  r.level = interval_level(rule, h.direction, r.verdict, levels.open);
  if (!e.tests.empty()) {
    const Test& test = judge_part(spec, h, e, levels, r);
    if (!e.crossing) r.power = power_of(h, test, slot_level);
    if (test.tested) {
      r.p = e.p.outside;
      if (open) r.p_corrected = step.adjusted;
    }
    if (open && e.crossing)
      r.reason = crossover_reason(spec, h, e.tests[std::min(e.crossing->negative, e.crossing->positive)],
                                  e.tests[std::max(e.crossing->negative, e.crossing->positive)], r);
    else if (open)
      r.reason = reason_of(spec, h, test, r, decided_at(e, levels));
  }
  if (open && !e.required.empty()) {
    if (!r.p) r.p = e.p.outside;  // An exact comparison has no p, but its requirements have.
    std::vector<Reason> required;
    for (const RequiredPart& part : e.required) {
      for (const Reason& warning : part.estimate.warnings)
        r.warnings.push_back(
            {ReasonCode::about_required, {{"metric", part.about.metric}, {"what", std::vector{warning}}}});
      r.requirements.push_back(judged_requirement(spec, part, levels));
      required.push_back({ReasonCode::required,
                          {{"metric", part.about.metric}, {"reason", std::vector{r.requirements.back().reason}}}});
    }
    r.reason = {ReasonCode::with_required, {{"own", std::vector{r.reason}}, {"required", required}}};
    r.verdict = verdict_of(rule, e.p, levels.support, refuting);
  }
  if (!open) {
    Reason why = e.obstacle;
    if (why.empty()) why = {measured ? ReasonCode::no_evidence : ReasonCode::requirement_not_measured};
    r.reason = {ReasonCode::no_verdict, {{"why", std::vector{why}}}};
    if (e.failed[0] + e.failed[1] + e.unusable[0] + e.unusable[1] > 0)
      r.warnings.push_back({ReasonCode::survivors_only});
  }
  unique_in_order(r.warnings);
  return r;
}

}  // namespace

TestedBatch::TestedBatch(const StudySpec& spec, std::span<const Hypothesis> hypotheses, int family,
                         std::span<const Estimate> estimates, std::span<const Standing> standings)
    : spec_(spec),
      hypotheses_(hypotheses),
      slots_(std::max(family, static_cast<int>(hypotheses.size()))),
      estimates_(estimates),
      standings_(standings) {
  ETUDE_ASSERT(hypotheses.size() == estimates.size() && (standings.empty() || standings.size() == hypotheses.size()));
  for (std::size_t i = 0; i < hypotheses.size(); ++i) p_.push_back(p_of(i, estimates[i]));
}

const LookAt& TestedBatch::look_of(std::size_t i) const {
  static const LookAt only{1, 1, {1}, 1};
  return i < standings_.size() && standings_[i].look ? *standings_[i].look : only;
}

double TestedBatch::p_of(std::size_t i, const Estimate& e) const {
  if (i < standings_.size() && standings_[i].fixed) return *standings_[i].fixed;
  const bool tested = e.obstacle.empty() && !e.tests.empty();
  return tested ? p_at(look_of(i), e.p.outside, sides_of(hypotheses_[i].direction)) : 1;
}

std::vector<stats::HolmStep> TestedBatch::steps(const std::vector<double>& p) const {
  return spec_.design.correction == Correction::holm ? stats::holm(p, spec_.design.alpha, slots_)
                                                     : stats::benjamini_hochberg_steps(p, spec_.design.alpha, slots_);
}

std::vector<HypothesisResult> TestedBatch::results() const {
  const std::vector<stats::HolmStep> steps = this->steps(p_);
  std::vector<HypothesisResult> results;
  for (std::size_t i = 0; i < hypotheses_.size(); ++i) {
    const LookAt& look = look_of(i);
    results.push_back(judged(spec_, hypotheses_[i], slots_, estimates_[i], steps[i], look));
    if (look.of > 1) results.back().look = LookResult{look.number, look.of, look.share, p_[i]};
  }
  return results;
}

OtherVerdict TestedBatch::verdict_with(std::size_t which, const Estimate& other) const {
  const Hypothesis& h = hypotheses_[which];
  if (!can_be_judged(h, other)) return {Verdict::inconclusive, 1};
  std::vector<double> p = p_;
  p[which] = p_of(which, other);
  const Levels levels = levels_of(spec_, h, slots_, other, steps(p)[which], look_of(which));
  return {verdict_of(spec_.design.rule, other.p, levels.part.support, levels.refuting), other.p.outside};
}

std::vector<HypothesisResult> judge_batch(const StudySpec& spec, std::span<const Hypothesis> batch, int family,
                                          std::span<const Estimate> estimates, std::span<const Standing> standings) {
  return TestedBatch(spec, batch, family, estimates, standings).results();
}

std::vector<HypothesisResult> judge_batch(const StudySpec& spec, std::span<const Hypothesis> batch, int family,
                                          std::span<const std::vector<RunValue>> runs) {
  ETUDE_ASSERT(batch.size() == runs.size());
  std::vector<Estimate> estimates;
  for (std::size_t i = 0; i < batch.size(); ++i) estimates.push_back(estimate(spec, batch[i], runs[i]));
  return judge_batch(spec, batch, family, estimates);
}

}  // namespace kernel
