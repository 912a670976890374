#include "artifacts/forms/run_flow.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "artifacts/text/escaping.h"
#include "artifacts/words/study_words.h"
#include "kernel/domain/cells.h"
#include "kernel/domain/enum_names.h"
#include "kernel/evidence/derived_metrics.h"

namespace artifacts {

using kernel::Experiment;
using kernel::Run;
using kernel::RunState;
using kernel::Study;

namespace {

constexpr std::size_t most_rows = 200;

/// The metric that decides whether a run was measured: the primary one, as runs report it.
const kernel::Metric& reported_metric(const kernel::StudySpec& spec) {
  return spec.reported(spec.primary());
}

bool has_value(const kernel::RunValues& measured, const Run& run, const kernel::Metric& metric) {
  const auto value = measured.of(run, metric);
  return value && run.state == RunState::succeeded && !value->worst && std::isfinite(value->value);
}

/// Whether the kernel judged the experiment's runs, at its end or at a look.
bool was_analysed(const Experiment& e) {
  return e.analysed || !e.going_on.empty();
}

class FlowOfRuns {
 public:
  explicit FlowOfRuns(const Study& study)
      : study_(study), measured_(study.spec, study), metric_(reported_metric(study.spec)) {}

  void add(FlowCounts& counts, const Experiment& experiment, const Run& run) const {
    ++counts.queued;
    counts.repeated += run.retry_of ? 1 : 0;
    if (!run.cached_from.empty()) {
      ++counts.reused;
    } else if (run.token.empty()) {
      ++counts.not_started;
    } else {
      ++counts.started;
      if (run.ended())
        ++counts.ended[run.state];
      else
        ++counts.running;
    }
    if (run.superseded) {
      ++counts.replaced;
    } else if (!run.ended()) {
      ++counts.never_ended;
    } else if (!was_analysed(experiment)) {
      ++counts.not_analysed;
    } else {
      ++counts.analysed;
      ++(has_value(measured_, run, metric_) ? counts.measured : counts.unmeasured);
    }
  }

