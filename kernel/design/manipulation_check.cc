#include <algorithm>

#include "kernel/design/design.h"
#include "kernel/domain/cells.h"
#include "kernel/verdicts/cautions.h"

namespace kernel {

namespace {

bool same(const MetricValue& a, const MetricValue& b) {
  return a.value == b.value && a.censored == b.censored && a.worst == b.worst;
}

/// `with_items`: of metrics by item also each item's value.
bool same_values(const Run& a, const Run& b, bool with_items) {
  if (with_items && a.measurement.items != b.measurement.items) return false;
  const auto& left = a.measurement.values;
  const auto& right = b.measurement.values;
  return left.size() == right.size() && std::ranges::all_of(left, [&](const auto& entry) {
           const auto it = right.find(entry.first);
           return it != right.end() && same(entry.second, it->second);
         });
}

/// True if no metric but times differs. Times differ between any two runs, and so do the outputs that have them.
bool only_times_differ(const StudySpec& spec, const Run& a, const Run& b) {
  return std::ranges::all_of(spec.metrics, [&](const Metric& metric) {
    const auto left = a.measurement.values.find(metric.name), right = b.measurement.values.find(metric.name);
    const bool there = left != a.measurement.values.end(), here = right != b.measurement.values.end();
    return is_timing(spec, metric) || (there == here && (!there || same(left->second, right->second)));
  });
}

/// Finds runs that cost almost nothing compared with the costliest run; another cell may rightly be that cheap.
void without_work(const std::vector<const Run*>& runs, std::vector<CheckFinding>& findings) {
  const auto cost = [](const Run* run) { return run->outcome.usage.cpu_s; };
  const auto dearest = std::ranges::max_element(runs, [&](const Run* a, const Run* b) { return cost(a) < cost(b); });
  for (const Run* run : runs)
    if (cost_nothing(run->outcome.usage, cost(*dearest)))
      findings.push_back(
          {run->label,
           {ReasonCode::next_to_no_work,
            {{"run", run->number}, {"cost", cost(run)}, {"dearest", (*dearest)->number}, {"most", cost(*dearest)}}},
           run->cell == (*dearest)->cell});
}

/// Finds reported times that are longer than the run itself, so they were simulated or not measured.
void impossible_times(const StudyTerms& study, const std::vector<const Run*>& runs,
                      std::vector<CheckFinding>& findings) {
  for (const Metric& metric : study.spec.metrics) {
    const std::optional<double> second = seconds_of(metric.unit);
    if (!second || metric.derived || study.spec.from_evaluator(metric.name)) continue;
    for (const Run* run : runs) {
      const auto found = run->measurement.values.find(metric.name);
      const double took = std::max(run->outcome.usage.wall_s, run->outcome.usage.cpu_s);
      // The reported time may include earlier stages, which `took` does not.
      if (found == run->measurement.values.end() || took <= 0 || !run->needs.empty()) continue;
      const double said = found->second.value * *second;
      if (!(said > 1.5 * took + 0.1)) continue;
      findings.push_back({metric.name,
                          {ReasonCode::impossible_time,
                           {{"run", run->number}, {"metric", metric.name}, {"said", said}, {"took", took}}},
                          false});
      break;
    }
  }
}

/// True if the command has the factor's value among its words.
bool passes(const StudySpec& spec, const Factor& factor) {
  if (spec.code && factor.name == code_factor) return true;
  const auto mentions = [&](const CommandTemplate& command) {
    return std::ranges::any_of(command.words, [&](const std::string& word) {
      return word.find("{" + factor.name + "}") != word.npos || word.find("{" + factor.name + ".") != word.npos;
    });
  };
  return mentions(spec.run) || std::ranges::any_of(spec.stages, mentions, &StageSpec::run);
}

/// Finds lines by an agent through which code can know more than its command says, and need not.
void reads_without_need(const StudyTerms& study, std::vector<CheckFinding>& findings) {
  const StudySpec& spec = study.spec;
  const auto all_passed = [&] {
    return std::ranges::all_of(spec.factors, [&](const Factor& factor) { return passes(spec, factor); });
  };
  const auto any_time = [&] {
    return std::ranges::any_of(spec.metrics, [&](const Metric& metric) { return is_timing(spec, metric); });
  };
  const auto find = [&](CodeRead reads, ReasonCode code) {
    std::string lines;
    for (const CodeLine& line : study.workspace.reads)
      if (line.by_agent && line.reads == reads && (reads != CodeRead::clock || line.reported))
        lines += (lines.empty() ? "" : "; ") + line.place;
    if (!lines.empty()) findings.push_back({"code", {code, {{"lines", lines}}}, true});
  };
  if (all_passed()) find(CodeRead::parameters, ReasonCode::code_reads_parameters);
  if (spec.passes_seed()) find(CodeRead::seed, ReasonCode::code_reads_seed);
  find(CodeRead::token, ReasonCode::code_reads_token);
  if (!any_time()) find(CodeRead::clock, ReasonCode::code_reads_clock);
}

/// By the rule of earlier programs, no place is named.
Reason seed_without_effect(const StudyTerms& study, bool outputs_same) {
  if (study.spec.design.rule == VerdictRule::smallest_effect) return {ReasonCode::seed_changes_nothing};
  Reason why{ReasonCode::seed_without_effect, {{"outputs_same", static_cast<std::int64_t>(outputs_same)}}};
  const std::vector<std::string>& pins = study.workspace.seed_pins;
  if (!pins.empty()) {
    std::string lines;
    for (const std::string& pin : pins) lines += (lines.empty() ? "" : "; ") + pin;
    why.values["pins"] = std::vector{Reason{ReasonCode::seed_pinned_at, {{"lines", lines}, {"run", "{seed}"}}}};
  } else if (!study.spec.passes_seed()) {
    why.values["pins"] = std::vector{Reason{ReasonCode::seed_not_taken, {{"seed", "{seed}"}}}};
  }
  return why;
}

}  // namespace

bool cost_nothing(const Usage& usage, double usual_s) {
  // If the usual run takes at least half a second, a hundredth of its time is no real work.
  constexpr double real_work_s = 0.5, share_of_work = 0.01;
  const double little = share_of_work * usual_s;
  return usual_s >= real_work_s && usage.cpu_s <= little && usage.wall_s <= little;
}

ManipulationChecked judge_manipulation(const Study& study, bool with_items) {
  ManipulationChecked check;
  const Run* reference = nullptr;
  std::optional<int> unchanged;  // The cell of the reference run, which is planned first.
  std::vector<const Run*> flipped, worked;
  for (const Run& run : study.runs) {
    if (run.purpose != Purpose::smoke || !run.stage.empty()) continue;
    if (run.number <= study.batch.amended_at) continue;  // It ran other code.
    if (!unchanged) unchanged = run.cell;
    if (run.superseded) continue;
    if (run.state == RunState::succeeded && run.cached_from.empty()) worked.push_back(&run);
    if (run.cell == unchanged && run.label == reference_label)
      reference = &run;
    else
      flipped.push_back(&run);
    if (run.state != RunState::succeeded)
      check.findings.push_back(
          {run.label,
           {ReasonCode::smoke_run_failed, {{"run", run.number}, {"reason", std::vector{run.reason}}}},
           true});
    else if (run.measurement.malformed > 0)
      check.findings.push_back(
          {"metrics",
           {ReasonCode::malformed_lines, {{"run", run.number}, {"lines", run.measurement.malformed}}},
           true});
  }
  reads_without_need(study, check.findings);
  without_work(worked, check.findings);
  impossible_times(study, worked, check.findings);
  if (!reference || reference->state != RunState::succeeded) return check;

  const bool all_deterministic =
      std::ranges::all_of(study.spec.metrics, [](const Metric& m) { return m.deterministic; });
  for (const Run* run : flipped) {
    if (run->state != RunState::succeeded) continue;
    const bool outputs_same = !run->output_digest.empty() && run->output_digest == reference->output_digest;
    // Runs that only test data would score have no values, so only their outputs can be compared.
    const bool scored = !run->measurement.values.empty() || !reference->measurement.values.empty();
    if (!outputs_same && !(scored && same_values(*run, *reference, with_items))) {
      if (study.spec.design.reading && scored && only_times_differ(study.spec, *run, *reference)) {
        const std::string what = run->cell == unchanged ? "the seed" : "`" + run->label + "`";
        check.findings.push_back({run->label, {ReasonCode::times_alone, {{"what", what}}}, false});
      }
      continue;
    }
    if (run->cell == unchanged) {
      if (!all_deterministic) check.findings.push_back({seed_label, seed_without_effect(study, outputs_same), true});
      continue;
    }
    const std::string& from = study.cells[static_cast<std::size_t>(reference->cell)].at(run->label);
    const std::string& to = study.cells[static_cast<std::size_t>(run->cell)].at(run->label);
    check.findings.push_back({run->label,
                              {outputs_same ? ReasonCode::level_changes_nothing : ReasonCode::level_changes_no_metric,
                               {{"factor", run->label}, {"from", from}, {"to", to}}},
                              true});
  }
  return check;
}

}  // namespace kernel
