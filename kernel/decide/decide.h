#pragma once
// Decides commands: returns events or a refusal. Pure: no I/O, no clock of its own, no randomness.

#include <utility>
#include <vector>

#include "kernel/domain/commands.h"
#include "kernel/study/state.h"

namespace kernel {

/// What a command leads to. A command that is not followed may have events, too, such as those of a pause or a gate.
struct Decision {
  Decision(std::vector<Event> all, CommandOutcome what = Done{}) : events(std::move(all)), outcome(std::move(what)) {}
  Decision(Waits waits) : outcome(std::move(waits)) {}
  Decision(Paused paused) : outcome(std::move(paused)) {}
  Decision(Rejection rejection) : outcome(std::move(rejection)) {}
  std::vector<Event> events;
  CommandOutcome outcome;
};

Decision decide(const State&, const Command&, Time now);

}  // namespace kernel