 private:
  const Study& study_;
  const kernel::RunValues measured_;
  const kernel::Metric& metric_;
};

/// The registration's cells, by their numbers in it.
using CellPlaces = std::map<kernel::Cell, std::size_t>;

std::vector<FlowCounts> cell_flows(const Study& study, const FlowOfRuns& flow, const Experiment& experiment,
                                   const CellPlaces& places) {
  const kernel::Registration& r = experiment.registration;
  std::vector<FlowCounts> counts(r.cells.size());
  for (std::size_t i = 0; i < r.cells.size(); ++i) counts[i].planned = r.replicates[i];
  for (const Run& run : study.runs) {
    if (run.purpose != kernel::Purpose::registered || run.experiment != r.experiment || !run.stage.empty()) continue;
    const auto place = places.find(cell_of(study, run));
    if (place != places.end()) flow.add(counts[place->second], experiment, run);
  }
  for (FlowCounts& one : counts) one.not_queued = one.planned + one.repeated - one.queued;
  return counts;
}

ArmFlow arm_flow(const kernel::Hypothesis& h, const char* arm, const kernel::Cell& levels) {
  kernel::Cell all = levels;
  all.insert(h.where.begin(), h.where.end());
  return {h.id, arm, cell_text(all), {}};
}

/// The flow of each arm, from the cells that the hypothesis compares.
void add_arms(const kernel::StudySpec& spec, const kernel::Registration& r, const CellPlaces& places,
              const std::vector<FlowCounts>& counts, ExperimentFlow& flow) {
  for (const kernel::Hypothesis& h : r.hypotheses) {
    ArmFlow treatment = arm_flow(h, h.has_arms() ? "treatment" : "all cells", h.treatment);
    ArmFlow control = arm_flow(h, "control", h.control);
    for (const kernel::Cell& cell : kernel::cells_of(spec, h)) {
      const auto place = places.find(cell);
      if (place == places.end()) continue;
      ArmFlow& arm = h.has_arms() && kernel::matches(cell, h.control) ? control : treatment;
      arm.counts.add(counts[place->second]);
    }
    flow.arms.push_back(std::move(treatment));
    if (h.has_arms()) flow.arms.push_back(std::move(control));
  }
}

int ended_as(const FlowCounts& counts, RunState state) {
  const auto found = counts.ended.find(state);
  return found == counts.ended.end() ? 0 : found->second;
}

/// Labels have only numbers and words of this program.
std::string drawing(const ExperimentFlow& flow) {
  const FlowCounts& c = flow.whole;
  std::string ends;
  for (const RunState state : kernel::enumerators<RunState>())
    if (kernel::is_end(state) && state != RunState::succeeded)
      ends += fmt::format("<br/>{}: {}", kernel::words_of(state), ended_as(c, state));
  return fmt::format(
      "```mermaid\n"
      "flowchart TD\n"
      "  planned[\"Planned: {}\"] --> queued[\"Queued, repetitions included: {}\"]\n"
      "  planned --> unneeded[\"Not queued: {}\"]\n"
      "  repeated[\"Repeated under the same seed: {}\"] --> queued\n"
      "  queued --> started[\"Started: {}\"]\n"
      "  queued --> unstarted[\"Not started: {}<br/>reused from an earlier study: {}\"]\n"
      "  started --> succeeded[\"Succeeded: {}\"]\n"
      "  started --> others[\"Ended otherwise: {}{}<br/>no end recorded: {}\"]\n"
      "  queued --> excluded[\"Excluded: {}<br/>replaced by a repetition: {}<br/>never ended: {}<br/>experiment not "
      "analysed: {}\"]\n"
      "  queued --> analysed[\"Analysed: {}<br/>with a value: {}<br/>without one, against their arm: {}\"]\n"
      "```\n",
      c.planned, c.queued, c.not_queued, c.repeated, c.started, c.not_started, c.reused,
      ended_as(c, RunState::succeeded), c.started - ended_as(c, RunState::succeeded) - c.running, ends, c.running,
      c.excluded(), c.replaced, c.never_ended, c.not_analysed, c.analysed, c.measured, c.unmeasured);
}

const std::vector<std::string>& count_names() {
  static const std::vector<std::string> names = {
      "Planned",   "Repeated",    "Not queued",   "Queued",   "Not started",  "Reused", "Started",
      "Succeeded", "Failed",      "Timed out",    "Invalid",  "Cancelled",    "Lost",   "Running",
      "Replaced",  "Never ended", "Not analysed", "Analysed", "With a value", "Without"};
  return names;
}

std::vector<std::string> count_cells(const FlowCounts& c) {
  std::vector<std::string> cells;
  for (const int n : {c.planned,
                      c.repeated,
                      c.not_queued,
                      c.queued,
                      c.not_started,
                      c.reused,
                      c.started,
                      ended_as(c, RunState::succeeded),
                      ended_as(c, RunState::failed),
                      ended_as(c, RunState::timed_out),
                      ended_as(c, RunState::invalid),
                      ended_as(c, RunState::cancelled),
                      ended_as(c, RunState::lost),
                      c.running,
                      c.replaced,
                      c.never_ended,
                      c.not_analysed,
                      c.analysed,
                      c.measured,
                      c.unmeasured})
    cells.push_back(std::to_string(n));
  return cells;
}

PlainTable counts_table(const std::vector<std::string>& first) {
  PlainTable table;
  table.header = first;
  table.right.assign(first.size(), false);
  for (const std::string& name : count_names()) table.header.push_back(name);
  table.right.resize(table.header.size(), true);
  return table;
}

void add_row(PlainTable& table, std::vector<std::string> first, const FlowCounts& counts) {
  for (std::string& cell : count_cells(counts)) first.push_back(std::move(cell));
  table.rows.push_back(std::move(first));
}

/// Writes at most so many rows.
std::string shown(PlainTable table) {
  const std::size_t all = table.rows.size();
  if (all > most_rows) table.rows.resize(most_rows);
  return markdown_table(table) +
         (all > most_rows ? fmt::format("\n{} more rows follow from evidence/results.\n", all - most_rows) : "");
}

std::string experiment_text(const ExperimentFlow& flow) {
  std::string text = fmt::format("\n### {}\n\n{}", in_markdown(flow.experiment.text()), drawing(flow));
  PlainTable arms = counts_table({"Hypothesis", "Arm", "Levels"});
  for (const ArmFlow& arm : flow.arms) add_row(arms, {arm.hypothesis.text(), arm.arm, arm.levels}, arm.counts);
  text += "\nBy arm. Hypotheses share cells, so the arms of two hypotheses may have the same runs.\n\n" + shown(arms);
  PlainTable cells = counts_table({"Cell"});
  add_row(cells, {"all"}, flow.whole);
  for (const auto& [cell, counts] : flow.cells) add_row(cells, {cell}, counts);
  return text + "\nBy cell. The first row is the sum of the others.\n\n" + shown(cells);
}

std::string purposes_table(const Study& study) {
  PlainTable table;
  table.header = {"Purpose", "Runs"};
  table.right = {false, true};
  int all = 0;
  for (const kernel::Purpose purpose : kernel::enumerators<kernel::Purpose>()) {
    const int total = counts_of_purpose(study, purpose).total;
    all += total;
    if (total > 0) table.rows.push_back({std::string(kernel::name(purpose)), std::to_string(total)});
  }
  table.rows.push_back({"all", std::to_string(all)});
  return markdown_table(table);
}

}  // namespace

void FlowCounts::add(const FlowCounts& other) {
  for (int FlowCounts::*member :
       {&FlowCounts::planned, &FlowCounts::repeated, &FlowCounts::not_queued, &FlowCounts::queued,
        &FlowCounts::not_started, &FlowCounts::reused, &FlowCounts::started, &FlowCounts::running,
        &FlowCounts::replaced, &FlowCounts::never_ended, &FlowCounts::not_analysed, &FlowCounts::analysed,
        &FlowCounts::measured, &FlowCounts::unmeasured})
    this->*member += other.*member;
  for (const auto& [state, n] : other.ended) ended[state] += n;
}

std::vector<ExperimentFlow> run_flows(const Study& study) {
  std::vector<ExperimentFlow> flows;
  if (study.experiments.empty()) return flows;
  const FlowOfRuns flow(study);
  for (const Experiment& experiment : study.experiments) {
    const kernel::Registration& r = experiment.registration;
    CellPlaces places;
    for (std::size_t i = 0; i < r.cells.size(); ++i) places.emplace(r.cells[i], i);
    const std::vector<FlowCounts> counts = cell_flows(study, flow, experiment, places);
    ExperimentFlow one{r.experiment, {}, {}, {}};
    for (std::size_t i = 0; i < counts.size(); ++i) {
      one.cells.emplace_back(cell_text(r.cells[i]), counts[i]);
      one.whole.add(counts[i]);
    }
    add_arms(study.spec, r, places, counts, one);
    flows.push_back(std::move(one));
  }
  return flows;
}

std::string flow_section(const Study& study, const std::vector<ExperimentFlow>& flows, long long voided) {
  std::string text =
      "\n## Flow of runs\n\nAfter the flow diagram of CONSORT 2010: what was planned, what started, how it ended, and "
      "what "
      "was analysed. A run that failed, timed out, was invalid, was cancelled or was lost for good is analysed: it "
      "counts "
      "against its arm. Queued = not started + reused + started = excluded + analysed.\n\nAll runs of the study:\n\n" +
      purposes_table(study) +
      fmt::format(
          "\nLaunches that were voided before the job began: {}. Their runs went back to the queue and are "
          "counted once.\n",
          voided);
  for (const ExperimentFlow& flow : flows) text += experiment_text(flow);
  if (flows.empty()) text += "\nNo experiment was registered, so no run is evidence.\n";
  return text;
}

}  // namespace artifacts
