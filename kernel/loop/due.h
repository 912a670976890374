#pragma once
// The effects that the state calls for next. Pure; the loop commits the intents, then performs them.

#include <string>
#include <variant>
#include <vector>

#include "kernel/domain/commands.h"
#include "kernel/study/state.h"

namespace kernel {

struct AskRole {
  std::string study;
  Role role = Role::hypothesis;
};
struct PackageStudy {
  std::string study;
};
struct KillRun {
  std::string study;
  int run = 0;
};
/// A `Command` is sent by the kernel itself.
using Effect = std::variant<Command, AskRole, PackageStudy, KillRun>;

/// All effects except launches, which `admit` decides. Cost grows with what can happen now, not with history.
std::vector<Effect> next_effects(const State&, Time now);

}  // namespace kernel
