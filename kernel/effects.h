#pragma once
// What the state of things calls for next. Pure; the loop commits the intents, then performs them.

#include <string>
#include <variant>
#include <vector>

#include "kernel/state.h"

namespace kernel {

enum class Role { hypothesis, experiment, analysis, writeup };

struct LaunchRun {
  std::string study;
  int run = 0;
};
struct AskRole {
  std::string study;
  Role role = Role::hypothesis;
};
struct PackageStudy {
  std::string study;
};
struct PauseStudy {
  std::string study, reason, detail;
};
using Effect = std::variant<LaunchRun, AskRole, PackageStudy, PauseStudy>;

struct Limits {
  bool draining = false;  ///< Start nothing new.
  Time now;
};

/// Cost grows with what can start now, not with history.
std::vector<Effect> next_effects(const State&, const Limits&);

/// The budget that stops new spending, in words; empty: none does.
std::string reached_budget(const Study&, Time now);

std::string_view name(Role);

}  // namespace kernel
