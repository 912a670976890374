#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "artifacts/read/record.h"
#include "artifacts/reproduce/reproduction.h"
#include "artifacts/words/result_tables.h"
#include "artifacts/words/study_words.h"
#include "kernel/domain/enum_names.h"
#include "kernel/evidence/derived_metrics.h"
#include "kernel/inference/test_method.h"
#include "kernel/study/gates.h"
#include "kernel/wording/wording.h"
#include "prose/numbers.h"
#include "stats/basics/distributions.h"

namespace artifacts {

using kernel::Hypothesis;
using kernel::HypothesisRecord;
using kernel::HypothesisResult;
using kernel::Study;
using kernel::Verdict;

namespace {

constexpr const char* workspace_difference = "workspace";

constexpr double prediction_level = 0.99;

struct Estimated {
  double value = 0, se = 0, df = 1;
};

/// The standard error that follows from an interval and its level.
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

Judged judge_difference(const kernel::StudyTerms& study, const Hypothesis& h, const HypothesisResult& recorded,
                        const HypothesisResult& observed, bool other_machine) {
  const std::string verdicts = fmt::format("the verdict was {} and is {}", kernel::words_of(recorded.verdict),
                                           kernel::words_of(observed.verdict));
  const bool logarithmic = kernel::method_of(study.spec, h).units().logarithms;
  const bool ratio = other_machine && h.kind == kernel::HypothesisKind::compare && !logarithmic;
  const auto a = estimated(recorded, ratio, logarithmic), b = estimated(observed, ratio, logarithmic);
  if (!a || !b)
    return {ClaimOutcome::diverged, verdicts + ", and no interval of prediction can be had" +
                                        (ratio ? " for the ratio, which is what counts on another machine" : "")};
  const double va = a->se * a->se, vb = b->se * b->se;
  const double df = (va + vb) * (va + vb) / (va * va / a->df + vb * vb / b->df);
  const double reach = stats::t_quantile((1 + prediction_level) / 2, df) * std::sqrt(va + vb);
  const std::string size =
      fmt::format("the {} differ by {} where {} either way was to be expected",
                  ratio         ? "ratios"
                  : logarithmic ? "logarithmic ratios"
                                : "effects",
                  prose::rounded(std::abs(a->value - b->value), reach), prose::rounded(reach, reach));
  if (std::abs(a->value - b->value) <= reach) return {ClaimOutcome::reproduced, verdicts + ", but " + size};
  return {ClaimOutcome::diverged, verdicts + ", and " + size};
}

Judged judge(const kernel::StudyTerms& terms, const Hypothesis& h, const HypothesisResult& recorded,
             const HypothesisResult& observed, bool other_machine) {
  const int ran = observed.runs()[0] + observed.runs()[1], failed = observed.failed[0] + observed.failed[1];
  if (!observed.effect && failed > 0)
    return {ClaimOutcome::failed_to_run,
            fmt::format("{} did not succeed, and the others tell nothing", prose::counted(failed, "run"))};
  if (ran == 0) return {ClaimOutcome::failed_to_run, "no run counts"};
  if (kernel::method_of(terms.spec, h).units().exact) return judge_exactly(recorded, observed);
  if (recorded.verdict == observed.verdict) {
    const bool open = recorded.verdict == Verdict::inconclusive;
    return {ClaimOutcome::reproduced, open ? "inconclusive, as before" : "the verdict agrees"};
  }
  // New failures leave the verdict open, which is not another verdict.
  if (observed.verdict == Verdict::inconclusive && failed > 0)
    return {ClaimOutcome::failed_to_run,
            fmt::format("{} did not succeed, so no verdict was reached", prose::counted(failed, "run"))};
  if (recorded.verdict == Verdict::inconclusive)
    return {ClaimOutcome::diverged, fmt::format("it was inconclusive and is {}", kernel::words_of(observed.verdict))};
  return judge_difference(terms, h, recorded, observed, other_machine);
}

std::string said(const kernel::StudyTerms& study, const HypothesisRecord& record) {
  const ShownResult s = shown(study.spec, record);
  const std::string verdict = kernel::words_of(record.result->verdict);
  if (!record.result->effect) return verdict + ", without an effect";
  const kernel::ShownNumber& interval = s.main_interval();
  const std::string where =
      interval.missing ? fmt::format(", no interval ({})", *interval.missing) : " " + interval.text;
  return fmt::format("{}, {}{}", verdict, s.main_effect().text, where);
}

std::string at(const std::map<std::string, std::string>& map, const std::string& key) {
  const auto entry = map.find(key);
  return entry == map.end() ? "not recorded" : entry->second;
}

std::vector<EnvironmentDifference> differences(const kernel::StudyTerms& recorded, const kernel::StudyTerms& again) {
  std::vector<EnvironmentDifference> list;
  const auto note = [&](const std::string& what, const std::string& before, const std::string& now,
                        bool of_inputs = false, const std::string& library = "") {
    if (before != now) list.push_back({what, before, now, of_inputs, library});
  };
  std::map<std::string, std::string> keys = recorded.environment.machine;
  keys.insert(again.environment.machine.begin(), again.environment.machine.end());
  for (const auto& [key, value] : keys)
    note(key, at(recorded.environment.machine, key), at(again.environment.machine, key));
  const auto programs = [](const kernel::StudyTerms& terms) {
    std::map<std::string, std::string> versions;
    for (const kernel::ProgramRecord& p : terms.environment.programs)
      versions[p.name] = p.version.empty() ? p.path + ", no version told" : p.version;
    return versions;
  };
  const auto before = programs(recorded), now = programs(again);
  std::map<std::string, std::string> names = before;
  names.insert(now.begin(), now.end());
  for (const auto& [program, version] : names) note(program, at(before, program), at(now, program));
  for (const auto& [program, libraries] : recorded.environment.libraries) {
    const auto other = again.environment.libraries.find(program);
    if (other == again.environment.libraries.end()) {
      if (!libraries.empty() && now.contains(program))
        note("libraries of " + program, prose::counted(static_cast<long long>(libraries.size()), "library"),
             "not listed");
      continue;
    }
    std::map<std::string, std::string> all = libraries;
    all.insert(other->second.begin(), other->second.end());
    for (const auto& [library, version] : all)
      note(fmt::format("library {} of {}", library, program), at(libraries, library), at(other->second, library), false,
           library);
  }
  const auto sandbox = [](const kernel::StudyTerms& terms) {
    return terms.spec.resources.sandbox == kernel::SandboxMode::none ? "none" : "automatic";
  };
  note("sandbox", sandbox(recorded), sandbox(again));
  const auto network = [](const kernel::StudyTerms& terms) {
    return terms.spec.resources.network ? "allowed" : "none";
  };
  note("network inside runs", network(recorded), network(again));
  const auto seed = [](const kernel::StudyTerms& terms) {
    return terms.spec.seeds == kernel::SeedRule::drawn ? "drawn at registration" : std::to_string(terms.spec.seed);
  };
  note("seed of the study", seed(recorded), seed(again));
  note(workspace_difference, recorded.workspace.hash.text(), again.workspace.hash.text(), true);
  note("jobs at a time", std::to_string(recorded.jobs), std::to_string(again.jobs));
  for (const kernel::DataRecord& data : recorded.data) {
    std::string identity = "not there";
    for (const kernel::DataRecord& other : again.data)
      if (other.name == data.name) identity = other.identity;
    note("data " + data.name, data.identity, identity, true);
  }
  for (const kernel::SealedData& data : recorded.sealed) {
    std::string identity = "not there";
    for (const kernel::SealedData& other : again.sealed)
      if (other.tier == data.tier && other.place == data.place) identity = other.identity;
    note(fmt::format("data {} of the evaluator ({})", data.place, kernel::name(data.tier)), data.identity, identity,
         true);
  }
  return list;
}

bool another_machine(const kernel::StudyTerms& first, const kernel::StudyTerms& again) {
  return at(first.environment.machine, "cpu") != at(again.environment.machine, "cpu") ||
         at(first.environment.machine, "arch") != at(again.environment.machine, "arch");
}

double evidence_seconds(const kernel::RunBoard& study) {
  double seconds = 0;
  for (const kernel::Run& run : study.runs)
    if (run.evidence()) seconds += static_cast<double>(run.ended_ms - run.started_ms) / 1000;
  return seconds;
}

bool chosen(const kernel::ReproductionTerms& terms, const std::string& claim) {
  return terms.claims.empty() || std::ranges::count(terms.claims, claim) > 0;
}

/// Values of registered runs are withheld until their experiment is analysed; a sample has no verdict that they could
/// influence.
bool may_be_seen(const Study& again) {
  return (again.reproduction && again.reproduction->sample > 0) ||
         (!again.experiments.empty() &&
          std::ranges::all_of(again.experiments, [](const kernel::Experiment& e) { return e.analysed; }));
}

/// The compared runs that a claim rests on.
std::vector<const RunComparison*> runs_of(const kernel::StudyTerms& first, const Hypothesis& h,
                                          const ReproductionReport& report) {
  const std::vector<kernel::Cell> cells = kernel::cells_to_run(first.spec, h);
  const std::set<kernel::Cell> own(cells.begin(), cells.end());
  std::vector<const RunComparison*> list;
  for (const RunComparison& run : report.runs)
    if (own.contains(run.cell)) list.push_back(&run);
  return list;
}

/// Such as "1 of its 24 runs differs: s1-r12 (cost was 9.9 and is 2.9)"; empty if none does.
std::string told_of(const std::vector<const RunComparison*>& runs, RunOutcome outcome, const char* one,
                    const char* many) {
  constexpr int most = 3;
  int n = 0;
  std::string named;
  for (const RunComparison* run : runs)
    if (run->outcome == outcome && ++n <= most)
      named += fmt::format("{}{} ({})", named.empty() ? "" : ", ", run->recorded, run->reason);
  if (n == 0) return "";
  return fmt::format("{} of its {} {}: {}{}", n, prose::counted(static_cast<long long>(runs.size()), "run"),
                     n == 1 ? one : many, named, n > most ? ", …" : "");
}

Judged judge_sample(const std::vector<const RunComparison*>& runs) {
  if (runs.empty()) return {ClaimOutcome::not_attempted, "none of its runs was drawn"};
  if (std::string why = told_of(runs, RunOutcome::differs, "differs", "differ"); !why.empty())
    return {ClaimOutcome::diverged, std::move(why)};
  if (std::string why = told_of(runs, RunOutcome::failed_to_run, "failed", "failed"); !why.empty())
    return {ClaimOutcome::failed_to_run, std::move(why)};
  const auto agree = std::ranges::count_if(runs, [](const auto* run) { return run->outcome == RunOutcome::agrees; });
  return {ClaimOutcome::not_attempted, fmt::format("{} of its runs drawn, {} {}; a sample reaches no verdict",
                                                   runs.size(), agree, agree == 1 ? "agrees" : "agree")};
}

/// Runs that differ are reported even if the verdict agrees.
void add_runs_to(Judged& judged, const std::vector<const RunComparison*>& runs, bool exact) {
  const std::string why = told_of(runs, RunOutcome::differs, "differs", "differ");
  if (why.empty()) return;
  judged.reason += "; " + why;
  if (exact) judged.outcome = ClaimOutcome::diverged;
}

/// Numbers that the artifact states but its log does not have come from no run.
void add_untrue_to(Judged& judged, const kernel::ReproductionTerms& terms, const kernel::ExperimentId& experiment) {
  std::string told;
  for (const kernel::Untrue& untrue : terms.untrue)
    if (untrue.experiment.empty() || untrue.experiment == experiment) told += (told.empty() ? "" : "; ") + untrue.what;
  if (told.empty()) return;
  judged.outcome = ClaimOutcome::diverged;
  judged.reason = told + ". Run again: " + judged.reason;
}

/// What a reader can do about code that a person kept back; empty if none was.
std::string withheld_words(const Study& recorded) {
  const std::set<std::string> files = kernel::withheld_files(recorded);
  if (files.empty()) return "";
  std::string named;
  for (const std::string& file : files) named += (named.empty() ? "`" : ", `") + file + "`";
  return fmt::format(": {} {} not published, because {} like {}; who has {} can put {} into src/workspace/{}", named,
                     files.size() == 1 ? "was" : "were", files.size() == 1 ? "it looks" : "they look",
                     files.size() == 1 ? "a secret" : "secrets", files.size() == 1 ? "it" : "them",
                     files.size() == 1 ? "it" : "them", recorded.workspace.hash);
}

Judged judge_claim(const ClaimComparison& c, const HypothesisRecord* before, const Study& first, const Study& again,
                   const ReproductionReport& report, bool other_machine) {
  if (!chosen(report.terms, c.claim)) return {ClaimOutcome::not_attempted, "it was not asked for"};
  if (!before || !c.recorded) return {ClaimOutcome::not_attempted, "the artifact records no result for it"};
  const auto other = std::ranges::find_if(report.environment, &EnvironmentDifference::of_inputs);
  const bool failed = again.outcome == kernel::StudyOutcome::failed;
  if (failed && (!c.observed || report.sample))
    return {ClaimOutcome::failed_to_run,
            "the study failed" +
                (again.outcome_detail.empty() ? std::string() : ": " + sentence(again.outcome_detail, again.wording))};
  if (other != report.environment.end() && again.outcome)
    return {ClaimOutcome::failed_to_run, "the " + other->what + " that ran is not the recorded one" +
                                             (other->what == workspace_difference ? withheld_words(first) : "")};
  const std::vector<const RunComparison*> runs = runs_of(first, before->hypothesis, report);
  if (report.sample) return judge_sample(runs);
  if (!c.observed && again.pause_reason == kernel::PauseReason::budget)
    return {ClaimOutcome::not_attempted,
            "the budget ended before it was judged" +
                (again.pause_detail.empty() ? std::string() : ": " + sentence(again.pause_detail, again.wording))};
  if (!c.observed) return {ClaimOutcome::not_attempted, "the study ended before it was judged"};
  Judged judged = judge(first, before->hypothesis, *c.recorded, *c.observed, other_machine);
  add_runs_to(judged, runs, kernel::method_of(first.spec, before->hypothesis).units().exact);
  return judged;
}

ClaimComparison claim_of(const kernel::Claim& claim, const Study& first, const Study& again,
                         const ReproductionReport& report, bool other_machine) {
  const HypothesisRecord* before = first.hypothesis(claim.hypothesis);
  const HypothesisRecord* now = again.hypothesis(claim.hypothesis);
  ClaimComparison c{claim.id, claim.hypothesis, ClaimOutcome::not_attempted, "", {}, {}, "", ""};
  if (before && before->result) {
    c.recorded = before->result;
    c.recorded_text = said(first, *before);
  }
  // With fewer runs than registered it would be another test.
  if (!report.sample && now && now->result && now->withdrawn.empty()) {
    c.observed = now->result;
    c.observed_text = said(again, *now);
  }
  Judged judged = judge_claim(c, before, first, again, report, other_machine);
  if (chosen(report.terms, claim.id))
    add_untrue_to(judged, report.terms, before ? before->experiment : kernel::ExperimentId());
  if (judged.outcome == ClaimOutcome::reproduced && report.terms.fresh && again.wording > 1) {
    // A small or noisy repetition is compatible with almost any effect, so only the same verdict counts.
    const bool same = c.recorded && c.observed && c.recorded->verdict == c.observed->verdict;
    judged.outcome = same ? ClaimOutcome::replicated : ClaimOutcome::diverged;
    if (!same) judged.reason += "; on fresh seeds only the same verdict replicates it";
  }
  c.outcome = judged.outcome;
  c.reason = std::move(judged.reason);
  return c;
}

/// Number of runs to draw from.
int drawn_from(const Study& first, const kernel::StudyTerms& again) {
  std::set<kernel::Cell> wanted;
  for (const Hypothesis& h : again.spec.hypotheses)
    for (kernel::Cell& cell : kernel::cells_to_run(first.spec, h)) wanted.insert(std::move(cell));
  return static_cast<int>(std::ranges::count_if(
      first.runs, [&](const kernel::Run& run) { return run.evidence() && wanted.contains(cell_of(first, run)); }));
}

SampleReport sample_of(const ReproductionReport& report, const Study& first, const kernel::StudyTerms& again) {
  SampleReport sample{report.terms.seed, report.terms.sample, 0, 0, {}};
  sample.of = drawn_from(first, again);
  sample.compared = report.count(RunOutcome::agrees) + report.count(RunOutcome::differs);
  for (const double share : {0.05, 0.1, 0.2, 0.5}) {
    const int fabricated = std::max(1, static_cast<int>(std::ceil(share * sample.of - 1e-9)));
    sample.caught.push_back({share, fabricated, chance_of_catching(sample.of, fabricated, sample.compared)});
  }
  return sample;
}

ReproductionReport compared(const std::string& artifact, const Study& first, const std::string& head,
                            const kernel::ReproductionTerms& terms, const Study& again) {
  ReproductionReport report;
  report.artifact = artifact;
  report.study = again.id;
  report.recorded_study = first.id;
  report.recorded_head = head;
  report.terms = terms;
  report.environment = differences(first, again);
  report.recorded_seconds = evidence_seconds(first);
  report.observed_seconds = evidence_seconds(again);
  const bool other_machine = another_machine(first, again);
  if (!terms.fresh && may_be_seen(again)) report.runs = compare_runs(first, again, other_machine);
  if (terms.sample > 0) report.sample = sample_of(report, first, again);
  for (const kernel::Claim& claim : first.claims)
    report.claims.push_back(claim_of(claim, first, again, report, other_machine));
  std::optional<ClaimOutcome> worst;
  for (const ClaimComparison& c : report.claims)
    if (chosen(terms, c.claim)) worst = std::max(worst.value_or(ClaimOutcome::reproduced), c.outcome);
  report.outcome = worst.value_or(ClaimOutcome::not_attempted);
  return report;
}

}  // namespace

std::string_view name_of(ClaimOutcome outcome) {
  static constexpr std::string_view names[] = {"reproduced", "replicated", "not_attempted", "failed_to_run",
                                               "diverged"};
  static_assert(std::size(names) == static_cast<std::size_t>(ClaimOutcome::diverged) + 1);
  return names[static_cast<std::size_t>(outcome)];
}

ReproductionReport compare(const Recorded& recorded, const Study& again) {
  ReproductionReport report = compared(recorded.artifact, recorded.study, recorded.head, recorded.terms, again);
  report.imports = recorded.imports;
  return report;
}

kernel::Result<ReproductionReport> compare(const std::string& log, const Study& again) {
  const auto first = read_log_text(log);
  if (!first) return first.problem();
  if (!again.reproduction || again.reproduction->head != first->head)
    return kernel::Problem{"", 0, "study " + again.id, "reproduces another log", ""};
  return compared(again.reproduces, first->study, first->head, *again.reproduction, again);
}

}  // namespace artifacts
