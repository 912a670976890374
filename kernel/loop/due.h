#pragma once
// What the state of things calls for next. Pure; the loop commits the intents, then performs them.

#include <string>
#include <variant>
#include <vector>

#include "kernel/study/state.h"

namespace kernel {

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
/// A person is to be asked before the study goes on.
struct AskPerson {
  std::string study;
  int position = 0;  ///< In StudySpec::gates.
};
/// Nobody has decided a gate in the time that the study gives for it.
struct AnswerGate {
  std::string study, gate;
  bool approve = false;
};
/// Its environment is to be set up, or could not be.
struct SetUpEnvironment {
  std::string study;
};
/// Everything of a cancelled study is dead.
struct ConcludeCancelled {
  std::string study;
};
struct KillRun {
  std::string study;
  int run = 0;
};
/// What is left of the budget is for the confirmation of a search over code.
struct EndCodeSearch {
  std::string study, why;
};
using Effect = std::variant<AskRole, PackageStudy, PauseStudy, AskPerson, SetUpEnvironment, ConcludeCancelled, KillRun,
                            AnswerGate, EndCodeSearch>;

/// All but launches, which `admit` decides. Cost grows with what can happen now, not with history.
std::vector<Effect> next_effects(const State&, Time now);

}  // namespace kernel
