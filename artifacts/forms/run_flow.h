#pragma once
// How the registered runs of an experiment went, from the plan to the analysis, as the flow diagram of CONSORT 2010
// asks for: counts that add up, for the experiment, for each cell and for each arm of a hypothesis. Runs of earlier
// stages are none of them. Pure.

#include <map>
#include <string>
#include <vector>

#include "kernel/study/state.h"

namespace artifacts {

/// planned + repeated = queued + not_queued; queued = not_started + reused + started = excluded() + analysed;
/// started = the sum of `ended`, and of `running`; analysed = measured + unmeasured.
struct FlowCounts {
  int planned = 0;      ///< Replicates that the registration asks for.
  int repeated = 0;     ///< Further attempts, each under the seed of the run that it replaces.
  int not_queued = 0;   ///< Planned and not needed any more: decided at a look, withdrawn, or the experiment ended.
  int queued = 0;       ///< Attempts of all.
  int not_started = 0;  ///< Given up before they began.
  int reused = 0;       ///< The record of an identical run of an earlier study.
  int started = 0;
  std::map<kernel::RunState, int> ended{};  ///< Of those that started: by their end.
  int running = 0;                          ///< Started, and no end is recorded.
  int replaced = 0;                         ///< Excluded: another attempt under the same seed counts.
  int never_ended = 0;                      ///< Excluded: queued or running when the log ends.
  int not_analysed = 0;                     ///< Excluded: the experiment ended without an analysis.
  int analysed = 0;
  int measured = 0;    ///< Analysed, with a value of the metric.
  int unmeasured = 0;  ///< Analysed without one: an outcome against its arm.

  int excluded() const { return replaced + never_ended + not_analysed; }
  void add(const FlowCounts& other);
};

struct ArmFlow {
  kernel::HypothesisId hypothesis;
  std::string arm;     ///< "treatment", "control"; "all cells" of a slope.
  std::string levels;  ///< Such as "algorithm = quick".
  FlowCounts counts;
};

struct ExperimentFlow {
  kernel::ExperimentId experiment;
  std::vector<std::pair<std::string, FlowCounts>> cells;  ///< In the order of the registration.
  FlowCounts whole;                                       ///< The sum of the cells.
  std::vector<ArmFlow> arms;                              ///< Hypotheses may share cells, so arms have no common sum.
};

/// One for each registered experiment. Precondition: the study can be computed.
std::vector<ExperimentFlow> run_flows(const kernel::Study&);

/// Markdown: a drawing (Mermaid) and tables. `voided`: number of launches that never began.
std::string flow_section(const kernel::Study&, const std::vector<ExperimentFlow>&, long long voided);

}  // namespace artifacts
