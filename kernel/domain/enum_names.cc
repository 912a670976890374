#include "kernel/domain/enum_names.h"

namespace kernel {

std::string_view name(RunState state) {
  static constexpr std::string_view names[] = {"queued",    "starting", "running",   "succeeded", "failed",
                                               "timed_out", "invalid",  "cancelled", "lost"};
  return names[static_cast<std::size_t>(state)];
}

std::string_view name(Verdict verdict) {
  static constexpr std::string_view names[] = {"supported", "refuted", "inconclusive"};
  return names[static_cast<std::size_t>(verdict)];
}

std::string_view name(Purpose purpose) {
  static constexpr std::string_view names[] = {"registered", "smoke", "pilot", "scratch", "aa", "search"};
  return names[static_cast<std::size_t>(purpose)];
}

std::string_view name(Phase phase) {
  static constexpr std::string_view names[] = {"preparing", "proposing", "checking",   "sizing",     "registering",
                                               "measuring", "analysing", "concluding", "cancelling", "packaging",
                                               "done",      "searching", "capturing"};
  return names[static_cast<std::size_t>(stage)];
}

std::string_view name(NodeType type) {
  static constexpr std::string_view names[] = {"question", "experiment", "decision", "dead_end", "pivot", "insight"};
  return names[static_cast<std::size_t>(type)];
}

std::string_view name(Direction direction) {
  static constexpr std::string_view names[] = {"less", "greater", "equal", "different", "not_worse"};
  return names[static_cast<std::size_t>(direction)];
}

std::string_view name(StudyState state) {
  static constexpr std::string_view names[] = {"running", "paused", "ended"};
  return names[static_cast<std::size_t>(state)];
}

std::string_view name(StudyOutcome outcome) {
  static constexpr std::string_view names[] = {"concluded", "failed", "cancelled"};
  return names[static_cast<std::size_t>(outcome)];
}

std::string_view name(Role role) {
  static constexpr std::string_view names[] = {"hypothesis", "experiment", "analysis", "writeup"};
  return names[static_cast<std::size_t>(role)];
}

std::string_view name(Tier tier) {
  static constexpr std::string_view names[] = {"none", "validation", "test"};
  return names[static_cast<std::size_t>(tier)];
}

std::string_view name(GateOn on) {
  static constexpr std::string_view names[] = {"hypotheses", "experiments", "spend", "conclude", "tool", "question"};
  return names[static_cast<std::size_t>(on)];
}

std::string_view name(CodeOperator op) {
  static constexpr std::string_view names[] = {"draft", "debug", "improve", "ablate", "merge"};
  return names[static_cast<std::size_t>(op)];
}

}  // namespace kernel
