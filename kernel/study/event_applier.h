#pragma once
// One event being applied. Include where `apply` is defined only.

#include "kernel/study/state.h"

namespace kernel {

/// Throw std::logic_error where there is none.
Run& run_of(Study&, int number);
Experiment& experiment_of(Study&, const std::string& id);
/// Of a cell that may be new.
int cell_index(Study&, const Cell&);
void move_to(Study&, Run&, RunState);
void close_session(Study&, std::int64_t boot_ms);

/// Applies an event of each kind; those that change runs stand in fold_runs.cc, those of agents that think in
/// fold_thinking.cc, the others in state.cc.
struct EventApplier {
  State& state;
  const Event& event;

  Study& study();
  void operator()(const StudyOpened& e);
  void operator()(const HypothesisProposed& e);
  void operator()(const ProposalsClosed& e);
  void operator()(const RunsQueued& e);
  void operator()(const RunStarting& e);
  void operator()(const RunStarted& e);
  void operator()(const RunRequeued& e);
  void operator()(const RunEnded& e);
  void operator()(const ArmStopped& e);
  void operator()(const ManipulationChecked& e);
  void operator()(const SampleSized& e);
  void operator()(const ExperimentRegistered& e);
  void operator()(const SearchRegistered& e);
  void operator()(const RungRanked& e);
  void operator()(const CodePlanned& e);
  void operator()(const CodeProposed& e);
  void operator()(const IntegrityFound& e);
  void operator()(const InterimLook& e);
  void operator()(const ExperimentAnalysed& e);
  void conclude(const std::vector<HypothesisResult>& results);
  void operator()(const BatchOpened& e);
  void operator()(const HypothesisWithdrawn& e);
  void operator()(const WorkspaceAmended& e);
  void operator()(const LineOpened& e);
  void operator()(const LineEnded& e);
  void operator()(const ModelAsked& e);
  void operator()(const ModelAnswered& e);
  void operator()(const ToolReturned& e);
  void operator()(const NoteTaken& e);
  void operator()(const RequirementBound& e);
  void operator()(const RequirementJudged& e);
  void operator()(const SectionWritten& e);
  void operator()(const NodeRecorded& e);
  void operator()(const ClaimRecorded& e);
  void operator()(const StudyPaused& e);
  void operator()(const StudyResumed& e);
  void operator()(const CancellationRequested& e);
  void operator()(const RunCancellationRequested& e);
  void operator()(const StudySteered& e);
  void operator()(const StudyForked& e);
  void operator()(const GateOpened& e);
  void operator()(const GateDecided& e);
  void operator()(const StudyConcluded& e);
  void operator()(const ArtifactPackaged& e);
  void operator()(const StudyEnded& e);
};

}  // namespace kernel
