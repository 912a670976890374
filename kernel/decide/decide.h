#pragma once
// The kernel's judgement: commands in, events or a refusal out. Pure: no I/O, no clock of its own, no randomness.

#include <string>
#include <variant>
#include <vector>

#include "kernel/domain/commands.h"
#include "kernel/study/state.h"

namespace kernel {

/// Why a command was not followed, in words that the sender can act on.
struct Rejection {
  std::string reason;
};
using Decision = std::variant<std::vector<Event>, Rejection>;

Decision decide(const State&, const Command&, Time now);

}  // namespace kernel
