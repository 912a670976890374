#pragma once
// Applies one event. Only the sources that define `apply` include this.

#include "kernel/study/state.h"

namespace kernel {

/// Throws std::logic_error if there is no such run.
Run& run_of(Study&, int number);
Experiment& experiment_of(Study&, const ExperimentId&);
/// Index of the cell, which is added if it is new.
int cell_index(Study&, const Cell&);
void move_to(Study&, Run&, RunState);
void close_session(Study&, std::int64_t boot_ms);

/// Applies each type of event: apply_runs.cc those of runs, apply_journal.cc of models, event_applier.cc the rest.
struct EventApplier {
  State& state;
  const Event& event;

  Study& study();
#define ETUDE_EVENT(Type, ...) void operator()(const Type&);
#include "kernel/domain/events.def"
  void conclude(const std::vector<HypothesisResult>& results);
  /// Exploration::origins
  void note_origin(const std::string& of);
};

}  // namespace kernel
