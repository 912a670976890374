#include "kernel/verdicts/analyse_experiment.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "kernel/domain/cells.h"
#include "kernel/evidence/derived_metrics.h"
#include "kernel/sizing/interim_looks.h"
#include "kernel/sizing/size_of_confirmation.h"
#include "kernel/sizing/sizing.h"
#include "kernel/study/requirements.h"
#include "kernel/verdicts/cautions.h"
#include "kernel/verdicts/controls.h"
#include "kernel/verdicts/judge.h"
#include "kernel/verdicts/reading.h"

namespace kernel {

namespace {

/// The values of one metric in the runs for which `wanted` is true. Borrows the study's cells.
template <typename Wanted>
std::vector<RunValue> values_of(const StudySpec& spec, const RunBoard& board, const RunValues& measured,
                                const std::string& name, Wanted wanted) {
  std::vector<RunValue> values;
  const Metric& metric = *spec.metric(name);
  for (const Run& run : board.runs) {
    if (!wanted(run) || !measured.applies(run, metric)) continue;
    RunValue value;
    value.cell = &board.cells[static_cast<std::size_t>(run.cell)];
    value.seed = run.seed;
    value.run = run.number;
    value.failed = measured.failed(run, metric);
    value.timed_out = run.state == RunState::timed_out;
    if (const std::optional<MetricValue> one = measured.of(run, metric)) {
      value.value = one->value;
      value.censored = one->censored;
      // A value that counts as worst, or is censored without a number, has only a rank.
      value.failed = value.failed || one->worst || (value.censored && !std::isfinite(one->value));
    }
    if (const auto items = run.measurement.items.find(name); items != run.measurement.items.end())
      value.items = &items->second;
    values.push_back(value);
  }
  return values;
}

std::vector<RunValue> pilot_values(const Study& study, const RunValues& measured, const std::string& metric) {
  return values_of(study.spec, study, measured, metric, [&](const Run& run) {
    return run.purpose == Purpose::pilot && run.number > study.batch.runs_before && run.stage.empty() &&
           !run.superseded && run.state != RunState::lost;
  });
}

/// Why an arm of the hypothesis was stopped; empty if none was.
Reason stopped_arm(const StudySpec& spec, const Experiments& study, const ExperimentId& experiment,
                   const Hypothesis& h) {
  const std::vector<Cell> cells = cells_of(spec, h);
  for (const ArmStopped& stop : study.stopped_arms)
    if (stop.experiment == experiment && std::ranges::find_first_of(stop.cells, cells) != stop.cells.end())
      return stop.reason;
  return {};
}

/// Adds the warnings that the pilot gives about the test's assumptions, without those that the evidence gives, too.
void add_pilot_warnings(const Study& study, const RunValues& measured, const Hypothesis& h, HypothesisResult& result) {
  // Codes are compared, because the same warning has other numbers in the pilot.
  std::set<ReasonCode> said;
  for (const Reason& warning : result.warnings) said.insert(warning.code);
  for (const Test& test : estimate(study.spec, h, pilot_values(study, measured, h.metric)).tests) {
    for (const Reason& warning : test.method->warnings(test.sample))
      if (said.insert(warning.code).second)
        result.warnings.push_back({ReasonCode::in_pilot, {{"what", std::vector{warning}}}});
  }
}

}  // namespace

SampleSized size_sample(const Study& study) {
  SampleSized sized;
  const RunValues measured(study.spec, study);
  std::optional<SizeRecord> by_gain;
  if (study.spec.design.confirm && study.spec.design.confirm->most > 0 && study.spec.design.settled.empty())
    by_gain = confirmation_size(study);
  const auto add = [&](const Hypothesis& h, int family) {
    const std::vector<RunValue> pilot = pilot_values(study, measured, h.metric);
    Size size = size_of(study.spec, h, family, pilot);
    if (by_gain && !size.refused) {
      const HypothesisId id = size.record.hypothesis;
      size.record = *by_gain;
      size.record.hypothesis = id;
    }
    sized.sizes.push_back(size.record);
    const auto warn = [&](const Reason& what) {
      sized.warnings.push_back({ReasonCode::about, {{"about", h.id.text()}, {"what", std::vector{what}}}});
    };
    if (size.refused) warn(size.record.how);
    for (const Reason& warning : size.warnings) warn(warning);
  };
  for (const HypothesisRecord* record : study.open_batch()) add(record->hypothesis, study.family);
  if (study.spec.design.planted) add(*study.spec.design.planted, 1);
  return sized;
}

namespace {

/// A hypothesis with less conditional power is stopped at a look, if the design stops for futility.
constexpr double futile = 0.1;
/// A look with a smaller level decides nothing.
constexpr double least_spent = 1e-12;

/// The findings that a hypothesis must state. A job that behaves otherwise where runs count makes every value doubtful.
std::vector<const IntegrityFound*> findings_on(const Hypothesis& h, const std::vector<IntegrityFound>& found) {
  std::vector<const IntegrityFound*> list;
  for (const IntegrityFound& finding : found)
    if (is_about(h, finding.metric)) list.push_back(&finding);
  const auto of_the_job = [](const IntegrityFound& finding) {
    return finding.message.code == ReasonCode::behaves_otherwise;
  };
  const auto first = std::ranges::find_if(found, of_the_job);
  if (first != found.end() && std::ranges::none_of(list, [&](const auto* one) { return of_the_job(*one); }))
    list.push_back(&*first);
  return list;
}

/// Estimates the hypotheses of an experiment from its ended runs.
class Evidence {
 public:
  Evidence(const Study& study, const Experiment& experiment)
      : study_(study),
        experiment_(experiment.registration.experiment),
        measured_(study.spec, study),
        found_(integrity(study, experiment)) {}

