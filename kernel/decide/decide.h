#pragma once
// Decides commands: returns events or a refusal. Pure: no I/O, and neither clock nor randomness of its own.

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

/// When a command is decided, and fresh random bits for seeds that its events draw. Without bits, only studies whose
/// seeds are fixed or derived can draw.
struct Occasion {
  Time now;
  Draw fresh{};
};

Decision decide(const State&, const Command&, const Occasion&);

}  // namespace kernel
