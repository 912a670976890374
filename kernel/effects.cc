#include "kernel/effects.h"

#include <fmt/format.h>

namespace kernel {

namespace {

void launches(const Study& study, const Limits& limits, std::vector<Effect>& effects) {
  if (study.queue.empty() || limits.draining) return;
  const std::string reached = reached_budget(study, limits.now);
  if (!reached.empty()) {
    // What is paid for finishes first; then the study stands still until someone raises the budget.
    if (study.live.empty()) effects.push_back(PauseStudy{study.id, "budget", reached});
    return;
  }
  std::int64_t room = study.jobs - static_cast<std::int64_t>(study.live.size());
  if (study.spec.budget.runs)
    room = std::min(room, *study.spec.budget.runs - study.runs_spent - static_cast<std::int64_t>(study.live.size()));
  for (const int run : study.queue) {
    if (room-- <= 0) break;
    effects.push_back(LaunchRun{study.id, run});
  }
}

}  // namespace

std::string reached_budget(const Study& study, Time now) {
  const Budget& budget = study.spec.budget;
  if (budget.runs && study.runs_spent >= *budget.runs)
    return fmt::format("runs: {} of {} spent", study.runs_spent, *budget.runs);
  const double wall = static_cast<double>(study.wall_closed_ms + now.boot_ms - study.session_start_ms) / 1000.0;
  if (budget.wall_s && wall >= *budget.wall_s)
    return fmt::format("wall: {:.1f} s of {:.1f} s spent", wall, *budget.wall_s);
  return "";
}

std::vector<Effect> next_effects(const State& state, const Limits& limits) {
  std::vector<Effect> effects;
  for (const auto& [id, study] : state.studies) {
    if (study.state != StudyState::running) continue;
    launches(study, limits, effects);
    if (limits.draining) continue;
    switch (study.stage()) {
      case Stage::proposing:
        effects.push_back(AskRole{id, Role::hypothesis});
        break;
      case Stage::checking:
        if (study.pending_smoke == 0) effects.push_back(AskRole{id, Role::experiment});
        break;
      case Stage::sizing:
        if (study.pending_pilot == 0) effects.push_back(AskRole{id, Role::experiment});
        break;
      case Stage::registering:
        effects.push_back(AskRole{id, Role::experiment});
        break;
      case Stage::analysing:
        effects.push_back(AskRole{id, Role::analysis});
        break;
      case Stage::concluding:
        effects.push_back(AskRole{id, Role::writeup});
        break;
      case Stage::packaging:
        effects.push_back(PackageStudy{id});
        break;
      case Stage::measuring:
      case Stage::done:
        break;
    }
  }
  return effects;
}

std::string_view name(Role role) {
  switch (role) {
    case Role::hypothesis:
      return "hypothesis";
    case Role::experiment:
      return "experiment";
    case Role::analysis:
      return "analysis";
    case Role::writeup:
      return "writeup";
  }
  return "kernel";
}

}  // namespace kernel