  /// The estimate, with integrity findings and stopped arms as its obstacle.
  Estimate of(const Hypothesis& h) {
    Estimate one = estimate_whole(study_.spec, h, [this](const std::string& metric) { return values(metric); });
    for (const IntegrityFound* finding : findings_on(h, found_))
      if (!finding->averted && one.obstacle.empty()) one.obstacle = finding->message;
    if (Reason stopped = stopped_arm(study_.spec, study_, experiment_, h); !stopped.empty())
      one.obstacle = std::move(stopped);
    return one;
  }
  const RunValues& measured() const { return measured_; }
  const std::vector<IntegrityFound>& found() const { return found_; }
  /// The values of the runs that count.
  std::span<const RunValue> values(const std::string& metric) {
    const auto [known, fresh] = by_metric_.try_emplace(metric);
    // Cancelled and lost runs are included: the reason why they are missing may depend on their outcome.
    const auto counts = [&](const Run& run) {
      return run.experiment == experiment_ && run.purpose == Purpose::registered && run.ended() && !run.superseded;
    };
    if (fresh) known->second = values_of(study_.spec, study_, measured_, metric, counts);
    return known->second;
  }

 private:
  const Study& study_;
  ExperimentId experiment_;
  RunValues measured_;
  std::vector<IntegrityFound> found_;
  std::map<std::string, std::vector<RunValue>> by_metric_;
};

/// The verdicts of one look at the batch; those of earlier looks are unchanged.
struct Judged {
  std::vector<HypothesisResult> results;
  std::vector<Estimate> estimates;
  std::vector<Standing> standings;
};

/// Sets what is shown of each setting, and the result's reading.
void describe(const Study& study, const Registration& registration, Evidence& evidence, const Hypothesis& h,
              const Estimate& estimated, HypothesisResult& result, const VerdictWith& verdict_with) {
  const std::span<const RunValue> runs = evidence.values(h.metric);
  InSettings in = in_settings(study.spec, h, runs);
  result.settings = std::move(in.results);
  if (!study.spec.design.reading) return;
  result.reading = reading_of(study, registration, h, estimated, result, runs, verdict_with);
  result.reading->heterogeneity = in.spread;
}

Judged judge_at(const Study& study, const Registration& registration, Evidence& evidence,
                const std::vector<Hypothesis>& batch, int number) {
  Judged judged;
  const std::size_t looks = looks_of(registration).size() + 1;
  const bool last = static_cast<std::size_t>(number) == looks;
  for (const Hypothesis& h : batch) {
    Standing standing;
    if (looks > 1) standing.look = look_at(study.spec, registration, h, number);
    const std::optional<HypothesisResult>& before = study.hypothesis(h.id)->result;
    // No look before the last decides a crossover, because its two tests have no joint boundary. Neither does a look
    // with almost no level, where computed p-values are not accurate enough.
    const TestMethod& method = method_of(study.spec, h);
    const bool nothing_yet =
        standing.look && level_at(*standing.look, registration.alpha / std::max(1, registration.family),
                                  sides_of(h.direction)) < least_spent;
    const bool waits = !last && (!method.at_looks() || h.kind == HypothesisKind::crossover || nothing_yet);
    if (before)
      standing.fixed = before->look ? before->look->p : 1;
    else if (looks > 1 && (!standing.look || waits))
      standing.fixed = 1;
    judged.estimates.push_back(standing.fixed ? Estimate{} : evidence.of(h));
    judged.standings.push_back(std::move(standing));
  }
  const TestedBatch whole(study.spec, batch, registration.family, judged.estimates, judged.standings);
  judged.results = whole.results();
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (const auto& before = study.hypothesis(batch[i].id)->result)
      judged.results[i] = *before;
    else if (last || (!judged.standings[i].fixed && judged.results[i].verdict != Verdict::inconclusive))
      describe(study, registration, evidence, batch[i], judged.estimates[i], judged.results[i],
               [&](const Estimate& other) { return whole.verdict_with(i, other); });
  }
  return judged;
}

/// Adds the warnings about the runs that these verdicts rest on.
void add_warnings(const Study& study, const Experiment& experiment, Evidence& evidence,
                  const std::vector<HypothesisResult*>& results) {
  std::map<std::string, Reason> drifts;
  for (HypothesisResult* result : results) {
    const Hypothesis& h = study.hypothesis(result->id)->hypothesis;
    const auto warn = [&](Reason what) {
      if (!what.empty()) result->warnings.push_back(std::move(what));
    };
    const auto [known, fresh] = drifts.try_emplace(h.metric);
    if (fresh) known->second = drift_warning(study.spec, study, experiment, h.metric);
    warn(known->second);
    warn(repeats_warning(study.spec, study, experiment, h));
    warn(busy_warning(study.spec, study, experiment, h));
    warn(outlier_warning(study, h, evidence.values(h.metric)));
    for (const Requirement& required : h.requirements)
      if (const Reason far = outlier_warning(study, requirement_of(h, required), evidence.values(required.metric));
          !far.empty())
        warn({ReasonCode::about, {{"about", required.metric}, {"what", std::vector{far}}}});
    for (const IntegrityFound* finding : findings_on(h, evidence.found()))
      if (finding->averted) result->warnings.push_back(finding->message);
    if (study.asked_pilot) add_pilot_warnings(study, evidence.measured(), h, *result);
    const std::vector<std::string>& pins = study.workspace.seed_pins;
    if (study.spec.design.reading && method_of(study.spec, h).units().exact && !pins.empty())
      warn({ReasonCode::exact_with_pinned_seed, {{"lines", pins.front()}}});
    if (study.spec.design.rule != VerdictRule::one_interval) continue;
    for (Reason& caution : review_cautions(study)) warn(std::move(caution));
    const auto looks = static_cast<std::int64_t>(scratch_looks(study, experiment, h));
    if (looks > 0) warn({ReasonCode::looked_at_by_scratch, {{"runs", looks}}});
  }
}

std::int64_t most_pairs(const Registration& registration) {
  const std::vector<int>& replicates = registration.replicates;
  return replicates.empty() ? 0 : *std::ranges::min_element(replicates);
}

std::int64_t pairs_so_far(const Registration& registration, double share) {
  return replicates_by(static_cast<int>(most_pairs(registration)), share);
}

Reason at_look(ReasonCode code, const LookResult& look) {
  return {code, {{"look", look.number}, {"looks", look.of}, {"share", look.fraction}}};
}

}  // namespace

