#include <cmath>

#include <fmt/format.h>

#include "artifacts/numbers.h"
#include "artifacts/reproduction.h"
#include "artifacts/study_words.h"
#include "artifacts/text.h"
#include "artifacts/verdict_table.h"
#include "kernel/evaluator.h"
#include "kernel/shapes.h"
#include "kernel/units.h"
#include "stats/distributions.h"

namespace artifacts {

using kernel::Hypothesis;
using kernel::HypothesisRecord;
using kernel::HypothesisResult;
using kernel::Study;
using kernel::Verdict;

namespace {

constexpr double prediction_level = 0.99;

struct Estimated {
  double value = 0, se = 0, df = 1;
};

/// The standard error that an interval and its level tell of.
std::optional<double> se_of(std::optional<double> low, std::optional<double> high, double level, double df) {
  if (!low || !high || level <= 0 || level >= 1) return std::nullopt;
  return (*high - *low) / 2 / stats::t_quantile((1 + level) / 2, df);
}

std::optional<Estimated> estimated(const HypothesisResult& r, bool ratio, bool logarithmic) {
  if (!r.df || !(*r.df > 0)) return std::nullopt;
  if (logarithmic) {
    if (!r.effect_relative || !r.relative_low || !r.relative_high || !(*r.relative_low > -1)) return std::nullopt;
    const auto se = se_of(std::log1p(*r.relative_low), std::log1p(*r.relative_high), r.level, *r.df);
    if (!se || !(*se > 0)) return std::nullopt;
    return Estimated{std::log1p(*r.effect_relative), *se, *r.df};
  }
  const std::optional<double> value = ratio ? r.effect_relative : r.effect;
  const std::optional<double> se = ratio ? se_of(r.relative_low, r.relative_high, r.level, *r.df) : r.se;
  if (!value || !se || !std::isfinite(*value) || !(*se > 0)) return std::nullopt;
  return Estimated{*value, *se, *r.df};
}

struct Judged {
  ClaimOutcome outcome;
  std::string reason;
};

Judged judge_exactly(const HypothesisResult& recorded, const HypothesisResult& observed) {
  if (recorded.verdict == observed.verdict && recorded.effect == observed.effect)
    return {ClaimOutcome::reproduced, "the deterministic values agree exactly"};
  return {ClaimOutcome::diverged, "the metric is declared deterministic, and its values differ"};
}

Judged judge_difference(const Study& study, const Hypothesis& h, const HypothesisResult& recorded,
                        const HypothesisResult& observed, bool other_machine) {
  const std::string verdicts =
      fmt::format("the verdict was {} and is {}", kernel::name(recorded.verdict), kernel::name(observed.verdict));
  const bool logarithmic = kernel::method_of(study.spec, h).log;
  const bool ratio = other_machine && h.kind == kernel::HypothesisKind::compare && !logarithmic;
  const auto a = estimated(recorded, ratio, logarithmic), b = estimated(observed, ratio, logarithmic);
  if (!a || !b)
    return {ClaimOutcome::diverged, verdicts + ", and no interval of prediction can be had" +
                                        (ratio ? " for the ratio, which is what counts on another machine" : "")};
  const double va = a->se * a->se, vb = b->se * b->se;
  const double df = (va + vb) * (va + vb) / (va * va / a->df + vb * vb / b->df);
  const double reach = stats::t_quantile((1 + prediction_level) / 2, df) * std::sqrt(va + vb);
  const std::string size = fmt::format("the {} differ by {} where {} either way was to be expected",
                                       ratio         ? "ratios"
                                       : logarithmic ? "logarithmic ratios"
                                                     : "effects",
                                       rounded(std::abs(a->value - b->value), reach), rounded(reach, reach));
  if (std::abs(a->value - b->value) <= reach) return {ClaimOutcome::reproduced, verdicts + ", but " + size};
  return {ClaimOutcome::diverged, verdicts + ", and " + size};
}

Judged judge(const Study& study, const Hypothesis& h, const HypothesisResult& recorded,
             const HypothesisResult& observed, bool other_machine) {
  const int ran = observed.n[0] + observed.n[1], failed = observed.failed[0] + observed.failed[1];
  if (!observed.effect && failed > 0)
    return {ClaimOutcome::failed_to_run,
            fmt::format("{} did not succeed, and the others tell nothing", counted(failed, "run"))};
  if (ran == 0) return {ClaimOutcome::failed_to_run, "no run counts"};
  if (kernel::method_of(study.spec, h).exact) return judge_exactly(recorded, observed);
  if (recorded.verdict == observed.verdict) {
    const bool open = recorded.verdict == Verdict::inconclusive;
    return {ClaimOutcome::reproduced, open ? "inconclusive, as before" : "the verdict agrees"};
  }
  // Failures that the first time did not have leave a verdict open; that is no answer, not a different one.
  if (observed.verdict == Verdict::inconclusive && failed > 0)
    return {ClaimOutcome::failed_to_run,
            fmt::format("{} did not succeed, so no verdict was reached", counted(failed, "run"))};
  if (recorded.verdict == Verdict::inconclusive)
    return {ClaimOutcome::diverged, fmt::format("it was inconclusive and is {}", kernel::name(observed.verdict))};
  return judge_difference(study, h, recorded, observed, other_machine);
}

std::string said(const Study& study, const HypothesisRecord& record) {
  const ShownResult s = shown(study.spec, record);
  const std::string verdict(kernel::name(record.result->verdict));
  if (!record.result->effect) return verdict + ", without an effect";
  return fmt::format("{}, {} {}", verdict, s.main_effect(), s.main_interval());
}

std::string at(const std::map<std::string, std::string>& map, const std::string& key) {
  const auto entry = map.find(key);
  return entry == map.end() ? "not recorded" : entry->second;
}

std::vector<EnvironmentDifference> differences(const Study& recorded, const Study& again) {
  std::vector<EnvironmentDifference> list;
  const auto note = [&](const std::string& what, const std::string& before, const std::string& now) {
    if (before != now) list.push_back({what, before, now});
  };
  std::map<std::string, std::string> keys = recorded.environment.machine;
  keys.insert(again.environment.machine.begin(), again.environment.machine.end());
  for (const auto& [key, value] : keys)
    note(key, at(recorded.environment.machine, key), at(again.environment.machine, key));
  const auto programs = [](const Study& study) {
    std::map<std::string, std::string> versions;
    for (const kernel::ProgramRecord& p : study.environment.programs)
      versions[p.name] = p.version.empty() ? p.path + ", no version told" : p.version;
    return versions;
  };
  const auto before = programs(recorded), now = programs(again);
  std::map<std::string, std::string> names = before;
  names.insert(now.begin(), now.end());
  for (const auto& [program, version] : names) note(program, at(before, program), at(now, program));
  note("workspace", recorded.workspace.hash, again.workspace.hash);
  note("jobs at a time", std::to_string(recorded.jobs), std::to_string(again.jobs));
  for (const kernel::DataRecord& data : recorded.data) {
    std::string identity = "not there";
    for (const kernel::DataRecord& other : again.data)
      if (other.name == data.name) identity = other.identity;
    note("data " + data.name, data.identity, identity);
  }
  for (const kernel::SealedData& data : recorded.sealed) {
    std::string identity = "not there";
    for (const kernel::SealedData& other : again.sealed)
      if (other.tier == data.tier && other.place == data.place) identity = other.identity;
    note(fmt::format("data {} of the evaluator ({})", data.place, kernel::name(data.tier)), data.identity, identity);
  }
  return list;
}

/// Other code or other data answer another question.
std::string other_inputs(const std::vector<EnvironmentDifference>& differences) {
  for (const EnvironmentDifference& d : differences)
    if (d.what == "workspace" || d.what.starts_with("data ")) return d.what;
  return "";
}

}  // namespace

std::string_view name_of(ClaimOutcome outcome) {
  switch (outcome) {
    case ClaimOutcome::reproduced:
      return "reproduced";
    case ClaimOutcome::not_attempted:
      return "not_attempted";
    case ClaimOutcome::failed_to_run:
      return "failed_to_run";
    case ClaimOutcome::diverged:
      return "diverged";
  }
  return "not_attempted";
}

ReproductionReport compare(const Recorded& recorded, const Study& again) {
  const Study& first = recorded.study;
  ReproductionReport report;
  report.artifact = recorded.artifact;
  report.study = again.id;
  report.environment = differences(first, again);
  const std::string other = other_inputs(report.environment);
  const bool other_machine = at(first.environment.machine, "cpu") != at(again.environment.machine, "cpu") ||
                             at(first.environment.machine, "arch") != at(again.environment.machine, "arch");
  for (const kernel::Claim& claim : first.claims) {
    const HypothesisRecord* before = first.hypothesis(claim.hypothesis);
    const HypothesisRecord* now = again.hypothesis(claim.hypothesis);
    ClaimComparison c{claim.id, claim.hypothesis, ClaimOutcome::not_attempted, "", {}, {}, "", ""};
    if (before && before->result) {
      c.recorded = before->result;
      c.recorded_text = said(first, *before);
    }
    if (now && now->result && now->withdrawn.empty()) {
      c.observed = now->result;
      c.observed_text = said(again, *now);
    }
    if (!c.recorded) {
      c.reason = "the artifact records no result for it";
    } else if (!c.observed) {
      const bool failed = again.outcome == kernel::StudyOutcome::failed;
      c.outcome = failed ? ClaimOutcome::failed_to_run : ClaimOutcome::not_attempted;
      c.reason = failed
                     ? "the study failed" + (again.outcome_detail.empty() ? std::string() : ": " + again.outcome_detail)
                     : "the study ended before it was judged";
    } else if (!other.empty()) {
      c.outcome = ClaimOutcome::failed_to_run;
      c.reason = "the " + other + " that ran is not the recorded one";
    } else {
      const Judged judged = judge(first, before->hypothesis, *c.recorded, *c.observed, other_machine);
      c.outcome = judged.outcome;
      c.reason = judged.reason;
    }
    report.claims.push_back(std::move(c));
  }
  if (!report.claims.empty()) report.outcome = ClaimOutcome::reproduced;
  for (const ClaimComparison& c : report.claims) report.outcome = std::max(report.outcome, c.outcome);
  return report;
}

}  // namespace artifacts
