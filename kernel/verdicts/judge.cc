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

/// The test whose interval is shown: the weakest; for a refutation, the test that refutes.
const Test& deciding_test(const Estimate& e, Verdict verdict) {
  if (verdict != Verdict::refuted || e.crossing) return e.tests[e.weakest];
  const auto strength = [](const Test& t) { return std::min(t.p.inside, t.p.beyond); };
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

/// Sets level, effect and interval of one part of a hypothesis by its verdict; returns the test that they belong to.
/// `refuting`: the level at which the part is refuted.
const Test& judge_part(const StudySpec& spec, const Hypothesis& h, const Estimate& e, double level, double refuting,
                       HypothesisResult& r) {
  const Test& test = deciding_test(e, r.verdict);
  const double shown = r.verdict == Verdict::refuted ? refuting / static_cast<double>(e.tests.size()) : level;
  r.level = e.crossing ? 1 - 2 * level / crossover_pairs(h) : deciding_level(h.direction, r.verdict, shown);
  report(spec, h, test, r);
  return test;
}

RequirementResult judged_requirement(const StudySpec& spec, const RequiredPart& part, double level, double refuting) {
  HypothesisResult r;
  r.id = part.about.id;
  r.verdict = verdict_of(part.estimate.own, level, refuting);
  const Test& test = judge_part(spec, part.about, part.estimate, level, refuting, r);
  return {part.about.metric,
          r.verdict,
          r.effect,
          r.low,
          r.high,
          r.level,
          test.tested ? std::optional(part.estimate.own.outside) : std::nullopt,
          reason_of(spec, part.about, test, r, refuting / static_cast<double>(part.estimate.tests.size()))};
}

/// Any test refutes its part, at its share of the level. The share is taken before `level_at`, which is not linear.
double refuting_level(const Hypothesis& h, const Estimate& e, double level, const LookAt& look) {
  if (look.of == 1) return level;
  const double tests = static_cast<double>(std::max<std::size_t>(1, e.tests.size()));
  return tests * level_at(look, level / tests, refuting_sides(h.direction));
}

HypothesisResult judged(const StudySpec& spec, const Hypothesis& h, int family, const Estimate& e,
                        const stats::HolmStep& whole, const LookAt& look) {
  stats::HolmStep step = whole;
  step.level = level_at(look, whole.level, sides_of(h.direction));
  HypothesisResult r;
  r.id = h.id;
  r.n = e.n;
  r.failed = e.failed;
  r.warnings = e.warnings;
  if (in_blocks(spec)) r.blocks = e.units;
  if (const TestMethod& method = method_of(spec, h); &method.fallback() != &method)
    r.by_shares = std::ranges::all_of(e.tests, [&](const Test& t) { return t.method == &method; });
  r.effect = e.effect;
  // Any part refutes the whole hypothesis, so each is tested at its share of the level.
  const double slot = spec.design.alpha / family, parts = static_cast<double>(1 + h.requirements.size());
  const double share = refuting_level(h, e, slot / parts, look);
  const double refuting = look.of > 1 ? share * parts : slot;
  const bool measured = e.required.size() == h.requirements.size();
  const bool open = e.obstacle.empty() && !e.tests.empty() && measured;
  if (open) r.verdict = verdict_of(e.own, step.level, share);
  r.level = deciding_level(h.direction, r.verdict, step.level);
  if (!e.tests.empty()) {
    const Test& test = judge_part(spec, h, e, step.level, share, r);
    if (!e.crossing) r.power = power_of(h, test, level_at(look, slot, sides_of(h.direction)));
    if (test.tested) {
      r.p = e.p.outside;
      if (open) r.p_corrected = step.adjusted;
    }
    if (open && e.crossing)
      r.reason = crossover_reason(spec, h, e.tests[std::min(e.crossing->negative, e.crossing->positive)],
                                  e.tests[std::max(e.crossing->negative, e.crossing->positive)], r);
    else if (open)
      r.reason = reason_of(spec, h, test, r, share / static_cast<double>(e.tests.size()));
  }
  if (open && !e.required.empty()) {
    if (!r.p) r.p = e.p.outside;  // An exact comparison has no p, but its requirements have.
    std::vector<Reason> required;
    for (const RequiredPart& part : e.required) {
      for (const Reason& warning : part.estimate.warnings)
        r.warnings.push_back(
            {ReasonCode::about_required, {{"metric", part.about.metric}, {"what", std::vector{warning}}}});
      r.requirements.push_back(judged_requirement(spec, part, step.level, share));
      required.push_back({ReasonCode::required,
                          {{"metric", part.about.metric}, {"reason", std::vector{r.requirements.back().reason}}}});
    }
    r.reason = {ReasonCode::with_required, {{"own", std::vector{r.reason}}, {"required", required}}};
    r.verdict = verdict_of(e.p, step.level, refuting);
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

std::vector<HypothesisResult> judge_batch(const StudySpec& spec, std::span<const Hypothesis> batch, int family,
                                          std::span<const Estimate> estimates, std::span<const Standing> standings) {
  ETUDE_ASSERT(batch.size() == estimates.size() && (standings.empty() || standings.size() == batch.size()));
  const int slots = std::max(family, static_cast<int>(batch.size()));
  static const LookAt only{1, 1, {1}};
  const auto look_of = [&](std::size_t i) -> const LookAt& {
    return i < standings.size() && standings[i].look ? *standings[i].look : only;
  };
  std::vector<double> p;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const Estimate& e = estimates[i];
    const bool tested = e.obstacle.empty() && !e.tests.empty();
    if (i < standings.size() && standings[i].fixed)
      p.push_back(*standings[i].fixed);
    else
      p.push_back(tested ? p_at(look_of(i), e.p.outside, sides_of(batch[i].direction)) : 1);
  }
  const bool holm = spec.design.correction == Correction::holm;
  const std::vector<stats::HolmStep> steps =
      holm ? stats::holm(p, spec.design.alpha, slots) : stats::benjamini_hochberg_steps(p, spec.design.alpha, slots);
  std::vector<HypothesisResult> results;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    results.push_back(judged(spec, batch[i], slots, estimates[i], steps[i], look_of(i)));
    const LookAt& look = look_of(i);
    if (look.of > 1) results.back().look = LookResult{look.number, look.of, look.fractions.back(), p[i]};
  }
  return results;
}

std::vector<HypothesisResult> judge_batch(const StudySpec& spec, std::span<const Hypothesis> batch, int family,
                                          std::span<const std::vector<RunValue>> runs) {
  ETUDE_ASSERT(batch.size() == runs.size());
  std::vector<Estimate> estimates;
  for (std::size_t i = 0; i < batch.size(); ++i) estimates.push_back(estimate(spec, batch[i], runs[i]));
  return judge_batch(spec, batch, family, estimates);
}

}  // namespace kernel