InterimLook interim_look(const Study& study, const Experiment& experiment) {
  const Registration& registration = experiment.registration;
  Evidence evidence(study, experiment);
  InterimLook look;
  look.experiment = registration.experiment;
  look.number = static_cast<int>(experiment.going_on.size()) + 1;
  look.share = looks_of(registration).at(experiment.going_on.size());
  std::vector<Hypothesis> batch;
  for (const Hypothesis& h : registration.hypotheses)
    if (!study.hypothesis(h.id)->exploratory) batch.push_back(h);
  Judged judged = judge_at(study, registration, evidence, batch, look.number);
  std::set<HypothesisId> decided;
  const bool futility =
      registration.terms && registration.terms->design.looks && registration.terms->design.looks->futility;
  const bool anytime = study.spec.design.looks && study.spec.design.looks->anytime;
  const double level = registration.alpha / std::max(registration.family, static_cast<int>(batch.size()));
  for (std::size_t i = 0; i < batch.size(); ++i) {
    HypothesisResult& result = judged.results[i];
    if (study.hypothesis(batch[i].id)->result) decided.insert(batch[i].id);
    const Estimate& estimated = judged.estimates[i];
    // Neither failed runs nor runs without a value can be ranked by a confidence sequence, however many follow.
    const bool hopeless = anytime && !estimated.obstacle.empty() &&
                          estimated.failed[0] + estimated.failed[1] + estimated.unusable[0] + estimated.unusable[1] > 0;
    if (judged.standings[i].fixed || (!estimated.obstacle.empty() && !hopeless)) continue;
    if (hopeless) {
      result.reason = {ReasonCode::anytime_without_verdict,
                       {{"pairs", pairs_so_far(registration, look.share)},
                        {"most", most_pairs(registration)},
                        {"reason", std::vector{result.reason}}}};
    } else if (result.verdict == Verdict::inconclusive && futility) {
      const auto chance = conditional_power(batch[i], estimated, *judged.standings[i].look, level);
      if (!chance || *chance >= futile) continue;
      result.look->p = 1;
      result.reason = {ReasonCode::futile,
                       {{"look", result.look->number},
                        {"looks", result.look->of},
                        {"chance", std::round(*chance * 1000) / 1000},
                        {"reason", std::vector{result.reason}}}};
    } else if (result.verdict == Verdict::inconclusive) {
      continue;
    }
    if (result.verdict != Verdict::inconclusive) {
      Reason decided_here = at_look(ReasonCode::decided_at_look, *result.look);
      if (anytime)
        decided_here = {ReasonCode::decided_anytime, {{"pairs", result.n[0]}, {"most", most_pairs(registration)}}};
      decided_here.values["reason"] = std::vector{result.reason};
      result.reason = std::move(decided_here);
    }
    add_warnings(study, experiment, evidence, {&result});
    if (!hopeless) result.warnings.push_back(at_look(ReasonCode::stopped_early, *result.look));
    result.power.reset();  // The power of a test that stopped early has no meaning.
    // `judge_at` describes decided results only; this one is stopped without a verdict.
    if (result.verdict == Verdict::inconclusive)
      describe(study, registration, evidence, batch[i], estimated, result, {});
    decided.insert(result.id);
    look.results.push_back(std::move(result));
  }
  // Exploratory hypotheses are not in the batch, so all their runs continue.
  for (const Hypothesis& h : registration.hypotheses)
    if (!decided.contains(h.id) && !study.hypothesis(h.id)->result &&
        stopped_arm(study.spec, study, registration.experiment, h).empty())
      look.going_on.push_back(h.id);
  return look;
}

