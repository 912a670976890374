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

/// Applies an event of each kind. apply_runs.cc has those that change runs, apply_journal.cc those of conversations
/// with models, event_applier.cc the others.
struct EventApplier {
  State& state;
  const Event& event;

  Study& study();
#define ETUDE_EVENT(Type, ...) void operator()(const Type&);
#include "kernel/domain/events.def"
  void conclude(const std::vector<HypothesisResult>& results);
};

}  // namespace kernel