ExperimentAnalysed analyse(const Study& study, const Experiment& experiment) {
  const Registration& registration = experiment.registration;
  Evidence evidence(study, experiment);
  // Hypotheses beyond the family are exploratory: they are estimated and never judged.
  std::vector<Hypothesis> batch, explored;
  for (const Hypothesis& h : registration.hypotheses)
    (study.hypothesis(h.id)->exploratory ? explored : batch).push_back(h);
  ExperimentAnalysed analysed;
  analysed.experiment = registration.experiment;
  const int last = static_cast<int>(looks_of(registration).size()) + 1;
  analysed.results = judge_at(study, registration, evidence, batch, last).results;
  for (const Hypothesis& h : explored) {
    if (const auto& withdrawn = study.hypothesis(h.id)->result) {
      analysed.results.push_back(*withdrawn);
      continue;
    }
    const Estimate estimated = evidence.of(h);
    std::vector<HypothesisResult> one =
        judge_batch(study.spec, std::span(&h, 1), registration.family, std::span<const Estimate>(&estimated, 1));
    one.front().verdict = Verdict::inconclusive;
    for (RequirementResult& required : one.front().requirements) required.verdict = Verdict::inconclusive;
    one.front().reason = {ReasonCode::exploratory, {{"reason", std::vector{one.front().reason}}}};
    describe(study, registration, evidence, h, estimated, one.front(), {});
    analysed.results.push_back(std::move(one.front()));
  }
  if (author_chose_seeds(study.spec))
    for (HypothesisResult& result : analysed.results) result.warnings.push_back({ReasonCode::seeds_chosen});
  analysed.aa = aa_result(study.spec, study, experiment);
  if (analysed.aa && analysed.aa->differs)
    for (HypothesisResult& result : analysed.results) result.warnings.push_back(aa_reason(study.spec, *analysed.aa));
  if (registration.planted) {
    const Estimate estimated = evidence.of(*registration.planted);
    analysed.planted =
        judge_batch(study.spec, std::span(&*registration.planted, 1), 1, std::span<const Estimate>(&estimated, 1))
            .front();
    if (analysed.planted->verdict != Verdict::supported)
      for (HypothesisResult& result : analysed.results) result.warnings.push_back({ReasonCode::planted_missed});
  }
  // Results of earlier looks have their warnings; later runs are not their evidence.
  std::vector<HypothesisResult*> judged_now;
  for (HypothesisResult& result : analysed.results) {
    const HypothesisRecord& record = *study.hypothesis(result.id);
    if (record.result) continue;
    judged_now.push_back(&result);
  }
  add_warnings(study, experiment, evidence, judged_now);
  return analysed;
}

}  // namespace kernel
